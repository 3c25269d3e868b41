"""
What a consensus or an embedding must do so that the experiments can use it, and the test that it does.

The contract of a consensus: a class in the style of scikit-learn, its parameters in ``__init__``, whose
``fit(embeddings)`` takes a sequence of m arrays of shape (n, p), embeddings of the same n points, and sets
``embedding_`` (n, n_components), ``distances_`` (condensed in SciPy's order, or square), or both. A class that draws
takes a ``random_state``. That of an embedding: ``fit_transform(X)`` returns an array (n, n_components).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone

from consensus_embedding.utils.numbers import real_numbers

# How far two results may lie apart that should be one, as a share of the largest distance: iterations that stop by a
# tolerance carry rounding up to it.
_SAME = 1e-3
_SEED = 20121
# On as many points a class has to work; of fewer, many have no embedding, such as with 30 neighbours.
FEWEST_TRIED = 60


def check_consensus(estimator: Any) -> None:
    """
    Check that a consensus estimator fulfils its contract, as scikit-learn's `check_estimator` does for estimators.

    Parameters
    ----------
    estimator : object
        An instance of the class; it is cloned and stays as it is.

    Raises
    ------
    ValueError
        At the first rule that is broken, with the class, what was expected and what was found: it can be cloned;
        ``fit`` returns the estimator and sets ``embedding_`` or ``distances_`` in the right shape, real, finite and not
        all equal points, distances neither negative nor unsymmetric; it changes neither its input nor its parameters;
        the same ``random_state`` gives the same result, and without one nothing is drawn, not from NumPy's global
        generator either; the order of the embeddings, and a rotation, reflection or shift of each, changes no distance
        of the result, nor does the order of the points unless it takes a ``random_state``; embeddings of different
        numbers of points, none at all, and NaN are refused with a ValueError. All but the last are tried on clear
        groups, on many points without groups, where some coincide, on two embeddings, and on embeddings that have
        little in common, of 60 points or more.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.spatial.distance import pdist
    >>> from sklearn.base import BaseEstimator
    >>> from consensus_embedding import check_consensus, validate_embeddings
    >>> class Mean(BaseEstimator):
    ...     def fit(self, embeddings):
    ...         self.distances_ = np.mean([pdist(one) for one in validate_embeddings(embeddings)], axis=0)
    ...         return self
    >>> check_consensus(Mean())
    """
    copy_of = _cloning(estimator, "fit", "fit(embeddings)")
    for n, n_runs, apart, noise in (
        (FEWEST_TRIED, 7, 6.0, 0.3),
        (61, 4, 6.0, 0.3),
        (150, 5, 0.0, 0.3),
        (62, 2, 6.0, 0.3),
        (63, 5, 6.0, 3.0),
    ):
        _check_consensus_of(estimator, copy_of, _runs(n, n_runs, apart, noise))
    runs = _runs(FEWEST_TRIED, 2)
    refused = {
        "embeddings of different numbers of points": [runs[0], runs[1][:-1]],
        "an embedding with NaN": [runs[0], np.where(runs[1] == runs[1].max(), np.nan, runs[1])],
        "an empty list of embeddings": [],
    }
    for what, embeddings in refused.items():
        _check_refuses(copy_of(estimator), embeddings, what)


def _check_consensus_of(estimator: Any, copy_of: Callable[[Any], Any], runs: list[np.ndarray]) -> None:
    name, n_points = type(estimator).__name__, len(runs[0])

    def consensus(fitting: Any, embeddings: list[np.ndarray]) -> list[np.ndarray]:
        """Distances between the points, as the consensus says and as it draws them."""
        embedding, distances = consensus_result(fitting.fit(embeddings), n_points)
        return [distances] if embedding is None else [distances, pdist(embedding)]

    given, fitted = [run.copy() for run in runs], copy_of(estimator)
    before, drawn = fitted.get_params(), _global_state()
    if (returned := fitted.fit(given)) is not fitted:
        raise ValueError(f"{name}.fit must return the estimator itself, found {_kind(returned)}; end with return self.")
    _check_untouched(name, "fit", [*given, len(given)], [*runs, len(runs)])
    _check_parameters(name, before, fitted.get_params())
    _check_global_draws(name, drawn)
    reference = consensus(copy_of(estimator), runs)
    _check_repeats(estimator, reference, consensus(copy_of(estimator), runs), consensus(fitted, runs))
    for changed, what in (
        (runs[::-1], "the order of the embeddings"),
        (runs[2:] + runs[:2], "the order of the embeddings"),
        (_moved(runs), "a rotation, reflection or shift of each embedding"),
    ):
        apart = _apart(reference, consensus(copy_of(estimator), changed))
        if apart > _SAME:
            raise ValueError(
                f"The consensus of {name} must not depend on {what}, but its distances change by up to {apart:.2g} of "
                "the largest."
            )
    # A method that draws may draw something else for each point.
    if "random_state" not in before:
        _check_point_order(name, runs, reference[0], lambda changed: consensus(copy_of(estimator), changed)[0])


def check_base_embedding(estimator: Any) -> None:
    """
    Check that an embedding estimator fulfils its contract.

    Parameters
    ----------
    estimator : object
        An instance of a class in the style of scikit-learn; it is cloned and stays as it is.

    Raises
    ------
    ValueError
        At the first rule that is broken: it can be cloned; ``fit_transform`` returns an array (n, n_components) of
        finite real numbers, in which not all points are equal; it does not change its input; the same ``random_state``
        gives the same result, also when it is fitted again, and without one nothing is drawn, not from NumPy's global
        generator either. All are tried on 60 points.
    """
    copy_of = _cloning(estimator, "fit_transform", "fit_transform(X)")
    name = type(estimator).__name__
    X = np.random.default_rng(_SEED).normal(size=(FEWEST_TRIED, 8)) + (np.arange(FEWEST_TRIED) % 3)[:, None]
    given, fitted, drawn = X.copy(), copy_of(estimator), _global_state()
    first = embedding_result(fitted, given)
    _check_untouched(name, "fit_transform", [given], [X])
    _check_global_draws(name, drawn)
    second, refitted = embedding_result(copy_of(estimator), X), embedding_result(fitted, X)
    _check_repeats(estimator, [pdist(first)], [pdist(second)], [pdist(refitted)])


def keeps_unit(estimator: Any) -> bool:
    """
    Whether the distances of a consensus are in the unit of its embeddings.

    Twice as large embeddings double them, and they are those of the embeddings where these agree; a sum over the
    embeddings is in another unit.
    """
    runs = _runs(FEWEST_TRIED, 7)
    # Not quite the same, so that what their differences are divided by is not 0.
    agreeing = _moved([runs[0] + 1e-6 * run for run in runs])
    copy_of = _cloning(estimator, "fit", "fit(embeddings)")
    once, twice, common = (
        consensus_result(copy_of(estimator).fit(given), FEWEST_TRIED)[1]
        for given in (runs, [2 * run for run in runs], agreeing)
    )
    return _apart([2 * once, pdist(runs[0])], [twice, common]) <= _SAME


def consensus_result(fitted: Any, n_points: int) -> tuple[np.ndarray | None, np.ndarray]:
    """
    What a fitted consensus found: its ``embedding_``, (n, p), and its condensed ``distances_``.

    Without ``embedding_`` that is None; without ``distances_`` they are those of the embedding. A ValueError if it sets
    neither, or one that is not of the right shape, not real, not finite, without spread, negative, not symmetric or not
    zero on the diagonal.
    """
    name = type(fitted).__name__
    embedding, distances = getattr(fitted, "embedding_", None), getattr(fitted, "distances_", None)
    if embedding is None and distances is None:
        raise ValueError(f"{name}.fit must set embedding_ or distances_, found neither.")
    if embedding is not None:
        embedding = _table(embedding, f"embedding_ of {name}", n_points, _columns(fitted))
    if distances is None:
        return embedding, pdist(embedding)
    return embedding, _condensed(_numbers(distances, f"distances_ of {name}"), f"distances_ of {name}", n_points)


def embedding_result(estimator: Any, X: np.ndarray) -> np.ndarray:
    """
    Embed a table, (n, n_features), by ``fit_transform``, and check what comes back, (n, p).

    A ValueError if it is not a table of finite real numbers with a row per sample and ``n_components`` columns, or has
    all points at one position.
    """
    name = f"{type(estimator).__name__}.fit_transform(X)"
    return _table(estimator.fit_transform(X), f"The result of {name}", len(X), _columns(estimator))


def _columns(estimator: Any) -> int | None:
    """The number of columns that an estimator is asked for, if it can be."""
    n_components = estimator.get_params().get("n_components") if hasattr(estimator, "get_params") else None
    return int(n_components) if isinstance(n_components, int | np.integer) else None


def _table(values: Any, what: str, n_rows: int, n_columns: int | None) -> np.ndarray:
    table = _numbers(values, what)
    wanted = f"({n_rows}, {'p' if n_columns is None else n_columns})"
    if table.ndim != 2 or len(table) != n_rows or not table.shape[1] or table.shape[1] != (n_columns or table.shape[1]):
        raise ValueError(f"{what} must have shape {wanted}, a row per point, found shape {table.shape}.")
    if (table.max(axis=0) == table.min(axis=0)).all():
        raise ValueError(f"{what} must have points that differ, found all {n_rows} at one position.")
    return table


def _condensed(distances: np.ndarray, what: str, n_points: int) -> np.ndarray:
    n_pairs = n_points * (n_points - 1) // 2
    if distances.shape not in ((n_pairs,), (n_points, n_points)):
        raise ValueError(
            f"{what} must have shape ({n_pairs},), the condensed order of SciPy, or ({n_points}, {n_points}), found "
            f"shape {distances.shape}."
        )
    if distances.min() < 0:
        raise ValueError(f"{what} must not be negative, found {distances.min():.4g}.")
    if distances.max() == 0:
        raise ValueError(f"{what} must have points that differ, found all distances 0.")
    if distances.ndim == 1:
        return distances
    apart, diagonal = np.abs(distances - distances.T).max(), np.diag(distances).max()
    limit = 1e-8 * max(distances.max(), np.finfo(float).tiny)
    if apart > limit:
        raise ValueError(f"{what} must be symmetric, found entries that differ from their mirror image by {apart:.4g}.")
    if diagonal > limit:
        raise ValueError(f"{what} must be zero from a point to itself, found {diagonal:.4g} on the diagonal.")
    return squareform((distances + distances.T) / 2, checks=False)


def _numbers(values: Any, what: str) -> np.ndarray:
    if values is None:
        raise ValueError(f"{what} must be an array, found nothing; end the method with return.")
    array = real_numbers(values, what)
    if not np.isfinite(array).all():
        raise ValueError(f"{what} must be finite, found NaN or infinity.")
    return array


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"an object of type {type(value).__name__}"


def _cloning(estimator: Any, method: str, call: str) -> Callable[[Any], Any]:
    """Check that an estimator is an instance with a method and can be cloned; return what clones it."""
    if isinstance(estimator, type):
        raise ValueError(
            f"Expected an instance of {estimator.__name__}, found the class itself; write {estimator.__name__}()."
        )
    name = type(estimator).__name__
    if not callable(getattr(estimator, method, None)):
        raise ValueError(f"{name} must have a method {call}, found none.")
    try:
        copied = clone(estimator)
        same = copied.get_params().keys() == estimator.get_params().keys()
    except (AttributeError, RuntimeError, TypeError) as error:
        raise ValueError(
            f"{name} must let scikit-learn clone it; let it inherit from sklearn.base.BaseEstimator, and __init__ only "
            f"keep its parameters. Found: {error}"
        ) from None
    if not same:
        raise ValueError(f"{name} must have the same parameters when it is cloned; let __init__ only store them.")
    drawn = "random_state" in copied.get_params()
    return lambda original: clone(original).set_params(random_state=_SEED) if drawn else clone(original)


def _runs(n_points: int, n_runs: int, apart: float = 6.0, noise: float = 0.3) -> list[np.ndarray]:
    """
    Embeddings of the same points, in the plane with noise, each rotated and shifted.

    Three groups, this far apart; at 0 there are none, and one point in ten coincides with another in each embedding.
    """
    rng = np.random.default_rng([_SEED, n_points])
    points = rng.normal(size=(n_points, 2)) + apart * np.eye(3)[np.arange(n_points) % 3, :2]
    runs = [points + noise * rng.normal(size=points.shape) for _ in range(n_runs)]
    if not apart:
        for run in runs:
            run[1::10] = run[::10]
    return _moved(runs)


def _moved(runs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Each embedding rotated, every second one reflected too, and shifted."""
    moved = []
    for k, run in enumerate(runs):
        angle = 0.7 + k
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ np.diag([1, (-1) ** k])
        # Not a matrix product, which may round equal rows differently.
        moved.append(run[:, :1] * turn[:, 0] + run[:, 1:] * turn[:, 1] + [0.5 * k, -1.0])
    return moved


def _check_untouched(name: str, method: str, given: Sequence[Any], before: Sequence[Any]) -> None:
    if not all(np.array_equal(value, original) for value, original in zip(given, before, strict=True)):
        raise ValueError(f"{name}.{method} must not change its input, but did; let it work on a copy.")


def _check_parameters(name: str, before: dict, after: dict) -> None:
    changed = [key for key in before if before[key] is not after[key]]
    if changed:
        raise ValueError(
            f"{name} must leave its parameters as they are, but changed {', '.join(changed)}; store what fit finds in "
            "attributes that end in an underscore."
        )


def _global_state() -> tuple:
    """State of the generator that all code shares."""
    state = np.random.get_state(legacy=False)  # noqa: NPY002
    keys = state["state"]["key"].tobytes()
    return state["bit_generator"], keys, state["state"]["pos"], state["has_gauss"], state["gauss"]


def _check_global_draws(name: str, before: tuple) -> None:
    if _global_state() != before:
        raise ValueError(
            f"{name} must not draw from NumPy's global generator, such as by np.random.rand, nor seed it; let __init__ "
            "take a random_state, and take every draw from np.random.default_rng(random_state)."
        )


def _check_point_order(
    name: str,
    runs: list[np.ndarray],
    distances: np.ndarray,
    distances_of: Callable[[list[np.ndarray]], np.ndarray],
) -> None:
    """Renumbered points have the same distances, which tells a wrong order of the pairs."""
    order = np.random.default_rng(_SEED).permutation(len(runs[0]))
    expected = squareform(squareform(distances)[np.ix_(order, order)])
    apart = _apart([expected], [distances_of([run[order] for run in runs])])
    if apart > _SAME:
        raise ValueError(
            f"The consensus of {name} must not depend on the order of the points, but distances of renumbered points "
            f"change by up to {apart:.2g} of the largest; if it condenses a square matrix, expected the pairs in the "
            "order of scipy.spatial.distance.squareform: use it."
        )


def _check_repeats(
    estimator: Any, first: list[np.ndarray], second: list[np.ndarray], refitted: list[np.ndarray]
) -> None:
    """A second estimator with the same parameters, and a second fit of the first, find the same."""
    name = type(estimator).__name__
    if _apart(first, second) > _SAME:
        if "random_state" in estimator.get_params():
            raise ValueError(
                f"{name} must give the same result for the same random_state, found two results; take every draw "
                "from it."
            )
        raise ValueError(
            f"{name} gives a different result each time and has no random_state; let __init__ take one, and take every "
            "draw from it."
        )
    if _apart(first, refitted) > _SAME:
        raise ValueError(
            f"{name} must give the same result when it is fitted again; let it keep nothing of an earlier fit."
        )


def _apart(first: list[np.ndarray], second: list[np.ndarray]) -> float:
    """Largest difference of two results, as a share of the largest distance."""
    tiny = np.finfo(float).tiny
    return max(float(np.abs(a - b).max() / max(a.max(), tiny)) for a, b in zip(first, second, strict=True))


def _check_refuses(fitting: Any, embeddings: list[np.ndarray], what: str) -> None:
    start = f"{type(fitting).__name__}.fit must refuse {what} with a ValueError"
    remedy = "consensus_embedding.validate_embeddings does it."
    try:
        fitting.fit(embeddings)
    except ValueError:
        return
    except Exception as error:
        raise ValueError(f"{start}, found {type(error).__name__}: {error}; {remedy}") from error
    raise ValueError(f"{start}, but gave a result; {remedy}")
