"""Runs of any random embedding on the same data, one per seed, on several cores."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from hashlib import sha256
from math import ceil
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from consensus_embedding.consensus.cost import consensus_cost
from consensus_embedding.manifold.distance_matrices import validate_embeddings
from consensus_embedding.utils.numbers import dense, real_numbers
from consensus_embedding.utils.parallel import in_order, n_at_a_time, warning_of
from consensus_embedding.utils.parameters import JOBS, SEED, check_values
from consensus_embedding.utils.progress import Bar
from consensus_embedding.utils.threads import one_thread


def run_embeddings(
    embedder: object,
    X: np.ndarray,
    seeds: Sequence[int] | np.ndarray,
    *,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> np.ndarray:
    """
    Embed the same data once per seed.

    Parameters
    ----------
    embedder : object or class
        With `fit_transform` and a parameter `random_state`, or several in its steps, such as a pipeline. The seeds
        replace them; it is copied, never fitted. Of a class its defaults are taken. `ExactTSNE`, `BarnesHutTSNE`
        and `FourierTSNE` compute the affinities once; their runs are made in threads, those of others in processes,
        unless :func:`joblib.parallel_config` names another backend, such as "dask" or "ray".
    X : ndarray of shape (n, n_features)
    seeds : sequence of m ints
    n_jobs : int, optional
        Runs at a time, each on one thread; -1 for all cores. None is 1, or what :func:`joblib.parallel_config` says.
        The result depends neither on it nor on the backend, if an embedder keeps to its `random_state`.
    verbose : bool
        Whether to report finished runs on standard error.

    Returns
    -------
    ndarray of shape (m, n, p), float32 or float64

    Raises
    ------
    ValueError
        If the embedder has no `fit_transform` or no `random_state`, there is no seed, a seed is no integer of 32 bits
        or is there twice, X is not a finite table, or a run gives NaN, infinity, another number of points or
        dimensions; the message names the run and its seed.

    Warns
    -----
    Each warning of the runs once; those of runs in threads, also of a worker of Dask, where they run. A UserWarning if
    runs are equal.
    """
    embedder = usable_embedder(embedder)
    check_values("run_embeddings", {"n_jobs": [*JOBS, None]}, n_jobs=n_jobs)
    # Those of 32 bits stay so.
    X = X if isinstance(X, np.ndarray) and X.dtype == np.float32 and not np.ma.is_masked(X) else real_numbers(X, "X")
    if X.ndim != 2 or not np.isfinite(X).all():
        raise ValueError(
            f"X must be a table (points, features) of finite numbers, found shape {X.shape}, NaN or infinity."
        )
    if not np.iterable(seeds):
        raise ValueError(f"seeds must be a list with a seed for each run, such as range(10), found {seeds!r}.")
    seeds = list(seeds)
    for seed in seeds:
        check_values("run_embeddings", {"seeds": [SEED]}, seeds=seed)
    seeds = [int(seed) for seed in seeds]
    if not seeds or len(set(seeds)) < len(seeds):
        repeated = "none" if not seeds else f"{Counter(seeds).most_common(1)[0][0]} twice or more"
        raise ValueError(f"seeds must contain another seed for each run, one or more, found {repeated}.")
    name = type(embedder).__name__
    cost = consensus_cost(len(X), len(seeds), embedder=name, n_at_a_time=n_at_a_time(n_jobs))
    with Bar(name, {"runs": cost.seconds["runs"]}, verbose=verbose) as bar:
        runs = made_runs(embedder, X, seeds, n_jobs, bar)
    warn_of_equal_runs(runs)
    return runs


def equal_runs_text(n_equal: int, n_runs: int) -> str:
    """What equal runs mean."""
    return (
        f"{n_equal} of {n_runs} runs are equal, and their agreement says nothing if this embedder does not start at "
        "random (see its parameter init). On few points, random starts too may end in the same picture."
    )


def warn_of_equal_runs(runs: np.ndarray) -> None:
    """Warn if some of the runs (m, n, p) are the same to the last bit."""
    digests = Counter(sha256(np.ascontiguousarray(run)).digest() for run in runs)
    n_equal = sum(n for n in digests.values() if n > 1)
    if n_equal:
        warnings.warn(equal_runs_text(n_equal, len(runs)), stacklevel=3)


def draw_seeds(random_state: int | np.random.RandomState | None, n_runs: int) -> list[int]:
    """Seeds of runs; those of fewer runs are the first of them."""
    return check_random_state(random_state).randint(2**31 - 1, size=n_runs).tolist()


def made_runs(embedder: object, X: np.ndarray, seeds: Collection[int], n_jobs: int | None, bar: Bar) -> np.ndarray:
    """The runs of a usable embedder, which are a step of the bar."""
    bar.begin("runs")
    at_a_time = n_at_a_time(n_jobs)

    def report(done: int) -> None:
        # Those that are made together end together.
        bar.update(ceil(done / at_a_time) / ceil(len(seeds) / at_a_time), f"{done} of {len(seeds)} runs")

    # The t-SNE of this library makes all runs from one set of neighbours.
    if hasattr(embedder, "fit_transform_runs"):
        return clone(embedder).fit_transform_runs(X, seeds, n_jobs=n_jobs, progress=report)
    runs: list[np.ndarray] = []
    given: set[tuple[type[Warning], str]] = set()
    # Also here: of runs in threads, the first to end would give a BLAS that was loaded late its threads back.
    with one_thread():
        results = in_order(_one_run, ((embedder, X, seed) for seed in seeds), n_jobs)
        for seed, (result, warned) in zip(seeds, results, strict=True):
            for kind, message in dict.fromkeys(warned):
                if (kind, message) not in given:
                    given.add((kind, message))
                    warnings.warn(warning_of(kind, message), stacklevel=3)
            runs.append(_checked(result, f"Run {len(runs)} of {type(embedder).__name__} (seed {seed})", len(X), runs))
            report(len(runs))
    return validate_embeddings(runs)


def usable_embedder(embedder: object) -> object:
    """The embedder, of a class one with its defaults; one that cannot be run with several seeds is refused."""
    embedder = embedder() if isinstance(embedder, type) and hasattr(embedder, "fit_transform") else embedder
    if not hasattr(embedder, "fit_transform"):
        advice = " Pass the object, such as umap.UMAP(init='random')." if isinstance(embedder, str) else ""
        raise ValueError(f"embedder must be an estimator with fit_transform, found {embedder!r}.{advice}")
    if not _random_states(embedder):
        raise ValueError(
            f"{type(embedder).__name__} has no random_state: every run would be the same; pass an embedder that starts "
            "at random (t-SNE, UMAP), or combine ready embeddings of different data or settings (median_consensus, "
            "check_embedding(embeddings=...))."
        )
    return embedder


def _random_states(embedder: object) -> list[str]:
    """Names of its parameters that seed it: its own, and those of its steps."""
    known = embedder.get_params(deep=True) if hasattr(embedder, "get_params") else dir(embedder)
    return sorted(name for name in known if name == "random_state" or name.endswith("__random_state"))


def takes_distances(embedder: object) -> bool:
    """Whether an embedder, or the last step of a pipeline, takes distances between the points in place of features."""
    steps = getattr(embedder, "steps", None)
    last = steps[-1][1] if steps else embedder
    # MDS of scikit-learn before 1.8 names it as its kind of dissimilarity.
    kinds = (getattr(last, name, None) for name in ("metric", "dissimilarity"))
    return any(isinstance(kind, str) and kind == "precomputed" for kind in kinds)


def data_of(embedder: object, X: np.ndarray, seed: int) -> np.ndarray:
    """What the last step of a pipeline gets in the run of a seed; of any other embedder X itself."""
    if len(getattr(embedder, "steps", ())) < 2:
        return X
    # The runs warn of the same.
    with one_thread(), _recorded_warnings():
        before: Any = _seeded(embedder, seed)
        return real_numbers(dense(before[:-1].fit_transform(np.array(X))), "What the last step of the embedder gets")


def _seeded(embedder: object, seed: int) -> object:
    """A copy of an embedder, which draws by a seed."""
    copy = clone(embedder, safe=False)
    names = _random_states(copy)
    # Several get seeds of their own, so that no two steps draw the same numbers.
    seeds = [seed] if len(names) == 1 else np.random.RandomState(seed).randint(2**31 - 1, size=len(names)).tolist()
    if hasattr(copy, "set_params"):
        copy.set_params(**dict(zip(names, seeds, strict=True)))
    else:
        copy.random_state = seed
    return copy


def _recorded_warnings() -> AbstractContextManager:
    """
    Context in which warnings are recorded, in the main thread.

    Recording is for a whole process: threads would take each other's warnings, and end with those of none shown.
    """
    alone = threading.current_thread() is threading.main_thread()
    return warnings.catch_warnings(record=True) if alone else nullcontext([])


def _one_run(embedder: object, X: np.ndarray, seed: int) -> tuple[object, list[tuple[type[Warning], str]]]:
    """One run on one thread, since sums of several depend on their number, and its warnings."""
    copy: Any = _seeded(embedder, seed)
    # What a run does to its table in place is its own: not the next run's, nor the caller's.
    X = np.array(X)
    with one_thread(), _recorded_warnings() as caught:
        embedding = copy.fit_transform(X)
    # A data frame, where scikit-learn is set to return them; its precision counts.
    embedding = embedding.to_numpy() if hasattr(embedding, "to_numpy") else embedding
    return embedding, [(warning.category, str(warning.message)) for warning in caught]


def _checked(result: Any, name: str, n: int, earlier: list[np.ndarray]) -> np.ndarray:
    single = isinstance(result, np.ndarray) and result.dtype == np.float32
    embedding = result if single else real_numbers(result, name)
    expected = (n, earlier[0].shape[1]) if earlier else (n, "dimensions")
    if embedding.ndim != 2 or len(embedding) != n or (earlier and embedding.shape != earlier[0].shape):
        raise ValueError(f"{name} must have shape ({expected[0]}, {expected[1]}), found {embedding.shape}.")
    if not np.isfinite(embedding).all():
        bad = int((~np.isfinite(embedding).all(axis=1)).sum())
        raise ValueError(
            f"{name} gave NaN or infinity for {bad} of {n} points; change its settings or random_state, or scale X."
        )
    return embedding
