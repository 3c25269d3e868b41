"""Jobs on this machine: Snakemake starts their scripts in a worker that has imported what they need."""

from __future__ import annotations

import os
import secrets
import shlex
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from replication.platform import launch

# Libraries that start threads when they are imported must not: a fork has only the thread that forks.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
# Of a job that has ended: its launcher, the parent of that, seconds of processor time, largest memory in MB.
USED = struct.Struct("iidd")
# Of this process; the worker ends when nothing refers to it, since that closes its pipe.
_STARTED: list[subprocess.Popen] = []


def start_worker() -> None:
    """Start a worker for the scripts of this run, see `replication.platform.worker`; it ends with this process."""
    from snakemake.shell import shell

    name = f"consensus-embedding-{os.getpid()}-{secrets.token_hex(8)}"
    used, used_pipe = os.pipe()
    for file in (used, used_pipe):
        os.set_blocking(file, False)
    # In the abstract namespace: no file that a killed run would leave behind.
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{name}")
        listener.listen(128)
        files = [listener.fileno(), used_pipe]
        command = [sys.executable, "-m", "replication.platform.worker", *map(str, files)]
        environment = os.environ | _ONE_THREAD
        _STARTED.append(subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=files, env=environment))
    os.close(used_pipe)
    os.environ[launch.WORKER] = name
    words = shlex.join([sys.executable, "-IS", launch.__file__])
    shell.prefix(f"set -euo pipefail; {words} ".replace("{", "{{").replace("}", "}}"))
    _benchmark_by(used)


def _benchmark_by(used: int) -> None:
    """Let Snakemake's benchmarks have what the worker says of a job: the script's own process only waits for it."""
    from snakemake import benchmark

    sampled, ended = benchmark.benchmarked, {}

    @contextmanager
    def benchmarked(pid: int, record: Any) -> Iterator[Any]:
        with sampled(pid, record):
            yield record
        with suppress(BlockingIOError):
            for launcher, parent, *usage in USED.iter_unpack(os.read(used, 1000 * USED.size)):
                ended[launcher] = ended[parent] = usage
        if pid in ended:
            record.cpu_time, record.max_rss = ended.pop(pid)
            record.cpu_usage = 100 * record.cpu_time
            record.max_vms = record.max_uss = record.max_pss = record.io_in = record.io_out = None
            record.data_collected = True

    benchmark.benchmarked = benchmarked
