"""How hard the private pathology studies are."""

from pydantic import Field

from replication.papers.ginsburg2016 import layout
from replication.papers.ginsburg2016.settings import FeatureSettings, of_features
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Name, NonNegative, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class PathologySubstitute(Settings):
    """
    Finds data as hard as the paper's private studies.

    Public sets, with noise on the features (in their standard deviations), until the filters have the middle of the
    printed range of the area under the ROC curve, with logistic regression.
    FINE is not run.
    """

    features: Distinct[Name] = Field(
        ("diagnostic", "prognostic", "metastasis"),
        description=(
            "names of features.sets that are tried, where they have samples enough, for studies with a printed range "
            "of the AUC"
        ),
    )
    noise: Distinct[NonNegative] = Field(
        (0, 0.5, 1, 1.5, 2, 3, 4, 6, 8),
        description="standard deviations of the noise, in those of each feature, that are tried",
    )
    cohorts: Count = Field(10, description="cohorts of each")
    rounds: Count = Field(20, description="rounds of each cohort")


def run(job: Job) -> Results:
    """Finds data as hard as the private studies of Ginsburg 2016, by its filters."""
    from replication.data.feature_set import load_feature_set
    from replication.papers.ginsburg2016 import pathology_substitute
    from replication.papers.ginsburg2016.pathology import PathologyStudy
    from replication.platform.settings import settings_of

    parameters = job.section("pathology_substitute", PathologySubstitute)
    paths = zip(parameters.features, job.inputs.tables, strict=True)
    metrics, picks = pathology_substitute.run(
        {name: load_feature_set(path) for name, path in paths},
        tuple(settings_of(PathologyStudy, study, "pathology.sets") for study in job.settings["studies"]),
        parameters, job.section("feature_embedding", FeatureSettings),
        sources=job.settings["sources"], work=job,
    )  # fmt: skip
    return {"metrics": metrics, "picks": picks}


EXPERIMENT = Experiment(
    "pathology_substitute",
    position=3,
    settings=PathologySubstitute,
    check=lambda config: of_features(config, "pathology_substitute", config["pathology_substitute"]["features"]),
    title="How hard the private pathology studies are",
    text=(
        "The pathology studies of Ginsburg et al. 2016 are private. Their substitutes should be as hard as "
        "they are: public sets are tried, with noise added to their features, until the filters that the paper "
        "compares FINE with have, with logistic regression, the middle of the printed range of the area under the ROC "
        "curve. The range is of the filters alone on S4, of FINE PCA, FINE LLE and the filters on S1, and of the "
        "embedding vectors as well on S3; on S2 only bounds are printed. FINE is not run, and no other experiment sees "
        "these cohorts and rounds. The table targets has the printed values and those of the chosen setting; a number "
        "is within the margin if it is at most 0.03 away."
    ),
    tables={"targets": "fine_tables.targets"},
    reads=("picks",),
    figures={
        "substitute": Figure(
            "fine_figures.draw_substitute",
            (
                "Area under the ROC curve of logistic regression with the best five features of a filter, mean "
                "over the three filters, against the noise; one line per public set, bars: SD over cohorts. "
                "Dashed: the middle of the printed range; star: the set and noise picked."
            ),
        ),
    },
    steps=(
        Step(
            name="run_pathology_substitute",
            run=run,
            does="Find data as hard as the private pathology studies, by the paper's filters",
            makes={"metrics": "pathology_substitute/metrics.tsv", "picks": "pathology_substitute/tables/picks.tsv"},
            reads=lambda study, _: {
                "tables": [layout.features(name) for name in study["pathology_substitute"]["features"]]
            },
            settings=lambda study, _: {
                **study.sections("feature_embedding", "pathology_substitute"),
                "studies": study["pathology"]["sets"],
                "sources": {name: layout.source(study, name) for name in study["pathology_substitute"]["features"]},
            },
            threads="workers",
            takes=Seconds(
                3,
                0.015,
                "pathology_substitute.features*pathology_substitute.noise*pathology_substitute.cohorts*"
                "pathology_substitute.rounds",
            ),
        ),
    ),
)
