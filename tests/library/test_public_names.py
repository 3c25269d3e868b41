"""Public names of the library: a type checker knows them, and those that moved say where they are."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import consensus_embedding as library
import pytest

ROOT = Path(__file__).parents[2]
# What callers write, below the example of the README.
CALLS = """
from typing import assert_type
import consensus_embedding
import numpy as np
from consensus_embedding import EmbeddingCheck, ExactTSNE, MedianConsensus, MedianConsensusEmbedding, median_consensus

def points(check: EmbeddingCheck) -> int:
    return len(check.points)

assert_type(check, EmbeddingCheck)
assert_type(median_consensus([np.eye(3)] * 3), MedianConsensus)
assert_type(MedianConsensusEmbedding(ExactTSNE(), n_embeddings=5), MedianConsensusEmbedding)
assert_type(consensus_embedding.__version__, str)
"""


def test_a_type_checker_knows_the_public_names(tmp_path):
    example = (ROOT / "README.md").read_text().partition("```python\n")[2].partition("```")[0]
    (tmp_path / "calls.py").write_text(example + CALLS)
    # As users have it: an installed library, and packages without hints.
    command = "-m mypy --config-file= --cache-dir=cache --follow-imports=silent --disable-error-code=import-untyped"
    command = [sys.executable, *command.split(), "calls.py"]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("name", "module"), library._OF_THE_STUDY.items())
def test_a_name_of_the_study_says_where_it_is(name, module):
    place = f"replication.data.{module}"
    with pytest.raises(AttributeError, match=f"{name} belongs to the study: import it from {place}"):
        getattr(library, name)
    assert hasattr(import_module(place), name)
