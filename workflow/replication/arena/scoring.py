"""Scores an input of the arena. Light: the rules read it."""

from replication.platform.steps import Job, Results


def score(job: Job) -> Results:
    """One input: its runs, combined by every method, and the scores."""
    from consensus_embedding.utils.seeds import stream_seed

    from replication.arena import consensus_arena
    from replication.shared.arena_data import PoolSizes, save_input
    from replication.shared.presenting import call

    kind, name, settings = job.wildcards.kind, job.wildcards.data, job.settings
    sizes, seed = PoolSizes(**settings["sizes"]), stream_seed(job.seed, "arena", kind, name)
    given = {**job.inputs, **settings["given"], "kind": kind, "name": name, "sizes": sizes, "seed": seed}
    given["progress"] = job.progress(sizes.total, "runs")
    load, make = settings["functions"]["load"], settings["functions"]["make"]
    if load:
        data = call(load, given)
        pools = call(make, {**given, "data": data})
    else:
        data, pools = call(make, given)
    job.say(f"{sizes.repetitions} pools of {sizes.n_embeddings} embeddings of {len(data.X)} points")
    metrics = consensus_arena.run(data, kind, pools, n_neighbors=settings["n_neighbors"], seed=seed, progress=job.say)
    return {"pools": save_input(data, pools), "scores": metrics}
