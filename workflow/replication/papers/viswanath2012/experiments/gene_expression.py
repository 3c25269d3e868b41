"""Gene expression."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from replication.papers.viswanath2012 import layout
from replication.papers.viswanath2012.method_names import REDUCTIONS
from replication.papers.viswanath2012.settings import GeneSettings, subsets_of_genes
from replication.platform.declarations import Experiment, Figure, Own
from replication.platform.settings import Count, Settings, variants_of
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study
from replication.shared.parts import gather


class GeneExpression(Settings):
    """Experiment 4: all methods of Table 5, and controls."""

    variants: variants_of(GeneSettings) = Field(
        (
            {"name": "expression as given", "transform": "none"},
            {"name": "log transform", "transform": "log"},
            {"name": "average linkage", "linkage": "average"},
            {
                "name": "expression as given, average linkage on correlation",
                "transform": "none",
                "linkage": "average_correlation",
            },
            {"name": "standardized by the training split", "standardization": "training"},
            {"name": "genes chosen on the whole set (leaks)", "pruning": "whole"},
            {"name": "exponential kernel", "kernel": "exponential"},
            {"name": "Gaussian kernel", "kernel": "gaussian"},
            {"name": "local scaling kernel", "kernel": "local_scaling"},
            {"name": "sigma 1", "sigma": 1.0},
            {"name": "sigma 3", "sigma": 3.0},
            {"name": "self-affinity 0", "self_affinity": 0.0},
        ),
        description=(
            "other choices, run in addition to the main ones with fewer draws: a name, and keys of gene_embedding"
        ),
    )
    variant_repetitions: Count = Field(
        5, description="draws of the subsets for each variant, at most genes.repetitions"
    )
    views: str = Field("lung", description="the data set of Fig. 6, a name of genes.sets")


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """Variants that cannot be drawn, and views of a data set that is not there."""
    section, genes = config["gene_expression"], config["genes"]
    pool = max(config["gene_embedding"]["n_embeddings"], *config["m_sensitivity"]["n_embeddings"])
    for variant in section["variants"]:
        where = f"gene_expression.variants, {variant['name']}"
        changes = {key: value for key, value in variant.items() if key != "name"}
        n_embeddings = changes.get("n_embeddings", config["gene_embedding"]["n_embeddings"])
        # Variants that change none of these keys have no fault of their own.
        if {"n_genes", "n_components", "n_embeddings", "subset_size"} & set(changes):
            yield from subsets_of_genes(config, where, **{**changes, "n_embeddings": n_embeddings})
        if n_embeddings > pool:
            yield (
                f"{where}: expected n_embeddings of at most {pool}, the largest number that is drawn, found "
                f"{n_embeddings}"
            )
    if "main" in (variant["name"] for variant in section["variants"]):
        yield "gene_expression.variants: expected names that differ from main, found main"
    names = [item["name"] for item in genes["sets"]]
    if section["views"] not in names:
        yield f"gene_expression.views: expected one of {', '.join(names)}, found {section['views']}"
    if section["variant_repetitions"] > genes["repetitions"]:
        yield (
            f"gene_expression.variant_repetitions: expected at most genes.repetitions = {genes['repetitions']}, found "
            f"{section['variant_repetitions']}"
        )


def reads(name: str) -> dict[str, str]:
    """The samples of a data set, and its pools."""
    pools = {reduction: layout.gene_pool(name, reduction) for reduction in REDUCTIONS}
    return {**pools, "split": layout.genes(name)}


def added_parts(study: Study) -> dict[str, tuple]:
    """What an added method is scored on."""
    return {
        name: (
            reads(name),
            {
                "name": name,
                "source": source,
                "settings": study["gene_embedding"],
                "repetitions": study["genes"]["repetitions"],
            },
        )
        for name, source in layout.gene_sources(study).items()
    }


def score(job: Job) -> Results:
    """Scores of every method on one data set of gene expression."""
    from replication.data.readers.expression import load_split
    from replication.papers.viswanath2012.gene_expression import CONDITIONS, score_variant
    from replication.papers.viswanath2012.gene_splits import gene_seed, load_pools, pool_depends_on
    from replication.papers.viswanath2012.method_names import REDUCTIONS
    from replication.shared.tidy import Metrics

    name = job.wildcards.set
    settings = job.section("gene_embedding", GeneSettings)
    split = load_split(job.inputs.split)
    pools = {reduction: load_pools(job.inputs[reduction]) for reduction in REDUCTIONS}
    metrics = Metrics("gene_expression", name, job.settings["source"], CONDITIONS)
    common = {"pool_size": job.settings["pool_size"], "seed": gene_seed(job.seed, name)}
    repetitions, fewer = job.settings["repetitions"], job.settings["variant_repetitions"]
    pictures, notes = score_variant(metrics, split, settings, pools=pools, repetitions=repetitions, **common)
    for note in notes:
        job.say(note)
    for variant in job.settings["variants"]:
        change = dict(variant)
        title = change.pop("name")
        job.say(title)
        other = settings.replace(**change)
        # What a variant leaves as it is needs no pools of its own.
        same = {
            reduction: pool
            for reduction, pool in pools.items()
            if pool_depends_on(reduction, other) == pool_depends_on(reduction, settings)
        }
        score_variant(metrics, split, other, variant=title, pools=same, repetitions=fewer, **common)
    return {"scores": metrics, "pictures": pictures}


EXPERIMENT = Experiment(
    "gene_expression",
    position=15,
    settings=GeneExpression,
    check=check,
    title="Gene expression",
    added="user_methods.score_genes",
    method_names="method_names.GENE_METHODS",
    text=(
        "Experiment 4 of Viswanath and Madabhushi 2012: two classes of samples separated by gene expression "
        "(leukemia, lung, breast and prostate in the paper, with their official splits). The source column, "
        "and the title of each panel, says whether data are the paper's originals, the user's own or "
        "simulated with planted classes. Genes are chosen, and embeddings selected with labels (S) or without "
        "(US), on the training split; the test split is embedded, combined and clustered.\n\n"
        "Draws of the gene subsets repeat what uses subsets: the consensus, the best single embeddings, the "
        "kNN ensemble, and the random controls with a draw of their own. The choice of genes, GE and PCA of "
        "all chosen genes, SSAGE and the clustered features have no draws and no SD; the paper "
        "reports one draw.\n\n"
        "Clusters are named by the test labels in the better way: those of the test samples in a consensus "
        "and in single embeddings, so that accuracy is never below one half, and those of the complete cohort "
        "(training and test samples) in SSAGE. The kNN ensemble names the classes itself.\n\n"
        "SSAGE and the kNN ensemble carry over from the training to the test split; scaling each split by "
        "itself shifts the splits against each other where the shares of the classes differ, so both are also "
        "shown with the two splits scaled by the training split.\n\n"
        "Accuracy is shown with the balanced accuracy and the share of the majority class of the test split, "
        "which is known from the test labels alone. The best single embedding by training labels is the mean "
        "over all that are tied for it; the column of embeddings kept says how many.\n\n"
        "Draws say nothing about other patients: the 95 % interval over test samples is Wilson's for the mean "
        "accuracy, as if every test sample were called independently and clusters came with names, so it is "
        "rather too narrow. Tests over draws are about other subsets of the same genes and samples, the test "
        "over data sets about other data; differences that are the same throughout have no variance and are "
        "not tested, nor do they count in Holm's correction."
    ),
    reads=("pictures",),
    tables={
        "accuracy": "gene_tables.accuracy_table",
        "scores": "gene_tables.scores_table",
        "tests": "gene_tables.tests_table",
        "variants": "gene_tables.variants_table",
    },
    figures={
        "accuracy": Figure(
            "gene_figures.draw_accuracy",
            (
                "Table 5 of the paper as a figure: accuracy (filled) and balanced accuracy (open). S: embeddings "
                "selected with labels; US: without. From above: the paper's six methods; its two baselines that "
                "carry over from training to test, with both splits scaled by the training split; one GE or PCA of "
                "all chosen genes. Bars: SD over draws of the gene subsets; methods without subsets have none. "
                "Dotted: share of the majority class of the test split, known from the test labels alone. The "
                "title of a panel says whether its data are the paper's originals, the user's own or simulated."
            ),
        ),
        "controls": Figure(
            "gene_figures.draw_controls",
            (
                "Accuracy (filled) and balanced accuracy (open) of the paper's methods, of its baselines "
                "scaled by the training split (between the dashed lines), and of single embeddings and "
                "controls: GE and PCA of all chosen genes, selection at a strict threshold, the best single "
                "embedding by training labels (mean over those tied for it) and by test labels, the same "
                "subsets combined without reduction, the genes clustered as they are, SSAGE with the test "
                "samples clustered alone (not the complete cohort), genes at random, points at random, and the "
                "majority class of the test split (also dotted), known from the test labels alone. Bars: SD "
                "over draws. The title of a panel says whether its data are the paper's originals, the user's "
                "own or simulated."
            ),
        ),
        "variants": Figure(
            "gene_figures.draw_variants",
            (
                "Accuracy with the main preparation in percent, and the percentage points that other preparations of "
                "the same data add (orange: lower; purple: higher), mean over the draws of the subsets that both have. "
                "In brackets: no larger than the SD of the difference over these draws; methods without subsets "
                "have none. A variant with “leaks” in its name chooses genes on the complete set, so the test labels "
                "leak into the choice; it shows what that is worth and is not a result."
            ),
        ),
        "views": Figure(
            "gene_figures.draw_views",
            (
                "Fig. 6 of the paper: one data set (in the paper lung) in the first three dimensions of SSAGE "
                "and of the consensus embeddings, two at a time, first draw of the subsets. The paper plots all "
                "samples of the lung set, this figure the test samples only. Colour: true class; marker: class that "
                "the cluster is called; a dark edge marks samples called wrongly. Silhouette of the true classes "
                "in all dimensions, mean of the two classes."
            ),
        ),
    },
    own=Own(
        text=(
            "How well do two clusters in an embedding agree with the two classes of your table? The consensus "
            "combines embeddings of random subsets of the columns, selected with labels (S) or without (US) on the "
            "training samples; the test samples are embedded, combined and clustered. Rivals are single embeddings "
            "of all chosen columns, SSAGE and the kNN ensemble.\n\n"
            "Clusters are named by the labels of the test samples in the better way, so that accuracy is never below"
            " one half: compare with the share of the majority class, with columns at random and with points at "
            "random (figure controls). Bars are SD over draws of the subsets and say nothing of other samples; the "
            "95 % interval over test samples is Wilson's for the mean accuracy and rather too narrow."
        ),
        captions={
            "accuracy": (
                "Accuracy (filled) and balanced accuracy (open) of the consensus embeddings and their rivals. Bars: "
                "SD over draws of the subsets; methods without subsets have none. Dotted: share of the majority "
                "class of the test samples."
            ),
            "controls": (
                "The same with controls: GE and PCA of all chosen columns, selection at a strict threshold, the best"
                " single embedding by training labels and by test labels, the same subsets combined without "
                "reduction, the columns clustered as they are, columns at random, points at random, and the majority"
                " class of the test samples (also dotted). Bars: SD over draws."
            ),
            "variants": (
                "Accuracy with the main preparation in percent, and the percentage points that other preparations of "
                "the same tables add (orange: lower; purple: higher). In brackets: no larger than the SD of the "
                "difference over the draws. A variant with “leaks” in its name chooses columns on all samples, so the "
                "test labels leak into the choice: it is not a result."
            ),
            "views": (
                "Your samples in the first three dimensions of SSAGE and of the consensus embeddings, two at a "
                "time, first draw of the subsets, test samples only. Colour: true class; marker: class that the "
                "cluster is called; a dark edge marks samples called wrongly."
            ),
        },
    ),
    files=lambda study: {"pictures": f"gene_expression/parts/{study['gene_expression']['views']}_pictures.npz"},
    added_parts=added_parts,
    own_only=layout.only_own_genes,
    own_results={"gene_expression/tables/accuracy.tsv": "accuracy of the consensus embeddings and of their rivals"},
    steps=(
        Step(
            name="score_gene_expression",
            run=score,
            does="Cluster {wildcards.set} in every representation",
            makes={"scores": "gene_expression/parts/{set}.tsv", "pictures": "gene_expression/parts/{set}_pictures.npz"},
            reads=lambda study, at: reads(at.set),
            settings=lambda study, at: {
                "source": layout.gene_sources(study)[at.set],
                "gene_embedding": study["gene_embedding"],
                "variants": study["gene_expression"]["variants"],
                "variant_repetitions": study["gene_expression"]["variant_repetitions"],
                "pool_size": layout.pool_size(study),
                "repetitions": study["genes"]["repetitions"],
            },
            wildcards=lambda study: {"set": list(layout.gene_sets(study))},
            takes=lambda study, at: Seconds(
                1.3, 0.017 * layout.longer(study, at.set), "genes.repetitions*gene_embedding.n_embeddings"
            ),
        ),
        gather(
            "gene_expression",
            lambda study: list(layout.gene_sets(study)),
            "Gather the scores of all data sets",
            takes=Seconds(1.9),
        ),
    ),
)
