"""Runs of a study of seconds that are killed, interrupted, short of space, or made in other ways; all end the same."""

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from hashlib import sha256
from json import loads
from pathlib import Path

from checkout import Checkout, kill_all_of, processes_in, untimed
from processors import differing, tables
from trials import Failure, expect

PLAIN = ("snakemake", "--cores", "2", "--configfile", "config/quick.yaml")
MAKE = ("make", "CORES=2")
EXPERIMENT = "theory_error"
# The shortest study; the one with t-SNE, in which a digit that differs grows, for the comparison of whole runs.
SHORT = {"experiments": [EXPERIMENT]}
LONGER = {"experiments": ["mce_tail", EXPERIMENT], "mce_tail": {"draws": 4}}
OTHER_SEED = {"seed": 7}
# Seconds without any work of a run that has not ended.
HANG = 20
# Code of each step: the experiment, its table and figure, the report.
EDITED = [
    "workflow/replication/papers/viswanath2012/theory_error.py",
    "workflow/replication/papers/viswanath2012/theory_tables.py",
    "workflow/replication/papers/viswanath2012/theory_figures.py",
    "workflow/replication/report/page.py",
    "workflow/replication/papers/viswanath2012/experiments/theory_error.py",
]

STATES = ("fresh", "partly deleted", "code edited", "seed changed", "run again as a whole")
TARGETS = ("the whole group", "the main process only", "one job")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Study:
    """A checkout with a finished study, which can be put back into that state."""

    def __init__(self, config: dict | None = None):
        folder = Path(tempfile.mkdtemp(prefix="campaign-"))
        self.folder, self.config = folder, config or SHORT
        self.checkout = Checkout(self._new("checkout"))
        self.results = self.checkout / "results" / "quick"
        self.write_config({})
        start = time.monotonic()
        self.run(PLAIN)
        self.seconds = time.monotonic() - start
        self.finished = self._kept("finished")
        # State -> seconds of the shortest run from there.
        self.lasts: dict[str, float] = {}
        for name in EDITED:
            shutil.copy2(self.checkout / name, self._new("code", exist_ok=True) / name.replace("/", "+"))

    @cached_property
    def with_other_seed(self) -> Path:
        """Results with another seed, which most trials do not need."""
        self.clear()
        self.write_config(OTHER_SEED)
        self.run(PLAIN)
        return self._kept("other seed")

    def _new(self, name: str, exist_ok: bool = False) -> Path:
        (self.folder / name).mkdir(exist_ok=exist_ok)
        return self.folder / name

    def _kept(self, name: str) -> Path:
        """A copy of the results and of what Snakemake knows about them."""
        for part in ("results", ".snakemake"):
            shutil.copytree(self.checkout / part, self.folder / name / part)
        return self.folder / name / "results" / "quick"

    def write_config(self, changes: dict) -> None:
        self.checkout.write_config(self.config | changes, "config/quick.yaml")

    def clear(self) -> None:
        """No results, and nothing that Snakemake knows."""
        for part in ("results", ".snakemake"):
            shutil.rmtree(self.checkout / part, ignore_errors=True)

    def restore(self) -> None:
        """Finished, with the code and the configuration that made it."""
        self.clear()
        for part in ("results", ".snakemake"):
            shutil.copytree(self.folder / "finished" / part, self.checkout / part)
        for name in EDITED:
            shutil.copy2(self.folder / "code" / name.replace("/", "+"), self.checkout / name)
        self.write_config({})

    def run(self, command: tuple, fails: bool = False, **environment: str) -> str:
        """Run a command to its end; return what it said."""
        process = self.checkout.start(*command, **environment)
        said = self.end(process, f"`{' '.join(command)}`")
        expect((process.returncode != 0) == fails, f"`{' '.join(command)}` ends with {process.returncode}:\n{said}")
        return said

    def end(self, process: subprocess.Popen, what: str) -> str:
        """Wait for the end of a run, and give up if nothing in the folder has worked for some time; what it said."""
        with ThreadPoolExecutor(1) as pool:
            said = pool.submit(lambda: process.communicate()[0])
            worked, since = {}, time.monotonic()
            while process.poll() is None:
                time.sleep(0.1)
                now = {pid: _work_of(pid) for pid in processes_in(self.checkout.folder)}
                if now != worked:
                    worked, since = now, time.monotonic()
                elif time.monotonic() - since > HANG:
                    for pid in now:
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(pid, signal.SIGKILL)
                    raise Failure(f"{what} hangs: for {HANG} s no process works; it said:\n{said.result()}")
            return said.result()

    def check(self, expected: Path) -> None:
        """The results are those of an uninterrupted run: nothing missing, half-written, old, or left to do."""
        ours, theirs = ({_name(path, folder) for path in _files(folder)} for folder in (self.results, expected))
        hidden = [name for name in ours if Path(name).name.startswith(".")]
        expect(not hidden, f"half-written files left behind: {hidden}")
        expect(ours == theirs, f"missing files: {sorted(theirs - ours)}; files too many: {sorted(ours - theirs)}")
        others = differing(self.results, expected)
        expect(not others, f"tables with other bytes: {others}")
        found, wanted = (untimed(folder / "report.html") for folder in (self.results, expected))
        lines = set(found.splitlines()) ^ set(wanted.splitlines())
        expect(not lines, "the report is not that of these results:\n" + "\n".join(line[:300] for line in lines))
        recorded = loads((self.results / "manifest.json").read_text())["results"]
        wrong = [name for name, one in recorded.items() if _hash(self.checkout / name) != one["sha256"]]
        expect(not wrong, f"files that the manifest has with other hashes: {wrong}")
        left = self.checkout.job_counts("config/quick.yaml")
        expect(not left, f"jobs left to do after a run that was complete: {left}")

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


@cache
def study() -> Study:
    """The one of this process."""
    return Study()


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "benchmarks" not in path.parts]


def _name(path: Path, folder: Path) -> str:
    expect(path.stat().st_size > 0, f"{path} is empty")
    return path.relative_to(folder).as_posix()


def _hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _work_of(pid: int) -> list[bytes]:
    """Ticks of the processor that a process has used."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[11:13]
    except OSError:
        return []


def _jobs(folder: Path) -> list[int]:
    """Processes of jobs at work in a folder: scripts, what waits for one, and the worker with its forks."""
    found = []
    for pid in processes_in(folder):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"python" in words and (b".snakemake/scripts/" in words or b"replication.platform.worker" in words):
                found.append(pid)
    return found


def _begin(state: str, rng: random.Random) -> tuple[tuple, Path]:
    """Put the study into a state; return the command to start with, and the results to end with."""
    one, command = study(), rng.choice([PLAIN, MAKE])
    expected = one.with_other_seed if state == "seed changed" else one.finished
    one.restore()
    if state == "fresh":
        one.clear()
    elif state == "partly deleted":
        files = sorted(_files(one.results))
        for path in rng.sample(files, rng.randint(1, len(files) - 1)):
            path.unlink()
    elif state == "code edited":
        with open(one.checkout / rng.choice(EDITED), "a") as file:
            file.write("\n# A comment.\n")
    elif state == "seed changed":
        one.write_config(OTHER_SEED)
    elif state == "run again as a whole":
        command = (*PLAIN, "--forceall")
    return command, expected


def _disturbed(state: str, rng: random.Random, disturb) -> tuple[subprocess.Popen, Path]:
    """Start a run and disturb it at a random moment; once more, and sooner, if it had ended before."""
    one, moment = study(), rng.uniform(0, 1)
    again = rng.random()
    for _ in range(8):
        command, expected = _begin(state, random.Random(again))
        start = time.monotonic()
        process = one.checkout.start(*command)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=moment * one.lasts.get(state, one.seconds))
        if process.poll() is None and disturb(process):
            return process, expected
        process.communicate()
        # On a machine with nothing else to do a run is shorter than it was before.
        one.lasts[state] = min(time.monotonic() - start, one.lasts.get(state, one.seconds))
        moment *= 0.8
    raise Failure("the run ended before it could be disturbed, eight times")


def _recover(process: subprocess.Popen, expected: Path, command: tuple) -> None:
    """The documented command alone goes on, to the same end."""
    one = study()
    said = one.run(command)
    process.stdout.close()
    for word in ("Traceback", "unlock"):
        expect(word not in said, f"the command says {word!r}:\n{said}")
    one.check(expected)


def kill(k: int, rng: random.Random) -> None:
    """kill -9, in one of four trials once more on the way back, then the documented command."""
    one, state, target = study(), STATES[k % len(STATES)], TARGETS[k // len(STATES) % len(TARGETS)]

    def kill_it(process: subprocess.Popen) -> bool:
        if target == "the whole group":
            kill_all_of(process, one.checkout.folder)
        elif target == "the main process only":
            process.kill()
            process.wait()
        else:
            while not (jobs := _jobs(one.checkout.folder)):
                if process.poll() is not None:
                    return False
                time.sleep(0.02)
            with contextlib.suppress(ProcessLookupError):
                os.kill(rng.choice(jobs), signal.SIGKILL)
            one.end(process, "a run whose job was killed")
        return True

    process, expected = _disturbed(state, rng, kill_it)
    if rng.random() < 0.25:
        again = one.checkout.start(*rng.choice([PLAIN, MAKE]))
        with contextlib.suppress(subprocess.TimeoutExpired):
            again.wait(timeout=rng.uniform(0, one.seconds))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(again.pid, signal.SIGKILL)
        again.communicate()
    _recover(process, expected, rng.choice([PLAIN, MAKE]))


def interrupt(k: int, rng: random.Random) -> None:
    """A signal, to the group as a terminal sends it or to the main process; it must end the run, and cost nothing."""
    number, state = SIGNALS[k % len(SIGNALS)], rng.choice(STATES)
    send = os.kill if number == signal.SIGTERM and rng.random() < 0.5 else os.killpg

    def send_it(process: subprocess.Popen) -> bool:
        send(process.pid, number)
        study().end(process, f"a run that was sent {number.name}")
        return True

    process, expected = _disturbed(state, rng, send_it)
    _recover(process, expected, rng.choice([PLAIN, MAKE]))


def may_mount() -> bool:
    """Whether this process may make a small disk."""
    with tempfile.TemporaryDirectory() as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True).returncode == 0
        if mounted:
            subprocess.run(["umount", folder], check=True)
    return mounted


def fill_disk(k: int, rng: random.Random) -> None:
    """A disk of some kilobytes: the run says what it could not write, and goes on when there is room."""
    one = study()
    one.restore()
    one.clear()
    results = one.checkout / "results"
    results.mkdir(exist_ok=True)
    needed = sum(path.stat().st_size for path in _files(one.finished.parents[0])) // 1024
    size = rng.randint(8, max(9, needed - 40))
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", results], check=True)
    try:
        said = one.run(PLAIN, fails=True)
        named = (
            re.search(r"results/\S+", said[max(0, said.find("o space left") - 400) :])
            if "o space left" in said
            else None
        )
        expect(named is not None, f"a full disk of {size} kB is not named, with a file or its folder:\n{said}")
        subprocess.run(["mount", "-o", "remount,size=100m", results], check=True)
        one.run(PLAIN)
        one.check(one.finished)
    finally:
        subprocess.run(["umount", "--lazy", results], check=True)


@cache
def longer_study() -> Study:
    """Of this process, with t-SNE."""
    return Study(LONGER)


# What must not change a byte: arguments of Snakemake, several runs one after the other, and variables.
WAYS = {
    "one core": ([["--cores", "1"]], {}),
    "two cores": ([["--cores", "2"]], {}),
    "four cores": ([["--cores", "4"]], {}),
    "one experiment, then the other": (
        [["--cores", "2", EXPERIMENT], ["--cores", "2", "mce_tail"], ["--cores", "2"]],
        {},
    ),
    "the other experiment first": ([["--cores", "2", "mce_tail"], ["--cores", "2", EXPERIMENT], ["--cores", "2"]], {}),
    "last jobs first": ([["all", "--cores", "1", "--prioritize", "run_theory_error"]], {}),
    "hash seed 0": ([["--cores", "2"]], {"PYTHONHASHSEED": "0"}),
    "hash seed 1": ([["--cores", "2"]], {"PYTHONHASHSEED": "1"}),
    "hash seed 4294967295": ([["--cores", "2"]], {"PYTHONHASHSEED": "4294967295"}),
    "locale C": ([["--cores", "2"]], {"LC_ALL": "C", "LANG": "C"}),
    "locale C without UTF-8": ([["--cores", "2"]], {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    "Turkish locale, other time": ([["--cores", "2"]], {"LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu"}),
}


def make_in_another_way(k: int, rng: random.Random) -> None:
    """Other cores, order, hash seed, locale: the same bytes."""
    one = longer_study()
    one.restore()
    one.clear()
    runs, environment = list(WAYS.values())[k % len(WAYS)]
    for arguments in runs:
        one.run(("snakemake", *arguments, "--configfile", "config/quick.yaml"), **environment)
    expect(bool(tables(one.results)), "no tables were made")
    others = differing(one.results, one.finished)
    expect(not others, f"{list(WAYS)[k % len(WAYS)]}: tables with other bytes: {others}")
