"""Run times compared with the paper's."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "brain_runtime",
    title="Run times compared with the paper's",
    text=(
        "Run times of the steps of consensus embedding and those of the paper, which were measured in "
        "MATLAB on two quad-core processors of 2007. The image has noise: without it identical pixels make "
        "the graphs dense, and CreateEmbed on 5589 pixels took 164 s where it takes 14 s here. Equal subsets of "
        "features are embedded once: 94 of the 100 differ."
    ),
    tables={"runtime": "image_tables.runtime_table"},
    figures={
        "runtime": Figure(
            "image_figures.draw_runtime",
            "Seconds per step of ConsEmbedMS on one complete slice, texture features included.",
        ),
    },
)
