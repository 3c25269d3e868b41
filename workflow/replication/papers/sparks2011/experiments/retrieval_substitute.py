"""How hard the private glands are, and which roll."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "retrieval_substitute",
    title="How hard the private glands are, and which roll",
    text=(
        "The glands of Sparks and Madabhushi 2011 are private, and the radius of its Swiss roll is not printed. "
        "Both are set by what the paper prints of its baseline, NM-GE: on the roll it needs 70 % of the objects to "
        "come near GE, on the glands its AUPRC is 0.3. Digits, a public substitute, get as much noise as that "
        "takes. No other experiment sees these data, and no label reaches an embedding. The table of targets has "
        "what is reached of the printed numbers. For classes of these sizes an AUPRC of 0.34 is chance, so "
        "substitutes with the paper's baseline have hardly any information on the classes."
    ),
    reads=("picks",),
    run_tables=("picks",),
    tables={"targets": "retrieval_tables.substitute_targets"},
    figures={
        "substitute": Figure(
            "retrieval_figures.draw_substitute",
            (
                "NM-GE at every setting: left, the share of training objects that it needs on the roll, by the "
                "radius; middle and right, its AUPRC by the separation of the classes of glands, and by the noise "
                "on digits, points the draws. Line: the printed number; star: the setting picked."
            ),
        ),
    },
    calibrates=True,
)
