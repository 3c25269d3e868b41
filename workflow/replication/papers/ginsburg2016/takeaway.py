"""What a reader should remember of Ginsburg et al. 2016, with the figures of the study."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from replication.papers.ginsburg2016.fine_values import FILTERS, FINE, MARKED
from replication.shared.values import mean_of
from replication.shared.wording import Phrase, phrase

PATHOLOGY = ["s1", "s2", "s3", "s4"]
STANDARDISED = "features standardised"


def takeaway(metrics: Mapping[str, pd.DataFrame]) -> Phrase:
    """Stability and accuracy of five features, with raw units, by variance alone, and with standardised features."""

    def mean(metric: str, methods: list[str], variant: str = "") -> float:
        return mean_of(
            metrics, "pathology", metric, dataset=PATHOLOGY, method=methods, variant=variant, n_features=MARKED
        )

    fine, filters = list(FINE), list(FILTERS)
    return phrase(
        "FINE on features in raw units chooses the features with the largest units. Over the four pathology sets the "
        "Jaccard index of five features between rounds is {fine:value 2} for FINE and {filters:value 2} for the "
        "filters, but {variance:value 2} for choosing by variance alone; with standardised features FINE has "
        "{standard:value 2}, the filters {filters_standard:value 2}. The area under the ROC curve of five features "
        "is {auc:value 2} (FINE), {auc_filters:value 2} (filters) and {auc_variance:value 2} (variance alone). "
        "Compare FINE with selection by variance before you take its stability as evidence of the classes.",
        fine=mean("jaccard", fine),
        filters=mean("jaccard", filters),
        variance=mean("jaccard", ["variance"]),
        standard=mean("jaccard", fine, STANDARDISED),
        filters_standard=mean("jaccard", filters, STANDARDISED),
        auc=mean("auc", fine),
        auc_filters=mean("auc", filters),
        auc_variance=mean("auc", ["variance"]),
    )


TAKEAWAYS = {"ginsburg2016": takeaway}
