"""Scripts in the worker of a run: as without it, and gone when the run or their launcher is."""

import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from replication.platform import launch

ROOT = Path(__file__).parents[2]
PATHS = os.pathsep.join(str(ROOT / name) for name in ("src", "workflow"))
RUN = """
import os, sys
from replication.platform.local_jobs import _STARTED, start_worker
start_worker()
print(os.environ["CONSENSUS_EMBEDDING_WORKER"], _STARTED[0].pid, flush=True)
sys.stdin.read()
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is a worker on Linux alone")


class Run:
    """A run with a worker, without Snakemake's jobs."""

    def __init__(self):
        environment = {**os.environ, "PYTHONPATH": PATHS}
        command = [sys.executable, "-c", RUN]
        self.main = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)
        self.name, pid = self.main.stdout.readline().split()
        self.worker = int(pid)

    def start(self, folder, text, **more):
        """A launcher of a script, started in a folder."""
        script = folder / "script.py"
        script.write_text(text)
        environment = {**os.environ, "PYTHONPATH": PATHS, "OMP_NUM_THREADS": "1", launch.WORKER: self.name, **more}
        command = [sys.executable, "-IS", launch.__file__, sys.executable, str(script)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, cwd=folder, env=environment, text=True, **pipes)

    def end(self):
        self.main.kill()
        self.main.wait()


@pytest.fixture(scope="module")
def shared():
    run = Run()
    yield run
    run.end()


@pytest.fixture
def own():
    run = Run()
    yield run
    run.end()


def both(run, folder, text, **more):
    """What a script prints, says as error and ends with: in the worker and without it."""
    found = []
    for name in (run.name, "none"):
        process = run.start(folder, text, **{launch.WORKER: name}, **more)
        found.append((*process.communicate(), process.returncode))
    return found


def is_gone(pid):
    """Whether a process ends, at once or soon."""
    for _ in range(200):
        with contextlib.suppress(OSError):
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            if state not in "ZX":
                time.sleep(0.05)
                continue
        return True
    return False


SLEEPER = "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)\n"


def sleeping(run, folder):
    """A launcher, and the process of its script."""
    launcher = run.start(folder, SLEEPER)
    pid = int(launcher.stdout.readline())
    assert pid != launcher.pid
    return launcher, pid


# With any number of threads, and those that may depend on it.
SCRIPTS = [
    "import os, sys; print(sys.argv, __file__, __name__, os.getcwd(), sys.path[:3], os.environ['X'])",
    "import signal; print(signal.getsignal(signal.SIGTERM), signal.pthread_sigmask(signal.SIG_BLOCK, []))",
    "import sys; print('\\u00e9', file=sys.stderr); sys.exit(3)",
    "import sys; sys.exit('It failed.')",
    "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "def f():\n    raise ValueError('no')\n\nf()\n",
    "print('a'\n",
    "import atexit; atexit.register(print, 'the end')",
]
OF_THREADS = [
    "import numba, numpy, sklearn; print(numba.config.NUMBA_NUM_THREADS)\n"
    "from threadpoolctl import threadpool_info\nfrom sklearn.neighbors import KDTree\n"
    "print(sorted((one['prefix'], one['num_threads']) for one in threadpool_info()))\n"
    "A = numpy.random.default_rng(0).normal(size=(300, 300)); print((A @ A).sum().hex())\n"
    "import gc, threading; print(gc.isenabled(), threading.active_count())",
    "import pickle, joblib\ndef square(x): return x * x\n"
    "print(joblib.Parallel(2)(joblib.delayed(square)(k) for k in range(3)))",
]


@pytest.mark.parametrize(
    ("script", "threads"), [(one, "2") for one in SCRIPTS] + [(one, threads) for one in OF_THREADS for threads in "12"]
)
def test_a_script_does_in_the_worker_what_it_does_without(shared, tmp_path, script, threads):
    with_worker, without = both(shared, tmp_path, script, X="of the launcher", OMP_NUM_THREADS=threads)
    assert with_worker == without


def test_a_script_runs_in_a_fork_of_the_worker(shared, tmp_path):
    text = "import os, sys; print(os.getppid(), 'pandas' in sys.modules, 'replication.platform.job' in sys.modules)"
    out, _ = shared.start(tmp_path, text).communicate()
    assert out.split() == [str(shared.worker), "True", "False"]


def test_scripts_draw_different_random_numbers(shared, tmp_path):
    text = "import random, numpy as np; print(random.random(), np.random.rand(), np.random.default_rng().random())"
    drawn = [shared.start(tmp_path, text).communicate()[0].split() for _ in range(2)]
    assert not set(drawn[0]) & set(drawn[1])


def test_a_run_may_have_its_standard_output_closed():
    text = "from replication.platform.worker import begin_anew; begin_anew()"
    command = [sys.executable, "-c", f"import sys; sys.stdout = None; {text}"]
    assert subprocess.run(command, env={**os.environ, "PYTHONPATH": PATHS}).returncode == 0


def skip_if_ignored(number):
    """All that starts here ignores a signal that is ignored here, as under nohup."""
    if signal.getsignal(number) == signal.SIG_IGN:
        pytest.skip(f"{number.name} is ignored")


def test_no_script_is_begun_of_a_run_that_was_killed(shared, tmp_path):
    ended = subprocess.Popen(["true"])
    # It is in the list of processes until it is waited for.
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    for number, answer in ((ended.pid, ("", 1)), (2**22 + 1, ("", 1)), (os.getpid(), ("begun\n", 0))):
        process = shared.start(tmp_path, "print('begun')", **{launch.WORKER: "none", launch.RUN: str(number)})
        assert (process.communicate()[0], process.returncode) == answer


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_script_ends_with_its_launcher(shared, tmp_path, number):
    skip_if_ignored(number)
    launcher, pid = sleeping(shared, tmp_path)
    launcher.send_signal(number)
    launcher.communicate()
    assert launcher.returncode == -number
    assert is_gone(pid)


def test_an_interrupt_reaches_the_script_once(shared, tmp_path):
    skip_if_ignored(signal.SIGINT)
    text = "import os, time\ntry:\n    print(os.getpid(), flush=True)\n    time.sleep(600)\n"
    text += "except KeyboardInterrupt:\n    time.sleep(0.5)\n    raise SystemExit('interrupted')\n"
    launcher = shared.start(tmp_path, text)
    pid = int(launcher.stdout.readline())
    # A terminal sends it to both.
    os.kill(pid, signal.SIGINT)
    launcher.send_signal(signal.SIGINT)
    assert launcher.communicate()[1] == "interrupted\n"
    assert launcher.returncode == 1


def test_a_script_that_is_killed_ends_its_launcher_in_the_same_way(shared, tmp_path):
    launcher, pid = sleeping(shared, tmp_path)
    os.kill(pid, signal.SIGKILL)
    launcher.communicate()
    assert launcher.returncode == -signal.SIGKILL


@pytest.mark.parametrize("says", ["its end", "nothing"])
def test_a_script_that_is_gone_when_a_signal_comes_is_not_run_again(tmp_path, says):
    skip_if_ignored(signal.SIGTERM)
    gone = subprocess.Popen(["true"])
    gone.wait()
    run = SimpleNamespace(name=f"test-{os.getpid()}-{says}")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{run.name}")
        listener.listen(1)
        launcher = Run.start(run, tmp_path, "open('begun', 'w')")
        connection, _ = listener.accept()
    with connection:
        connection.sendall(struct.pack("i", gone.pid))
        # It passes signals on as soon as it knows what it started.
        time.sleep(0.5)
        launcher.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        if says == "its end":
            connection.sendall(struct.pack("i", signal.SIGTERM))
    launcher.communicate()
    assert launcher.returncode == -(signal.SIGTERM if says == "its end" else signal.SIGKILL)
    assert not (tmp_path / "begun").exists()


def test_nothing_is_left_of_a_run_that_is_killed(own, tmp_path):
    launcher, pid = sleeping(own, tmp_path)
    own.main.kill()
    launcher.communicate()
    assert launcher.returncode == -signal.SIGKILL
    assert is_gone(pid)
    assert is_gone(own.worker)


def test_a_worker_that_is_killed_ends_its_scripts_and_later_ones_run_without_it(own, tmp_path):
    launcher, pid = sleeping(own, tmp_path)
    os.kill(own.worker, signal.SIGKILL)
    launcher.communicate()
    assert launcher.returncode == -signal.SIGKILL
    assert is_gone(pid)
    later = own.start(tmp_path, "import os; print(os.getpid())")
    assert int(later.communicate()[0]) == later.pid
    assert later.returncode == 0


def test_a_worker_ends_with_its_run(own):
    own.main.stdin.close()
    own.main.wait()
    assert is_gone(own.worker)


def test_benchmarks_have_the_time_and_the_memory_of_the_job(tmp_path):
    (tmp_path / "work.py").write_text(
        "import time\nx = bytearray(400_000_000)\nx[::4096] = bytes(97657)\nstart = time.process_time()\n"
        "while time.process_time() < start + 0.4:\n    pass\n"
        "open(snakemake.output[0], 'w').write(str(time.process_time()))\n"
    )
    (tmp_path / "Snakefile").write_text(
        f"import sys\nsys.path[:0] = {PATHS.split(os.pathsep)!r}\n"
        "from replication.platform.local_jobs import start_worker\n"
        "onstart:\n    start_worker()\n"
        "rule work:\n    output: 'done'\n    benchmark: 'time.tsv'\n    script: 'work.py'\n"
    )
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    environment = {**os.environ, "PYTHONPATH": PATHS}
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, env=environment)
    header, values = ((tmp_path / "time.tsv").read_text().splitlines()[k].split("\t") for k in range(2))
    found = dict(zip(header, values, strict=True))
    # The time of the job itself, without the idle launcher and without the imports of the worker.
    own = float((tmp_path / "done").read_text())
    assert own >= 0.4
    assert own - 0.01 <= float(found["cpu_time"]) <= 2 * own
    assert 400 < float(found["max_rss"]) < 900
    assert found["max_pss"] == "-"
