"""Scores an input of the arena. Light: the rules read it."""

from replication.platform.steps import Job


def score(job: Job) -> None:
    """One input: its runs, combined by every method, and the scores."""
    from consensus_embedding.utils.seeds import stream_seed

    from replication.arena import consensus_arena
    from replication.platform.job import every, save_arrays
    from replication.shared.arena_data import PoolSizes, save_input
    from replication.shared.presenting import call
    from replication.shared.tidy import write_table

    kind, name, settings = job.wildcards.kind, job.wildcards.data, job.settings
    sizes, seed = PoolSizes(**settings["sizes"]), stream_seed(job.seed, "arena", kind, name)
    files = {key: path for key, path in job.inputs.items() if key != "code"}
    given = {**files, **settings["given"], "kind": kind, "name": name, "sizes": sizes, "seed": seed}
    given["progress"] = every(sizes.total, job.say, "runs")
    load, make = settings["functions"]["load"], settings["functions"]["make"]
    if load:
        data = call(load, given)
        pools = call(make, {**given, "data": data})
    else:
        data, pools = call(make, given)
    job.say(f"{sizes.repetitions} pools of {sizes.n_embeddings} embeddings of {len(data.X)} points")
    save_arrays(job.outputs.pools, **save_input(data, pools))
    metrics = consensus_arena.run(data, kind, pools, n_neighbors=settings["n_neighbors"], seed=seed, progress=job.say)
    write_table(metrics.table(), job.outputs.scores)
