"""Some universes of a family: its experiments at a reduced size, and the verdicts on its claims."""

from functools import partial

from replication.platform.job import every, job
from replication.ledger import multiverse
from replication.ledger.claims import read_claims
from replication.ledger.sensitivity import claim_scores
from replication.shared.tidy import read_table, write_table

family, first, last = (snakemake.wildcards[name] for name in ("family", "start", "stop"))
with job(snakemake, f"multiverse, {family} {first}-{last}") as say:
    params, inputs = snakemake.params, snakemake.input
    given = ("claims", "choices", "schema", "code")
    rows = range(int(first), int(last))
    scores = multiverse.run_universes(
        family,
        params.base,
        read_table(inputs.choices),
        {name: files for name, files in inputs.items() if name not in given},
        n_universes=params.n_universes,
        rows=rows,
        schema=inputs.schema,
        judge=partial(claim_scores, read_claims(inputs.claims)),
        seed=params.seed,
        progress=every(len(rows), say, "universes"),
    )
    write_table(scores, snakemake.output.scores)
