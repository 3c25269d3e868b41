"""
The worker of a run: a process that imports once what jobs need, and forks one process for each of them.

Snakemake starts a script by a command. `replication.platform.local_jobs` puts `replication.platform.launch` in front of
it, which has the worker run the script and waits. Without a worker the script runs as Snakemake has it: on a cluster,
in an environment of its own, where the system is not Linux, or when the worker was killed.

The kernel ends what is left over, whoever is killed: the worker ends with the run, a job with its launcher.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import json
import os
import shutil
import signal
import socket
import struct
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType

from replication.platform import launch
from replication.platform.local_jobs import USED

# What most jobs import. Our own modules are not among them: a job loads these as they are on the disk when it starts,
# and its record names those that it has loaded.
MODULES = (
    "snakemake.iocontainers",
    "snakemake.logging",
    "snakemake.script",
    "joblib",
    "psutil",
    "pydantic.main",
    "yaml",
    "pandas",
    "numba",
    "scipy.cluster.hierarchy",
    "scipy.linalg",
    "scipy.ndimage",
    "scipy.optimize",
    "scipy.sparse.csgraph",
    "scipy.sparse.linalg",
    "scipy.spatial.distance",
    "scipy.special",
    "scipy.stats",
    "sklearn.base",
    "sklearn.cluster",
    "sklearn.datasets",
    "sklearn.decomposition",
    "sklearn.metrics",
    "sklearn.neighbors",
    "sklearn.utils.parallel",
    "statsmodels.stats.proportion",
    "statsmodels.stats.weightstats",
    "threadpoolctl",
    "matplotlib.figure",
    "matplotlib.pyplot",
    "matplotlib.backends.backend_agg",
)


def end_with(file: int) -> None:
    """Have the kernel kill this process when the other end of a pipe closes, to which nothing is ever written."""
    fcntl.fcntl(file, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(file, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    # It may have closed before.
    with suppress(BlockingIOError):
        os.read(file, 1)
        os._exit(1)


def serve(listener: socket.socket, used_pipe: int) -> str:
    """Fork a process for each script that a launcher asks for; returns the script, in that process."""
    running: dict[int, tuple[socket.socket, int, int]] = {}

    def report_ends(*_) -> None:
        with suppress(ChildProcessError):
            while True:
                pid, status, used = os.wait4(-1, os.WNOHANG)
                if not pid:
                    return
                connection, *launcher = running.pop(pid)
                with suppress(BlockingIOError):
                    os.write(used_pipe, USED.pack(*launcher, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))
                with connection, suppress(OSError):
                    connection.sendall(struct.pack("i", status))

    # A terminal interrupts all processes of a run; this one goes on until the run ends.
    interrupts = signal.getsignal(signal.SIGINT)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    signal.signal(signal.SIGCHLD, report_ends)
    while True:
        connection, _ = listener.accept()
        request = _read(connection) if launch.user_of(connection) == os.getuid() else None
        if request is None:
            connection.close()
            continue
        files, (script, folder, environment, *launcher) = request
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        pid = os.fork()
        if not pid:
            break
        running[pid] = (connection, *launcher)
        for file in files:
            os.close(file)
        with suppress(OSError):
            connection.sendall(struct.pack("i", pid))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    # From here on this is the process of the job.
    for inherited in (listener, connection, *(other for other, *_ in running.values())):
        inherited.close()
    os.close(used_pipe)
    end_with(files[3])
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN if interrupts == signal.SIG_IGN else _interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD, signal.SIGINT})
    for k, file in enumerate(files[:3]):
        os.dup2(file, k)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    return script


def _read(connection: socket.socket) -> tuple[list[int], tuple] | None:
    """What a launcher asks for: open files and a message; None if it was killed meanwhile."""
    try:
        _, files, _, _ = socket.recv_fds(connection, 1, 4)
        with connection.makefile("rb") as file:
            return files, json.load(file)
    except (OSError, ValueError):
        return None


def _interrupt(number: int, _frame) -> None:
    """Raise once: an interrupt of a terminal comes directly and through the launcher."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def begin_anew() -> None:
    """Give the forked process what a new one would have: its number of threads, and random numbers of its own."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    # Where there is no home to write to, Matplotlib has a folder that the next jobs need, too.
    atexit.unregister(shutil.rmtree)
    threads = os.environ.get("OMP_NUM_THREADS", "1")
    blas = int(os.environ.get("OPENBLAS_NUM_THREADS", threads))
    threadpool_limits({"blas": min(blas, len(os.sched_getaffinity(0))), "openmp": int(threads)})
    np.random.seed()  # noqa: NPY002 - the generator that is shared by all of a process
    # One that is closed is None.
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(line_buffering=stream is sys.stderr or stream.isatty())


def run(script: str) -> None:
    """Run a script as Python would run it by its path."""
    main = ModuleType("__main__")
    main.__file__, main.__builtins__ = script, __builtins__
    sys.modules["__main__"], sys.argv = main, [script]
    if not sys.flags.safe_path:
        sys.path[0] = str(Path(script).parent)
    try:
        exec(compile(Path(script).read_bytes(), script, "exec"), vars(main))  # noqa: S102 - a script of Snakemake
    except Exception as error:
        error.__traceback__ = error.__traceback__.tb_next
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)


def main() -> None:
    """The worker itself, started with the numbers of two open files: its socket, and a pipe to its run."""
    end_with(0)
    # None of what is imported is ever garbage.
    gc.disable()
    for name in MODULES:
        with suppress(ImportError):
            import_module(name)
    from numba.core.registry import cpu_target

    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    gc.freeze()
    gc.enable()
    listener, used_pipe = map(int, sys.argv[1:])
    script = serve(socket.socket(fileno=listener), used_pipe)
    begin_anew()
    run(script)


if __name__ == "__main__":
    main()
