"""
Start a script of a job in the worker of the run, or as given where there is none.

Called by path with the command that Snakemake has for the script, see `replication.platform.worker`. It runs once for
each job, so that it imports next to nothing.
"""

import json
import os
import signal
import socket
import struct
import sys
from contextlib import suppress

# The name of the worker's socket.
WORKER = "CONSENSUS_EMBEDDING_WORKER"
# The number of the process of the run, which `replication.platform.lock` sets.
RUN = "CONSENSUS_EMBEDDING_RUN"


def main(command: list[str]) -> None:
    """Run the command of a script, and end as it ends."""
    if command[0] == sys.executable and WORKER in os.environ:
        with suppress(OSError):
            run_in_worker(os.environ[WORKER], command[1])
        # The worker ends with its run, of which no more job is begun.
        if RUN in os.environ and not is_alive(os.environ[RUN]):
            sys.exit(1)
    os.execvp(command[0], command)


def is_alive(process: str) -> bool:
    """Whether a process has not ended; one whose parent has not waited for it (a zombie) is still in /proc."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def run_in_worker(name: str, script: str) -> None:
    """Run a script in the worker and end as it ends; return if the worker did not begin it."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(f"\0{name}")
    if user_of(connection) != os.getuid():
        return
    # Nothing is ever written to it: the job ends when it closes, which is when this process ends.
    alive_to, alive = os.pipe()
    socket.send_fds(connection, [b"."], [0, 1, 2, alive_to])
    os.close(alive_to)
    connection.sendall(json.dumps([script, os.getcwd(), dict(os.environ), os.getpid(), os.getppid()]).encode())
    connection.shutdown(socket.SHUT_WR)

    job = None

    def pass_on(number, _frame) -> None:
        if not job:
            die_of(number)
        # It may have had the signal too, and be gone.
        with suppress(ProcessLookupError):
            os.kill(job, number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, pass_on)
    begun = connection.recv(4)
    if not begun:
        return
    (job,) = struct.unpack("i", begun)
    ended = b""
    # If the worker is killed it says nothing. What has begun is never begun again.
    with suppress(OSError):
        ended = connection.recv(4)
    code = os.waitstatus_to_exitcode(*struct.unpack("i", ended)) if ended else -signal.SIGKILL
    os.close(alive)
    if code < 0:
        die_of(-code)
    os._exit(code)


def die_of(number: int) -> None:
    """End as a process that a signal killed."""
    signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
    os.kill(os.getpid(), number)


def user_of(connection: socket.socket) -> int:
    """The user whose process is at the other end."""
    return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]


if __name__ == "__main__":
    main(sys.argv[1:])
