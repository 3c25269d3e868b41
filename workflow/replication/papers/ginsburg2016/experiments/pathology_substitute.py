"""How hard the private pathology studies are."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "pathology_substitute",
    title="How hard the private pathology studies are",
    text=(
        "The pathology studies of Ginsburg et al. 2016 are private. Their substitutes should be as hard as "
        "they are: public sets are tried, with noise added to their features, until the filters that the paper "
        "compares FINE with have the area under the ROC curve that it prints for them (S1, S3 and S4; none is "
        "printed for S2). FINE is not run, and no other experiment sees these cohorts and rounds. The table "
        "targets has the printed values and those of the chosen setting; a number is within the margin if it is "
        "at most 0.03 away."
    ),
    tables={"targets": "fine_tables.targets"},
    reads=("picks",),
    run_tables=("picks",),
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
    calibrates=True,
)
