"""Base embeddings of one data set of gene expression, by one reduction, for all draws of the subsets."""

from replication.platform.job import every, job, save_arrays
from replication.data.domains.gene_preparation import prepare_genes
from replication.data.readers.expression import load_split
from replication.papers.viswanath2012.gene_splits import draw_subsets, embed_genes, gene_seed, save_pools
from replication.papers.viswanath2012.settings import PoolSettings
from replication.platform.settings import settings_of

with job(snakemake, f"embeddings of {snakemake.wildcards.set}") as say:
    params, name = snakemake.params, snakemake.wildcards.set
    settings = settings_of(PoolSettings, params.settings, "gene_embedding")
    genes = prepare_genes(load_split(snakemake.input.split), **settings.preparation)
    for note in genes.notes:
        say(note)
    seed, progress = gene_seed(params.seed, name), every(params.repetitions, say, "draws of the subsets")
    pools = []
    for r in range(params.repetitions):
        subsets = draw_subsets(len(genes.genes), settings.subset_size, params.pool_size, seed, r)
        pools.append(embed_genes(genes, snakemake.wildcards.reduction, subsets, settings))
        progress(len(pools))
    save_arrays(snakemake.output.pools, **save_pools(pools))
