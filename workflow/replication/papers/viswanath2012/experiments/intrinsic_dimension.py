"""Dimension of the texture space and of the gene space."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
    "intrinsic_dimension",
    title="Dimension of the texture space and of the gene space",
    text=(
        "The paper sets n = 3 for images and n = 4 for gene expression by the maximum-likelihood estimate of "
        "intrinsic dimension (Levina and Bickel 2005). The same estimate here on the texture features, and on "
        "the chosen genes of the training splits."
    ),
    tables={"dimension": "image_tables.dimension_table"},
    figures={
        "dimension": Figure(
            "image_figures.draw_dimension",
            (
                "Estimated dimension of the texture space against noise, on the pixels and on their "
                "mean-shift objects, and of the space of the chosen genes of each data set (training split); "
                "the dashed lines are the paper's n."
            ),
        ),
    },
)
