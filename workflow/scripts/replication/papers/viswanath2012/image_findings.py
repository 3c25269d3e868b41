"""Findings of the experiments on images, written from their metrics."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from replication.papers.viswanath2012.image_tables import COMBINATION, main_scores


def _best_count(per: pd.DataFrame, method: str, against: list[str]) -> int:
    return int((per[method] > per[against].max(axis=1)).sum())


def grid_finding(metrics: pd.DataFrame) -> str:
    """Experiment 1: does the consensus win at the paper's threshold, and where does a gain come from?"""
    rows = main_scores(metrics)
    per = rows.groupby([*COMBINATION, "method"])["value"].mean().unstack("method")
    base = ["features", "mds", "graph_embedding"]
    kept = main_scores(metrics, "n_selected").groupby("method")["value"].mean()
    n = len(per)
    total = main_scores(metrics, "n_selected")
    everything = total[total["method"] == "consensus"]["value"].max()
    reason = ": two clusters of two classes are never less accurate than one half, so that theta excludes nothing"
    text = (
        f"At the paper's threshold {kept['consensus']:.0f} of {everything:.0f} embeddings are kept"
        f"{reason if kept['consensus'] == everything else ''}. The "
        f"consensus then has the highest mean accuracy of the four methods in {_best_count(per, 'consensus', base)} "
        f"of {n} combinations (mean {per['consensus'].mean():.3f}; GE {per['graph_embedding'].mean():.3f}, features "
        f"{per['features'].mean():.3f}). With a strict threshold, which selects {kept['consensus_strict']:.0f} "
        f"embeddings by the labels of the slice itself, it is highest in "
        f"{_best_count(per, 'consensus_strict', base)} of {n} (mean {per['consensus_strict'].mean():.3f}). "
    )
    best = int((per["best_single"] > per["consensus_strict"]).sum())
    text += (
        f"The single embedding chosen by the same labels is better than that consensus in {best} of {n} "
        f"(mean {per['best_single'].mean():.3f}); selected without labels the consensus reaches "
        f"{per['consensus_strict_unlabelled'].mean():.3f}"
    )
    if "consensus_strict_learnt" in per:
        text += (
            f"; with the selection learnt on other slices it reaches {per['consensus_strict_learnt'].mean():.3f}, the "
            f"best single embedding learnt there {per['best_single_learnt'].mean():.3f}"
        )
    gain = per["consensus_strict"].mean() - per["consensus"].mean()
    averaging = per["consensus"].mean() - per["graph_embedding"].mean()
    text += (
        f". Selection with labels moves the accuracy by {gain:+.3f}, combining without selection by {averaging:+.3f} "
        f"over GE. Two-means on the raw intensity reach {per['intensity'].mean():.3f}."
    )
    return text


def loo_finding(metrics: pd.DataFrame) -> str:
    """Experiment 3: the consensus beside GE, and beside finding nothing."""
    rows = metrics[(metrics["metric"] == "accuracy") & (metrics["scheme"] == "slice")]
    wide = rows.groupby(["contrast", "method"])["value"].mean().unstack("method")
    parts = [
        f"contrast {contrast:g}: consensus GE {row['consensus']:.3f}, GE {row['graph_embedding']:.3f}, strict "
        f"consensus {row['consensus_strict']:.3f}, no pixel {row['nothing']:.3f}"
        for contrast, row in wide.iterrows()
    ]
    return (
        f"Accuracy with one slice left out, by the contrast of the lesions: {'; '.join(parts)}. An accuracy below that "
        "of detecting no pixel at all says little about detection; sensitivity and specificity stand beside it."
    )


IMAGE_FINDINGS: dict[str, Callable[[pd.DataFrame], str]] = {
    "brain_grid": grid_finding,
    "leave_one_out": loo_finding,
}
