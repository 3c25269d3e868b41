"""A job gives the same numbers whether it compiles the code or finds it compiled, and whatever it called before."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# It compiles twice, which takes as long as a study.
pytestmark = pytest.mark.long_study

ROOT = Path(__file__).parents[2]

JOB = """
import hashlib, sys
from replication.data.digits import read_digits
from consensus_embedding.manifold.distance_matrices import distance_gram
from consensus_embedding.manifold.tsne import joint_probabilities, kl_divergence, random_start, tsne_runs

affinities = joint_probabilities(read_digits(300)[0], 30)
starts = [random_start(300, seed) for seed in range(3)]
if "kl first" in sys.argv:
    kl_divergence(affinities, starts[0])
embeddings, divergences, _ = tsne_runs(affinities, starts)
n_jobs = 2 if "two threads" in sys.argv else 1
approximated = [tsne_runs(affinities, starts, method=method, n_jobs=n_jobs)[0] for method in ("barnes_hut", "fft")]
loss = kl_divergence(affinities, embeddings[0])
gram = distance_gram(embeddings, n_jobs=n_jobs)
arrays = (embeddings, divergences, *approximated, gram)
print(hashlib.sha256(b"".join(part.tobytes() for part in arrays)).hexdigest(), loss)
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What the job printed: compiling, then from the cache; and both again with another order of calls."""
    found = {}
    for order in ("", "kl first"):
        cache = tmp_path_factory.mktemp("cache")
        for turn in ("compiling", "from the cache", "from the cache, two threads"):
            environment = {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT / "src")}
            done = subprocess.run(
                [sys.executable, "-c", JOB, order, turn.rpartition(", ")[2]],
                env={**os.environ, **environment},
                capture_output=True,
                text=True,
                check=True,
            )
            found[f"{turn} {order}".strip()] = done.stdout
    return found


def test_the_numbers_do_not_depend_on_the_cache_of_compiled_code(outcomes):
    assert len(outcomes) == 6
    assert len(set(outcomes.values())) == 1, outcomes
