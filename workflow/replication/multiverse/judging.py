"""Judges the claims in universes. Light: the rules read it."""

from replication.platform.steps import Job, Results


def judge(job: Job) -> Results:
    """The claims in the universes of all families, in one table."""
    from functools import partial

    import pandas as pd
    from joblib import delayed

    from replication.catalogue.claim_files import COLUMNS
    from replication.multiverse.multiverse import judge_universes
    from replication.multiverse.sensitivity import claim_scores
    from replication.shared.tasks import results_of

    parts = job.inputs.parts
    scores = partial(claim_scores, pd.DataFrame(job.settings["claims"], columns=COLUMNS))
    progress = job.progress(len(parts), "parts judged")
    families = zip(job.settings["families"], parts, strict=True)
    tables = []
    for table in results_of((delayed(judge_universes)(family, path, scores) for family, path in families), job.threads):
        tables.append(table)
        progress(len(tables))
    return {"metrics": tables}
