"""Findings of the experiments on images, written from their metrics."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from replication.papers.viswanath2012.image_tables import COMBINATION, main_scores
from replication.shared.wording import Phrase, phrase


def _best_count(per: pd.DataFrame, method: str, against: list[str]) -> int:
    return int((per[method] > per[against].max(axis=1)).sum())


def grid_finding(metrics: pd.DataFrame) -> Phrase:
    """Experiment 1: does the consensus win at the paper's threshold, and where does a gain come from?"""
    rows = main_scores(metrics)
    per = rows.groupby([*COMBINATION, "method"])["value"].mean().unstack("method")
    base = ["features", "mds", "graph_embedding"]
    kept = main_scores(metrics, "n_selected").groupby("method")["value"].mean()
    total = main_scores(metrics, "n_selected")
    everything = total[total["method"] == "consensus"]["value"].max()
    reason = ": two clusters of two classes are never less accurate than one half, so that theta excludes nothing"
    means = per.mean()
    learnt = (
        "; with the selection learnt on other slices it reaches {means[consensus_strict_learnt]:value}, the best "
        "single embedding learnt there {means[best_single_learnt]:value}"
    )
    text = (
        "At the paper's threshold {kept[consensus]:count} of {everything:count} embeddings are kept{reason}. The "
        "consensus then has the highest mean accuracy of the four methods in {best} of {n} combinations (mean "
        "{means[consensus]:value}; GE {means[graph_embedding]:value}, features {means[features]:value}). With a strict "
        "threshold, which selects {kept[consensus_strict]:count} embeddings by the labels of the slice itself, it is "
        "highest in {best_strict} of {n} (mean {means[consensus_strict]:value}). The single embedding chosen by the "
        "same labels is better than that consensus in {single} of {n} (mean {means[best_single]:value}); selected "
        "without labels the consensus reaches {means[consensus_strict_unlabelled]:value}{learnt}. Selection with "
        "labels changes the accuracy by {gain:difference}, combining without selection by {averaging:difference} over "
        "GE. Two-means on the raw intensity reach {means[intensity]:value}."
    )
    counts = {
        "n": len(per),
        "best": _best_count(per, "consensus", base),
        "best_strict": _best_count(per, "consensus_strict", base),
        "single": _best_count(per, "best_single", ["consensus_strict"]),
    }
    moves = {
        "gain": means["consensus_strict"] - means["consensus"],
        "averaging": means["consensus"] - means["graph_embedding"],
    }
    return phrase(
        text,
        kept=kept,
        everything=everything,
        reason=reason if kept["consensus"] == everything else "",
        means=means,
        learnt=phrase(learnt, means=means) if "consensus_strict_learnt" in per else "",
        **counts,
        **moves,
    )


def loo_finding(metrics: pd.DataFrame) -> Phrase:
    """Experiment 3: the consensus compared with GE, and with finding nothing."""
    rows = metrics[(metrics["metric"] == "accuracy") & (metrics["scheme"] == "slice")]
    wide = rows.groupby(["contrast", "method"])["value"].mean().unstack("method")
    text = (
        "contrast {contrast:setting}: consensus GE {row[consensus]:value}, GE {row[graph_embedding]:value}, strict "
        "consensus {row[consensus_strict]:value}, no pixel {row[nothing]:value}"
    )
    parts = [phrase(text, contrast=contrast, row=row) for contrast, row in wide.iterrows()]
    text = (
        "Accuracy with one slice left out, by the contrast of the lesions: {parts}. An accuracy below that of "
        "detecting no pixel at all says little about detection; see sensitivity and specificity."
    )
    return phrase(text, parts=parts)


IMAGE_FINDINGS: dict[str, Callable[[pd.DataFrame], Phrase]] = {
    "brain_grid": grid_finding,
    "leave_one_out": loo_finding,
}
