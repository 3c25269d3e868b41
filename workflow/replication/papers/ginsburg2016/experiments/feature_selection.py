"""Feature selection."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from annotated_types import Ge
from pydantic import Field

from replication.papers.ginsburg2016 import layout
from replication.papers.ginsburg2016.settings import FeatureSettings, ForestRounds, of_features
from replication.platform.declarations import Experiment, Figure, Own
from replication.platform.settings import Count, Distinct, Integer, Name, Positive, Rising, Settings, variants_of
from replication.platform.steps import Job, Results, Seconds, Step
from replication.shared.parts import gather


class FeatureSelection(Settings):
    """What decides the rounds of a set."""

    rounds: Annotated[Integer, Ge(3)] = Field(50, description="rounds, each with samples of its own")
    n_features: Rising[Count] = Field(
        (1, 2, 3, 5, 10, 15, 20, 30, 50, 100, 200, 300),
        description=(
            "numbers of features that are swept, up to a share of the training samples (CH-32); five are always "
            "among them"
        ),
    )
    forests: ForestRounds = Field(
        {"rounds": 20, "n_features": (5, 15, 100, 300)},
        description="in how many of the rounds, and at which of these numbers, forests are scored",
    )
    most_per_sample: Positive = Field(0.1, description="features per training sample at most")
    training_samples: Mapping[str, Count] = Field(
        {"gisette": 6000},
        description="training samples in the paper, for data sets where fewer may be available (CH-70)",
    )
    variant_rounds: Annotated[Integer, Ge(2)] = Field(
        15, description="rounds of each variant, with five features and without forests"
    )
    variants: variants_of(FeatureSettings) = Field(
        (
            {"name": "features standardised", "scaling": "standard"},
            {"name": "features as they are", "scaling": "none"},
            {"name": "lowest residual variance", "rule": "minimum"},
            {"name": "distances of the kernel", "target": "kernel"},
            {"name": "Isomap of plain distances", "isomap_kernel": "plain"},
            {"name": "scores as printed", "form": "printed"},
            {"name": "rounds with replacement", "replacement": True},
            {"name": "100 samples at most and no share", "round_share": 1.0},
            {"name": "bootstrap of 100 of 100", "round_share": 1.0, "replacement": True},
            {"name": "T = K Z", "eigenvalue_power": 1},
            {"name": "SVM width one", "svm_gamma": "one"},
        ),
        description="one changed detail each: a name, and keys of feature_embedding",
    )


class FeatureSelectionOfSets(FeatureSelection):
    """Table IV and Fig. 3: the sets of the challenge."""

    sets: Distinct[Name] = Field(("madelon", "arcene", "dexter", "gisette"), description="names of features.sets")


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """Its sets are there, and those whose training samples are stated, where they are not the paper's."""
    yield from of_features(config, "feature_selection", config["feature_selection"]["sets"])
    stated, of_paper = config["feature_selection"]["training_samples"], FeatureSelection().training_samples
    yield from of_features(config, "feature_selection.training_samples", set(stated) - set(of_paper))


def score(job: Job) -> Results:
    """Stability and accuracy of selected features on one data set."""
    import numpy as np
    from consensus_embedding.features.feature_importance import UNEQUAL

    from replication.data.feature_set import load_feature_set
    from replication.papers.ginsburg2016 import feature_selection

    table = load_feature_set(job.inputs.table)
    parameters = job.section("feature_selection", FeatureSelection)
    settings = job.section("feature_embedding", FeatureSettings)
    spread = table.values.var(axis=0)
    if settings.scaling == "none" and spread.max() > UNEQUAL * np.median(spread):
        job.say(
            f"features are not scaled, and the largest variance is {spread.max() / max(np.median(spread), 1e-300):.3g} "
            "times the median: those of the largest variance will lead; set scaling: standard"
        )
    metrics = feature_selection.run(
        table, parameters, settings, name=job.wildcards.set, source=job.settings["source"], work=job
    )
    return {"scores": metrics}


EXPERIMENT = Experiment(
    "feature_selection",
    position=2,
    settings=FeatureSelectionOfSets,
    check=check,
    title="Feature selection",
    text=(
        "Table IV and Fig. 3 of Ginsburg et al. 2016 on the data sets of the NIPS 2003 feature selection "
        "challenge. In each round a part of the training samples is drawn, each method ranks the features on "
        "it, and classifiers learn from it with the best features and are scored on the validation samples of "
        "the challenge. FINE ranks by what a feature adds to the regression of the class on an embedding "
        "(PCA, Isomap, LE, LLE as kernel PCA; dimensions, neighbours and alpha by residual variance). It "
        "is compared with the paper's filters (t-test, Fisher score, Gini index) and with the embedding vectors "
        "as features. Of the embedding vectors each component is "
        "divided by its standard deviation, as features are, or, in the rows 'one factor' of the table methods, all "
        "by one factor, which keeps their lengths.\n\n"
        "The Jaccard index of the best five features over all pairs of rounds measures stability. It says "
        "nothing about usefulness: a ranking by variance alone, which uses no labels, can be as stable, so it "
        "is shown with the methods, as are random features. Rounds share most of their samples where "
        "there are few. Then every method looks stable, and if a round contains all samples the index is 1 by "
        "construction (table variants). Intervals over rounds show what other rounds of the same samples "
        "would give, not other samples.\n\n"
        "The paper reports the number of features with the highest AUC. It is chosen on the samples that "
        "give the AUC (table best), so this AUC is too high; the AUC at five has no such choice. Where the "
        "source says that the validation set was halved, one half replaces the training set, which was "
        "not available."
    ),
    tables={
        "dimensions": "fine_tables.dimensions",
        "methods": "fine_tables.methods",
        "best": "fine_tables.best",
        "sweep": "fine_tables.sweep",
        "features": "fine_tables.features",
        "variants": "fine_tables.variants",
    },
    figures={
        "panels": Figure(
            "fine_figures.draw_panels",
            (
                "Fig. 3 of the paper: mean Jaccard index over all pairs of rounds (left) and AUC on the validation "
                "samples (right), both with the best five features. Bars: 95 % jackknife interval of the Jaccard "
                "index, ± SD of the AUC over rounds. The AUC is the mean of LR (logistic regression) and SVM "
                "(radial basis function); each classifier, with random forests, is in the table methods. Triangles: "
                "the embedding vectors themselves in the line of their reduction; they are no subset of features "
                "and have no Jaccard index. Dotted: chance, the Jaccard index of random subsets and an AUC of 0.5."
            ),
        ),
        "sweep": Figure(
            "fine_figures.draw_sweep",
            (
                "Jaccard index, and AUC of each classifier (LR: logistic regression, SVM, RF: random forest) "
                "on unseen samples, against the number of features; a row per data set. FINE solid, "
                "filters dashed and open. Means over rounds; bars at five features (grey): 95 % jackknife "
                "interval of the Jaccard index, ± SD of the AUC over rounds. Dotted: chance. The Jaccard "
                "index of random subsets rises with the number of features; Kuncheva's index, which corrects "
                "for that, is in the table sweep."
            ),
        ),
        "variants": Figure(
            "fine_figures.draw_variants",
            (
                "What changing one detail does to the Jaccard index (left) and the AUC (right) of the best five "
                "features, mean over FINE and over filters. Left of the line the change lowers it. Bars: ± SD of "
                "the change of AUC over the same rounds; the AUC is the mean over the classifiers that the changed "
                "runs have. Changed runs have fewer rounds, so that the Jaccard index, one for all rounds, is less "
                "sure: that of the filters moves also where the detail does not touch them."
            ),
        ),
    },
    own=Own(
        text=(
            "Which features separate the two classes of your table? In each round a part of the samples is drawn, "
            "each method ranks the features on it, and classifiers learn from the best features. They are scored on "
            "the test samples of your table, or, if it has none, on the samples that the round left out. FINE ranks "
            "by what a feature adds to the regression of the class on an embedding; the filters (t-test, Fisher "
            "score, Gini index) look at one feature at a time.\n\n"
            "Read the ranking (table features) together with its stability (Jaccard index of the best five features "
            "over all pairs of rounds) and its use (AUC). Compare with “variance alone”, which uses no labels: "
            "where FINE chooses the same features, these may only be the features with the largest units. Intervals "
            "over rounds say what other rounds of the same samples would give, not other samples. The AUC at the "
            "best number of features (table best) is too high, since the number is chosen on the same samples."
        ),
        captions={
            "panels": (
                "Mean Jaccard index over all pairs of rounds (left) and AUC on unseen samples (right), both with the "
                "best five features. Bars: 95 % jackknife interval of the Jaccard index, ± SD of the AUC over rounds. "
                "The AUC is the mean of LR (logistic regression) and SVM (radial basis function); each classifier, "
                "with random forests, is in the table methods. Triangles: the embedding vectors themselves. Dotted: "
                "chance."
            ),
        },
    ),
    own_only=lambda study: layout.are_own(study, study["feature_selection"]["sets"]),
    own_results={"feature_selection/tables/features.tsv": "the features that each method chose most often, best first"},
    present_seconds=13.5,
    steps=(
        Step(
            name="score_feature_selection",
            run=score,
            does="Rank the features of {wildcards.set}, round by round",
            makes={"scores": "feature_selection/parts/{set}.tsv"},
            reads=lambda study, at: {"table": layout.features(at.set)},
            settings=lambda study, at: {
                "feature_embedding": layout.embedding(study, at.set),
                # Another data set does not rerun the scores of the others.
                "feature_selection": study.without("feature_selection", "sets"),
                "source": layout.source(study, at.set),
            },
            wildcards=lambda study: {"set": list(layout.feature_sets(study))},
            threads="workers",
            memory_mb=4000,
            minutes=60,
            soon=True,
            takes=lambda study, at: Seconds(
                3,
                {"madelon": 1.6, "arcene": 0.75, "dexter": 3.1, "gisette": 2.4}.get(at.set, 2.2)
                * layout.longer(study, at.set),
                "feature_selection.rounds",
            ),
        ),
        gather(
            "feature_selection",
            lambda study: study["feature_selection"]["sets"],
            "Gather the scores of all data sets",
            takes=Seconds(2.3),
        ),
    ),
)
