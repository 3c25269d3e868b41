"""Number of base embeddings."""

from replication.platform.declarations import Experiment, Figure, Own

EXPERIMENT = Experiment(
    "m_sensitivity",
    title="Number of base embeddings",
    text=(
        "Tables 6 and 7 of Viswanath and Madabhushi 2012: does the number M of base embeddings matter? "
        "Consensus PCA and consensus GE on the data of Experiment 4, with embeddings selected with labels (S) "
        "or without (US) at the paper's threshold (theta = 0.15 x max unless configured otherwise). In a draw "
        "the embeddings of a smaller M are the first of those of a larger one. The title of each panel says "
        "whether data are the paper's originals, the user's own or simulated."
    ),
    tables={"consensus_pca": "gene_tables.consensus_pca_table", "consensus_ge": "gene_tables.consensus_ge_table"},
    figures={
        "m_sensitivity": Figure(
            "gene_figures.draw_m_sensitivity",
            (
                "Accuracy on the test samples against the number of base embeddings M; mean and SD over draws "
                "of the gene subsets. Filled: selected with labels; open: without. The title of a panel says "
                "whether its data are the paper's originals, the user's own or simulated."
            ),
        ),
    },
    own=Own(
        text=(
            "Does the number M of base embeddings matter? Accuracy of consensus PCA and consensus GE on the test "
            "samples of your tables. In a draw the embeddings of a smaller M are the first of those of a larger one."
        ),
        captions={
            "m_sensitivity": (
                "Accuracy on the test samples against the number of base embeddings M; mean and SD over draws of the"
                " subsets. Filled: selected with labels; open: without."
            ),
        },
    ),
)
