"""
Which roll, and how hard are the private glands? Set by what Sparks 2011 prints for its baseline, NM-GE.

By the rule of `replication.shared.substitutes`, fixed before any setting was scored. SSGE is not run either, so that no
label reaches an embedding.

- Swiss roll: the radius, "determined empirically" in the paper, is the one at which the share of training objects
  that NM-GE needs is nearest to the printed 70 %. Needed is the share from which on the one-sided 95 % bound, over the
  draws, of the mean of GE - NM-GE stays at or below 0.05, interpolated between shares; mean of SI and AUPRC over all
  objects.
- Glands and digits: the separation of the classes of glands, and the noise on the images, are those at which the AUPRC
  of NM-GE at the shares of the query (class average, all objects, as the paper measures) is nearest to the printed 0.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from consensus_embedding.diagnostics.retrieval import class_average, retrieval_scores
from consensus_embedding.utils.seeds import stream
from joblib import delayed

from replication.papers.sparks2011.experiments.retrieval_substitute import RetrievalSubstitute
from replication.papers.sparks2011.retrieval_grid import (
    Draw,
    EmbeddingSettings,
    Query,
    embed_all,
    extrapolate,
)
from replication.papers.sparks2011.retrieval_metrics import MARGIN, upper_bounds
from replication.papers.sparks2011.retrieval_sets import MadeSet
from replication.platform.steps import QUIET, Work
from replication.shared.substitutes import rank_settings
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

CONDITIONS = ["parameter", "setting", "training"]
# Rolls and glands that no other experiment sees; images of the third that the calibration draws from, too.
ROLE = "substitute"
# Data set -> the parameter that is set, and what is printed of NM-GE.
PARAMETERS = {"swiss_roll": "radius", "glands": "separation", "digits": "noise"}
PRINTED = {"swiss_roll": ("training needed (%)", 70.0), "glands": ("auprc", 0.3), "digits": ("auprc", 0.3)}


def run(
    parameters: RetrievalSubstitute,
    configured: Mapping[str, MadeSet],
    grid: Mapping,
    query: Query,
    work: Work = QUIET,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score NM-GE at every setting of every data set, and pick one each."""
    tables, picks = [], []
    for name, parameter in PARAMETERS.items():
        made, settings = configured[name], getattr(parameters, name)
        metrics = Metrics("retrieval_substitute", name, made.source, CONDITIONS)
        shares = parameters.training if name == "swiss_roll" else (query.training,)
        embedding = EmbeddingSettings(n_components=made.settings.n_components, **grid)
        tried = [(setting, draw) for setting in settings for draw in range(parameters.draws)]
        calls = (
            delayed(score_baseline)(made.varied({parameter: setting}), embedding, shares, work.seed, draw)
            for setting, draw in tried
        )
        results = results_of(calls, work.threads)
        for (setting, draw), scored in zip(tried, results, strict=True):
            for (method, share, metric), value in scored.items():
                at = {"parameter": parameter, "setting": setting, "training": share}
                metrics.add(method, metric, value, draw, **at)
        table = metrics.table()
        quantity, printed = PRINTED[name]
        reached = needed_share if name == "swiss_roll" else mean_area
        ranked = rank_settings(
            [{"dataset": name, "parameter": parameter, "setting": setting} for setting in settings],
            [{"reached": reached(table[table["setting"] == setting])} for setting in settings],
            {"reached": printed},
        ).assign(quantity=quantity, printed=printed)
        setting, value = (ranked.loc[ranked["picked"], column].item() for column in ("setting", "reached"))
        metrics.add("nm_ge", "reached", value, parameter=parameter, setting=setting)
        work.say(f"{name}: {parameter} {setting:g}, {quantity} {value:.3g}")
        tables.append(metrics.table())
        picks.append(ranked)
    return pd.concat(tables, ignore_index=True), pd.concat(picks, ignore_index=True)


def score_baseline(
    made: MadeSet, embedding: EmbeddingSettings, shares: Sequence[float], seed: int, draw: int
) -> dict[tuple[str, float, str], float]:
    """NM-GE at every training share, and GE of all objects, on one draw: (method, share, metric) -> mean score."""
    items = made.draw(seed, draw, ROLE)
    drawn = Draw(items, stream(seed, ROLE, made.name, draw))
    places = {("ge", 1.0): embed_all(items, embedding)}
    places |= {("nm_ge", share): extrapolate(items, drawn.training(share), embedding) for share in shares if share < 1}
    means = {}
    for (method, share), embedded in places.items():
        scores = retrieval_scores(embedded, items.labels)
        means[method, share, "si"] = float(np.nanmean(scores.silhouette))
        means[method, share, "auprc"] = class_average(scores.area, items.labels)
    return means


def needed_share(table: pd.DataFrame) -> float:
    """Share of training objects, in percent, from which on NM-GE is as good as GE; mean of SI and AUPRC."""
    needed = []
    for metric in ("si", "auprc"):
        rows = table[table["metric"] == metric]
        full = rows[rows["method"] == "ge"].set_index("repetition")["value"]
        wide = rows[rows["method"] == "nm_ge"].pivot_table(index="repetition", columns="training", values="value")
        needed.append(crossing(wide.rsub(full, axis=0)))
    return 100 * float(np.mean(needed))


def crossing(shortfalls: pd.DataFrame) -> float:
    """The share from which on the upper bound of the mean shortfall stays at or below `MARGIN`."""
    # A single draw has no bound.
    bound = upper_bounds(shortfalls).fillna(shortfalls.mean())
    shares, bounds = [*map(float, shortfalls.columns), 1.0], [*bound, 0.0]
    above = [k for k, value in enumerate(bounds) if value > MARGIN]
    if not above:
        return shares[0]
    last = above[-1]
    part = (bounds[last] - MARGIN) / (bounds[last] - bounds[last + 1])
    return shares[last] + part * (shares[last + 1] - shares[last])


def mean_area(table: pd.DataFrame) -> float:
    """AUPRC of NM-GE of one setting, mean over the draws."""
    return float(table.loc[(table["method"] == "nm_ge") & (table["metric"] == "auprc"), "value"].mean())
