"""Copies of this checkout in temporary folders, in which the workflow runs as a user would run it."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
import yaml
from replication.catalogue.configuration import read_configuration
from replication.platform.configuration import merge
from replication.shared.tidy import read_table

ROOT = Path(__file__).parents[2]

# A study of seconds: it shows how the workflow behaves and says nothing about the papers.
TINY = {
    "experiments": ["mce_convergence", "mce_tail"],
    "digits": {"n_samples": 60},
    "tsne": {"perplexity": 5, "max_iter": 250, "runs_per_job": 10},
    "mce_convergence": {"reference_runs": 8, "repetitions": 2, "n_embeddings": [1, 2, 3], "band_draws": 4},
    "mce_tail": {"n_embeddings": [1, 2, 3], "draws": 8, "sub_pools": 2},
    "consensus_comparison": {"n_embeddings": 3, "repetitions": 2, "n_neighbors": 5},
    "mce_extensions": {"perplexities": [5, 10]},
}


class Looks:
    """Starts of Snakemake that need not wait for its import, which takes half of a dry run."""

    process = None

    def run(self, arguments, folder, environment):
        """Exit code of Snakemake, and what it said."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, Path(__file__).with_name("looking.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        words = Path(folder) / ".said"
        self.process.stdin.write(json.dumps([arguments, str(folder), environment, str(words)]) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline()), words.read_text()


LOOKS = Looks()


# A run that takes longer than this hangs, also on a machine that does other work.
HANGS_AFTER = 1500  # seconds


def tracked():
    """Files that git knows or would take."""
    listed = ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split("\0")
    return [name for name in names if (ROOT / name).is_file()]


class Checkout:
    """A copy of the files of this checkout; its quick study is the tiny one."""

    def __init__(self, folder):
        self.folder = Path(folder)
        for name in tracked():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, self.folder / name, follow_symlinks=False)
        # What Python and numba compiled before holds for the copies, which are of the same age; it takes a minute.
        for folder, kind in product(("src", "workflow"), ("*.pyc", "*.nbi", "*.nbc")):
            for path in (ROOT / folder).rglob(f"__pycache__/{kind}"):
                to = self.folder / path.relative_to(ROOT)
                # Folders of an earlier commit may be left with nothing else in them.
                if to.parents[1].is_dir():
                    to.parent.mkdir(exist_ok=True)
                    shutil.copy2(path, to)
        self.paper = read_configuration()
        self.config = merge(read_configuration("quick.yaml"), TINY | {"arithmetic": os.environ["ARITHMETIC"]})
        self.write_config(path="config/quick.yaml")
        # What `make` looks for, so that it installs nothing: the programs of the environment of this test run.
        (self.folder / ".venv").mkdir()
        (self.folder / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
        (self.folder / ".venv" / "installed").touch()

    def __truediv__(self, name):
        return self.folder / name

    def write_config(self, changes=None, path="config/mine.yaml"):
        """Write a configuration file; return its path as it is given to --configfile."""
        (self.folder / path).write_text(yaml.safe_dump(merge(self.config, changes or {}), sort_keys=False))
        return path

    def write_changes(self, own, changes, name="small"):
        """A file with what a user changes, to be read after that for own data; return the options that read both."""
        # Keys in another order are another configuration for Snakemake.
        (self / f"config/{name}.yaml").write_text(yaml.safe_dump(changes, sort_keys=False))
        return ["--configfile", f"config/{own}.yaml", f"config/{name}.yaml"]

    def write_table(self, name, table, missing=""):
        """Write a table of one's own in the form that its suffix says; return its path as a configuration names it."""
        path = self / "own" / name
        path.parent.mkdir(exist_ok=True)
        table.to_csv(path, sep="\t" if name.endswith(".tsv") else ",", index=False, na_rep=missing)
        return f"own/{name}"

    def environment(self):
        """The variables of this process without those of a `make` or a mirror, and first the programs of the folder."""
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "SNAKEMAKE"))}
        for name in ("ARITHMETIC", "CONSENSUS_EMBEDDING_MIRRORS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            clean.pop(name, None)
        # What a notebook leaves to the programs that it starts; no environment of the study knows this backend.
        clean["MPLBACKEND"] = "module://notebook.backend_of_another_environment"
        return {**clean, "PATH": f"{self.folder / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"}

    def start(self, *command, **environment):
        """Start a program of the environment in the folder, in a process group of its own."""
        return subprocess.Popen(
            [str(part) for part in command],
            cwd=self.folder,
            env={**self.environment(), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *command, fails=False, **environment):
        """Run a program to its end; return all that it said. It has to succeed, or to fail if `fails`."""
        process = self.start(*command, **environment)
        output, _ = process.communicate(timeout=HANGS_AFTER)
        assert (process.returncode != 0) == fails, output
        return output

    def snakemake(self, *arguments, fails=False, **environment):
        return self.run("snakemake", *arguments, fails=fails, **environment)

    def study(self, own, changes):
        """Run the study of own data with some changes on one core; keep what it said, and where its results are."""
        self.output = self.snakemake("--cores", "1", *self.write_changes(own, changes))
        self.results = self / "results" / own

    def check_complete(self, experiments):
        """The study of own data ended with a report and, for each experiment, with tables, figures and numbers."""
        assert f"Report:   {self.results.relative_to(self.folder)}/report.html" in self.output
        report = (self.results / "report.html").read_text()
        assert ">nan<" not in report.lower()
        for experiment in experiments:
            assert f'href="{experiment}/metrics.tsv"' in report
            for part, kinds in {"tables": {".tsv"}, "figures": {".png", ".pdf"}}.items():
                assert {path.suffix for path in (self.results / experiment / part).iterdir()} == kinds
            metrics = read_table(self.results / experiment / "metrics.tsv")
            assert set(metrics["source"]) == {"own"}
            assert np.isfinite(metrics["value"]).all()

    def look(self, *arguments, fails=False):
        """What Snakemake says of a command that runs no job; as `snakemake`, but sooner on Linux."""
        if sys.platform != "linux":
            return self.snakemake(*arguments, fails=fails)
        code, output = LOOKS.run(arguments, self.folder, self.environment())
        assert (code != 0) == fails, output
        return output

    def job_counts(self, *configfiles, target="all"):
        """Rule -> number of jobs that a run would do, from the table that a dry run ends with."""
        output = self.look("--dry-run", target, "--configfile", *configfiles)
        if "Nothing to be done" in output:
            return {}
        _, found, table = output.rpartition("Job stats:")
        assert found, output
        rows = [line.split() for line in table.splitlines()]
        return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit() and row[0] != "total"}

    def outputs(self, configfile):
        """Output file -> rule that makes it, for every file of a study."""
        output = self.look("--summary", "--configfile", configfile)
        _, _, table = output.partition("output_file\t")
        rows = [line.split("\t") for line in table.splitlines()[1:]]
        return {row[0]: row[2] for row in rows if len(row) == 6}

    def tables(self):
        """Every table of the quick study and its content, without the benchmarks."""
        paths = (self / "results" / "quick").rglob("*")
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in paths
            if path.suffix == ".tsv" and "benchmarks" not in path.parts
        }


@contextlib.contextmanager
def rewritten(path, content):
    """A file with other content, for a while."""
    before, stat = path.read_bytes(), path.stat()
    path.write_bytes(content)
    try:
        yield
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def appended(path, text):
    """A file with some text more, for a while."""
    return rewritten(path, path.read_bytes() + text.encode())


def untimed(report):
    """Text of a report without what was timed."""
    return re.sub(r"Computing time: [^<]*? s\.", "", report.read_text(encoding="utf-8"))


def processes_in(folder):
    """Processes that work in a folder."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if Path(os.readlink(link)).is_relative_to(folder):
                found.append(int(link.parent.name))
    return found


def kill_all_of(process, folder):
    """SIGKILL to the process group, as when a machine runs out of memory or a queue out of patience."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    deadline = time.monotonic() + 10
    while processes_in(folder) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not processes_in(folder)


def example(own, section):
    """The data set that a configuration for data of one's own comes with."""
    (item,) = yaml.safe_load((ROOT / f"config/{own}.yaml").read_text())[section]["sets"]
    return item
