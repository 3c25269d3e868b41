"""Choices for FINE."""

from pydantic import Field

from replication.papers.ginsburg2016 import layout
from replication.papers.ginsburg2016.settings import FeatureSettings, of_features
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Name, Part, Settings, calibration_margin, options_of
from replication.platform.steps import Job, Results, Seconds, Step


class FineCalibration(Settings):
    """
    Picks the details that the paper leaves open, by AUC on training samples.

    No claim about AUC is judged on these samples.
    """

    margin: Part = calibration_margin("area under the ROC curve")
    rounds: Count = Field(5, description="rounds of each setting")
    sets: Distinct[Name] = Field(("madelon", "arcene", "dexter", "gisette"), description="names of features.sets")
    options: options_of(FeatureSettings) = Field(
        {
            "scaling": ("none", "standard"),
            "classifier_scaling": ("standard", "none"),
            "svm_gamma": ("per_feature", "one"),
            "target": ("graph", "kernel"),
            "rule": ("first", "minimum"),
            "isomap_kernel": ("squared", "plain"),
            "form": ("chong_jun", "printed"),
        },
        description=(
            "key of feature_embedding: its options, the start value first, in the order in which they are tried"
        ),
    )


def run(job: Job) -> Results:
    """Picks the details that Ginsburg 2016 leaves open."""
    from replication.data.feature_set import load_feature_set
    from replication.papers.ginsburg2016 import fine_calibration

    parameters = job.section("fine_calibration", FineCalibration)
    tables = {name: load_feature_set(path) for name, path in zip(parameters.sets, job.inputs.tables, strict=True)}
    settings = job.section("feature_embedding", FeatureSettings)
    metrics, picks = fine_calibration.run(tables, job.settings["sources"], settings, parameters, job)
    return {"metrics": metrics, "picks": picks}


EXPERIMENT = Experiment(
    "fine_calibration",
    position=1,
    settings=FineCalibration,
    check=lambda config: of_features(config, "fine_calibration", config["fine_calibration"]["sets"]),
    title="Choices for FINE",
    text=(
        "Details that Ginsburg et al. 2016 leave open, picked on training samples alone: a calibration round "
        "draws its samples as the experiment does and is scored on the training samples that it leaves out. "
        "No validation sample on which a claim is judged is seen, and no stability. The rule weighs all "
        "methods that are compared alike: an option scores by the AUC at five features, averaged over the "
        "data sets, rounds, classifiers, the four FINE, the four embeddings and the three filters; a start "
        "value stays unless another option is better by more than the margin."
    ),
    reads=("picks",),
    figures={
        "calibration": Figure(
            "fine_figures.draw_calibration",
            (
                "AUC at five features, or of the embedding vectors, for each option of each choice, averaged "
                "over the data sets named above, their rounds and the classifiers; the mean of all methods "
                "(bar), and the option picked (star). The first option is the start value, which stays unless "
                "another is better by more than the margin."
            ),
        ),
    },
    present_seconds=3.7,
    steps=(
        Step(
            name="run_fine_calibration",
            run=run,
            does="Try the choices on training samples",
            makes={"metrics": "fine_calibration/metrics.tsv", "picks": "fine_calibration/tables/picks.tsv"},
            reads=lambda study, _: {"tables": [layout.features(name) for name in study["fine_calibration"]["sets"]]},
            settings=lambda study, _: {
                "sources": {name: layout.source(study, name) for name in study["fine_calibration"]["sets"]},
                **study.sections("feature_embedding", "fine_calibration"),
            },
            threads="workers",
            memory_mb=3000,
            minutes=60,
            takes=Seconds(3, 0.19, "fine_calibration.sets*fine_calibration.rounds*feature_embedding.max_components"),
        ),
    ),
)
