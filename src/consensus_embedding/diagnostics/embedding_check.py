"""What in an embedding can be trusted: what all runs agree on, how many runs are enough, and what the data say."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state

from consensus_embedding.consensus.cost import EXACT_POINTS, N_LANDMARKS, Cost, check_cost
from consensus_embedding.consensus.median_consensus_embedding import (
    MedianConsensus,
    consensus_of_gram,
    in_unit,
    landmark_consensus,
)
from consensus_embedding.consensus.runs import (
    data_of,
    draw_seeds,
    equal_runs_text,
    made_runs,
    takes_distances,
    usable_embedder,
)
from consensus_embedding.diagnostics.convergence import Convergence, consensus_convergence
from consensus_embedding.diagnostics.fidelity import N_PAIRS, fidelity_table
from consensus_embedding.diagnostics.point_stability import (
    far_points,
    label_group_table,
    label_pair_table,
    point_table,
    run_distances,
)
from consensus_embedding.diagnostics.summary import answer_sentences, summary_sentences
from consensus_embedding.io.memory import require_memory
from consensus_embedding.manifold.distance_matrices import (
    check_size,
    distance_block,
    distance_gram,
    normalize_embeddings,
    of_usual_size,
    stacked,
)
from consensus_embedding.manifold.tsne import default_tsne
from consensus_embedding.utils.labels import UNKNOWN_NAMES, label_array, spelling, warn_of_alike_names
from consensus_embedding.utils.numbers import dense, real_numbers, with_squares
from consensus_embedding.utils.parallel import n_at_a_time, n_threads
from consensus_embedding.utils.parameters import COUNT, JOBS, POSITIVE, RANDOM_STATE, Allowed, Range, check_values
from consensus_embedding.utils.progress import Bar
from consensus_embedding.utils.rows import check_features, check_row_order, titled, titles
from consensus_embedding.utils.threads import one_blas_thread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# How far the distances of two runs may lie apart, as a share of their size, that are one picture up to rounding.
_EQUAL = 1e-6
# A notebook shows how far a check is that is expected to take longer than this.
_NOTEBOOK_SECONDS = 5.0
# What to do about a check that does not fit into the memory.
_SMALLER = "Check a random sample of the points, or fewer runs"
# Each pair of labels has a row.
_MOST_LABELS = 500
# If one column in so many, and at least one, has this share of the variance, their units may differ.
_FEW_COLUMNS, _NEARLY_ALL = 10, 0.99


@dataclass(frozen=True, repr=False, eq=False)
class EmbeddingCheck:
    """
    What in an embedding can be trusted, of `check_embedding`.

    All intervals are over runs: another set of runs of the same embedder would give other numbers, within these limits.
    Each counts a tenth of a run more than were made, at one end with the points at random places, at the other as
    perfect; those of pairs of labels at the upper end alone. docs/check_validation.md says how often they have the true
    value. They do not say what another sample of the data would give.

    Attributes
    ----------
    consensus : MedianConsensus
        `embedding`, the picture; `distances`, the consensus distances, None for more than 10,000 points; `median`, the
        weights of the runs.
    embeddings : ndarray of shape (m, n, p)
        The runs, as they were computed or given.
    points : DataFrame
        A row per point, under the row names of X or of the first embedding where these are named, as of a data frame
        or an AnnData object:

        - point: number of the row, from 0; its name, if it has one, is in the index
        - label: only if labels were given; None or NaN where missing
        - x, y: picture
        - instability, instability_low, instability_high: the headline, with its interval. The nearest neighbours of
          the point in one run: how far are they in another run? 0 = as near as in their own run, 1 = as far as random
          points are; mean over all pairs of runs. The interval is of the jackknife over runs; fewer than 5 runs call no
          point stable
        - distance_spread: spread over runs of the distances to all other points; 0 = equal, 1 = as for random points
        - neighbor_turnover: share of the nearest neighbours that differ between two runs, relative to that of random
          points; 0 = the same neighbours in every run, 1 = as for random points
        - category: "stable" (the interval of the instability ends below 0.05: these runs agree; a point that a share q
          of all runs puts elsewhere is in one place in all of m runs with probability (1 - q)^m), "unstable" (it begins
          above 0.1: more than one run in 20 puts it elsewhere) or "uncertain"
    label_pairs : DataFrame
        A row per pair of labels, empty without labels:

        - first, second, n_first, n_second: labels and their numbers of points
        - distance: mean distance between their points, relative to that of all points; mean over runs
        - instability, instability_low, instability_high: coefficient of variation of that distance over runs, relative
          to that of the distances between two points of a run; 0 = the same distance in every run, 1 = it varies like
          the distances between random points. With its interval (jackknife of the logarithm over runs)
        - category: "stable" (the interval ends below 0.15), "unstable" (it begins above 0.3), "uncertain", or
          "scattered" where a label of the two is, so that their distance says nothing. The intervals are not corrected
          for the number of pairs
    label_groups : DataFrame
        A row per label, empty without labels:

        - label, n_points: label and its number of points
        - n_stable, n_uncertain, n_unstable: how many of them are of each category of `points`
        - same_label, same_label_low, same_label_high: share of the nearest neighbours of its points that have the same
          label (of those that could), mean over runs with its t interval
        - chance: the same share if labels were shuffled
        - silhouette, silhouette_low, silhouette_high: mean silhouette of its points, mean over runs with its t interval
        - category: "together", "mixed" or "scattered" (share corrected for chance: interval above 0.8, below 0.2), or
          "not judged" (fewer than 5 points, which may be neighbours by chance, or all points). Together does not mean
          one separate group: for that the silhouette has to be high, too
    convergence : Convergence
        How many runs are enough.
    fidelity : DataFrame or None
        None without X. A row per metric of single runs, of the consensus distances and of the picture:

        - of: "single run", "consensus distances" or "picture"
        - metric: "trustworthiness", "continuity", "neighbor_recall" or "distance_correlation" (Spearman)
        - value: mean over runs for single runs
        - low, high, sd: t interval of the mean and standard deviation over runs; NaN for the other two
        - chance: expected value for points placed at random
    n_neighbors : int
    n_pairs_ranked : int
        Pairs of points behind the distance correlation: all, or as many drawn at random.
    n_equal_runs : int
        Runs that are equal to another one, apart from position, rotation, reflection and size; above 0 only for an
        embedder. It does not start at random, or its starts ended in one picture, as on few points.
    far_points : ndarray of int
        Points that are far from all others in a run or more: 10 times further from the middle than three quarters of
        the points. Longer distances count as this far in `points`, `label_pairs` and the silhouettes.
    run_names : tuple of str
        Names of ready embeddings that were given by name; empty otherwise.
    n_landmarks : int
        Points with which each point was compared, besides its neighbours; 0 if with all, as up to 10,000 points.
    """

    consensus: MedianConsensus
    embeddings: np.ndarray
    points: pd.DataFrame
    label_pairs: pd.DataFrame
    label_groups: pd.DataFrame
    convergence: Convergence
    fidelity: pd.DataFrame | None
    n_neighbors: int
    n_pairs_ranked: int
    n_equal_runs: int = 0
    far_points: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    run_names: tuple[str, ...] = ()
    n_landmarks: int = 0

    def __repr__(self) -> str:
        first, *_, last = answer_sentences(self)
        return f"EmbeddingCheck of {len(self.points)} points in {len(self.embeddings)} runs\n{first}\n{last}"

    def _repr_html_(self) -> str | None:
        """The answer and the picture, for notebooks; without matplotlib a notebook shows the three lines."""
        try:
            from consensus_embedding.diagnostics.plots import card
        except ImportError:
            return None
        return card(self)

    def plot(self, color: str = "stability", ax: Axes | None = None) -> Axes:
        """
        Draw the consensus picture.

        Parameters
        ----------
        color : str
            "stability", "label", or another column of `points`.
        ax : Axes, optional
            Of matplotlib; a new figure if None.

        Returns
        -------
        Axes

        Raises
        ------
        ValueError
            If there is no such column.
        ImportError
            If matplotlib is not installed.
        """
        from consensus_embedding.diagnostics.plots import plot_points

        return plot_points(self, color, ax)

    def plot_labels(self, ax: Axes | None = None) -> Axes:
        """
        Draw how much the distance between each pair of labels varies from run to run.

        Parameters
        ----------
        ax : Axes, optional
            Of matplotlib; a new figure if None.

        Returns
        -------
        Axes

        Raises
        ------
        ValueError
            If there are no labels.
        ImportError
            If matplotlib is not installed.
        """
        from consensus_embedding.diagnostics.plots import plot_label_pairs

        return plot_label_pairs(self, ax)

    def plot_runs(self, n_runs: int = 6, color: str = "stability", axes: Sequence[Axes] | None = None) -> np.ndarray:
        """
        Draw the first runs side by side, each rotated, reflected and stretched onto the consensus picture.

        Parameters
        ----------
        n_runs : int
        color : str
            As of `plot`.
        axes : sequence of Axes, optional
            Of matplotlib, one for each run; a new figure if None.

        Returns
        -------
        ndarray of Axes

        Raises
        ------
        ValueError
            If there is no such column, or `n_runs` is below 1.
        ImportError
            If matplotlib is not installed.
        """
        from consensus_embedding.diagnostics.plots import plot_runs

        check_values("plot_runs", {"n_runs": [COUNT]}, n_runs=n_runs)
        return plot_runs(self, n_runs, color, axes)

    def write_html(
        self,
        path: str | PathLike[str],
        names: Sequence[object] | np.ndarray | pd.Index | None = None,
        title: str | None = None,
    ) -> None:
        """
        Write the check as one HTML file that works offline, with an interactive picture.

        Points are coloured by any column of `points`, also by columns that you add with `dataclasses.replace`: numbers,
        or up to 500 categories. A slider moves them to their places in each run, turned and stretched onto the
        consensus. The file has at most about 8 MB; of very many points it leaves out runs, names and numbers, and
        says so (from about half a million points on it is larger: 16 bytes a point).

        Parameters
        ----------
        path : str or path-like
        names : sequence of n names, optional
            Of the points; otherwise the row names of `points`, which are numbers where the data had no names.
        title : str, optional

        Raises
        ------
        ValueError
            If there is not one name per point.
        ImportError
            If matplotlib is not installed, which draws the picture for print.
        """
        from consensus_embedding.diagnostics.page import write_html

        write_html(self, path, names, title)

    def summary(self) -> list[str]:
        """
        What may be read from the picture and what may not, in sentences for readers who do not know the method.

        Returns
        -------
        list of str
            Stability of points, of pairs of labels and of labels; number of runs; fidelity.
        """
        return summary_sentences(self)


def check_embedding(
    X: Any = None,
    embedder: object | None = None,
    n_embeddings: int = 20,
    *,
    embeddings: Sequence[ArrayLike] | Mapping[str, ArrayLike] | np.ndarray | None = None,
    labels: ArrayLike | Sequence | None = None,
    representation: str | None = None,
    key_added: str | None = "consensus",
    n_neighbors: int = 15,
    tolerance: float = 0.1,
    normalize: str = "unit_norm",
    mds: str = "smacof",
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
    verbose: bool | None = None,
) -> EmbeddingCheck:
    """
    Check what in an embedding can be trusted.

    Either runs an embedder several times on X, or takes ready embeddings, with X (then also compared with the data) or
    without.

    Up to 10,000 points all pairs of points are compared. With more, each point is compared with its neighbours and with
    3000 landmarks, points drawn at random; see the notes.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, n_features), or AnnData, optional
        Numbers without missing values; scale the columns first if their units differ, a warning says so where a few
        of them have nearly all of the variance. The pictures are compared with its Euclidean distances, or for an
        embedder with ``metric="precomputed"`` with those that it has. An AnnData object also gets the results, see
        `key_added`.
    embedder : object or class with `fit_transform` and `random_state`, optional
        May be a pipeline; each `random_state` of its steps is set, and the pictures are compared with what its last
        step gets, as the first seed has it. As for `MedianConsensusEmbedding` if None:
        `ExactTSNE`, for more than 5000 points `BarnesHutTSNE`, for more than 10,000 `FourierTSNE`; perplexity 30, for
        fewer than 91 points a third of the others, with a warning.
    n_embeddings : int
        Runs (m), at least 3; 10 or more for useful intervals.
    embeddings : sequence of m arrays of shape (n, p), optional
        Ready embeddings of the same points in the same order, in place of an embedder; a mapping keeps their names.
        Of an AnnData object keys of its obsm, or a mapping of names to keys. Data frames whose row names are in another
        order than those of the first, or of X, or only partly the same, are refused.
    labels : array-like of shape (n,), optional
        Categories: text or numbers, at most 500 of them. None, NaN and their names, such as "nan", "NA" and "unknown",
        are missing; those points belong to no group. -1 is a category, with a warning unless 1 is the only other one.
        Of a Series the row names are compared, too. Of an AnnData object a column of its obs, by name.
    representation : str, optional
        Of an AnnData object: a key of obsm, or "X": 50 principal components of it. By default "X_pca" if
        it is there, else "X"; with ready embeddings nothing.
    key_added : str, optional
        What the results are called in an AnnData object: the picture is obsm["X_consensus"], the stability of the
        points and its intervals are in obs, the settings in uns["embedding_check"], the colours of the stability in
        uns["stability_colors"]. Under another name than "consensus" the columns of obs and the names in uns begin with
        it. None: the object stays as it is. A picture that no check has made is not replaced.
    n_neighbors : int
        Nearest neighbours that are compared; less than half of the points.
    tolerance : float
        How far the consensus may be from that of infinitely many runs, relative to the size of its distances.
    normalize : {"unit_norm", "none"}
        "unit_norm": each embedding is centred and brought to the root mean square size of all, so that the size of a
        run does not count. "none": left as they are.
    mds : {"smacof", "classical"}
        How the consensus distances become the picture.
    n_jobs : int, optional
        Runs at a time, as for `run_embeddings`, and threads; -1 for all cores. None is 1, or what
        :func:`joblib.parallel_config` says. The result does not depend on it.
    random_state : int, RandomState instance or None
        Seeds of the runs, of the subsets of runs, and of the landmarks, points and pairs of points that are drawn.
    verbose : bool, optional
        Whether to report progress on standard error, with the time left. Before more than a minute of work also its
        time and memory, of other embedders after the first run. None: if standard error is a terminal, and in a
        notebook for more than a few seconds. False: only warnings, one of them if it is expected to take more than five
        minutes; `check_cost` says so without a check.

    Returns
    -------
    EmbeddingCheck

    Warns
    -----
    LongRunWarning
        If it is expected to take more than five minutes, and reports nothing.
    UserWarning
        If a few columns have nearly all of the variance, if runs are equal, and as the embedder.

    Raises
    ------
    ValueError
        If the memory will not suffice, which is found before the first run;
        if neither X nor embeddings are given, or an embedder with ready embeddings; if an AnnData object lacks a key,
        or a key is given of what is none; if X, the embeddings, the labels or
        a parameter cannot be used; if a column of X or of an embedding numbers the rows; if two ready embeddings are
        equal, apart from position, rotation, reflection and size.

    Notes
    -----
    Of more than 10,000 points,

    - the neighbours, how far they are in other runs, and `neighbor_turnover` are exact;
    - means over all points or over a label, such as "as far as random points", `distance_spread`, silhouettes and
      distances between labels, are means over the landmarks and, of labels with few of these, 50 to 200 more points;
    - the number of runs is that of the landmarks;
    - the picture is that of the landmarks; each other point is where its distances to them fit best. Its `stress` is
      that of 2000 points drawn at random, landmarks or not;
    - with X, the neighbours of 2000 points drawn at random are judged, among all points.

    On 10,000 points done both ways the ranks of the instability agreed at a correlation above 0.999, and at most 0.2 %
    of the points had another category. The time grows with the number of points, not with that of their pairs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensus_embedding import check_embedding
    >>> iris = load_iris()
    >>> check = check_embedding(iris.data, n_embeddings=5, labels=iris.target, random_state=0)
    >>> check.points.shape, len(check.label_pairs), len(check.label_groups)
    ((150, 10), 3, 3)
    """
    check_values(
        "check_embedding", _ALLOWED, n_embeddings=n_embeddings, n_neighbors=n_neighbors, tolerance=tolerance,
        normalize=normalize, mds=mds, n_jobs=n_jobs, random_state=random_state,
    )  # fmt: skip
    if X is None and embeddings is None:
        raise ValueError("check_embedding needs X, a table of (points, features), or ready embeddings; found neither.")
    if isinstance(X, str | PathLike):
        raise ValueError(
            f"X must be a table or an AnnData object, found the path {str(X)!r}; read the file first, as by "
            "pandas.read_csv or anndata.read_h5ad."
        )
    if embedder is not None and embeddings is not None:
        raise ValueError("check_embedding takes an embedder or ready embeddings, found both; leave one out.")
    if np.iterable(embeddings) and not isinstance(embeddings, Mapping | Sequence | pd.DataFrame):
        embeddings = list(embeddings)
    if hasattr(X, "obsm") and key_added is not None:
        from consensus_embedding.io import anndata_object

        anndata_object.require_own_key(X, key_added)
    given = _checked(X, embedder, n_embeddings, embeddings, labels, representation, n_neighbors, random_state)
    cost = _cost(given, n_embeddings, n_neighbors, n_jobs)
    cost._require_memory("check_embedding", _SMALLER)
    verbose = _is_watched(cost) if verbose is None else verbose
    cost._announce(verbose=verbose)
    rng = check_random_state(random_state)
    seeds, compared = [], given.X
    if given.runs is None and given.X is not None:
        seeds = draw_seeds(rng, n_embeddings)
        compared = data_of(given.embedder, given.X, seeds[0])
    if compared is not None and (given.runs is not None or not takes_distances(given.embedder)):
        _warn_of_units(compared, given.where, given.columns if compared is given.X else range(compared.shape[1]))
    with Bar("check_embedding", cost.seconds, verbose=verbose) as bar:
        runs = given.runs
        if runs is None:
            runs = made_runs(given.embedder, given.X, seeds, n_jobs, bar)  # type: ignore[arg-type]  # a table, if no runs
        with one_blas_thread():
            check = _check_of(
                given, runs, compared, n_neighbors, tolerance, normalize, mds, n_threads(n_jobs), rng, bar
            )
    if hasattr(X, "obsm") and key_added is not None:
        from consensus_embedding.io import anndata_object

        settings = {} if given.runs is not None else {"embedder": type(given.embedder).__name__}
        if isinstance(random_state, Integral):
            settings["seed"] = int(random_state)
        anndata_object.add_results(X, check, key_added, anndata_object.used(X, representation, embeddings) | settings)
    return check


@dataclass(frozen=True)
class _Given:
    """
    What is checked: a table and an embedder, or ready runs; the labels in order, and the number of each point's.

    `where` is what messages call the table.
    """

    X: np.ndarray | None
    where: str
    columns: Sequence[object]
    embedder: object | None
    runs: np.ndarray | None
    run_names: tuple[str, ...]
    label_names: np.ndarray
    codes: np.ndarray
    has_labels: bool
    rows: pd.Index


def _is_watched(cost: Cost) -> bool:
    """Whether somebody looks on: at a terminal, or at a notebook for more than a few seconds."""
    is_long = not cost.is_known or cost.total > _NOTEBOOK_SECONDS
    return sys.stderr.isatty() or ("ipykernel" in sys.modules and is_long)


def _cost(given: _Given, n_embeddings: int, n_neighbors: int, n_jobs: int | None) -> Cost:
    """Time and memory of a check, from shapes alone."""
    n_runs, n, dimensions = (n_embeddings, len(given.rows), 2) if given.runs is None else given.runs.shape
    return check_cost(
        n, n_runs, n_features=0 if given.X is None else given.X.shape[1], is_compared=given.X is not None,
        dimensions=dimensions, n_neighbors=n_neighbors,
        embedder=None if given.embedder is None else type(given.embedder).__name__,
        n_jobs=n_threads(n_jobs), n_at_a_time=n_at_a_time(n_jobs),
    )  # fmt: skip


def _checked(
    X: Any,
    embedder: object | None,
    n_embeddings: int,
    embeddings: Any,
    labels: Any,
    representation: str | None,
    n_neighbors: int,
    random_state: object,
) -> _Given:
    """The values that are checked, in the types that the check computes with; what cannot be checked is refused."""
    rows = getattr(X, "obs_names", None)
    X, where, embeddings, labels = _values(X, representation, embeddings, labels, random_state)
    run_names: tuple[str, ...] = ()
    if isinstance(embeddings, Mapping):
        run_names, embeddings = tuple(map(str, embeddings)), list(embeddings.values())
    frames = [X, *(embeddings if isinstance(embeddings, Sequence) else ())]
    named = X if rows is None else pd.Series(0, index=rows)
    check_row_order(X=named, **titled(frames[1:], run_names), labels=labels)
    rows = next((table.index for table in frames if isinstance(table, pd.DataFrame)), rows)
    columns = getattr(X, "columns", None)
    if X is not None:
        # The first step of a pipeline gets features, whatever the last one takes.
        is_distances = embeddings is None and takes_distances(embedder) and len(getattr(embedder, "steps", ())) < 2
        X = checked_table(X, where, has_features=not is_distances)
    runs = None
    if X is not None and embeddings is None:
        n, m = len(X), n_embeddings
        _check_sizes(n, m, n_neighbors)
        embedder = usable_embedder(default_tsne(n) if embedder is None else embedder)
    else:
        runs = stacked(embeddings, run_names)
        m, n, _ = runs.shape
        for title, run in zip(titles(m, run_names), runs, strict=True):
            check_features(run, range(run.shape[1]), title, "Leave it out.")
        if X is not None and len(X) != n:
            raise ValueError(f"X and the embeddings must have the same points: found {len(X)} and {n}.")
        _check_sizes(n, m, n_neighbors)
    names, codes = _label_codes(labels, n)
    rows = pd.RangeIndex(n) if rows is None else pd.Index(rows)
    columns = range(0 if X is None else X.shape[1]) if columns is None else columns
    return _Given(X, where, columns, embedder, runs, run_names, names, codes, labels is not None, rows)


def _check_of(
    given: _Given,
    runs: np.ndarray,
    compared: np.ndarray | None,
    n_neighbors: int,
    tolerance: float,
    normalize: str,
    mds: str,
    n_jobs: int,
    rng: np.random.RandomState,
    bar: Bar,
) -> EmbeddingCheck:
    """What the runs agree on: consensus, number of runs, stability and fidelity, each a step of the bar."""
    called = titles(len(runs), given.run_names)
    _check_scale(runs, called)
    scaled, exponent = of_usual_size(runs)
    equal = _equal_runs(scaled)
    if len(equal) and given.runs is not None:
        _refuse_equal(equal, called)
    if len(equal):
        warnings.warn(equal_runs_text(len(np.unique(equal)), len(runs)), stacklevel=3)
    stack = _of_one_size(scaled, normalize)
    bar.begin("consensus")
    landmarks = _landmarks(stack.shape[1], rng)
    some, unit = of_usual_size(stack if landmarks is None else stack[:, landmarks])
    gram = distance_gram(some, n_jobs=n_jobs)
    of_some = consensus_of_gram(some, gram, mds=mds, keep_distances=True, n_jobs=n_jobs)
    consensus = in_unit(of_some, unit)
    if landmarks is not None:
        consensus = landmark_consensus(stack, landmarks, consensus, n_jobs)
    bar.begin("number of runs")
    size = float(np.sqrt(2.0) * np.linalg.norm(of_some.distances))  # type: ignore[arg-type]  # kept
    convergence = consensus_convergence(gram, size, tolerance, rng)
    bar.begin("stability of points and labels")
    names, codes = given.label_names, given.codes
    distances = run_distances(stack, codes, n_neighbors, n_jobs, landmarks)
    shown, n = in_unit(consensus, exponent), runs.shape[1]
    labels = _shown(names, codes) if given.has_labels else None
    points = point_table(distances, shown.embedding, labels).set_axis(given.rows)
    groups = label_group_table(distances, names, codes, points.category.to_numpy())
    scattered = (groups.category == "scattered").to_numpy()
    fidelity = None
    if compared is not None:
        bar.begin("fidelity to the data")
        fidelity = fidelity_table(
            compared, stack, distances.neighbors, consensus.distances, consensus.embedding, rng, n_jobs,
            consensus.median.weights, precomputed=given.runs is None and takes_distances(given.embedder),
        )  # fmt: skip
    return EmbeddingCheck(
        shown,
        runs,
        points,
        label_pair_table(distances, names, codes, scattered),
        groups,
        convergence,
        fidelity,
        n_neighbors,
        min(N_PAIRS, n * (n - 1) // 2),
        len(np.unique(equal)),
        np.flatnonzero(distances.far),
        given.run_names,
        0 if landmarks is None else len(landmarks),
    )


# What the parameters may be, in the words of the estimators.
_ALLOWED: Allowed = {
    "n_embeddings": [Range(Integral, 3)],
    "n_neighbors": [COUNT],
    "tolerance": [POSITIVE],
    "normalize": [{"none", "unit_norm"}],
    "mds": [{"classical", "smacof"}],
    "n_jobs": [*JOBS, None],
    "random_state": RANDOM_STATE,
}


def _values(
    X: Any, representation: str | None, embeddings: Any, labels: Any, random_state: object
) -> tuple[Any, str, Any, Any]:
    """The table, what errors call it, ready embeddings and labels, of an AnnData object by their keys."""
    if hasattr(X, "obsm"):
        from consensus_embedding.io import anndata_object

        return anndata_object.read(X, representation, embeddings, labels, random_state)
    names_runs = isinstance(embeddings, Sequence) and any(isinstance(run, str) for run in embeddings)
    if isinstance(labels, str) or representation is not None or names_runs:
        raise ValueError(
            "labels, representation and embeddings are keys of an AnnData object only, found X of the type "
            f"{type(X).__name__}; pass the values themselves."
        )
    return X, "X", embeddings, labels


def checked_table(X: np.ndarray | pd.DataFrame, where: str = "X", *, has_features: bool = True) -> np.ndarray:
    """The table that an embedder gets, of features or distances; one that cannot be checked is refused as `where`."""
    names = getattr(X, "columns", None)
    if isinstance(X, pd.DataFrame):
        _require_numbers(X, where)
        # Missing entries of the types of pandas are none of NumPy's.
        if any(isinstance(kind, pd.api.extensions.ExtensionDtype) for kind in X.dtypes):
            X = X.astype(np.float64)
    if issparse(X):
        require_memory(where, X.shape, np.float64, remedy="Reduce it first, as by TruncatedSVD")
    X = real_numbers(dense(X), where)
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(f"{where} must be a table of shape (points, features), found shape {X.shape}.")
    if not np.isfinite(X).all():
        i, j = np.argwhere(~np.isfinite(X))[0]
        bad = int((~np.isfinite(X)).sum())
        raise ValueError(
            f"{where} must not have missing or infinite values, found {bad}, the first in row {i}, column {j} (counted "
            "from 0); fill them or leave out the row or the column."
        )
    if has_features:
        check_features(X, range(X.shape[1]) if names is None else names, where, "Leave it out.")
    if len(X) > 1 and (X.max(axis=0) == X.min(axis=0)).all():
        raise ValueError(f"{where} must have points that differ, found {len(X)} equal ones; compute the table again.")
    return with_squares(X)


def _require_numbers(X: pd.DataFrame, where: str) -> None:
    """Refuse a column with other entries than numbers by its name; missing ones have a message of their own."""
    for k, name in enumerate(X.columns):
        column = X.iloc[:, k].dropna()
        try:
            real_numbers(column.to_numpy(), "")
        except (TypeError, ValueError):
            other = next((entry for entry in column if not isinstance(entry, Real)), column.iloc[0])
            raise ValueError(
                f"{where}, column '{name}': expected numbers, found {other!r}. Correct it, or leave the column out, as "
                "by drop(columns=[...]); pass categories as labels."
            ) from None


def _warn_of_units(X: np.ndarray, where: str, names: Sequence[object]) -> None:
    """Say which columns have nearly all of the variance, if so few that the others hardly count."""
    with np.errstate(over="ignore", invalid="ignore"):
        share = np.var(X, axis=0)
        share = share / share.sum()
    order = np.argsort(share)[::-1]
    few = order[: max(1, len(order) // _FEW_COLUMNS)]
    part = share[few].sum()
    if len(share) > 2 and part >= _NEARLY_ALL:
        listed = ", ".join(f"'{names[k]}'" for k in few[:3].tolist()) + (", ..." if len(few) > 3 else "")
        warnings.warn(
            f"{len(few)} of {len(share)} columns of {where} ({listed}) have {np.floor(1000 * part) / 10:g}% of its "
            "variance, so that the others hardly count. If their units differ, scale the columns first, as by "
            "sklearn.preprocessing.scale.",
            stacklevel=3,
        )


def _check_sizes(n: int, m: int, n_neighbors: int) -> None:
    if m < 3:
        raise ValueError(
            f"Intervals over runs need at least 3 embeddings, found {m}. Make more with other seeds, or pass X and an "
            "embedder, which then makes them."
        )
    if 2 * n_neighbors >= n:
        raise ValueError(
            f"n_neighbors must be less than half of the points, found n_neighbors = {n_neighbors} and {n} points."
        )


def _label_codes(labels: ArrayLike | Sequence | None, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Names of the labels in order, and the number of each point's label; -1 is missing."""
    if labels is None:
        return np.empty(0, dtype=object), np.full(n, -1)
    # Dates as text, the missing one as "NaT".
    if getattr(getattr(labels, "dtype", None), "kind", None) in ("m", "M"):
        labels = np.asarray(pd.Index(labels).astype(str), dtype=object)
    # What pandas has as missing in its own types, NumPy would refuse or take for a label.
    if isinstance(labels, pd.Series | pd.api.extensions.ExtensionArray) and pd.isna(labels).any():
        missing, labels = np.asarray(pd.isna(labels)), np.array(labels, dtype=object)
        labels[missing] = None
    labels = label_array(labels, "labels")
    if labels.shape != (n,):
        raise ValueError(f"labels must have one entry per point, shape ({n},), found shape {labels.shape}.")
    codes, names = pd.factorize(labels)
    # As in every reader of files; in an array NumPy has turned None and NaN into such texts.
    missing = np.array([isinstance(name, str) and name.strip().lower() in UNKNOWN_NAMES for name in names], dtype=bool)
    if missing.any():
        codes, names = np.append(np.where(missing, -1, np.cumsum(~missing) - 1), -1)[codes], names[~missing]
    if len(names) > _MOST_LABELS:
        raise ValueError(
            f"labels must name at most {_MOST_LABELS} categories, found {len(names)}; all pairs are compared: "
            "group them, or leave labels out if they are measurements or names of single points."
        )
    warn_of_alike_names(labels, "labels")
    kinds = {spelling(str(name)) for name in names}
    if "-1.0" in kinds and kinds != {"-1.0", "1.0"}:
        warnings.warn(
            "labels: -1 counts as a group like the others; many clusterings write it for noise. If so, give None for "
            "these points.",
            stacklevel=3,
        )
    names = names.astype(object)
    # Whole numbers are floats in a column with gaps.
    if all(isinstance(name, float) and name.is_integer() for name in names):
        names = np.array([int(name) for name in names], dtype=object)
    if twice := [name for name, k in Counter(map(str, names)).items() if k > 1]:
        raise ValueError(
            f"labels have {twice[0]} both as a number and as text; make them one kind: labels.astype(str)."
        )
    # Numbers by size, also where they are text, all else by alphabet.
    try:
        size = names.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        size = np.zeros(len(names))
    order = np.lexsort((np.array([str(name) for name in names], dtype=str), size))
    places = np.empty(len(names) + 1, dtype=np.int64)
    places[order], places[-1] = np.arange(len(names)), -1
    return names[order], places[codes]


def _shown(names: np.ndarray, codes: np.ndarray) -> np.ndarray:
    return np.append(names, [None])[codes]


def _check_scale(runs: np.ndarray, called: Sequence[str]) -> None:
    """Refuse runs without spread, and numbers whose squares overflow or vanish."""
    check_size(runs)
    flat = np.flatnonzero(np.ptp(runs, axis=1).max(axis=1) <= 1e-12 * np.abs(runs).max(axis=(1, 2)))
    if len(flat):
        raise ValueError(
            f"{called[flat[0]]} has all points at one position ({len(flat)} of {len(runs)} embeddings have); leave it "
            "out, or change the settings of the embedder."
        )


def _equal_runs(runs: np.ndarray) -> np.ndarray:
    """Pairs of runs that are one picture, (n_pairs, 2), the earlier run first."""
    # Beside far points, all others are at one place up to rounding.
    near = ~far_points(runs)[0].any(axis=0)
    runs = runs[:, near] if near.sum() > 4 else runs
    n = runs.shape[1]
    # The distances of four points to all others place these, up to three dimensions.
    some = distance_block(runs, 0, min(4 * n, n * (n - 1) // 2))
    some /= np.linalg.norm(some, axis=1, keepdims=True)
    return np.argwhere(np.triu(cdist(some, some) < _EQUAL, 1))


def _refuse_equal(pairs: np.ndarray, called: Sequence[str]) -> None:
    """Refuse ready embeddings of which some are one picture, with the probable cause."""
    n, pair = len(np.unique(pairs)), " and ".join(called[k] for k in pairs[0])
    found, remedy = f"{pair} are the same picture", "Leave one out."
    if n > 2:
        found = f"{n} of {len(called)} are the same picture as another, such as {pair}"
        remedy = (
            "Their method probably starts at the same place whatever the seed, as t-SNE from principal components: "
            "make them again with random starts, or leave out the copies."
        )
    raise ValueError(
        f"Embeddings must be runs that differ, found that {found}, apart from position, rotation, "
        f"reflection and size; copies agree whatever the data. {remedy} If separate runs on few points ended alike, "
        "let check_embedding make them: pass X and the embedder."
    )


def _landmarks(n: int, rng: np.random.RandomState) -> np.ndarray | None:
    """Points that stand for all of very many; None where all pairs are compared."""
    return None if n <= EXACT_POINTS else np.sort(rng.permutation(n)[:N_LANDMARKS])


def _of_one_size(runs: np.ndarray, normalize: str) -> np.ndarray:
    """Embeddings of equal size: the root mean square of their sizes, so that the picture has the scale of the runs."""
    if normalize == "none":
        return runs
    centred = runs - runs.mean(axis=1, keepdims=True, dtype=np.float64)
    size = np.sqrt(np.mean(np.square(centred).sum(axis=(1, 2))))
    return (normalize_embeddings(runs, normalize) * size).astype(runs.dtype)
