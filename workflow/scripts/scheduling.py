"""Keep Snakemake from looking at the waiting jobs ever more often."""

from snakemake.scheduling.job_scheduler import JobScheduler

_look_again = JobScheduler._schedule_reevalutation


def look_only_when_limited() -> None:
    """
    Let Snakemake set its timer for one more look at the waiting jobs only while its limit on starts holds some back.

    Snakemake 9 looks when a job ends, and sets a timer for a further look after each look: after fifty jobs it looks
    fifty times a second, which takes half of a core that the jobs need. The timers are there to go on after a wait for
    the limit on the rate of starts; where it lets jobs through, the end of a job is the next thing to look after.
    """
    JobScheduler._schedule_reevalutation = _look_again_when_limited


def _look_again_when_limited(scheduler: JobScheduler, delay: float) -> None:
    limiter = scheduler.job_rate_limiter
    if limiter is None or delay != limiter.timespan or limiter.get_free_jobs() == 0:
        _look_again(scheduler, delay)
