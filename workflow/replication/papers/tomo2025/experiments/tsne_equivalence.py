"""Our t-SNE and scikit-learn's."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "tsne_equivalence",
    title="Our t-SNE and scikit-learn's",
    text=(
        "Scikit-learn's t-SNE treats groups of distant points as one (Barnes-Hut), by default coarsely (angle "
        "0.5). Ours has two kernels: one sums the repulsive forces over all pairs, the other approximates them as "
        "scikit-learn does. All start at the same points. Do our Barnes-Hut kernel and scikit-learn's reach "
        "the same loss, the same size of the picture and the same consensus, within margins fixed beforehand? Does "
        "the exact kernel? And if not, does the difference go away when scikit-learn's approximation "
        "is refined (angle 0.1)?"
    ),
    tables={
        "equivalence": "mce_tables.equivalence_table",
        "differences": "mce_tables.difference_table",
    },
    figures={
        "equivalence": Figure(
            "mce_figures.draw_equivalence",
            (
                "Above: loss (by the exact formula) and size of each run, with mean and standard deviation. "
                "Below, left: our Barnes-Hut runs minus scikit-learn's from the same start, with mean and 95 % "
                "interval; grey: the margins within which the mean counts as equivalent. Right: distance "
                "between the consensus embeddings of all runs of two implementations; grey: the mean distance "
                "when the names of the two are swapped at random within the pairs of runs of one start, and "
                "the permutation p value; white: the mean distance between the consensus embeddings of two "
                "halves of the runs of the implementation named first, which is the margin."
            ),
        ),
    },
)
