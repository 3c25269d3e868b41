"""
Have the numbers of the quick study moved since they were last looked at?

t-SNE is chaotic: on a processor with other vector instructions the last digit of a sum differs, and after some
hundred iterations so does the whole run. Therefore two tolerances.

* Same runs (the Kullback-Leibler divergences agree to nine digits, as they do on one kind of processor, whatever
  the number of cores): nothing may move, up to the tolerance of the solver.
* Other runs, as on ARM or with native arithmetic: the numbers are those of another draw. How far they may be is drawn
  from 111 seeds for the experiments on digits (draw_limits.py), so that all of them raise a false alarm in less than
  one of 10,000 runs; LIMITS says it for the others. The image and theory experiments are not chaotic,
  but where clusters or objects are nearly tied, a last digit may decide: SHARES and COUNTS leave room for that.
  The limits of the experiments on spectra are of the kind: with spectra changed by 1e-10 of their size no score moved,
  only what comes from independent components (windows by 1e-5 ppm, thresholds by 1e-4, correlations by 0.02).
  Nor are extrapolation and retrieval chaotic: with rolls, outlines and images changed by 1e-10 of their size,
  silhouettes moved by 4e-8, errors of Nystroem by 1e-6 of themselves (the inverse of the roll's graph enlarges what
  changes), AUPRC by 3e-4 (distances of images, roots of whole numbers, then tie no more), and no count.
  Nor is the importance of features: with planted features changed by 1e-10 of their size, three times over, areas of
  the SVM moved by 5e-4, since it is solved to 1e-3 only, residual variances and shares of scores by 2e-10, and nothing
  else, no feature selected, no curve and no p-value; nor did they when changed by 1e-6 (areas by 8e-4, residual
  variances and shares by 1e-6). Changed by 1e-3 they do: single features, neighbours and patients change places.

Seconds and memory are never compared; only that they were measured.
"""

import math
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from ledgers import claims_on
from replication.catalogue.configuration import read_configuration
from replication.catalogue.experiments import EXPERIMENTS as DECLARED
from replication.claims.judging import read_claims
from replication.shared.tidy import read_table
from update import REFERENCE, RESULTS, ROOT, summarize

COMMITTED = sorted(path.stem for path in REFERENCE.glob("*.tsv"))
# What `make` runs; the others are run by tests/workflow/test_calibrations.py.
EXPERIMENTS = read_configuration("quick.yaml")["experiments"]
DRAWN = REFERENCE.with_name("tsne_limits")
SOLVER_TOLERANCE = 1e-4  # for distances; Weiszfeld stops at steps of 1e-5

# Metrics between 0 and 1, or correlations, and numbers of things.
SHARES = ("accuracy", "balanced_accuracy", "sensitivity", "specificity", "strength", "holds",
          "mean_balanced_accuracy", "mean_sensitivity", "mean_specificity",
          "first_balanced_accuracy", "first_sensitivity", "first_specificity",
          "score", "direction",
          "false_positive_rate", "false_negative_rate", "triplet_strength", "spread",
          "pair_share", "concordant", "spearman")  # fmt: skip
COUNTS = ("n_objects", "n_selected")
RATIOS = ("ratio_mean", "ratio_sd", "ratio_mean_with_polyamines", "ratio_measured_mean", "ratio_measured_sd",
          "ratio_n_voxels", "ratio")  # fmt: skip

# How far the mean of a metric may be from the committed one on a processor that rounds in another way:
# ("times", f) from 1/f to f times; ("within", d) plus or minus d; None: any value is as likely as another.
LIMITS = {
    "silhouette": ("within", 0.05),
    **dict.fromkeys(SHARES, ("within", 0.1)),
    "n_samples": ("within", 0.0),
    **dict.fromkeys(COUNTS, ("times", 1.5)),
    "level": ("within", 0.0),  # of a choice, in the multiverse
    "strong_share": ("within", 0.5),  # of a few embeddings
    "intrinsic_dimension": ("within", 0.5),
    "mse": ("times", 1.5),
    "mse_base": ("times", 1.5),
    **dict.fromkeys(("sd_sensitivity", "sd_specificity", "sd_balanced_accuracy"), ("within", 0.1)),
    "distance": ("within", 0.05),  # of distance matrices of norm 1
    "explained_variance": ("within", 0.001),
    **dict.fromkeys(("connected", "closed_groups", "n_box", "n_truth"), ("within", 0.0)),
    "n_voxels": ("times", 1.5),  # of a study, or of a cluster
    **dict.fromkeys(("correlation", "correlation_mean"), ("within", 0.05)),
    **dict.fromkeys(RATIOS, ("times", 1.01)),  # of simulated spectra without noise
    # Of extrapolation and retrieval; changed by 1e-6, errors moved by 1 %, silhouettes and AUPRC by 4e-4.
    **dict.fromkeys(("si", "si_sums", "auprc", "auprc_queries"), ("within", 0.01)),
    **dict.fromkeys(("error_relative", "error_entries", "error_l1"), ("times", 1.05)),
    "same_of_first": ("within", 0.2),  # of a class of few queries, one item more or less
    **dict.fromkeys(
        ("pieces", "largest_piece", "isolated", "n_label", "n_retrieved"), ("within", 1e-6)
    ),  # nothing is near a limit
    **dict.fromkeys(("separation", "noise"), ("within", 1e-6)),  # settings
    "reached": ("times", 1.2),  # a training share between two of the grid, or an AUPRC
    # Of the importance of features: room for one feature, number of components or patient that changes places.
    **dict.fromkeys(("auc", "auc_common_factor"), ("within", 0.02)),
    "ranking_auc": ("within", 0.02),
    **dict.fromkeys(("jaccard", "jaccard_left_out", "kuncheva", "precision"), ("within", 0.1)),
    **dict.fromkeys(("agreement_pair", "agreement_fine"), ("within", 0.1)),
    **dict.fromkeys(("redundancy", "embedding_stability"), ("within", 0.1)),
    "votes": ("within", 0.5),  # mean of the most selected features
    **dict.fromkeys(("residual_variance", "share_of_five", "log_rank_p"), ("within", 0.01)),
    **dict.fromkeys(("log_rank_p_class", "log_rank_p_events"), ("within", 0.01)),
    "n_components": ("times", 1.2),
    "n_neighbors": ("times", 1.2),
    "alpha": ("times", 3.0),  # steps of ten times
    **dict.fromkeys(("n_low", "n_high", "at_risk", "n_events"), ("within", 1.0)),
    **dict.fromkeys(("n_low_class", "n_high_class", "n_low_events", "n_high_events"), ("within", 1.0)),
    **dict.fromkeys(("risk_difference_class", "risk_difference_events"), ("within", 0.05)),
    **dict.fromkeys(("risk_difference", "survival", "survival_low", "survival_high"), ("within", 0.05)),
    **dict.fromkeys(("jaccard_chance", "score_sum", "redrawn", "n_disconnected"), ("within", 1e-6)),
    **dict.fromkeys(("n_features_all", "n_validation", "n_round", "shared", "censored"), ("within", 1e-6)),
    # Of the arena, where nothing is chaotic.
    **dict.fromkeys(("trustworthiness", "continuity", "neighbor_recall", "label_neighbors"), ("within", 0.05)),
    **dict.fromkeys(("instability", "distance_correlation"), ("within", 0.1)),
    "ari": ("within", 0.3),  # of clusters that may be nearly tied
    "seconds": None,
    "peak_mb": None,
}

# Verdicts of single universes on few data, which a last digit may tip.
FAMILIES = ("images", "genes", "spectra", "digits", "retrieval", "features")
UNSTEADY = {(family, metric) for family in FAMILIES for metric in ("holds", "score", "direction")}


# Pools of few runs of t-SNE in the arena: on another processor they are others, and their limits were not drawn.
CHAOTIC = ("tsne", "umap", "perplexity", "imputation")


def limit_of(row):
    """How far a number may be from the committed one on a processor that rounds in another way."""
    if row.get("kind") in CHAOTIC and "space" in row:
        return None
    key = row.get("method"), row["metric"]
    return None if key in UNSTEADY else LIMITS[row["metric"]]


def read_old(experiment):
    return labelled(read_table(REFERENCE / f"{experiment}.tsv"))


def drawn_limits(experiment):
    """Label -> lowest and highest mean that other runs of t-SNE allow; None of an experiment that is not chaotic."""
    path = DRAWN / f"{experiment}.tsv"
    return labelled(read_table(path))[["low", "high"]].T.to_dict("list") if path.exists() else None


def limits_of(experiment, old, same):
    """Label -> limits of the mean of each number, of which seconds have none."""
    if same:
        return {}
    drawn = drawn_limits(experiment)
    if drawn is None:
        return {label: limit_of(row) for label, row in old.iterrows()}
    return {label: ("between", *drawn[label]) if label in drawn else None for label in old.index}


def read_new(experiment):
    path = RESULTS / experiment / "metrics.tsv"
    if not path.exists():
        pytest.fail(f"{path.relative_to(ROOT)} is not there; run `make` first (`make test` does)")
    return labelled(summarize(read_table(path)))


def labelled(table):
    """Index the rows by their conditions in words, such as "method mce, n_embeddings 10, metric picture_gap"."""
    values = [name for name in table.columns if name in ("n", "mean", "sd", "low", "high", "seeds")]
    conditions = [name for name in table.columns if name not in values]
    labels = [
        ", ".join(f"{name} {value}" for name, value in zip(conditions, row, strict=True) if value != "")
        for row in table[conditions].itertuples(index=False)
    ]
    assert len(set(labels)) == len(labels)
    # A column without any number is read as text.
    numbers = {name: pd.to_numeric(table[name]) for name in values}
    return table.assign(**numbers).set_index(pd.Index(labels))


@cache
def same_runs():
    """Whether this machine makes the very t-SNE runs of the machine that the committed numbers come from."""
    old, new = read_old("tsne_equivalence"), read_new("tsne_equivalence")
    old, new = (table[table["metric"] == "kl_divergence"][["mean", "sd"]] for table in (old, new))
    return old.index.equals(new.index) and np.allclose(new, old, rtol=1e-9, atol=0)


def moved(experiment, old, new, same):
    """One line for each number that moved by more than its tolerance, vanished or appeared."""
    allowed = limits_of(experiment, old, same)
    lines = [f"{label}: is gone" for label in old.index.difference(new.index)]
    lines += [f"{label}: is new" for label in new.index.difference(old.index)]
    both = old.index.intersection(new.index)
    for label, before, after in zip(both, *(table.loc[both].to_dict("records") for table in (old, new)), strict=True):
        if before["n"] != after["n"]:
            lines.append(f"{label}: {before['n']} values, now {after['n']}")
        limits = {"mean": allowed.get(label)}
        if same:
            floor = (
                SOLVER_TOLERANCE if re.search("distance_(?!correlation)|_distance|epsilon", before["metric"]) else 1e-6
            )
            limits = {part: ("within", max(1e-6 * abs(before[part]), floor)) for part in ("mean", "sd")}
        for part, limit in limits.items():
            if limit is not None and not is_near(before[part], after[part], *limit):
                words = f"{limit[0]} {'±' if limit[0] == 'within' else ''}{' and '.join(f'{x:.3g}' for x in limit[1:])}"
                lines.append(f"{label}: {part} was {before[part]:.10g}, is {after[part]:.10g}; tolerance {words}")
    return lines


def is_near(before, after, kind, size, high=None):
    if kind == "between":
        room = SOLVER_TOLERANCE * max(abs(size), abs(high))
        return size - room <= after <= high + room
    if math.isnan(before) or math.isnan(after):
        return math.isnan(before) and math.isnan(after)
    if kind == "within":
        return abs(after - before) <= size
    if abs(before) <= SOLVER_TOLERANCE:
        return abs(after) <= SOLVER_TOLERANCE
    return 1 / size <= after / before <= size


def test_the_quick_study_has_the_experiments_of_the_committed_numbers():
    found = {path.parent.name for path in RESULTS.glob("*/metrics.tsv")}
    # The calibrations that the quick study leaves out are run by test_calibrations.py.
    left_out = {name for name, one in DECLARED.items() if one.calibrates} - set(EXPERIMENTS)
    assert set(COMMITTED) == set(EXPERIMENTS) | left_out
    assert set(EXPERIMENTS) <= found <= set(COMMITTED)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_the_numbers_have_not_moved(experiment):
    same = same_runs()
    lines = moved(experiment, read_old(experiment), read_new(experiment), same)
    runs = "the same t-SNE runs" if same else "other t-SNE runs than those of the committed numbers"
    claims = claims_on(experiment, read_claims())
    head = f"{len(lines)} numbers of {experiment} moved (tests/regression/quick/{experiment}.tsv, {runs}; {claims}):"
    tail = "If they were meant to move: make && .venv/bin/python tests/regression/update.py"
    assert not lines, "\n".join([head, *lines, tail])


@pytest.mark.parametrize("experiment", COMMITTED)
def test_a_moved_number_would_be_seen(experiment):
    """With the committed numbers in place of new ones: none moved; then all of them, by too much: each is told."""
    old = read_old(experiment)
    if drawn_limits(experiment) is None:
        # Limits are of a metric, or of one of a method: a few numbers of each say whether they hold.
        old = old.groupby([name for name in ("method", "metric") if name in old], sort=False).head(5)
    for same in (True, False):
        assert moved(experiment, old, old, same) == []
    large = old["mean"].abs() > 0.01
    new = old.assign(mean=old["mean"].where(~large, old["mean"] * 1.001))
    assert [line.split(":")[0] for line in moved(experiment, old, new, same=True)] == old.index[large].tolist()

    limited = {label: limit for label, limit in limits_of(experiment, old, same=False).items() if limit is not None}
    if drawn_limits(experiment) is not None:
        assert list(limited) == old.index[old["metric"] != "seconds"].tolist(), "a number has no limit"
    new = old.copy()
    for label, (kind, *sizes) in limited.items():
        before, size = old.loc[label, "mean"], sizes[-1]
        too_far = before + 1.1 * size + 0.001 if kind == "within" or abs(before) < 0.01 else before * 1.1 * size
        new.loc[label, "mean"] = too_far if kind != "between" else size + 0.001 * max(1.0, abs(size))
    assert [line.split(":")[0] for line in moved(experiment, old, new, same=False)] == list(limited)
