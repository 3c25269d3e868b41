# Gene expression: the data sets, and the pools of base embeddings that the experiments share.
from replication.papers.viswanath2012.method_names import REDUCTIONS

GENES = f"{RESULTS}/genes"
GENE_POOLS = f"{RESULTS}/embeddings/genes"
GENE_SETS = {item["name"]: item for item in config["genes"]["sets"]}
GENE_SOURCES = {
    name: (
        "simulated"
        if "planted" in item
        else (
            "original"
            if all(
                item.get(part, "").startswith("resources/data/kent_ridge/")
                for part in ("training", "test")
            )
            else "own"
        )
    )
    for name, item in GENE_SETS.items()
}
GENE_REDUCTIONS = list(REDUCTIONS)
# A pool of one data set, reduction and draw has the largest M of the study; others take the first M of it.
POOL_SIZE = max(
    config["gene_embedding"]["n_embeddings"], *config["m_sensitivity"]["n_embeddings"]
)
POOLS = [(name, reduction) for name in GENE_SETS for reduction in GENE_REDUCTIONS]
FILES["gene_expression"] = {
    "pictures": f"{RESULTS}/gene_expression/parts/{config['gene_expression']['views']}_pictures.npz"
}
ADDED["gene_expression"] = {
    name: (
        {
            "split": f"{GENES}/{name}.npz",
            **{
                reduction: f"{GENE_POOLS}/{name}_{reduction}.npz"
                for reduction in GENE_REDUCTIONS
            },
        },
        {
            "name": name,
            "source": GENE_SOURCES[name],
            "settings": config["gene_embedding"],
            "repetitions": config["genes"]["repetitions"],
        },
    )
    for name in GENE_SETS
}
# What is read from a table to prepared genes, and to a pool, whose size is that above.
GENE_PREPARATION = only(
    "gene_embedding", "n_genes", "pruning", "transform", "standardization"
)
GENE_POOL = without(
    "gene_embedding",
    "n_embeddings",
    "normalization",
    "mds",
    "knn_neighbors",
    "label_weights",
    "theta",
    "theta_reading",
    "exploratory_theta",
)


def gene_item(wildcards):
    """What the configuration says of a data set of gene expression."""
    return GENE_SETS[wildcards.set]


def gene_source(wildcards):
    """Where a data set of gene expression comes from."""
    return GENE_SOURCES[wildcards.set]


def gene_files(wildcards):
    """Tables behind a data set of gene expression."""
    item = GENE_SETS[wildcards.set]
    return [item[key] for key in ("training", "test", "table") if key in item]


if set(GENE_SOURCES.values()) == {"own"}:
    OWN_ONLY |= {"gene_calibration", "gene_expression", "m_sensitivity"}
    if "gene_expression" in config["experiments"]:
        OWN_RESULTS[f"{RESULTS}/gene_expression/tables/accuracy.tsv"] = (
            "accuracy of the consensus embeddings and of their rivals"
        )
