"""Pathology."""

from collections.abc import Iterator
from typing import Annotated

from annotated_types import Ge, MultipleOf
from pydantic import AfterValidator, Field

from replication.papers.ginsburg2016 import layout
from replication.papers.ginsburg2016.settings import FeatureSettings, ForestRounds, of_features
from replication.platform.declarations import Experiment, Figure, Stages
from replication.platform.settings import (
    AtLeastOne,
    Count,
    Integer,
    Item,
    Name,
    NonNegative,
    Rising,
    Settings,
    different_names,
    variants_of,
)
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study
from replication.shared.parts import gather


class PathologyStudy(Item):
    """A study of the paper and the data in its place."""

    name: Name = Field(description="what the results call it")
    features: Name = Field(description="a name of features.sets")
    training: Annotated[Integer, Ge(4), MultipleOf(2)] = Field(description="training samples of a round, both classes")
    test: Annotated[Integer, Ge(4), MultipleOf(2)] = Field(description="test samples of a round, both classes together")
    noise: NonNegative = Field(
        0.0, description="standard deviation of the noise that a cohort adds to each feature, in those of the feature"
    )

    @property
    def half(self) -> int:
        """Samples of either class in a cohort."""
        return (self.training + self.test) // 2


class Pathology(Settings):
    """
    Fig. 4 and Table V.

    The paper's four studies are private: cohorts of their size are drawn from public substitutes, as many of either
    class (CH-71).
    """

    sets: Annotated[AtLeastOne[PathologyStudy], AfterValidator(different_names)] = Field(
        (
            {"name": "s1", "features": "diagnostic", "training": 36, "test": 12, "noise": 2},
            {"name": "s1_metastasis", "features": "metastasis", "training": 36, "test": 12},
            {"name": "s2", "features": "relapse", "training": 70, "test": 22},
            {"name": "s3", "features": "diagnostic", "training": 30, "test": 10, "noise": 6},
            {"name": "s4", "features": "diagnostic", "training": 34, "test": 10, "noise": 6},
        ),
        description=(
            "the studies. s1, s3 and s4 are those that pathology_substitute picked; the paper prints only "
            "bounds of the filters on s2. s1_metastasis: a second set for s1, real and without noise (CH-80)"
        ),
    )
    cohorts: Count = Field(10, description="cohorts that are drawn from each set")
    rounds: Annotated[Integer, Ge(3)] = Field(50, description="rounds of each cohort")
    n_features: Rising[Count] = Field(
        (3, 5),
        description="numbers of features that classifiers are scored with; five, which the figures show, is among them",
    )
    forests: ForestRounds = Field(
        {"rounds": 10, "n_features": (5,)},
        description="in how many of the rounds, and at which of these numbers, forests are scored",
    )
    variant_rounds: Annotated[Integer, Ge(2)] = Field(15, description="rounds of each variant")
    variants: variants_of(FeatureSettings) = Field(
        (
            {"name": "features standardised", "scaling": "standard"},
            {"name": "features as they are", "scaling": "none"},
            {"name": "scores as printed", "form": "printed"},
            {"name": "SVM width one", "svm_gamma": "one"},
            {"name": "logistic regression hardly penalised", "logistic_c": 1e6},
        ),
        description="one changed detail each: a name, and keys of feature_embedding",
    )

    def unfit(self) -> Iterator[tuple[str, str]]:
        """The figures show five features."""
        if 5 not in self.n_features:
            yield "n_features", f"expected 5 among them, which the figures show, found {list(self.n_features)}"


def studies(study: Study) -> dict:
    """The pathology studies by name; each is scored by a job of its own."""
    return {item["name"]: item for item in study["pathology"]["sets"]}


def score(job: Job) -> Results:
    """Rankings of the features of one pathology study of Ginsburg 2016, on its substitute."""
    from replication.data.feature_set import load_feature_set
    from replication.papers.ginsburg2016 import pathology

    parameters = job.section("pathology", Pathology)
    settings = job.section("feature_embedding", FeatureSettings)
    (item,) = parameters.sets
    job.say(f"cohorts of {item.training} and {item.test} samples of {item.features}")
    metrics = pathology.run(
        load_feature_set(job.inputs.table), item, parameters, settings, source=job.settings["source"], work=job
    )
    return {"scores": metrics}


EXPERIMENT = Experiment(
    "pathology",
    position=4,
    settings=Pathology,
    check=lambda config: of_features(config, "pathology", [item["features"] for item in config["pathology"]["sets"]]),
    stages=Stages("pathology.cohorts", (5, 10)),
    title="Pathology",
    text=(
        "Fig. 4 and Table V of Ginsburg et al. 2016. The paper's four sets of pathology images are private. "
        "They are replaced by public sets, subsampled to the paper's numbers of samples as far as they "
        "reach: nuclear features of breast cancer with as much noise as gives the filters the middle of the printed "
        "range (Wisconsin diagnostic for S1, S3 and S4, see pathology_substitute), expression of 76 genes "
        "with distant metastases without noise as a second set for S1 (s1_metastasis), and, where there are far "
        "more features than samples (S2), expression of genes with relapse of breast "
        "cancer; or, if the source says so, your own table. The paper's numbers and names of features "
        "cannot be expected to return; directions can.\n\n"
        "A cohort of the paper's size, with equal classes, is drawn several times. In each round of a cohort "
        "its training samples are drawn again, with equal classes, and classifiers are scored on the others. "
        "Values are means over cohorts, ± SD over cohorts. Cohorts of a small set share patients (those of S2 "
        "are nearly the same), which the tests of the claims allow for. Rounds with as many of either class "
        "make the t-test and the Fisher score one ranking. Of the embedding vectors each component is "
        "divided by its standard deviation, as features are, or, in the rows 'one factor' of the table methods, all "
        "by one factor, which keeps their lengths."
    ),
    tables={
        "dimensions": "fine_tables.dimensions",
        "methods": "fine_tables.methods",
        "best": "fine_tables.best",
        "features": "fine_tables.features",
        "variants": "fine_tables.variants",
    },
    figures={
        "panels": Figure(
            "fine_figures.draw_panels",
            (
                "Fig. 4 of the paper on its substitutes: mean Jaccard index over all pairs of rounds of a cohort "
                "(left) and AUC on the samples left out of a round (right), both with the best five features. Bars: "
                "± SD over cohorts. The AUC is the mean of LR (logistic regression) and SVM (radial basis "
                "function); each classifier, with random forests, is in the table methods. Triangles: the embedding "
                "vectors themselves in the line of their reduction; they are no subset of features and have no "
                "Jaccard index. Dotted: chance."
            ),
        ),
        "variants": Figure(
            "fine_figures.draw_variants",
            (
                "What changing one detail does to the Jaccard index (left) and the AUC (right) of the best five "
                "features, mean over FINE and over filters. Left of the line the change lowers it. Bars: ± SD of "
                "the change over cohorts; the AUC is the mean over the classifiers that the changed runs have. "
                "Changed runs have fewer rounds."
            ),
        ),
    },
    present_seconds=13.5,
    steps=(
        Step(
            name="score_pathology",
            run=score,
            does="Rank the features of the pathology study {wildcards.study}",
            makes={"scores": "pathology/parts/{study}.tsv"},
            reads=lambda study, at: {"table": layout.features(studies(study)[at.study]["features"])},
            settings=lambda study, at: {
                "feature_embedding": layout.embedding(study, studies(study)[at.study]["features"]),
                # With this study alone: another one does not make it be scored again.
                "pathology": {**study["pathology"], "sets": [studies(study)[at.study]]},
                "source": layout.source(study, studies(study)[at.study]["features"]),
            },
            wildcards=lambda study: {"study": list(studies(study))},
            threads="workers",
            memory_mb=3000,
            minutes=60,
            takes=Seconds(3, 0.27, "pathology.cohorts*pathology.rounds"),
        ),
        gather(
            "pathology",
            lambda study: list(studies(study)),
            "Gather the scores of all pathology studies",
            takes=Seconds(2),
        ),
    ),
)
