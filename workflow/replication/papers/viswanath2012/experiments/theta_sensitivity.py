"""Threshold of embedding strength."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "theta_sensitivity",
    title="Threshold of embedding strength",
    text=(
        "Does the threshold of embedding strength matter, and the number of embeddings that are combined? On "
        "images each repetition takes a random half of the base embeddings, which shows what another draw of "
        "the feature subsets would do; on gene expression each repetition is another draw of the subsets."
    ),
    tables={"sensitivity": "image_tables.sensitivity_table", "genes": "gene_tables.sensitivity_table"},
    figures={
        "sensitivity": Figure(
            "image_figures.draw_sensitivity",
            (
                "Left: accuracy against the threshold; two clusters of two classes are never less accurate "
                "than one half, so that thresholds up to half of the largest strength exclude nothing. Right: "
                "accuracy against the number of random embeddings combined without selection. Dotted: graph "
                "embedding of all features."
            ),
        ),
        "genes": Figure(
            "gene_panels.draw_sensitivity",
            (
                "Gene expression; the title of a panel says whether its data are the paper's originals, the "
                "user's own or simulated. Above: accuracy on the test samples against the threshold, with "
                "embeddings selected on the training split with labels (S, filled) or without (US, open). "
                "Below: accuracy against the number of random embeddings combined without selection. Dotted: "
                "one embedding of all chosen genes. Bars: SD over draws."
            ),
        ),
    },
)
