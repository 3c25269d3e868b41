"""Damaged arrays and parameters for every estimator and function of the library."""

import inspect
import random
import re
import traceback
import warnings
from functools import cache

import consensus_embedding as library
import numpy as np
import pandas as pd
from damage import arrays_of
from replication.data.domains.gene_preparation import t_statistics
from scipy.sparse import csr_array
from sklearn.random_projection import GaussianRandomProjection
from trials import Failure, expect

RNG = np.random.default_rng(20121)
Y = np.repeat([-1, 1], 20)
X = RNG.normal(size=(40, 6)) + 2.0 * (Y > 0)[:, None]
TRUTH = Y > 0
CLASSES = TRUTH.astype(int)
E1, E2, E3 = (X[:, :2] + 0.1 * RNG.normal(size=(40, 2)) for _ in range(3))
D = np.sqrt(((E1[:, None] - E1) ** 2).sum(axis=2))
OBJECTS = np.concatenate([RNG.normal(size=(30, 3)) + shift for shift in (0, 6, 12)])
IMAGE = RNG.integers(0, 200, size=(8, 9)).astype(float)
MASK = np.ones((8, 9), dtype=bool)
SUBSETS = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]])
LABELS = np.array(["a", "b"] * 20)
NEIGHBOURS = np.argsort(D, axis=1, kind="stable")[:, 1:6]


def _checked(check: library.EmbeddingCheck) -> list[np.ndarray]:
    """Its numbers; intervals over runs are left out where there is one value."""
    numbers = [check.points.select_dtypes("number"), check.label_pairs.select_dtypes("number"), check.convergence.curve]
    if check.fidelity is not None:
        numbers.append(check.fidelity[["value", "chance"]])
    return [check.consensus.distances, *(table.to_numpy(dtype=float) for table in numbers)]


def _combined(name: str, **parameters: object) -> tuple:
    """A class that combines embeddings, as a function of three of them."""

    def fit(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> list[np.ndarray]:
        fitted = getattr(library, name)(**parameters).fit([a, b, c])
        return [getattr(fitted, one) for one in ("distances_", "embedding_") if hasattr(fitted, one)]

    return fit, {"a": E1, "b": E2, "c": E3}


# Name -> function of arrays, and arrays that it takes.
FUNCTIONS = {
    "CoAssociationConsensus": _combined("CoAssociationConsensus", n_clusters=3, mds="classical"),
    "GeometricMedianConsensus": _combined("GeometricMedianConsensus"),
    "Indscal": _combined("Indscal"),
    "MedoidRun": _combined("MedoidRun"),
    "MetaVisualization": _combined("MetaVisualization"),
    "PairwiseConsensus": _combined("PairwiseConsensus"),
    "ProcrustesMean": _combined("ProcrustesMean"),
    "RandomEmbedding": _combined("RandomEmbedding", random_state=0),
    "RandomRun": _combined("RandomRun", random_state=0),
    "SimilarityNetworkFusion": _combined("SimilarityNetworkFusion", n_neighbors=5),
    "StackedPCA": _combined("StackedPCA"),
    "validate_embeddings": (lambda a, b: library.validate_embeddings([a, b]), {"a": E1, "b": E2}),
    "normalize_embeddings": (
        lambda a, b: library.normalize_embeddings(library.validate_embeddings([a, b]), "unit_norm"),
        {"a": E1, "b": E2},
    ),
    "run_embeddings": (lambda X: library.run_embeddings(GaussianRandomProjection(2), X, [0, 1]), {"X": X}),
    "vote_labels": (library.vote_labels, {"labels": CLASSES[NEIGHBOURS], "distances": np.abs(X[:, :5])}),
    "t_statistics": (t_statistics, {"values": X, "positive": TRUTH}),
    "t_scores": (library.t_scores, {"X": X, "y": Y}),
    "fisher_scores": (library.fisher_scores, {"X": X, "y": Y}),
    "gini_scores": (library.gini_scores, {"X": X, "y": Y}),
    "vip_scores": (library.vip_scores, {"T": E1, "V": RNG.normal(size=(6, 2)), "y": Y.astype(float)}),
    "fine_scores": (library.fine_scores, {"T": E1, "X": X, "y": Y.astype(float)}),
    "normalized_scores": (library.normalized_scores, {"scores": np.abs(X[0])}),
    "top_features": (lambda scores: library.top_features(scores, 3), {"scores": X[0]}),
    "classical_mds": (library.classical_mds, {"distances": D}),
    "smacof": (library.smacof, {"distances": D}),
    "replicated_kmeans": (library.replicated_kmeans, {"X": X}),
    "consensus_clusters": (lambda X: library.consensus_clusters(X, n_runs=5), {"X": X}),
    "hierarchical_clusters": (library.hierarchical_clusters, {"X": X}),
    "mean_shift_objects": (library.mean_shift_objects, {"F": OBJECTS}),
    "locally_linear_embedding": (lambda X: library.locally_linear_embedding(X, 8), {"X": X}),
    "median_consensus": (lambda a, b, c: library.median_consensus([a, b, c]), {"a": E1, "b": E2, "c": E3}),
    "check_embedding": (
        lambda X: _checked(library.check_embedding(X, GaussianRandomProjection(2), 3, n_neighbors=5, random_state=0)),
        {"X": X},
    ),
    "check_embedding of runs": (
        lambda a, b, c: _checked(
            library.check_embedding(embeddings=[a, b, c], n_neighbors=5, labels=LABELS, random_state=0)
        ),
        {"a": E1, "b": E2, "c": E3},
    ),
    "embedding_distances": (lambda a, b: library.embedding_distances([a, b]), {"a": E1, "b": E2}),
    "procrustes_align": (library.procrustes_align, {"embedding": E1, "reference": E2}),
    "combine_embeddings": (
        lambda embeddings: library.combine_embeddings(embeddings, n_components=2),
        {"embeddings": np.stack([E1, E2, E3])},
    ),
    "embed_subsets": (lambda features: library.embed_subsets(features, SUBSETS, n_components=2), {"features": X}),
    "embedding_strength": (
        library.embedding_strength,
        {"original": D, "embedding": D + np.abs(D - D.mean()) * (1 - np.eye(40))},
    ),
    "class_triplet_accuracy": (library.class_triplet_accuracy, {"labels": CLASSES, "embedding": D}),
    "geometric_median": (library.geometric_median, {"gram": D @ D.T}),
    "half_sample_mode": (library.half_sample_mode, {"values": np.abs(X)}),
    "clustering_accuracy": (library.clustering_accuracy, {"clusters": TRUTH.astype(int), "truth": TRUTH}),
    "cluster_scores": (library.cluster_scores, {"clusters": TRUTH.astype(int), "truth": TRUTH}),
    "r_squared_index": (library.r_squared_index, {"X": X, "clusters": TRUTH.astype(int)}),
    "retrieval_scores": (library.retrieval_scores, {"embedding": E1, "labels": CLASSES}),
    "precision_recall_areas": (library.precision_recall_areas, {"distances": D, "relevant": TRUTH[:, None] == TRUTH}),
    "nearest_items": (
        lambda queries, database: library.nearest_items(queries, database, 3),
        {"queries": X[:5], "database": X},
    ),
    "residual_variances": (library.residual_variances, {"embedding": E1, "distances": D}),
    "choose_embedding": (lambda X: library.choose_embedding(X, "pca").residual_variances, {"X": X}),
    "dissimilarity_affinity": (library.dissimilarity_affinity, {"A": D}),
    "nystroem_extension": (
        library.nystroem_extension,
        {"affinity": np.exp(-D[:4]), "embedding": E1, "eigenvalues": np.array([0.9, 0.8])},
    ),
    "approximation_error": (
        library.approximation_error,
        {"training": np.exp(-D), "between": np.exp(-D[:4]), "new": np.exp(-D[:4, :4])},
    ),
    "haralick_features": (library.haralick_features, {"image": IMAGE, "mask": MASK}),
    "texture_features": (library.texture_features, {"image": IMAGE, "mask": MASK}),
    "mean_jaccard": (library.mean_jaccard, {"subsets": SUBSETS}),
    "kuncheva_index": (lambda subsets: library.kuncheva_index(subsets, 6), {"subsets": SUBSETS}),
    "select_embeddings": (library.select_embeddings, {"strengths": np.abs(X[:, 0])}),
    "aggregate_score": (library.aggregate_score, {"scores": np.abs(X[0]), "subset": SUBSETS[0]}),
    "expected_jaccard": (library.expected_jaccard, {}),
    "feature_subsets": (library.feature_subsets, {}),
    "hierarchical_clusters_many": (library.hierarchical_clusters_many, {"embeddings": np.stack([E1, E2, E3])}),
    "jackknife_jaccard": (library.jackknife_jaccard, {"subsets": SUBSETS}),
    "knn_ensemble": (library.knn_ensemble, {"train": X, "train_positive": TRUTH, "test": X[:5], "subsets": SUBSETS}),
    "lle_embeddings": (library.lle_embeddings, {"X": X}),
    "neighborhood_preservation": (
        library.neighborhood_preservation,
        {"first": NEIGHBOURS, "second": np.roll(NEIGHBOURS, 1, axis=1)},
    ),
}
# What functions need that is no array.
SCALARS = {
    "expected_jaccard": {"k": 3, "m": 6},
    "feature_subsets": {"n_features": 6, "n_subsets": 4, "subset_size": 3},
    "lle_embeddings": {"kappas": [8, 10]},
}
# Public, and tried elsewhere: readers by the damaged files, or nothing that an input could spoil.
OF_READERS = {"read_expression", "read_items", "read_own_study", "read_split", "SpectraStudy"}
WITHOUT_INPUT = {"Cost", "EmbeddingCheck", "LongRunWarning", "MedianConsensus", "check_cost", "use_portable_arithmetic"}
# Contracts, which take a class of the user's; see test_check_consensus.py.
WITHOUT_INPUT |= {"check_base_embedding", "check_consensus"}
# Estimators with the parameters that make them small, and whether they need labels.
ESTIMATORS = {
    "ConsensusEmbedding": ({"n_components": 2, "n_embeddings": 4, "random_state": 0}, False),
    "ConsensusLLE": ({"n_components": 2, "n_neighbors": (8, 10, 12)}, False),
    "ExactTSNE": ({"perplexity": 5, "max_iter": 250, "random_state": 0}, False),
    "BarnesHutTSNE": ({"perplexity": 5, "max_iter": 250, "random_state": 0}, False),
    "FourierTSNE": ({"perplexity": 5, "max_iter": 250, "random_state": 0}, False),
    "FeatureImportanceInEmbeddings": ({"n_features_to_select": 2}, True),
    "GraphEmbedding": ({"n_components": 2, "n_neighbors": 8}, False),
    "KernelEmbedding": ({"n_components": 2, "reduction": "isomap", "n_neighbors": 25}, False),
    "MedianConsensusEmbedding": ({"n_embeddings": 2, "random_state": 0}, False),
    "NystroemGraphEmbedding": ({"n_components": 2, "n_neighbors": 8}, False),
    "SemiSupervisedGraphEmbedding": ({"n_components": 2, "n_neighbors": 8}, True),
}
# NaN where a value is missing, or where there is nothing to say.
MAY_HOLD_NAN = ("t_statistics", "precision_recall_areas", "vip_scores")
# May have any number of rows; the first ones none, too.
MAY_BE_EMPTY = (("nearest_items", "queries"), ("nystroem_extension", "affinity"), ("aggregate_score", "subset"))
FREE_ROWS = (
    *MAY_BE_EMPTY,
    ("nearest_items", "database"),
    ("aggregate_score", "scores"),
    ("knn_ensemble", "test"),
    ("knn_ensemble", "subsets"),
    ("vip_scores", "V"),
)

# The same numbers in another form: the same result, or a refusal.
FORMS = {
    "Fortran order": lambda a, rng: np.asfortranarray(a),
    "not contiguous": lambda a, rng: np.repeat(a, 2, axis=-1)[..., ::2],
    "read only": lambda a, rng: _read_only(a),
    "other byte order": lambda a, rng: a.astype(a.dtype.newbyteorder()),
    "list": lambda a, rng: a.tolist(),
    "objects": lambda a, rng: a.astype(object),
    "data frame": lambda a, rng: pd.DataFrame(a) if a.ndim == 2 else pd.Series(a) if a.ndim == 1 else a,
    "masked array": lambda a, rng: np.ma.masked_array(a),
    "subclass": lambda a, rng: a.view(type("Mine", (np.ndarray,), {})),
}
# Numbers that are no longer usable: must be refused.
BAD = {
    "NaN": lambda a, rng: _with(a, np.nan, rng),
    "infinity": lambda a, rng: _with(a, np.inf, rng),
    "minus infinity": lambda a, rng: _with(a, -np.inf, rng),
    "all NaN": lambda a, rng: np.full(a.shape, np.nan),
    "complex": lambda a, rng: a + 1j,
    "text": lambda a, rng: np.full(a.shape, "x"),
    "text of objects": lambda a, rng: _with(a.astype(object), "x", rng),
    "None": lambda a, rng: _with(a.astype(object), None, rng),
    "nothing": lambda a, rng: None,
    "a number": lambda a, rng: 3.5,
    "a string": lambda a, rng: "table",
    "a mapping": lambda a, rng: {"a": 1},
    "an axis more": lambda a, rng: a[..., None, None],
    "an axis less": lambda a, rng: a[0],
    "no columns": lambda a, rng: a[..., :0],
    "no rows": lambda a, rng: a[:0],
    "a row less": lambda a, rng: a[:-1],
    "ragged": lambda a, rng: [*a[:-1].tolist(), [[1.0], 2.0]],
    "dates": lambda a, rng: np.full(a.shape, np.datetime64("2020-01-01")),
}
# Unusual numbers: usable or refused.
ODD = {
    "all equal": lambda a, rng: np.ones_like(a),
    "all zero": lambda a, rng: np.zeros_like(a),
    "rows alike": lambda a, rng: np.repeat(a[:1], len(a), axis=0),
    "times 1e160": lambda a, rng: a * 1e160,
    "times 1e300": lambda a, rng: a * 1e300,
    "times 1e-160": lambda a, rng: a * 1e-160,
    "times 1e-310": lambda a, rng: a * 1e-310,
    "plus 1e15": lambda a, rng: a + 1e15,
    "one value 1e200": lambda a, rng: _with(a, 1e200, rng),
    "float32": lambda a, rng: a.astype(np.float32),
    "float16": lambda a, rng: a.astype(np.float16),
    "whole numbers": lambda a, rng: a.astype(int),
    "true and false": lambda a, rng: a > np.median(a),
    "bytes": lambda a, rng: np.abs(a).astype(np.uint8),
    "one row": lambda a, rng: a[:1],
    "two rows": lambda a, rng: a[:2],
    "transposed": lambda a, rng: a.T,
    "a column": lambda a, rng: a[..., :1],
    "negative": lambda a, rng: -a,
    "sparse": lambda a, rng: csr_array(a) if a.ndim == 2 else a,
}
WAYS = {"form": FORMS, "bad": BAD, "odd": ODD}
PARAMETERS = [
    -1,
    0,
    1.5,
    float("nan"),
    float("inf"),
    "none of these",
    [],
    {},
    (),
    None,
    True,
    b"x",
    1 + 2j,
    np.zeros(3),
]
# What NumPy and SciPy say of arrays that nobody checked.
NUMPYS_WORDS = re.compile(
    r"could not be broadcast|not aligned|mismatch in its core dimension|inhomogeneous|zero-size array|"
    r"truth value of an array|array element with a sequence|must be a square|did not converge"
)


def _read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.setflags(write=False)
    return array


def _with(array: np.ndarray, value: object, rng: random.Random) -> np.ndarray:
    changed = array.copy() if array.dtype.kind in "fcO" else array.astype(float)
    changed[tuple(rng.randrange(n) for n in changed.shape)] = value
    return changed


def _fitted(name: str, parameters: dict, X: object, y: object = None) -> list[np.ndarray]:
    model = getattr(library, name)(**parameters)
    if name == "FeatureImportanceInEmbeddings":
        return arrays_of(model.fit(X, y).transform(X))
    return arrays_of(model.fit_transform(X) if y is None else model.fit_transform(X, y))


def _call(name: str, inputs: dict, parameters: dict | None = None) -> list[np.ndarray]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in FUNCTIONS:
            return arrays_of(FUNCTIONS[name][0](**inputs, **(SCALARS.get(name, {}) | (parameters or {}))))
        return _fitted(name, parameters or ESTIMATORS[name][0], **inputs)


def inputs_of(name: str) -> dict:
    """Its arrays, undamaged."""
    if name in FUNCTIONS:
        return FUNCTIONS[name][1]
    return {"X": X, "y": CLASSES} if ESTIMATORS[name][1] else {"X": X}


@cache
def expected(name: str) -> list[np.ndarray]:
    return _call(name, inputs_of(name))


def prepare() -> None:
    """Compile, and compute what undamaged inputs give."""
    for name in NAMES:
        expected(name)


NAMES = [*FUNCTIONS, *ESTIMATORS]


def damage_input(k: int, rng: random.Random) -> None:
    """Damage one array, or one parameter, of one function or estimator."""
    name = NAMES[k % len(NAMES)]
    inputs, known = inputs_of(name), parameters_of(name)
    if not inputs or (known and rng.random() < 0.3):
        damage_parameter(name, rng.choice(known), rng.choice(PARAMETERS))
        return
    which, kind = rng.choice(list(inputs)), rng.choice(list(WAYS))
    damage_array(name, which, kind, rng.choice(list(WAYS[kind])), rng)


def damage_array(name: str, which: str, kind: str, way: str, rng: random.Random) -> None:
    """Damage one array of one function or estimator in one way: what is not refused has to be right."""
    inputs = dict(inputs_of(name))
    is_label = which in ("clusters", "labels", "y") and inputs[which].dtype.kind not in "fc"
    is_square = inputs[which].shape[:1] == inputs[which].shape[1:]
    with np.errstate(all="ignore"):
        try:
            inputs[which] = WAYS[kind][way](inputs[which], rng)
        except (TypeError, ValueError):
            # Labels cannot be negative, and the like.
            return
    what = f"{name}, {which}: {way}"
    try:
        found = _call(name, inputs)
    except Exception as error:
        _check_error(error, what)
        expect(
            kind != "form" or way in ("objects", "masked array") or not isinstance(error, AssertionError),
            f"{what}: {error}",
        )
        return
    if kind == "form":
        expect(_close(found, expected(name)), f"{what}: accepted with another result")
    # Labels may have any name; missing values have a rule where NaN may be, and unknown labels where most are unknown.
    labels = is_label and way in ("text", "dates", "complex", "infinity", "minus infinity")
    missing = (name, which) == ("t_statistics", "values") and way in ("NaN", "all NaN", "None", "no columns")
    missing = missing or (name, which, way) == ("SemiSupervisedGraphEmbedding", "y", "None")
    # May be infinite, says its page; scikit-learn takes dates for numbers.
    labels = labels or (name == "top_features" and "infinity" in way) or (name in ESTIMATORS and way == "dates")
    rows = way == "a row less" and not is_square and (len(inputs) == 1 or (name, which) in FREE_ROWS)
    rows = rows or (way in ("no rows", "no columns") and (name, which) in MAY_BE_EMPTY)
    expect(kind != "bad" or labels or missing or rows, f"{what}: accepted")
    finite = all(np.isfinite(a).all() for a in found if a.dtype.kind in "fc")
    expect(finite or name in MAY_HOLD_NAN, f"{what}: the result contains NaN or infinity")


def parameters_of(name: str) -> list[str]:
    """What an estimator, or a function that is tried as it is, takes beside its arrays."""
    if name in ESTIMATORS:
        return sorted(getattr(library, name)().get_params(deep=False))
    function, arrays = FUNCTIONS[name]
    if function.__name__ != name:
        return []
    named = {key for key, one in inspect.signature(function).parameters.items() if one.kind != one.VAR_KEYWORD}
    return sorted(named - set(arrays))


def damage_parameter(name: str, which: str, value: object) -> None:
    """Give one function or estimator one value that a parameter hardly means."""
    parameters = (dict(ESTIMATORS[name][0]) if name in ESTIMATORS else {}) | {which: value}
    what = f"{name}, {which}={value!r}"
    try:
        found = _call(name, inputs_of(name), parameters)
    except Exception as error:
        _check_error(error, what)
        return
    finite = all(np.isfinite(a).all() for a in found if a.dtype.kind in "fc")
    # A bandwidth without end leaves one object, and is among what is returned.
    expect(finite or what == "mean_shift_objects, bandwidth=inf", f"{what}: the result contains NaN or infinity")


def _close(found: list[np.ndarray], expected: list[np.ndarray]) -> bool:
    return len(found) == len(expected) and all(
        a.shape == b.shape
        and (
            np.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True)
            if {a.dtype.kind, b.dtype.kind} <= {"f", "c"}
            else (a == b).all()
        )
        for a, b in zip(found, expected, strict=True)
    )


def _check_error(error: Exception, what: str) -> None:
    """Own errors are of type ValueError, or of type TypeError where scikit-learn wants them, and raised on purpose."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    by_sklearn = "/sklearn/" in frame.filename
    on_purpose = by_sklearn or ("raise" in (frame.line or "") and "consensus_embedding" in frame.filename)
    own = isinstance(error, ValueError) and not isinstance(error, np.linalg.LinAlgError | UnicodeError)
    own = own or (isinstance(error, TypeError) and on_purpose)
    numpys = NUMPYS_WORDS.search(str(error)) and not on_purpose
    if not own or numpys:
        trace = "".join(traceback.format_exception(error)[-4:])
        raise Failure(f"{what}: {type(error).__name__}: {error}\n{trace}")
