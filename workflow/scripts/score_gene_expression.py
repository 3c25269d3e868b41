"""Scores of every method on one data set of gene expression."""

from replication.platform.job import job, save_arrays
from replication.data.readers.expression import load_split
from replication.papers.viswanath2012.gene_expression import CONDITIONS, score_variant
from replication.papers.viswanath2012.gene_splits import gene_seed, load_pools
from replication.papers.viswanath2012.method_names import REDUCTIONS
from replication.papers.viswanath2012.settings import GeneSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import Metrics, write_table

with job(snakemake, f"gene_expression, {snakemake.wildcards.set}") as say:
    params, name = snakemake.params, snakemake.wildcards.set
    settings = settings_of(GeneSettings, params.settings, "gene_embedding")
    split = load_split(snakemake.input.split)
    pools = {reduction: load_pools(snakemake.input[reduction]) for reduction in REDUCTIONS}
    metrics = Metrics("gene_expression", name, params.source, CONDITIONS)
    common = {"pool_size": params.pool_size, "seed": gene_seed(params.seed, name)}
    pictures, notes = score_variant(metrics, split, settings, pools=pools, repetitions=params.repetitions, **common)
    for note in notes:
        say(note)
    for variant in params.variants:
        change = dict(variant)
        title = change.pop("name")
        say(title)
        score_variant(
            metrics, split, settings.replace(**change), variant=title, repetitions=params.variant_repetitions, **common
        )
    write_table(metrics.table(), snakemake.output.scores)
    save_arrays(snakemake.output.pictures, **pictures)
