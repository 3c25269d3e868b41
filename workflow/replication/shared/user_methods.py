"""Load the methods that a configuration adds, check them, and call them as the experiments do."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
from consensus_embedding.consensus.check_consensus import (
    check_base_embedding,
    check_consensus,
    consensus_result,
    embedding_result,
    keeps_unit,
)
from consensus_embedding.manifold.mds import embed_distances
from consensus_embedding.utils.threads import one_blas_thread
from scipy.spatial.distance import squareform

from replication.platform.methods import AddedMethod

_CHECKS = {"consensus": check_consensus, "embedding": check_base_embedding}
# A method that calls sys.exit would end the job without a word.
_FAILURES = (Exception, SystemExit)


def load(method: AddedMethod) -> type:
    """The class of an added method; a ValueError if there is none, or its module cannot be imported."""
    try:
        module = _module(method)
    except _FAILURES as error:
        raise ValueError(f"{_named(method)} cannot be imported: {type(error).__name__}: {error}") from error
    kind = getattr(module, method.class_name, None)
    if not isinstance(kind, type):
        actual = "nothing" if kind is None else f"an object of type {type(kind).__name__}"
        raise ValueError(f"{_named(method)}: expected a class, found {actual}.")
    return kind


def _module(method: AddedMethod) -> Any:
    if method.path is None:
        return import_module(method.module)
    file = Path(method.path).resolve()
    loaded = sys.modules.get(method.module)
    if loaded is not None:
        if Path(getattr(loaded, "__file__", None) or "").resolve() == file:
            return loaded
        raise ImportError(f"another module is called {method.module}; rename the file {method.path}")
    # So that it can import the files next to it.
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    spec = spec_from_file_location(method.module, file)
    module = sys.modules[method.module] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[method.module]
        raise
    return module


def _named(method: AddedMethod) -> str:
    return f"The added method '{method.name}' ({method.class_path})"


def build(method: AddedMethod, n_components: int, seed: int) -> Any:
    """An estimator of an added method; `n_components` and the seed are given to a class that takes them."""
    kind = load(method)
    set_by_us = {"n_components": n_components, "random_state": seed}
    parameters = inspect.signature(kind).parameters
    given = {**method.parameters, **{key: value for key, value in set_by_us.items() if key in parameters}}
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    needed = [
        parameter.name
        for parameter in parameters.values()
        if parameter.default is parameter.empty and parameter.kind in kinds
    ]
    if missing := [name for name in needed if name not in given]:
        raise ValueError(
            f"{_named(method)}: expected a value for each parameter of its class without a default, found none for "
            f"{', '.join(missing)}; give it under parameters, or give the parameter a default."
        )
    return _calling(method, "cannot be made", lambda: kind(**given))


def check(method: AddedMethod) -> None:
    """Refuse an added method that does not keep the contract of its kind."""
    estimator = build(method, 2, 0)
    _calling(method, f"is not a valid {method.kind}", lambda: _CHECKS[method.kind](estimator))


def combine(
    method: AddedMethod, embeddings: Sequence[np.ndarray], *, n_components: int, mds: str, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """
    Embedding and condensed distances of an added consensus of embeddings, each of shape (n, p).

    If the method gives distances alone, `mds` ("classical" or "smacof") makes the embedding.
    """
    estimator = build(method, n_components, seed)
    runs = [np.array(embedding, dtype=np.float64) for embedding in embeddings]

    def fit() -> tuple[np.ndarray | None, np.ndarray]:
        return consensus_result(estimator.fit(runs), len(runs[0]))

    with one_blas_thread():
        embedding, distances = _calling(method, "failed", fit)
        if embedding is None:
            embedding = embed_distances(squareform(distances), n_components, mds)
    _check_columns(method, embedding, n_components)
    return embedding, distances


def embed(method: AddedMethod, X: np.ndarray, *, n_components: int, seed: int) -> np.ndarray:
    """Embed a table of shape (n, n_features) by an added embedding."""
    estimator = build(method, n_components, seed)
    with one_blas_thread():
        embedding = _calling(method, "failed", lambda: embedding_result(estimator, np.array(X, dtype=np.float64)))
    _check_columns(method, embedding, n_components)
    return embedding


def _check_columns(method: AddedMethod, embedding: np.ndarray, n_components: int) -> None:
    """Refuse an embedding of more or fewer dimensions than those of the methods that it is compared with."""
    if embedding.shape[1] != n_components:
        raise ValueError(
            f"{_named(method)} failed: expected an embedding of {n_components} columns, found {embedding.shape[1]}; "
            "let its class take n_components, and return that many."
        )


def is_drawn(method: AddedMethod) -> bool:
    """Whether a method takes a seed; another one finds the same in every repetition."""
    return "random_state" in inspect.signature(load(method)).parameters


def has_unit_of_embeddings(method: AddedMethod) -> bool:
    """Whether the distances of a consensus grow as those of its embeddings; an embedding has a unit of its own."""
    return method.kind == "consensus" and _calling(method, "failed", lambda: keeps_unit(build(method, 2, 0)))


def _calling(method: AddedMethod, what: str, call: Callable[[], Any]) -> Any:
    """Call the code of an added method; whatever it raises names the method."""
    try:
        return call()
    except _FAILURES as error:
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        raise ValueError(f"{_named(method)} {what}: {kind}{error}") from error
