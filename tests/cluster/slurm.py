"""
Does profiles/slurm work on a real SLURM? Set one up in a temporary folder, run a small study on it and compare.

    make slurm                                                       15 minutes on two cores
    .venv/bin/python tests/cluster/slurm.py --accounting no          only without accounting

One node, all daemons of Debian's packages as processes of this user on the loopback interface (slurmdbd alone listens
on all, and answers only who has the key), each with its own ports, key, sockets, spool and logs in a temporary folder;
nothing of the system's own SLURM is read or changed. The study of tests/cluster/study.yaml runs on the cores of this
machine and then through SLURM: every table has to have the same bytes, seconds left out. Without accounting a run that
asks `sacct` has to be refused at once. Prints a line a run; the exit code is 1 if one of them is not as it should be.
What was started is ended by its process id, also after Ctrl-C.

Options that are not listed below go to the runs of Snakemake on SLURM.
"""

import argparse
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from getpass import getuser
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "regression"))
from processors import SNAKEMAKE, differing, tables  # noqa: E402

# Program -> Debian package.
PACKAGES = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client"}
ACCOUNTING_PACKAGES = {
    "slurmdbd": "slurmdbd",
    "mariadbd": "mariadb-server-core",
    "mariadb-install-db": "mariadb-server-core",
    # Which the one above calls.
    "my_print_defaults": "mariadb-client-core",
}
# Daemons are often outside the path of a user.
os.environ["PATH"] += os.pathsep + os.pathsep.join(["/usr/sbin", "/sbin"])


def free_ports(n: int) -> list[int]:
    """Ports of the loopback interface that nothing listens on."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def answers(port: int) -> bool:
    """Whether something listens on a port of the loopback interface."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def said(*command: str) -> str:
    """What a program says, whether it succeeds or not."""
    return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.strip()


class Cluster:
    """
    One node with SLURM, in a folder of its own; a context, at whose end nothing of it is left.

    Parameters
    ----------
    accounting : bool
        Keep accounts, in a database of its own.
    keep : bool
        Leave the folder with the logs of the daemons at the end.
    """

    def __init__(self, accounting: bool, keep: bool = False):
        self.accounting, self.keep = accounting, keep
        self.daemons: list[subprocess.Popen] = []
        self.path = os.environ["PATH"]

    def __enter__(self) -> "Cluster":
        # Short: the path of a socket has at most 107 letters.
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
        # Munge wants a socket that all can reach.
        self.folder.chmod(0o711)
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self) -> None:
        self.ctld, self.d, self.dbd, self.database = free_ports(4)
        for name in ("state", "spool", "database", "bin"):
            (self.folder / name).mkdir()
        os.environ["SLURM_CONF"] = str(self.folder / "slurm.conf")
        # A job of the plugin starts srun without any variable of SLURM, which then looks for the system's own settings.
        srun = self.folder / "bin" / "srun"
        srun.write_text(f'#!/bin/sh\nSLURM_CONF={os.environ["SLURM_CONF"]} exec {shutil.which("srun")} "$@"\n')
        srun.chmod(0o755)
        os.environ["PATH"] = f"{srun.parent}{os.pathsep}{os.environ['PATH']}"
        self._write("munge.key", secrets.token_bytes(128))
        files = [f"--{kind}-file={self.folder}/munge.{kind}" for kind in ("key", "pid", "log", "seed")]
        socket_file = self.folder / "munge.socket"
        self._daemon("munged", "--foreground", f"--socket={socket_file}", *files, ready=socket_file.exists)
        self._write("slurm.conf", self._slurm_conf().encode())
        if self.accounting:
            self._start_accounting()
        self._daemon("slurmctld", "-D", ready=lambda: " is UP" in said("scontrol", "ping"))
        self._daemon("slurmd", "-D", ready=lambda: said("sinfo", "--noheader", "--format=%T") == "idle")

    def _start_accounting(self) -> None:
        password, user = secrets.token_hex(16), getuser()
        folder = self.folder / "database"
        subprocess.run(
            ["mariadb-install-db", "--no-defaults", f"--datadir={folder}", f"--user={user}", "--skip-test-db"],
            check=True,
            capture_output=True,
        )
        self._write(
            "start.sql",
            b"CREATE DATABASE accounts;\nCREATE USER slurm@127.0.0.1 IDENTIFIED BY '%b';\n"
            b"GRANT ALL ON accounts.* TO slurm@127.0.0.1;\n" % password.encode(),
        )
        self._daemon(
            "mariadbd",
            *("--no-defaults", f"--datadir={folder}", f"--user={user}", f"--init-file={self.folder}/start.sql"),
            *("--bind-address=127.0.0.1", f"--port={self.database}", f"--socket={self.folder}/database.socket"),
            *("--skip-name-resolve", f"--pid-file={self.folder}/database.pid"),
            ready=lambda: answers(self.database),
        )
        settings = f"""
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge.socket
SlurmUser={user}
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={self.dbd}
LogFile={self.folder}/slurmdbd.log
PidFile={self.folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={self.database}
StorageUser=slurm
StoragePass={password}
StorageLoc=accounts
"""
        self._write("slurmdbd.conf", settings.encode())
        self._daemon("slurmdbd", "-D", ready=lambda: answers(self.dbd))
        subprocess.run(["sacctmgr", "--immediate", "add", "cluster", "sandbox"], check=True, capture_output=True)

    def _slurm_conf(self) -> str:
        host, user = socket.gethostname().partition(".")[0], getuser()
        megabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
        # A group of jobs of the profile asks for four cores; a node may say that it has more than there are.
        cores = max(4, os.cpu_count() or 1)
        settings = f"""
ClusterName=sandbox
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge.socket
SlurmctldPort={self.ctld}
SlurmdPort={self.d}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/slurmd.log
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
MailProg=/bin/true
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={megabytes * 9 // 10}
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE
"""
        if self.accounting:
            settings += f"""
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={self.dbd}
AccountingStoragePass={self.folder}/munge.socket
"""
        return settings

    def _write(self, name: str, content: bytes) -> None:
        """Write a file that nobody else may read: a key, a password, or what lies next to them."""
        (self.folder / name).touch(mode=0o600)
        (self.folder / name).write_bytes(content)

    def _daemon(self, *command: str, ready: Callable[[], bool]) -> None:
        """Start a daemon as a child of this process, and wait until it is ready."""
        log = self.folder / f"{command[0]}.out"
        with log.open("wb") as file:
            # Ctrl-C ends the run first, and then by `__exit__` the daemons.
            daemon = subprocess.Popen(command, stdout=file, stderr=file, stdin=subprocess.DEVNULL, process_group=0)
        self.daemons.append(daemon)
        end = time.monotonic() + 60
        while not ready():
            if daemon.poll() is not None or time.monotonic() > end:
                logs = [path for path in (log, self.folder / f"{command[0]}.log") if path.exists()]
                raise SystemExit(
                    f"{command[0]} did not start:\n" + "\n".join(path.read_text()[-2000:] for path in logs)
                )
            time.sleep(0.2)

    def __exit__(self, *_: object) -> None:
        # The processes of jobs are not our children; SLURM ends them while its daemons are still there.
        if self.daemons and shutil.which("squeue") and len(self.daemons) >= 3:
            subprocess.run(["scancel", "--user", getuser()], capture_output=True, timeout=60)
            end = time.monotonic() + 60
            while said("squeue", "--noheader") and time.monotonic() < end:
                time.sleep(1)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=30)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        os.environ["PATH"] = self.path
        os.environ.pop("SLURM_CONF", None)
        if self.keep:
            print(f"Kept: {self.folder}", flush=True)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def run(study: str, *options: str) -> tuple[int, str, float]:
    """Run the small study anew under a name; its exit code, what it said, and its seconds."""
    for folder in (ROOT / "results" / study, ROOT / "results" / "logs" / study):
        shutil.rmtree(folder, ignore_errors=True)
    command = [SNAKEMAKE, "--configfile", "config/quick.yaml", "tests/cluster/study.yaml", *options]
    command += ["--config", f"study={study}"]
    start = time.monotonic()
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0
    ) as process:
        try:
            output, _ = process.communicate(timeout=3600)
        except BaseException:
            # As by Ctrl-C: Snakemake then cancels its jobs.
            process.send_signal(signal.SIGINT)
            process.wait(timeout=120)
            raise
    return process.returncode, output, time.monotonic() - start


def missing_packages(accounting: bool) -> list[str]:
    """Debian's packages of programs that are not here."""
    needed = PACKAGES | (ACCOUNTING_PACKAGES if accounting else {})
    return sorted({package for program, package in needed.items() if shutil.which(program) is None})


def main() -> int:
    """Run all; 1 if one of the runs was not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accounting", choices=["yes", "no", "both"], default="both")
    parser.add_argument("--install", action="store_true", help="install Debian's packages that are missing, as root")
    parser.add_argument("--keep", action="store_true", help="leave the folders with the logs of the daemons")
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="of the run without SLURM")
    arguments, options = parser.parse_known_args()
    kinds = {"yes": [True], "no": [False], "both": [False, True]}[arguments.accounting]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    missing = missing_packages(any(kinds))
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
    if missing and arguments.install:
        subprocess.run(install, check=True)
    elif missing:
        sys.exit(f"Debian's packages {', '.join(missing)} are missing. As root: {' '.join(install)}")

    code, output, seconds = run("slurm_local", "--cores", str(arguments.cores), "--quiet", "all")
    if code:
        sys.exit(f"The run without SLURM failed:\n{output}")
    print(f"without SLURM, {arguments.cores} cores: {seconds:.0f} s", flush=True)
    faults = 0
    profile = ("--workflow-profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "10", *options)
    for accounting in kinds:
        with Cluster(accounting, arguments.keep):
            name = f"{said('sinfo', '--version')}, {'with' if accounting else 'without'} accounting"
            if not accounting:
                code, output, seconds = run("slurm_refused", *profile, "--slurm-status-command", "sacct")
                refused = code != 0 and "has no job accounting" in output
                faults += not refused
                print(f"{name}: asking sacct was {'' if refused else 'NOT '}refused ({seconds:.0f} s)", flush=True)
            study = f"slurm_{'with' if accounting else 'without'}_accounting"
            code, output, seconds = run(study, *profile)
        (ROOT / "results" / f"{study}.log").write_text(output)
        steps = re.search(r"\[ *(\d+) of \1 steps", output)
        if code or not steps:
            faults += 1
            print(f"{name}: FAILED after {seconds:.0f} s, see results/{study}.log", flush=True)
            continue
        calls = len(re.findall(r"submitted with SLURM jobid|Submitted array job", output))
        local, here = ROOT / "results" / "slurm_local", ROOT / "results" / study
        others, n = differing(local, here), len(tables(local))
        faults += bool(others)
        print(
            f"{name}: {steps[1]} jobs of Snakemake by {calls} calls of sbatch, {n - len(others)} of {n} tables have "
            f"the same bytes ({seconds:.0f} s)",
            *others,
            sep="\n  ",
            flush=True,
        )
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main())
