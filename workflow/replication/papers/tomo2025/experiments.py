"""Experiments of Tomo and Yoneoka 2025: what each asks, its tables, and its figures with their captions."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENTS = (
    Experiment(
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
    ),
    Experiment(
        "mce_convergence",
        title="Convergence of the median consensus",
        text=(
            "Section 5 of Tomo and Yoneoka 2025: t-SNE runs of the digits from random starts are combined by "
            "their geometric median. How far is a consensus of m runs from one of very many runs, and how "
            "far apart are repetitions?"
        ),
        reads=("pictures",),
        tables={"distances": "mce_tables.convergence_table"},
        figures={
            "distances": Figure(
                "mce_figures.draw_distances",
                (
                    "Fig. 3 of the paper: both distances against the number of runs combined. Points and error "
                    "bars: mean and standard deviation over the repetitions (each from runs of its own, none in "
                    "the reference). Band: 5-95 % of the mean over redrawn sets of repetitions, corrected for their "
                    "sharing the runs of one pool. Squares: the "
                    "paper's values, where the data are the paper's. Triangles: the same distances measured on "
                    "the MDS pictures."
                ),
            ),
            "reference": Figure(
                "mce_figures.draw_reference",
                (
                    "Fig. 1 of the paper: picture of the reference consensus by multidimensional scaling, one "
                    "point per image, coloured by digit."
                ),
            ),
            "repetitions": Figure(
                "mce_figures.draw_repetitions",
                (
                    "Fig. 2 of the paper: repetitions at each number of runs combined, aligned with the reference "
                    "by rotation, reflection and shift; the same scale in every panel."
                ),
            ),
        },
    ),
    Experiment(
        "mce_tail",
        title="Tail of the median consensus",
        text=(
            "Theorem 3.1 of Tomo and Yoneoka 2025: the probability that a consensus of m runs deviates from the "
            "true embedding by epsilon or more falls exponentially with m. The reference consensus replaces "
            "the true embedding."
        ),
        tables={"tail": "mce_tables.tail_table"},
        figures={
            "tail": Figure(
                "mce_figures.draw_tail",
                (
                    "Share of consensus embeddings that lie at least epsilon from the reference, against the "
                    "number of runs combined, on a logarithmic scale, where an exponential law is a straight "
                    "line. Each level epsilon is the median distance at one of the inner numbers of runs; the "
                    "primary one was fixed beforehand. Levels end where no draw deviates."
                ),
            ),
        },
    ),
    Experiment(
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
    ),
    Experiment(
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
    ),
    Experiment(
        "mce_cost",
        title="Cost of a median consensus",
        text=(
            "Section 4.2 of Tomo and Yoneoka 2025 counts O((T + 1) m n^2 + n^3) operations for m runs of n points "
            "and T steps. Timed on one core of the machine that made this report: the distances, 10 steps and an "
            "eigendecomposition, as printed and in plain NumPy; 10 steps of SMACOF; and the complete consensus of this "
            "library, whose steps need no distances. Slopes are of the logarithm of the seconds on that of m and of "
            "n: the paper's count gives 1 and 2, for the eigendecomposition 0 and 3."
        ),
        tables={"cost": "mce_tables.cost_table"},
    ),
)
