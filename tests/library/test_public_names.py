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
import pandas as pd
from consensus_embedding import *

def points(check: EmbeddingCheck) -> int:
    return len(check.points)

assert_type(check, EmbeddingCheck)
assert_type(median_consensus([np.eye(3)] * 3), MedianConsensus)
assert_type(MedianConsensusEmbedding(ExactTSNE(), n_embeddings=5), MedianConsensusEmbedding)
assert_type(consensus_embedding.__version__, str)

df = pd.DataFrame(X)
y = np.arange(569) % 2
numbers = np.arange(5, 8)
names = np.array(["a", "b"])[y]
for labels in (names, pd.Series(names), ["a", None, "b"], "cell_type"):
    check_embedding(df, labels=labels)
check_embedding(df, embeddings={"a": "X_umap_1", "b": "X_umap_2"})
check_embedding(df, embeddings=["X_umap_1", "X_umap_2"])
check_embedding(embeddings=[df, df])
check_embedding(embeddings={"a": X, "b": X})
check.write_html("check.html", names)
check.write_html("check.html", df.index)
median_consensus([df, df])
MetaVisualization().fit([df, X])
MedianConsensusEmbedding().fit_transform(df)
BarnesHutTSNE().fit(X.tolist())
ConsensusLLE(n_neighbors=numbers).fit(df)
SemiSupervisedGraphEmbedding().fit(df, list(y)).transform(X.tolist())
FeatureImportanceInEmbeddings().fit(df, pd.Series(y))
run_embeddings(ExactTSNE, X, numbers)
aggregate_score([0.5, 0.25, 0.25], numbers)
lle_embeddings(df, numbers)
choose_embedding(df, "pca", alphas=np.linspace(0.5, 1, 3))
fisher_scores(df, list(y))
nystroem_extension([[1.0, 2.0]], [[1.0], [2.0]], [1.0])
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
