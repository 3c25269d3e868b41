"""Runs universes. Light: the rules read it."""

from replication.platform.steps import Job


def run_universes(job: Job) -> None:
    """Some universes of a family: its experiments at a reduced size, under other choices. Claims are judged later."""
    from replication.multiverse import multiverse
    from replication.shared.tidy import read_table

    files = {name: paths for name, paths in job.inputs.items() if name != "choices"}
    rows = range(int(job.wildcards.start), int(job.wildcards.stop))
    universes = multiverse.run_universes(
        job.wildcards.family,
        job.settings["base"],
        read_table(job.inputs.choices),
        files,
        n_universes=job.settings["n_universes"],
        rows=rows,
        seed=job.seed,
        progress=job.progress(len(rows), "universes"),
    )
    multiverse.save_universes(universes, job.outputs.universes)
