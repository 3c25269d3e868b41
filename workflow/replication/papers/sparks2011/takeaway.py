"""What a reader should remember of Sparks and Madabhushi 2011, with the figures of the study."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from replication.shared.values import mean_of
from replication.shared.wording import Phrase, paragraphs, phrase

# The shares of the paper's Fig. 2.
TRAINING, LABELLED = 0.8, 0.6
WIDE = "sigma 5 times the median"


def takeaway(metrics: Mapping[str, pd.DataFrame]) -> Phrase:
    """Whose labels the printed lead counts, on glands and digits; what labels do on the roll."""

    def auprc(experiment: str, dataset: str, method: str, objects: str, variant: str = "") -> float:
        labelled = LABELLED if method == "ose_ssl" else ""
        return mean_of(
            metrics, experiment, "auprc", dataset=dataset, method=method, objects=objects, variant=variant,
            training=TRAINING, labelled=labelled, split="objects", separation="",
        )  # fmt: skip

    def on(dataset: str) -> Phrase:
        return phrase(
            "{dataset}: {all:value 2} against {nm_all:value 2} over all objects, {new:value 2} against {nm_new:value "
            "2} over new ones",
            dataset=dataset,
            nm_all=auprc("gland_retrieval", dataset, "nm_ge", "all", WIDE),
            nm_new=auprc("gland_retrieval", dataset, "nm_ge", "extrapolated", WIDE),
            new=auprc("gland_retrieval", dataset, "ose_ssl", "extrapolated", WIDE),
            **{"all": auprc("gland_retrieval", dataset, "ose_ssl", "all", WIDE)},
        )

    return paragraphs(
        [
            phrase(
                "The printed lead of OSE-SSL over NM-GE on the glands (AUPRC 0.6 against 0.3) includes objects whose "
                "labels the embedding was given. At M = 80 % and S = 60 %, with glands and digits as hard as the "
                "printed 0.3 implies (chance is {chance:value 2}) and sigma five times the median, the AUPRC of "
                "OSE-SSL against NM-GE is, on {found}. With sigma at the median, which the calibration picks, labels "
                "hardly change a weight: {narrow:value 2} against {nm_narrow:value 2} over all glands.",
                chance=auprc("gland_retrieval", "glands", "random", "extrapolated"),
                found=[on("glands"), on("digits")],
                narrow=auprc("gland_retrieval", "glands", "ose_ssl", "all"),
                nm_narrow=auprc("gland_retrieval", "glands", "nm_ge", "all"),
            ),
            phrase(
                "On the Swiss roll, with the radius at which NM-GE needs 70 % of the objects as printed, OSE-SSL has "
                "an AUPRC of {ose:value} over new objects, NM-GE {nm:value}.",
                ose=auprc("swiss_roll", "swiss_roll", "ose_ssl", "extrapolated"),
                nm=auprc("swiss_roll", "swiss_roll", "nm_ge", "extrapolated"),
            ),
        ]
    )


TAKEAWAYS = {"sparks2011": takeaway}
