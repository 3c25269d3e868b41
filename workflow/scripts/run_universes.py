"""Some universes of a family: its experiments at a reduced size, under other choices. Claims are judged later."""

from replication.platform.job import every, job
from replication.multiverse import multiverse
from replication.shared.tidy import read_table

family, first, last = (snakemake.wildcards[name] for name in ("family", "start", "stop"))
with job(snakemake, f"multiverse, {family} {first}-{last}") as say:
    params, inputs = snakemake.params, snakemake.input
    rows = range(int(first), int(last))
    universes = multiverse.run_universes(
        family,
        params.base,
        read_table(inputs.choices),
        {name: files for name, files in inputs.items() if name not in ("choices", "schema", "code")},
        n_universes=params.n_universes,
        rows=rows,
        schema=inputs.schema,
        seed=params.seed,
        progress=every(len(rows), say, "universes"),
    )
    multiverse.save_universes(universes, snakemake.output.universes)
