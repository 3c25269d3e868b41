"""Ways to combine the same runs."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "consensus_comparison",
    title="Ways to combine the same runs",
    added="added_methods.score_comparison",
    method_names="method_names.COMBINATIONS",
    text=(
        "The same runs combined in other ways, with controls: a single run, the medoid, the run of lowest "
        "loss, a run started from the principal components, a run of multiscale t-SNE, and random points."
    ),
    tables={"comparison": "mce_tables.comparison_table"},
    figures={
        "comparison": Figure(
            "mce_figures.draw_comparison",
            (
                "Mean and standard deviation over repetitions on identical pools of runs. The reference is "
                "itself a geometric median, so the second panel favours the methods near it. The run started "
                "from the principal components is deterministic: its repetitions are the same by "
                "construction. Random points show the level of chance of the two scores; their distances are "
                "off the scale and left out."
            ),
        ),
    },
)
