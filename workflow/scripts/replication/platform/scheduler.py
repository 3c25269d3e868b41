"""Snakemake's scheduler."""

import threading


def cancel_timers() -> None:
    """Cancel the timers for further looks at the waiting jobs, which Snakemake would wait for when all jobs are done."""
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()
