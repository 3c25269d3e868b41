"""Median consensus over other sources of instability."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "mce_extensions",
    title="Median consensus over other sources of instability",
    text=(
        "The extensions that the paper's discussion names: consensus over t-SNE runs at several perplexities, "
        "over UMAP runs, and over t-SNE runs of multiply imputed data with values missing completely at "
        "random. The competitor that it names for several perplexities is multiscale t-SNE: one run on affinities "
        "that are means over the perplexities. Runs are brought to unit norm before they are combined and compared."
    ),
    tables={"extensions": "mce_tables.extensions_table"},
    figures={
        "extensions": Figure(
            "mce_figures.draw_extensions",
            (
                "Left: distance between repetitions of the consensus, as a share of that between single runs. "
                "Right: share of each point's nearest neighbours in the complete data that are kept, by the "
                "consensus distances and by their picture. The horizontal axis says what differs between the runs: "
                "the perplexity of t-SNE, the random start of UMAP, or the imputed values. Points and bars: mean "
                "and standard deviation over the repetitions, on the left over all pairs of them."
            ),
        ),
    },
)
