"""
One run at a time in a folder, however it is started.

The kernel drops a lock of this kind when the process that has it ends, even by kill -9 or a power cut: nothing stays
behind that a user would have to remove. Snakemake's own locks are files, and do stay; the profiles turn them off.
"""

from __future__ import annotations

import fcntl
import os
import sys
from datetime import datetime
from pathlib import Path
from socket import gethostname

from replication.platform.launch import RUN

_RUN, _JOBS = "run.lock", "jobs.lock"
# Files that this process has locked; closing one would free its lock.
_OPEN: list[int] = []


def wait_for_other_runs(folder: Path) -> None:
    """
    Keep the lock of a run until this process ends; if another run has it, name that run and wait.

    Jobs that a killed run has left behind still write; they are waited for too.
    """
    # Set for the processes that a run starts: Snakemake is started once more by `snakemake plan`.
    if RUN in os.environ:
        return
    folder.mkdir(exist_ok=True)
    file = _locked(folder / _RUN, "Another run is using this folder{holder}; waiting for it to end ...")
    if file is None:
        return
    os.environ[RUN] = str(os.getpid())
    os.truncate(file, 0)
    os.pwrite(file, f"process {os.getpid()} on {gethostname()}, since {datetime.now():%H:%M}".encode(), 0)
    _OPEN.append(file)
    jobs = _locked(folder / _JOBS, "Jobs of a killed run are still running; waiting for them to end ...")
    if jobs is not None:
        os.close(jobs)


def note_job(folder: Path) -> None:
    """Let runs that are started later wait for this process, a job."""
    try:
        file = os.open(folder / _JOBS, os.O_RDWR | os.O_CREAT, 0o666)
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        # A file system without locks, or a folder that a node of a cluster does not see.
        return
    _OPEN.append(file)


def _locked(path: Path, message: str) -> int | None:
    """File that this process alone has locked; None where the file system has no locks."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(file, 200, 0).decode(errors="replace")
        print(message.format(holder=f" ({holder})" if holder else ""), file=sys.stderr, flush=True)
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError as error:
        print(f"{path} cannot be locked ({error.strerror}): start one run at a time.", file=sys.stderr, flush=True)
        os.close(file)
        return None
    return file
