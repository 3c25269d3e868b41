"""Snakemake's scheduler."""

import threading


def cancel_timers() -> None:
    """Cancel the timers for further looks at the waiting jobs, for which Snakemake would wait at its end."""
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()
