"""Snakemake's scheduler, and its plan of jobs."""

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from replication.platform.changes import (
    TOLERANCE,
    bring_up_to_date,
    compare,
    describe_changes,
    describe_foreign,
    describe_future,
    later_than,
)
from replication.platform.provenance import record_path


def cancel_timers() -> None:
    """Cancel the timers for further looks at the waiting jobs, for which Snakemake would wait at its end."""
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer) and thread.function.__module__.startswith("snakemake."):
            thread.cancel()


# Path of the record of each job that the target needs -> the outputs of the job.
_JOBS: dict[Path, list[str]] = {}


def note_time_stamps() -> None:
    """Put into the records the time stamps that Snakemake gave to outputs after their jobs had ended."""
    bring_up_to_date(compare(_JOBS))


def compare_before_planning(looks: bool, published: Callable[[], Mapping[str, str]]) -> None:
    """
    Let Snakemake compare the files of the jobs that a target needs with their records, before it plans what to run.

    It makes again what is not as it was written, or was made from what is not as it was read. `--forcerun` would also
    make what the target does not need. A data file that is there but is not the `published` one, by its hash, stops a
    run: Snakemake takes what is there for done.
    """
    from snakemake.dag import DAG
    from snakemake.exceptions import WorkflowError

    check_incomplete = DAG.check_incomplete

    async def check(dag):
        root = Path(os.path.relpath(dag.workflow.basedir))
        code = [str(path) for folder in ("src", "workflow") for path in root.glob(f"{folder}/**/*.py")]
        inputs = {str(path) for job in dag.jobs for path in job.input}
        now = time.time()
        ahead = later_than(now, {*inputs, *code})
        if ahead and max(ahead.values()) > now + TOLERANCE:
            raise WorkflowError(describe_future(ahead, now))
        jobs = {record_path(job.log[0]): job for job in dag.jobs if job.log}
        _JOBS.update({path: [str(output) for output in job.output] for path, job in jobs.items()})
        hashes = {path: sha256 for path, sha256 in published().items() if path in inputs}

        def settings(path: Path) -> dict[str, Any] | None:
            # Where Snakemake itself knows what a job ran with, and sees another value, it says so job by job.
            if dag.workflow.persistence.params_changed(jobs[path]):
                return None
            return {name: value for name, value in jobs[path].params.items() if name != "code"}

        changes = compare(_JOBS, lambda path: jobs[path].params.get("code", ()), hashes, settings)
        if changes.foreign and not looks:
            raise WorkflowError(describe_foreign(changes.foreign))
        if not looks:
            bring_up_to_date(changes)
            # The clock of a file server may be a little ahead.
            time.sleep(max(0, *ahead.values(), now) - now)
        foreign = describe_foreign(changes.foreign) if changes.foreign else ""
        for message in filter(None, (foreign, describe_changes(changes))):
            print(message, file=sys.stderr, flush=True)
        dag.forcefiles.update(changes.again)
        await check_incomplete(dag)

    DAG.check_incomplete = check
