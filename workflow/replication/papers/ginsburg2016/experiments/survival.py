"""Survival."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from annotated_types import Ge
from pydantic import Field

from replication.papers.ginsburg2016 import layout
from replication.papers.ginsburg2016.settings import FeatureSettings, of_features
from replication.platform.declarations import Experiment, Figure, Own
from replication.platform.settings import Count, Distinct, Integer, Name, Settings
from replication.platform.steps import Job, Results, Seconds, Step
from replication.shared.parts import gather


class Survival(Settings):
    """
    Fig. 6: Kaplan-Meier curves of two risk groups.

    The paper's cohort S4 is private; 198 patients of the Wisconsin prognostic study, 198 of GSE7390, and cohorts of
    its size drawn from them, replace it.
    """

    features: Distinct[Name] = Field(("prognostic", "metastasis"), description="names of features.sets")
    cohort: Annotated[Integer, Ge(10)] = Field(44, description="patients of a drawn cohort")
    partitions: Count = Field(20, description="partitions of the patients, or draws of the cohort")
    folds: Annotated[Integer, Ge(2)] = Field(5, description="folds of each partition")


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """Its sets are there, and tables say when the event was."""
    yield from of_features(config, "survival", config["survival"]["features"])
    for item in config["features"]["sets"]:
        if item["name"] in config["survival"]["features"] and "table" in item and item.get("months") is None:
            yield f"features.sets, {item['name']}: expected months, which survival takes, found none"


def score(job: Job) -> Results:
    """Survival of two risk groups of one data set."""
    from replication.data.feature_set import load_feature_set
    from replication.papers.ginsburg2016 import survival

    metrics = survival.run(
        load_feature_set(job.inputs.table), job.section("feature_embedding", FeatureSettings),
        **job.settings["survival"], name=job.wildcards.set, source=job.settings["source"], work=job,
    )  # fmt: skip
    return {"scores": metrics}


EXPERIMENT = Experiment(
    "survival",
    position=5,
    settings=Survival,
    check=check,
    title="Survival",
    text=(
        "Fig. 6 of Ginsburg et al. 2016: logistic regression on the five features that rank highest divides the "
        "patients into two groups, risk above and below the median, and the log-rank test compares their "
        "survival without recurrence; the table has groups by the predicted class and by the share of events beside "
        "them (CH-90). The paper's patients are private; they are replaced by the prognostic "
        "Wisconsin set with months to recurrence or end of follow-up, and GSE7390 with months to distant "
        "metastasis, each with all patients and with cohorts drawn to the paper's 44; or, if the source "
        "says so, other data.\n\n"
        "As the paper reads, features were ranked, the regression fitted and the groups compared on the same "
        "patients. Then groups differ even where the features say nothing: random features show how far. Here "
        "features and regression come from other patients than those they are used on (cross-fitted), and the "
        "same patients are shown too. One partition into folds can be lucky: p-values are shown over many."
    ),
    tables={"log_rank": "fine_tables.log_rank"},
    figures={
        "curves": Figure(
            "survival_figures.draw_curves",
            (
                "Fig. 6 of the paper: Kaplan-Meier estimate of the share of patients without the event in "
                "the groups of low and high risk, by cross-fitted logistic regression on the five features "
                "that each FINE ranks highest, first partition, all patients. The event is a recurrence, on the "
                "set “metastasis” a distant metastasis. Bands: 95 % intervals "
                "(log-log); ticks: end of follow-up without the event; below: number of patients at risk. "
                "The paper has p = 0.02 for its own 44 patients."
            ),
        ),
        "p_values": Figure(
            "survival_figures.draw_p_values",
            (
                "p-value of the log-rank test between the two risk groups, a dot per partition (of the "
                "smaller cohorts also a new draw of patients); bar: median. Left: cross-fitted, right: "
                "features, regression and groups from the same patients. Dashed: 0.05. For groups that have "
                "nothing to do with recurrence one dot in twenty should be left of it;  in simulations "
                "without any signal cross-fitted ones did so about two to three times as often, since the "
                "risk of each patient depends on what became of the others."
            ),
        ),
    },
    own=Own(
        text=(
            "Do the chosen features separate patients with a good and a bad course? Logistic regression on the five "
            "features that rank highest gives each patient a risk. The log-rank test compares the groups above and "
            "below the median risk. Features and regression come from other patients than those they are used on "
            "(cross-fitted), and the same patients are shown for comparison: there groups differ even where the "
            "features say nothing. One partition into folds can be lucky, so that p-values are shown over many."
        ),
        captions={
            "curves": (
                "Kaplan-Meier estimate of the share of patients without an event in the groups of low and high risk,"
                " by cross-fitted logistic regression on the five features that each FINE ranks highest, first "
                "partition, all patients. Bands: 95 % intervals (log-log); ticks: end of follow-up without an event;"
                " below: number of patients at risk."
            ),
            "p_values": (
                "p-value of the log-rank test between the two risk groups, a dot per partition; bar: median. Left: "
                "cross-fitted, right: features, regression and groups from the same patients. Dashed: 0.05. For groups "
                "that have nothing to do with the event one dot in twenty should be left of it; in simulations without "
                "any signal cross-fitted ones did so about two to three times as often, since the risk of each patient "
                "depends on what became of the others."
            ),
        },
    ),
    own_only=lambda study: layout.are_own(study, study["survival"]["features"]),
    present_seconds=13.5,
    steps=(
        Step(
            name="score_survival",
            run=score,
            does="Survival of two risk groups of {wildcards.set}",
            makes={"scores": "survival/parts/{set}.tsv"},
            reads=lambda study, at: {"table": layout.features(at.set)},
            settings=lambda study, at: {
                "feature_embedding": layout.embedding(study, at.set),
                "survival": study.only("survival", "cohort", "partitions", "folds"),
                "source": layout.source(study, at.set),
            },
            wildcards=lambda study: {"set": list(layout.feature_sets(study))},
            threads="workers",
            takes=Seconds(3, 0.02, "survival.partitions*survival.folds*feature_embedding.max_components"),
        ),
        gather(
            "survival",
            lambda study: study["survival"]["features"],
            "Gather the risk groups of all data sets",
            takes=Seconds(2),
        ),
    ),
)
