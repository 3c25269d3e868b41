"""
Tiwari 2008, Fig. 2(a)-(c): how much LLE and C-LLE move with kappa, with the noise and with the starts of k-means.

A consensus over all kappas has no kappa to vary. It is therefore taken over blocks of neighbouring kappas, which share
none (axis "kappa"), and LLE at kappas as far apart as the blocks: the first, second, ... kappa of each. Groups of
kappas drawn at random are shown too (axis "kappa_random"), with LLE at one kappa of each group: since each such group
covers the full range, what kappa does is averaged out before it is measured, and any consensus looks stable, even of
noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from consensus_embedding.utils.seeds import stream
from joblib import delayed
from scipy.spatial.distance import pdist

from replication.data.readers.spectra import SpectraStudy
from replication.papers.tiwari2008.spectra_studies import (
    ESTIMATORS,
    KnownStudy,
    Learned,
    SpectraSettings,
    scores_of,
    truths,
)
from replication.platform.steps import QUIET, Work
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

CONDITIONS = ["study", "axis", "truth", "kappa"]


def run(
    draws: Sequence[Sequence[SpectraStudy]],
    learned: Learned,
    settings: SpectraSettings,
    parameters: Mapping,
    *,
    dataset: str,
    source: str,
    work: Work = QUIET,
) -> pd.DataFrame:
    """Standard deviations of the scores, and distances between distance matrices, per study."""
    metrics = Metrics("spectra_stability", dataset, source, CONDITIONS)
    calls = (
        delayed(score_study)(list(of_study), learned, settings, parameters, work.seed)
        for of_study in zip(*draws, strict=True)
    )
    results = results_of(calls, work.threads, work.progress(len(draws[0]), "studies"))
    for study, rows in zip(draws[0], results, strict=True):
        for (method, metric, at), value in rows.items():
            metrics.add(method, metric, value, study=study.name, **dict(at))
    return metrics.table()


def score_study(
    draws: Sequence[SpectraStudy], learned: Learned, settings: SpectraSettings, parameters: Mapping, seed: int
) -> dict[tuple[str, str, tuple], float]:
    """Rows of one study: (method, metric, conditions) -> value."""
    study = _Study(draws, learned, settings, seed)
    rows = study.values()
    study.add_kappa_axes(rows, parameters["kappa_groups"], parameters["kappa_splits"])
    if parameters["clustering_repetitions"] > 1:
        study.add_clustering_axis(rows, parameters["clustering_repetitions"])
    if len(draws) > 1:
        study.add_noise_axis(rows)
    return rows


class _Study:
    """One study under several draws of the noise; scores by the rule, never by the oracle."""

    def __init__(self, draws: Sequence[SpectraStudy], learned: Learned, settings: SpectraSettings, seed: int):
        self.known = [KnownStudy(study, learned, settings, seed) for study in draws]
        self.lle = [known.embed(settings.n_components) for known in self.known]
        self.spaces: dict[tuple[str, int], np.ndarray] = {}

    def space(self, method: str, draw: int) -> np.ndarray:
        """Consensus of all kappas, or the principal components."""
        if (method, draw) not in self.spaces:
            known = self.known[draw]
            self.spaces[method, draw] = (
                known.pca_space()[0] if method == "pca" else known.consensus_space(self.lle[draw].embeddings, method)
            )
        return self.spaces[method, draw]

    def scores(self, space: np.ndarray, draw: int = 0, *repetition: int) -> dict[tuple[str, str], float]:
        """(truth, score) -> value of the clusters of an embedding."""
        known = self.known[draw]
        clusters = known.cluster(space, *repetition)
        called = clusters == known.cancer(clusters)
        return {
            (truth, score): value
            for truth, positive in truths(known.study).items()
            for score, value in scores_of(called, positive).items()
        }

    def values(self) -> dict[tuple[str, str, tuple], float]:
        """The scores of LLE at each kappa and of the consensus of all, on the first draw."""
        rows = {}
        self.of_kappa = [self.scores(space) for space in self.lle[0].embeddings]
        self.of_method = {method: self.scores(self.space(method, 0)) for method in ESTIMATORS}
        for kappa, scores in zip(self.lle[0].kappas, self.of_kappa, strict=True):
            _add(rows, "lle", scores, axis="values", kappa=kappa)
        for method, scores in self.of_method.items():
            _add(rows, method, scores, axis="values")
        return rows

    def add_kappa_axes(self, rows: dict, n_groups: int, n_splits: int) -> None:
        """LLE over kappas as far apart as blocks of them, and the consensus of each block; and random groups."""
        stack = self.lle[0].embeddings
        if len(stack) < 2 * n_groups:
            return
        known = self.known[0]
        rng = stream(known.seed, "spectra", known.study.name, "kappas")
        blocks = np.array_split(np.arange(len(stack)), n_groups)
        splits = {
            "kappa": [blocks],
            "kappa_random": [np.array_split(rng.permutation(len(stack)), n_groups) for _ in range(n_splits)],
        }
        for axis, listed in splits.items():
            for method in ESTIMATORS:
                spreads, distances = [], []
                for groups in listed:
                    spaces = [known.consensus_space(stack[np.sort(group)], method) for group in groups]
                    spreads.append(_spread([self.scores(space) for space in spaces]))
                    distances.append(mean_distance(spaces))
                _add_mean(rows, method, axis, spreads)
                rows[method, "distance", _at(axis)] = float(np.mean(distances))
        # LLE at as many kappas as there are groups. Blocks may differ by one; all of them have as many places.
        alike = {
            "kappa": [[block[place] for block in blocks] for place in range(min(map(len, blocks)))],
            "kappa_random": [[group[0] for group in groups] for groups in splits["kappa_random"]],
        }
        for axis, listed in alike.items():
            _add_mean(rows, "lle", axis, [_spread([self.of_kappa[k] for k in members]) for members in listed])
            rows["lle", "distance", _at(axis)] = float(np.mean([mean_distance(stack[members]) for members in listed]))

    def add_clustering_axis(self, rows: dict, n_repetitions: int) -> None:
        """The same embedding, clustered from other starts."""
        spreads = [
            _spread([self.scores(space, 0, r) for r in range(n_repetitions)]) for space in self.lle[0].embeddings
        ]
        _add_mean(rows, "lle", "clustering", spreads)
        for method in (*ESTIMATORS, "pca"):
            space = self.space(method, 0)
            spread = _spread([self.scores(space, 0, r) for r in range(n_repetitions)])
            _add_mean(rows, method, "clustering", [spread])

    def add_noise_axis(self, rows: dict) -> None:
        """The same study with other noise. LLE at a kappa counts if its graph is connected in every draw."""
        common = set.intersection(*(set(pool.kappas) for pool in self.lle))
        spreads, distances = [], []
        for kappa in sorted(common):
            at = [pool.kappas.index(kappa) for pool in self.lle]
            spaces = [pool.embeddings[place] for pool, place in zip(self.lle, at, strict=True)]
            spreads.append(self._spread_of_draws(self.of_kappa[at[0]], spaces))
            distances.append(mean_distance(spaces))
        if common:
            _add_mean(rows, "lle", "noise", spreads)
            rows["lle", "distance", _at("noise")] = float(np.mean(distances))
        for method in (*ESTIMATORS, "pca"):
            spaces = [self.space(method, d) for d in range(len(self.known))]
            first = self.of_method[method] if method in self.of_method else self.scores(spaces[0])
            _add_mean(rows, method, "noise", [self._spread_of_draws(first, spaces)])
            rows[method, "distance", _at("noise")] = mean_distance(spaces)

    def _spread_of_draws(
        self, first: Mapping[tuple[str, str], float], spaces: Sequence[np.ndarray]
    ) -> dict[tuple[str, str], float]:
        """Spread of the scores of an embedding over the draws; those on the first are known."""
        return _spread([first, *(self.scores(space, d) for d, space in enumerate(spaces[1:], 1))])


def mean_distance(spaces: Sequence[np.ndarray]) -> float:
    """Mean distance of any two embeddings: of their distance matrices, each divided by its norm."""
    apart = [pdist(space) for space in spaces]
    units = [distances / np.linalg.norm(distances) for distances in apart]
    return float(np.mean([np.linalg.norm(first - second) for first, second in combinations(units, 2)]))


def _spread(sets: Sequence[Mapping[tuple[str, str], float]]) -> dict[tuple[str, str], float]:
    """Standard deviation of each score over several sets of scores."""
    return {key: float(np.std([scores[key] for scores in sets], ddof=1)) for key in sets[0]}


def _at(axis: str, truth: str = "", kappa: int | str = "") -> tuple:
    return (("axis", axis), ("truth", truth), ("kappa", kappa))


def _add(rows: dict, method: str, scores: Mapping, *, axis: str, kappa: int | str = "") -> None:
    rows |= {(method, score, _at(axis, truth, kappa)): value for (truth, score), value in scores.items()}


def _add_mean(rows: dict, method: str, axis: str, spreads: Sequence[Mapping]) -> None:
    """Add the mean of standard deviations, each of as many values as those it is compared with."""
    # A root of their mean variance would look like more spread next to the standard deviation of one group.
    for truth, score in spreads[0]:
        deviations = [spread[truth, score] for spread in spreads]
        rows[method, f"sd_{score}", _at(axis, truth)] = float(np.mean(deviations))
