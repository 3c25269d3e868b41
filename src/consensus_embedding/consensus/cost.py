"""
Time and memory of runs, consensus and check, from their sizes alone, before anything is computed.

Light, as the plan of a study reads it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, log2

from consensus_embedding.utils.parameters import COUNT, check_values, checked_arguments
from consensus_embedding.utils.progress import LONG_RUN, LongRunWarning, duration, report

# Up to this many points a check compares all pairs of them. Above, each point is compared with so many landmarks.
EXACT_POINTS, N_LANDMARKS = 10_000, 3000
# Up to this many points the consensus is made with square tables. Above, without any.
TABLE_POINTS = 5000
# Points of very many whose neighbours are compared with those in the data, and pairs whose distances are ranked.
_JUDGED, _RANKED = 2000, 500_000
# Up to so many points the time for the affinities grows with their square.
_ALL_NEIGHBORS = 100_000
# Work that takes longer, in seconds, is announced.
_ANNOUNCED = 60.0

# Processor seconds of a core of a virtual Intel Xeon next to other work (tests/benchmarks/bench_cost.py, 2026-11-29),
# by least squares of their logarithms over 500 to 40,000 points, 4 to 20 runs, 20 and 50 features: step -> seconds for
# one of each of its terms.
_CONSTANTS = {
    "affinities": (3.1e-5, 3.4e-9),
    "ExactTSNE": (0.037, 1.5e-7),
    "BarnesHutTSNE": (0.0, 3.6e-5),
    "FourierTSNE": (0.0, 3.0e-4),
    "products": (1.6e-9,),
    "table": (5.1e-11, 3.3e-9),
    "pairs": (8.4e-8, 1.1e-9),
    "places": (3.2e-5, 5.4e-6),
    "number of runs": (1.3e-3,),
    "stability": (5.9e-6, 3.8e-9),
    "fidelity": (9.5e-9, 4.5e-8),
}
# Of a run of t-SNE, besides a fixed time.
_TERMS = {"ExactTSNE": lambda n: n**2, "BarnesHutTSNE": lambda n: n * log2(n), "FourierTSNE": lambda n: n}


@dataclass(frozen=True)
class Cost:
    """
    What a piece of work is expected to take; as text, in a sentence.

    Attributes
    ----------
    work : str
        What is done, in words.
    seconds : mapping
        Step -> seconds; None where they are not known, as of runs of an embedder that is not of this library.
    memory : float
        Most bytes at a time, besides the data and what such an embedder takes.
    n_jobs : int
        Cores.
    """

    work: str
    seconds: Mapping[str, float | None]
    memory: float
    n_jobs: int

    @property
    def total(self) -> float:
        """Seconds of all steps that are known."""
        return sum(filter(None, self.seconds.values()))

    def __str__(self) -> str:
        time = "" if self.is_known else "as long as the first run will show, and for the rest "
        cores = "1 core" if self.n_jobs == 1 else f"{self.n_jobs} cores"
        return f"{self.work}: {time}about {duration(self.total)} and {self.memory / 1e9:.2g} GB on {cores}"

    @property
    def is_known(self) -> bool:
        """Whether the time of all steps is known."""
        return None not in self.seconds.values()

    def _announce(self, *, verbose: bool) -> None:
        """Say what the work takes if it is more than a minute, or that the first run will show it; or warn if long."""
        if verbose:
            report(str(self), verbose=not self.is_known or self.total >= _ANNOUNCED)
        elif self.total > LONG_RUN:
            warnings.warn(f"{self}. verbose=True says how far it is.", LongRunWarning, stacklevel=3)

    def _require_memory(self, where: str, remedy: str) -> None:
        """Refuse work that does not fit into the memory that is free, by a ValueError."""
        from consensus_embedding.io.memory import require_bytes

        require_bytes(where, self.memory, "work", f"{self.work} that need {{}}", remedy=remedy)


@checked_arguments
def check_cost(
    n: int,
    n_runs: int,
    *,
    n_features: int = 0,
    is_compared: bool = True,
    dimensions: int = 2,
    n_neighbors: int = 15,
    embedder: str | None = None,
    n_jobs: int = 1,
    n_at_a_time: int | None = None,
) -> Cost:
    """
    Time and memory of `check_embedding`, before anything is computed.

    Parameters
    ----------
    n, n_runs : int
        Points and runs.
    n_features, dimensions : int
        Columns of the data, 0 if not known, and of the runs.
    is_compared : bool
        Whether there are data.
    n_neighbors : int
    embedder : str, optional
        Class of what makes the runs, such as "FourierTSNE", which is the default for more than 10,000 points; the time
        of runs by other libraries is not known. None if the runs are there.
    n_jobs : int
        Threads; -1 for all cores.
    n_at_a_time : int, optional
        Runs at a time, if not as many.

    Returns
    -------
    Cost
        On the machine where the constants were measured, with the default settings of t-SNE. In sizes that were not
        used for these, 1000 to 30,000 points of two kinds, a check with its runs took 0.8 to 1.1 times as long as
        expected, and one of ready runs 0.6 to 1.4 times, since the time of the consensus depends on the data.

    Raises
    ------
    ValueError
        If a number is none above 0.

    Examples
    --------
    >>> from consensus_embedding import check_cost
    >>> print(check_cost(200_000, 20, n_features=50, embedder="FourierTSNE", n_jobs=4))
    20 runs of FourierTSNE on 200,000 points x 50: about 7 minutes and 2.4 GB on 4 cores
    """
    numbers_of = {"n": n, "dimensions": dimensions, "n_neighbors": n_neighbors}
    check_values("check_cost", {name: [COUNT] for name in numbers_of}, **numbers_of)
    exact = n <= EXACT_POINTS
    compared, judged = (n, n) if exact else (N_LANDMARKS, _JUDGED)
    seconds = _seconds_of_runs(n, n_runs, dimensions, embedder, n_at_a_time or n_jobs)
    places = 0.0 if exact else _seconds("places", n, n_runs * n) / n_jobs
    products = _seconds("products", n_runs * compared**2) / n_jobs
    seconds["consensus"] = products + _seconds_of_consensus(compared, n_runs, n_jobs) + places
    seconds["number of runs"] = _seconds("number of runs", n_runs)
    seconds["stability of points and labels"] = _seconds("stability", n_runs * n, n_runs * n * compared) / n_jobs
    if is_compared:
        rows, ranked = (n_runs + 2) * n * judged, (n_runs + 2) * min(n * (n - 1) // 2, _RANKED)
        seconds["fidelity to the data"] = _seconds("fidelity", rows, ranked) / n_jobs
    numbers, near, by_run = 8 * n * n_runs * dimensions, 8 * n * n_runs * n_neighbors, 8 * n * n_runs
    distances = (4 if n <= TABLE_POINTS else 2) * n**2 if exact else 0
    blocks = 48 * n_jobs * min(128 * n, 2**22) + 8 * n * n_features if is_compared else 0
    memory = 2 * numbers + max(
        _bytes_of_runs(n, embedder),
        numbers + _bytes_of_consensus(compared, n_runs, dimensions),
        # Neighbours of each run, together, sorted and by point.
        distances + 3 * numbers + 4 * near + 6 * by_run,
        distances + near + 12 * by_run,
        distances + near + 6 * by_run + 2 * numbers + blocks,
    )
    return Cost(_work(n, n_runs, n_features, dimensions, embedder), seconds, memory, n_jobs)


def consensus_cost(
    n: int,
    n_runs: int,
    *,
    n_features: int = 0,
    dimensions: int = 2,
    embedder: str | None = None,
    by_landmarks: bool = False,
    kept: bool = True,
    n_jobs: int = 1,
    n_at_a_time: int | None = None,
) -> Cost:
    """
    Time and memory of `median_consensus`; arguments as for `check_cost`.

    `by_landmarks` and `kept`: whether the picture is that of landmarks, and whether the distances of many points are
    kept.
    """
    seconds = _seconds_of_runs(n, n_runs, dimensions, embedder, n_at_a_time or n_jobs)
    seconds["inner products"] = _seconds("products", n_runs * n**2) / n_jobs
    seconds["picture"] = 0.0 if by_landmarks else _seconds_of_consensus(n, n_runs, n_jobs)
    numbers = 8 * n * n_runs * dimensions
    if n <= TABLE_POINTS and not by_landmarks:
        needed = _bytes_of_consensus(n, n_runs, dimensions)
    else:
        needed = numbers + 2 * n**2 * kept
    memory = 3 * numbers + max(_bytes_of_runs(n, embedder), needed)
    return Cost(_work(n, n_runs, n_features, dimensions, embedder), seconds, memory, n_jobs)


def _work(n: int, n_runs: int, n_features: int, dimensions: int, embedder: str | None) -> str:
    if embedder is None:
        return f"{n_runs} embeddings of {n:,} points x {dimensions}"
    return f"{n_runs} runs of {embedder} on {n:,} points" + (f" x {n_features}" if n_features else "")


def _seconds(step: str, *terms: float) -> float:
    return sum(constant * term for constant, term in zip(_CONSTANTS[step], terms, strict=True))


def _seconds_of_runs(
    n: int, n_runs: int, dimensions: int, embedder: str | None, n_jobs: int
) -> dict[str, float | None]:
    """By step: affinities, which the runs share, and runs; no step if the runs are there."""
    if embedder is None:
        return {}
    if embedder not in _TERMS:
        return {"runs": None}
    affinities = _seconds("affinities", n, n * min(n, _ALL_NEIGHBORS))
    method = embedder if dimensions == 2 else "ExactTSNE"
    return {"runs": affinities + ceil(n_runs / n_jobs) * _seconds(method, 1, _TERMS[method](n))}


def _seconds_of_consensus(n: int, n_runs: int, n_jobs: int) -> float:
    if n <= TABLE_POINTS:
        return _seconds("table", n**3, n_runs * n**2)
    return _seconds("pairs", n**2, n_runs * n**2) / n_jobs


def _bytes_of_runs(n: int, embedder: str | None) -> float:
    """Of the affinities: three numbers for each of 91 neighbours, in both directions, and copies of them."""
    return 6000 * n if embedder in _TERMS else 0


def _bytes_of_consensus(n: int, n_runs: int, dimensions: int) -> float:
    """Five tables, or each distance once in single precision; and the coordinates."""
    return (40 if n <= TABLE_POINTS else 2) * n**2 + 8 * n * n_runs * dimensions
