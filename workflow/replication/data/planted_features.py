"""Features with known ground truth: two classes that differ by a shift, by parity, or along a curve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from consensus_embedding.utils.seeds import stream

from replication.data.readers.feature_table import FeatureSet, check_feature_set
from replication.data.settings import PlantedFeatures, PlantedMonths
from replication.platform.settings import settings_of

# Share of the variance of a nuisance feature that is due to the factor.
_SHARED_VARIANCE = 0.9
# Angle of the spiral, at the start and at the end: an inner and an outer turn, one for each class.
_SPIRAL = (math.pi, 5.0 * math.pi)


def simulate_planted_features(parameters: Mapping[str, Any], seed: int, draw: int = 0) -> FeatureSet:
    """
    Draw samples of two classes that some of the features separate: those of training first, in random order.

    Informative features have normal noise of standard deviation 1, and are built by one of three structures:

    - shift: class means lie `effect` apart, with random sign.
    - parity: clusters around the corners of a hypercube with sides of length `effect`, as in Madelon (Guyon et al.
      2004), where corners have random labels; here the class is the product of the signs of a corner. It takes all
      informative features to separate the classes.
    - curve: a spiral of two turns in a plane that is oblique to all informative features; class -1 is the inner turn, 1
      the outer. A feature is r cos(r + phase), r the latent position from pi to 5 pi, scaled to `effect` at the outer
      end; phases are spread over half a circle. Each feature has the same mean in both classes.

    Redundant features are linear combinations of the informative ones, without noise of their own. Nuisance features,
    of standard deviation `nuisance_scale`, share one factor (0.9 of their variance) that has nothing to do with the
    class. All others are noise of standard deviation 1.

    `PlantedFeatures` describes the parameters. The seed decides the plan: which features are relevant, signs and
    weights; `draw` which data of this plan. Noise does not depend on structure, effect or nuisance scale: conditions
    are paired. `truth` of the set marks informative and redundant features. Classes are "A" and "B", with months
    "censored" and "recurrence"; too few events, or too few censored samples, are an InputError.
    """
    planted = settings_of(PlantedFeatures, parameters, "planted")
    plan = _make_plan(planted, seed)
    parts = {"training": planted.n_samples, "validation": planted.n_validation}
    drawn = [_draw_part(planted, plan, size, (seed, part, draw)) for part, size in parts.items() if size]
    values, positive, months = (np.concatenate(arrays) for arrays in zip(*drawn, strict=True))
    timed = planted.months is not None
    feature_set = FeatureSet(
        values=values,
        labels=np.where(positive, 1, -1),
        features=plan.features,
        classes=np.array(["censored", "recurrence"] if timed else ["A", "B"]),
        validation=np.arange(len(values)) >= parts["training"] if parts["validation"] else None,
        months=months if timed else None,
        truth=plan.truth,
    )
    check_feature_set(feature_set, "planted features")
    return feature_set


@dataclass(frozen=True, eq=False)
class _Plan:
    """What all draws share."""

    features: np.ndarray  # (n_features,), str
    truth: np.ndarray  # (n_features,), bool
    order: np.ndarray  # (n_features,): where each comes from in the order informative, redundant, nuisance, noise
    signs: np.ndarray  # (n_informative,): direction of the shift
    weights: np.ndarray  # (n_informative, n_redundant), columns of length 1
    loadings: np.ndarray  # (n_nuisance,): sign of the factor


def _make_plan(planted: PlantedFeatures, seed: int) -> _Plan:
    counts = {kind: getattr(planted, f"n_{kind}") for kind in ("informative", "redundant", "nuisance")}
    counts["noise"] = planted.n_features - sum(counts.values())
    names = np.array([f"{kind} {k}" for kind, count in counts.items() for k in range(1, count + 1)])
    rng = stream(seed, "planted features", "plan")
    order = rng.permutation(len(names))
    weights = rng.standard_normal((counts["informative"], counts["redundant"]))
    return _Plan(
        features=names[order],
        truth=order < counts["informative"] + counts["redundant"],
        order=order,
        signs=rng.choice([-1.0, 1.0], size=counts["informative"]),
        weights=weights / np.sqrt(np.square(weights).sum(axis=0)),
        loadings=rng.choice([-1.0, 1.0], size=counts["nuisance"]),
    )


def _draw_part(
    planted: PlantedFeatures, plan: _Plan, size: int, axes: tuple[int, str, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, which samples have label 1, and months (of no meaning if not asked for) of one part."""
    seed, part, draw = axes

    def rng(what: str) -> np.random.Generator:
        return stream(seed, "planted features", part, draw, what)

    positive = rng("classes").permutation(np.arange(size) % 2 == 1)
    signal = _signal(planted, plan, positive, rng("signal"))
    values = rng("noise").standard_normal((size, len(plan.order)))
    n_informative, n_redundant = plan.weights.shape
    informative = values[:, :n_informative]
    informative += signal
    # Summed by hand: products of matrices differ in the last bit between machines.
    values[:, n_informative : n_informative + n_redundant] = (informative[:, :, None] * plan.weights).sum(axis=1)
    nuisance = values[:, n_informative + n_redundant :][:, : len(plan.loadings)]
    factor = rng("factor").standard_normal(size)
    nuisance *= np.sqrt(1.0 - _SHARED_VARIANCE)
    nuisance += np.sqrt(_SHARED_VARIANCE) * factor[:, None] * plan.loadings
    nuisance *= planted.nuisance_scale
    months = np.full(size, np.nan)
    if planted.months is not None:
        positive, months = _draw_months(planted.months, positive, rng("months"))
    return values[:, plan.order], positive, months


def _signal(planted: PlantedFeatures, plan: _Plan, positive: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Informative features without noise, shape (n_samples, n_informative)."""
    effect, n_informative = planted.effect, len(plan.signs)
    sides = np.where(positive, 1.0, -1.0)
    if planted.structure == "shift":
        return effect / 2.0 * sides[:, None] * plan.signs
    if planted.structure == "parity":
        corners = rng.choice([-1.0, 1.0], size=(len(sides), n_informative))
        corners[:, -1] = sides * corners[:, :-1].prod(axis=1)
        return effect / 2.0 * corners
    start, end = _SPIRAL
    radius = start + (end - start) / 2.0 * (positive + rng.uniform(size=len(sides)))
    phases = np.pi * np.arange(n_informative) / n_informative
    return effect / end * radius[:, None] * np.cos(radius[:, None] + phases)


def _draw_months(
    months: PlantedMonths, positive: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Whether the event is seen, and the time to it or to the end of the follow-up."""
    hazard = np.where(positive, months.hazard_ratio, 1.0) / months.baseline
    event = rng.standard_exponential(len(positive)) / hazard
    # 1 - u is in (0, 1], so that nobody leaves at time 0.
    censored = months.follow_up * (1.0 - rng.uniform(size=len(positive)))
    return event <= censored, np.minimum(event, censored)
