"""Grey levels and readings of theta."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "brain_readings",
    title="Grey levels and readings of theta",
    text=(
        "Experiment 1 of Viswanath and Madabhushi 2012 again, over two details that the paper leaves open: the "
        "grey levels of the texture features, and what its threshold theta = 0.15 x max means. As printed it "
        "excludes nothing, since two clusters of two classes are never less accurate than one half. The other "
        "readings select: embeddings within 15 % of the best, the strongest 15 % of the embeddings, and those "
        "whose strength above chance (0.5) is more than 15 % of the best one's. All readings share the base "
        "embeddings."
    ),
    tables={"readings": "image_tables.readings_table"},
    figures={
        "readings": Figure(
            "image_figures.draw_readings",
            (
                "Left: combinations of noise and non-uniformity in which consensus GE has the highest mean "
                "accuracy of F, MDS, GE and consensus GE, by the number of grey levels and by what theta is "
                "taken to mean; lines are shifted sideways, since two are equal. Right: mean "
                "accuracies over all combinations and slices; bars: 95 % intervals over the slices."
            ),
        ),
    },
)
