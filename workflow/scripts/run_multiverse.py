"""Experiment multiverse: the claims judged in the universes of all families, in one table."""

from functools import partial

import pandas as pd
from replication.platform.job import every, job
from joblib import Parallel, delayed
from replication.ledger.claim_files import COLUMNS
from replication.multiverse.multiverse import judge_part
from replication.multiverse.sensitivity import claim_scores
from replication.shared.tidy import write_table

with job(snakemake, "multiverse") as say:
    params, parts = snakemake.params, snakemake.input.parts
    judge = partial(claim_scores, pd.DataFrame(params.claims, columns=COLUMNS))
    progress = every(len(parts), say, "parts judged")
    found = Parallel(n_jobs=snakemake.threads, return_as="generator")(
        delayed(judge_part)(family, path, judge) for family, path in zip(params.families, parts, strict=True)
    )
    tables = []
    for table in found:
        tables.append(table)
        progress(len(tables))
    write_table(pd.concat(tables, ignore_index=True), snakemake.output.metrics)
