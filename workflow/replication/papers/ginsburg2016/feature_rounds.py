"""
One protocol behind feature selection and pathology: rounds of samples, features ranked in each, classifiers scored.

In a round a part of the training samples is drawn. Every selector ranks the features on it, and classifiers learn from
it with the best features, or with the embedding vectors, and are scored on samples that no step has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, pairwise

import numpy as np
from consensus_embedding.features.feature_filters import fisher_scores, gini_scores, t_scores
from consensus_embedding.features.feature_importance import aggregate_score, fine_scores, top_features
from consensus_embedding.features.selection_stability import (
    expected_jaccard,
    jackknife_jaccard,
    kuncheva_index,
    mean_jaccard,
)
from consensus_embedding.manifold.residual_variance import ChosenEmbedding, choose_embedding
from consensus_embedding.manifold.sample_kernels import REDUCTIONS, Samples
from consensus_embedding.utils.seeds import stream, stream_seed
from scipy.spatial.distance import pdist

from replication.papers.ginsburg2016.feature_classifiers import (
    CLASSIFIERS,
    FAST_CLASSIFIERS,
    KnownRound,
    Part,
    columns,
    placed,
    standardization,
)
from replication.papers.ginsburg2016.fine_metrics import AUC_ONE_FACTOR, MARKED
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.shared.tidy import Metrics

CONDITIONS = ["variant", "cohort", "classifier", "n_features", "feature"]
FILTERS = {"t_test": t_scores, "fisher": fisher_scores, "gini": gini_scores}
SELECTORS = (*(f"fine_{reduction}" for reduction in REDUCTIONS), *FILTERS)
_MOST_REDRAWS = 1000
# Samples that two rounds need in common to compare their embeddings.
_LEAST_SHARED = 4


@dataclass
class Round:
    """What came out of a round."""

    best: dict[str, np.ndarray] = field(default_factory=dict)  # selector -> features, best first
    values: list[tuple[str, str, float, dict]] = field(default_factory=list)  # method, metric, value, conditions
    redrawn: int = 0  # draws thrown away since a class had fewer than two samples
    samples: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))  # empty if nobody needs to know
    embeddings: dict[str, np.ndarray] = field(default_factory=dict)  # reduction -> (n, h): where the samples were put

    def add(self, method: str, metric: str, value: float, **conditions: object) -> None:
        """Note a value."""
        self.values.append((method, metric, float(value), conditions))


def draw_round(
    labels: np.ndarray, settings: FeatureSettings, *axes: str | int, leave_both: bool = False
) -> tuple[np.ndarray, int]:
    """Samples of a round: a share of all, at most a number, by chance (Section V-B of Ginsburg 2016)."""
    n = len(labels)
    size = round_size(n, settings)
    generator = stream(*axes)
    for redrawn in range(_MOST_REDRAWS):
        chosen = np.sort(generator.choice(n, size, replace=settings.replacement))
        counts = [len(np.unique(chosen[labels[chosen] == label])) for label in (-1, 1)]
        left = np.delete(labels, chosen)
        if min(counts) >= 2 and not (leave_both and len(np.unique(left)) < 2):
            return chosen, redrawn
    raise ValueError(
        f"None of {_MOST_REDRAWS} draws of {size} of {n} samples has two samples of each class"
        f"{' and leaves one of each' if leave_both else ''}; the classes have {(labels == -1).sum()} and "
        f"{(labels == 1).sum()}. Use rounds of another size or more balanced classes."
    )


def check_features(features: np.ndarray, name: str) -> None:
    """Refuse a table with fewer features than are selected."""
    if len(features) < MARKED:
        raise ValueError(
            f"{name}: expected at least {MARKED} features to choose from, found {len(features)}; add some."
        )


def round_size(n: int, settings: FeatureSettings) -> int:
    """Number of samples of a round, of n."""
    return max(4, min(round(settings.round_share * n), settings.round_most, n))


def changed_settings(variants: Sequence[Mapping], settings: FeatureSettings) -> list[tuple[str, FeatureSettings]]:
    """Name and settings of the variants that change something."""
    merged = [
        (variant["name"], settings.replace(**{key: value for key, value in variant.items() if key != "name"}))
        for variant in variants
    ]
    return [(title, other) for title, other in merged if other != settings]


def score_round(
    training: Part,
    unseen: Part,
    settings: FeatureSettings,
    counts: Sequence[int],
    seed: int,
    *,
    forest_counts: Sequence[int] = (),
    controls: bool = True,
    known: dict | None = None,
) -> Round:
    """Rank the features by every selector, and score classifiers with the best ones and with the embedding vectors."""
    scored, known = Round(), {} if known is None else known
    y = training[1]
    # Features are scaled first: nothing is shared between scalings.
    if settings.scaling not in known:
        known[settings.scaling] = KnownRound.from_samples(training[0], unseen[0], settings.scaling)
    known = known[settings.scaling]
    samples, X = known.samples, known.samples.X
    counts = [count for count in counts if count <= X.shape[1]]
    most = max(counts)
    for reduction in REDUCTIONS:
        chosen = choose_embedding(samples, reduction, **settings.embedding_options)
        vectors = chosen.estimator.embedding_
        scores = fine_scores(vectors, X, y, form=settings.form)
        _add_embedding(scored, reduction, chosen, scores)
        if controls:
            scored.embeddings[reduction] = vectors
        scored.best[f"fine_{reduction}"] = top_features(scores, most)
        classifiers = CLASSIFIERS if forest_counts else FAST_CLASSIFIERS
        what = tuple(chosen.estimator.get_params().items())
        vectors_of = partial(placed, chosen, known)
        scalings = {"auc": settings.classifier_scaling} | ({AUC_ONE_FACTOR: "common"} if controls else {})
        for metric, scaling in scalings.items():
            scaled = settings.replace(classifier_scaling=scaling)
            for classifier, area in known.areas(what, vectors_of, y, unseen[1], scaled, classifiers, seed):
                scored.add(f"embedding_{reduction}", metric, area, classifier=classifier)
    for name, rank in FILTERS.items():
        scored.best[name] = top_features(known.once(name, partial(rank, X, y)), most)
    if controls:
        # Of the features in their units: standardised, all have the variance 1.
        scored.best["variance"] = top_features(training[0].var(axis=0), most)
        scored.best["random"] = np.random.default_rng(seed).permutation(X.shape[1])[:most]
    for method, best in scored.best.items():
        scored.add(method, "redundancy", mean_correlation(X[:, best[:MARKED]]), n_features=MARKED)
        for count in counts if method in SELECTORS else [MARKED]:
            kept, classifiers = best[:count], CLASSIFIERS if count in forest_counts else FAST_CLASSIFIERS
            parts = partial(columns, known, kept)
            what = tuple(kept.tolist())
            for classifier, area in known.areas(what, parts, y, unseen[1], settings, classifiers, seed):
                scored.add(method, "auc", area, classifier=classifier, n_features=count)
    return scored


def feature_scores(X: np.ndarray, y: np.ndarray, settings: FeatureSettings) -> dict[str, np.ndarray]:
    """Scores of scaled features by every selector, the higher the more important."""
    samples, scores = Samples(X, keep=True), {}
    for reduction in REDUCTIONS:
        chosen = choose_embedding(samples, reduction, **settings.embedding_options)
        scores[f"fine_{reduction}"] = fine_scores(chosen.estimator.embedding_, X, y, form=settings.form)
    return scores | {name: rank(X, y) for name, rank in FILTERS.items()}


def mean_correlation(X: np.ndarray) -> float:
    """How redundant features are: mean absolute correlation over all pairs of them, a constant one counting as 0."""
    shift, scale = standardization(X)
    unit = (X - shift) / scale
    return float(np.abs(unit.T @ unit)[np.triu_indices(X.shape[1], 1)].mean() / len(X))


def _add_embedding(scored: Round, reduction: str, chosen: ChosenEmbedding, scores: np.ndarray) -> None:
    method = f"embedding_{reduction}"
    scored.add(method, "n_components", chosen.n_components)
    scored.add(method, "residual_variance", chosen.residual_variance)
    if chosen.n_neighbors is not None:
        scored.add(method, "n_neighbors", chosen.n_neighbors)
        scored.add(method, "n_disconnected", chosen.n_disconnected)
    if chosen.alpha is not None:
        scored.add(method, "alpha", chosen.alpha)
    # Eq. 15: the normalised scores, squares over their number.
    scored.add(f"fine_{reduction}", "score_sum", np.square(scores).sum() / len(scores))
    share = aggregate_score(scores, top_features(scores, min(MARKED, len(scores))))
    scored.add(f"fine_{reduction}", "share_of_five", share)


def gather_rounds(
    draws: Iterable[Mapping[str, Round]], cohorts: Sequence[Hashable], progress: Callable[[int], None]
) -> dict[tuple[str, Hashable], list[Round]]:
    """Rounds by variant and cohort, in order."""
    rounds, finished = {}, 0
    for cohort, some in zip(cohorts, draws, strict=True):
        for variant, scored in some.items():
            rounds.setdefault((variant, cohort), []).append(scored)
            finished += 1
            progress(finished)
    return rounds


def add_rounds(
    metrics: Metrics, rounds: Sequence[Round], features: np.ndarray, *, marked_only: bool = False, **at: object
) -> None:
    """Rows of all rounds: their values, the stability of what was selected, and the votes."""
    for number, scored in enumerate(rounds):
        for method, metric, value, conditions in scored.values:
            metrics.add(method, metric, value, number, **conditions, **at)
    n_features = len(features)
    for method in rounds[0].best:
        subsets = np.array([scored.best[method] for scored in rounds])
        counts = sorted(
            {
                conditions["n_features"]
                for name, metric, _, conditions in rounds[0].values
                if name == method and metric == "auc"
            }
        )
        for count in counts:
            some = subsets[:, :count]
            here = {"n_features": count, **at}
            metrics.add(method, "jaccard", mean_jaccard(some), **here)
            metrics.add(method, "jaccard_chance", expected_jaccard(count, n_features), **here)
            if count < n_features:
                metrics.add(method, "kuncheva", kuncheva_index(some, n_features), **here)
        if not marked_only:
            five = {"n_features": MARKED, **at}
            if len(rounds) > 2:
                for number, value in enumerate(jackknife_jaccard(subsets[:, :MARKED])):
                    metrics.add(method, "jaccard_left_out", value, number, **five)
            if method in SELECTORS:
                _add_votes(metrics, method, subsets[:, :MARKED], features, five)
    if not marked_only:
        _add_agreement(metrics, rounds, n_features, {"n_features": MARKED, **at})
        _add_embedding_stability(metrics, rounds, at)


def _add_embedding_stability(metrics: Metrics, rounds: Sequence[Round], at: Mapping) -> None:
    """How alike each embedding is from round to round."""
    for reduction in REDUCTIONS:
        pairs = [same_samples_alike(reduction, first, second) for first, second in pairwise(rounds)]
        if not np.isnan(pairs).all():
            metrics.add(f"embedding_{reduction}", "embedding_stability", float(np.nanmean(pairs)), **at)


def same_samples_alike(reduction: str, earlier: Round, later: Round) -> float:
    """How alike two rounds embed the samples that both have: correlation of the distances between these."""
    shared, first, second = np.intersect1d(earlier.samples, later.samples, return_indices=True)
    if len(shared) < _LEAST_SHARED:
        return np.nan
    places = [scored.embeddings[reduction][rows] for scored, rows in ((earlier, first), (later, second))]
    # A correlation has no unit, so that huge vectors can be brought to size 1, whose squares do not overflow.
    distances = [pdist(place / max(np.abs(place).max(), np.finfo(float).tiny)) for place in places]
    if any(np.ptp(values) == 0 for values in distances):
        return np.nan
    return float(np.corrcoef(*distances)[0, 1])


def _add_agreement(metrics: Metrics, rounds: Sequence[Round], n_features: int, five: Mapping) -> None:
    """
    How far the five features that most rounds chose are those of other selectors: the Jaccard index of every two.

    And the mean index of each FINE with the other FINE.
    """
    chosen = {}
    for method in SELECTORS:
        votes = np.bincount(np.ravel([scored.best[method][:MARKED] for scored in rounds]), minlength=n_features)
        chosen[method] = set(np.argsort(-votes, kind="stable")[:MARKED])
    fine = [method for method in SELECTORS if method not in FILTERS]
    for method in fine:
        overlaps = [_jaccard(chosen[method], chosen[other]) for other in fine if other != method]
        metrics.add(method, "agreement_fine", float(np.mean(overlaps)), **five)
    for first, second in combinations(SELECTORS, 2):
        metrics.add(f"{first}-{second}", "agreement_pair", _jaccard(chosen[first], chosen[second]), **five)


def _jaccard(first: set, second: set) -> float:
    return len(first & second) / len(first | second)


def _add_votes(metrics: Metrics, method: str, subsets: np.ndarray, features: np.ndarray, five: Mapping) -> None:
    votes = np.bincount(subsets.ravel(), minlength=len(features))
    # All of them: the table sums over cohorts, of which each has other most voted features.
    order = np.argsort(-votes, kind="stable")
    for feature in order[votes[order] > 0]:
        metrics.add(method, "votes", votes[feature], feature=features[feature], **five)


def round_seed(seed: int, *axes: str | int) -> int:
    """Seed of the forests of a round, the same for every method."""
    return stream_seed(seed, *axes, "classifiers")
