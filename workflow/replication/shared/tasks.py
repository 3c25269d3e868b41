"""Tasks of a step on several cores."""

import warnings
from collections.abc import Callable, Iterable, Iterator

from consensus_embedding.utils.parallel import warning_of
from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits


def results_of(
    calls: Iterable[tuple], n_jobs: int, progress: Callable[[int], None] = lambda finished: None
) -> Iterator:
    """
    The result of each `delayed` call, in order and as soon as it is there; what it warns of is warned of here.

    Each runs on one thread, so that its sums do not depend on the number of cores.
    """
    tasks = (delayed(_with_warnings)(call) for call in calls)
    # Snakemake gives BLAS as many threads as a job has cores, which here each process would have.
    with parallel_config("loky", inner_max_num_threads=1):
        parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    for finished, (result, warned) in enumerate(parallel(tasks), 1):
        for kind, message in warned:
            warnings.warn(warning_of(kind, message), stacklevel=2)
        yield result
        progress(finished)


def _with_warnings(call: tuple) -> tuple[object, list[tuple[type[Warning], str]]]:
    """The result of a call, and its warnings, which a process of its own would print by itself."""
    function, arguments, keywords = call
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        try:
            result = function(*arguments, **keywords)
        except Exception as error:
            # The log has the whole trace, and so what the task had warned of.
            for warning in caught:
                error.add_note(f"Warned of before: {warning.message}")
            raise
    return result, [(warning.category, str(warning.message)) for warning in caught]
