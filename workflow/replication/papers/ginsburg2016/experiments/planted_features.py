"""Planted features."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "planted_features",
    title="Planted features",
    text=(
        "Simulated features with known ground truth. Classes differ by a shift of "
        "means, by the parity of signs, as in Madelon, or by the position along a curve; other features share a "
        "strong factor that has nothing to do with the classes (nuisance). Every ranking is scored by the AUC "
        "of its scores against the truth, and compared with permutation importance of a random forest on "
        "held-out samples, which thus sees more labelled samples than the other rankings. FINE sees labels "
        "only through the embedding: what the embedding does not contain, it cannot rank."
    ),
    tables={"ranking": "fine_tables.ranking"},
    figures={
        "ranking": Figure(
            "fine_figures.draw_ranking",
            (
                "AUC of the ranking of features against which of them are planted, against the size of the "
                "effect, in standard deviations. A row per structure: the classes differ by a shift of means, by "
                "the parity of signs, or by the position along a curve. A column per standard deviation of the "
                "nuisance features, which do not depend on the classes. FINE "
                "solid, filters dashed and open, ranking by variance alone and at random dotted, permutation "
                "importance dash-dotted. Means ± SD over draws, set apart sideways. Simulated data; 0.5 is "
                "chance."
            ),
        ),
    },
)
