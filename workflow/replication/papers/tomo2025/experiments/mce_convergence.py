"""Convergence of the median consensus."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
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
)
