"""Read one data set of gene expression, check it, and keep it in one form."""

from collections import Counter

from replication.platform.job import job
from replication.data.gene_sets import check_against_registry
from replication.data.readers.expression import read_split, save_split
from replication.papers.viswanath2012.gene_splits import gene_seed
from replication.platform.registry import load_registry

with job(snakemake, f"gene expression of {snakemake.wildcards.set}") as say:
    params, item = snakemake.params, snakemake.params.item
    split = read_split(item, seed=gene_seed(params.seed, item["name"]))
    registry = load_registry()
    for part in ("training", "test"):
        table = getattr(split, part)
        if params.source == "original":
            check_against_registry(table, registry[item[part].removeprefix("resources/data/")])
        counts = ", ".join(f"{name} {n}" for name, n in sorted(Counter(table.classes.tolist()).items()))
        say(f"{part}: {len(table.classes)} samples of {len(table.genes)} genes ({counts})")
    save_split(snakemake.output.split, split)
