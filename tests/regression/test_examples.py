"""Every Python example of the pages runs where only the library's own dependencies are installed."""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pages import PAGES, ROOT, code_blocks
from replication.papers.viswanath2012.steps import write_example_table

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BLOCKS = {path: blocks for path, text in PAGES.items() if (blocks := code_blocks(text, "python"))}
# Those that need more than the base say so in their first line; matplotlib is in this environment.
EXAMPLES = {path: [block for block in blocks if not block.startswith("# needs ")] for path, blocks in BLOCKS.items()}
WITH_PICTURES = {
    path: [block for block in blocks if not re.match("# needs (?!matplotlib)", block)]
    for path, blocks in BLOCKS.items()
    if any(block.startswith("# needs matplotlib") for block in blocks)
}
# Examples that are followed by what they print.
OUTPUTS = {
    path: found
    for path, text in PAGES.items()
    if (found := re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE))
}
# Python reads a module of this name at its start, and so do all processes that an example starts.
BLOCKER = """
import json, os, sys
BLOCKED = set(json.loads(os.environ["BLOCKED_MODULES"]))
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r} among the base dependencies", name=name)
sys.meta_path.insert(0, Blocker())
"""
# The same examples at a size for seconds.
SMALLER = {
    "load_digits().data": "load_digits().data[:150]",
    "digits.data[:1000], digits.target[:1000]": "digits.data[:150], digits.target[:150]",
    "load_breast_cancer().data": "load_breast_cancer().data[:200]",
    "n_embeddings=20": "n_embeddings=2",
    "n_embeddings=100": "n_embeddings=10",
    "make_blobs(20000": "make_blobs(2000",
    "n_subsets=500": "n_subsets=20",
}
# What has to be true after the examples of a page.
EXPECTED = {
    "docs/tour.md": "len(check.points) == 150 and between < apart[np.triu_indices(20, 1)].mean()",
    "README.md": "check.points.shape == (200, 9)",
    "docs/library.md": "picture.shape == by_angle.shape == (150, 2) and in_space.shape == (150, 3) "
    "and items.shape == (297, 5) and selector.get_support().sum() == 5",
    "docs/add_a_method.md": "SpectralWeights().fit([[[0], [5], [0]]] * 2).distances_.round(9).tolist() == [5, 0, 5]",
    "docs/own_data.md": "cluster_scores(clusters, split.test.classes == 'B').accuracy > 0.9",
}


def modules_of_extras() -> list[str]:
    """Installed modules that no base dependency of pyproject.toml brings."""
    base, waiting = {canonicalize_name(PROJECT["name"])}, [Requirement(line) for line in PROJECT["dependencies"]]
    while waiting:
        name = canonicalize_name(waiting.pop().name)
        if name not in base:
            base.add(name)
            needed = [Requirement(line) for line in importlib.metadata.requires(name) or []]
            waiting += [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    installed = importlib.metadata.packages_distributions()
    return sorted(module for module, names in installed.items() if base.isdisjoint(map(canonicalize_name, names)))


def run_with_base_dependencies(code, folder, hide=None):
    """Run code in a folder, in a Python without the packages of the extras, or without others."""
    hidden = folder / "hidden"
    hidden.mkdir(exist_ok=True)
    (hidden / "sitecustomize.py").write_text(BLOCKER)
    environment = {
        **os.environ,
        "BLOCKED_MODULES": json.dumps(modules_of_extras() if hide is None else hide),
        "MPLBACKEND": "agg",
        "PYTHONPATH": os.pathsep.join([str(hidden), str(ROOT / "src"), str(ROOT / "workflow")]),
    }
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def write_expression(folder):
    """The table that docs/own_data.md reads, as the study of config/own_expression.yaml makes it."""
    path = folder / "results" / "example" / "table.tsv"
    path.parent.mkdir(parents=True)
    write_example_table(SimpleNamespace(seed=0))["table"].to_csv(path, sep="\t", index=False)


def smaller(code):
    for long, short in SMALLER.items():
        code = code.replace(long, short)
    return code


def test_the_extras_are_hidden():
    hidden = modules_of_extras()
    assert {"snakemake", "matplotlib", "requests", "tqdm", "yaml", "jinja2", "umap", "pytest"} <= set(hidden)
    assert {"nibabel", "nilearn", "mahotas", "statsmodels", "h5py"} <= set(hidden)
    assert {"numpy", "scipy", "sklearn", "numba", "pandas", "joblib"}.isdisjoint(hidden)


@pytest.mark.slow
@pytest.mark.parametrize("module", ["yaml", "matplotlib.pyplot"])
def test_an_example_that_needs_an_extra_fails(module, tmp_path):
    result = run_with_base_dependencies(f"import {module}", tmp_path)
    assert result.returncode == 1
    assert f"No module named {module.partition('.')[0]!r} among the base dependencies" in result.stderr


def test_the_pages_have_examples():
    assert set(EXPECTED) <= set(EXAMPLES)
    assert "README.md" in OUTPUTS
    for short in SMALLER:
        assert any(short in block for blocks in EXAMPLES.values() for block in blocks), short


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES)
def test_the_examples_of_a_page_run(path, tmp_path):
    """One after the other, as a reader would type them: later ones may use the names of earlier ones."""
    write_expression(tmp_path)
    code = smaller("\n".join(EXAMPLES[path]))
    result = run_with_base_dependencies(f"{code}\nassert {EXPECTED.get(path, 'True')}\n", tmp_path)
    assert result.returncode == 0, result.stderr
    assert re.search("warn", result.stderr, re.IGNORECASE) is None, result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("path", WITH_PICTURES)
def test_the_examples_with_pictures_run(path, tmp_path):
    result = run_with_base_dependencies(smaller("\n".join(WITH_PICTURES[path])), tmp_path, hide=[])
    assert result.returncode == 0, result.stderr


def shown(text):
    """Words and numbers of an output, however its lines are broken; words alone where other numbers are right."""
    return (text if os.environ["ARITHMETIC"] == "portable" else re.sub(r"\d+", "0", text)).split()


@pytest.mark.parametrize("path", OUTPUTS)
def test_an_output_that_a_page_shows_is_what_its_example_prints(path, tmp_path):
    for code, output in OUTPUTS[path]:
        result = run_with_base_dependencies(code, tmp_path)
        assert result.returncode == 0, result.stderr
        assert shown(result.stdout) == shown(output)
