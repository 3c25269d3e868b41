"""The modules behind a script, which the rules name as inputs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from replication.catalogue import experiments, papers
from replication.catalogue.configuration import read_configuration
from replication.catalogue.steps import steps_of
from replication.platform import code_behind as code_behind_module
from replication.platform.code_behind import (
    FOLDERS,
    OF_EVERY_JOB,
    code_behind,
    code_behind_file,
    import_first,
    imports_of,
)
from replication.platform.provenance import BOOKKEEPING, hash_for_step
from replication.platform.study import Study

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("replication.papers.viswanath2012.universe_genes", []),
        ("replication.papers.viswanath2012.image_slices", []),
        (
            "replication.claims.judging",
            [*papers.declarations(), *papers.modules_of("kinds"), *papers.modules_of("judges")],
        ),
    ],
)
def test_what_python_loads_is_among_them(name, found):
    code = (
        f"import sys, {name}\n"
        f"print('\\n'.join(m.__file__ for n, m in sys.modules.items() if n.startswith({tuple(FOLDERS)!r})))"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(str(ROOT / folder) for folder in FOLDERS.values())}
    loaded = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    paths = {Path(path).relative_to(ROOT).as_posix() for path in loaded.stdout.split()}
    # The declarations of a package are behind what asks for them, not behind each of its modules.
    paths = {path for path in paths if not path.endswith("__init__.py")}
    assert len(paths) > 5
    of_every_job = {f"workflow/{name.replace('.', '/')}.py" for name in OF_EVERY_JOB}
    assert paths - of_every_job <= set(code_behind("write_manifest", name, *found))


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A small checkout of its own: a library with two modules, a package of the study and a script."""
    files = {
        "src/consensus_embedding/__init__.py": "",
        "src/consensus_embedding/seeds.py": "",
        "src/consensus_embedding/tsne.py": "def f():\n    from .seeds import stream\n",
        "workflow/replication/__init__.py": "",
        "workflow/replication/platform/__init__.py": "",
        "workflow/replication/platform/job.py": "import consensus_embedding.seeds\n",
        "workflow/replication/pool.py": "from consensus_embedding import tsne\n",
        "workflow/scripts/embed.py": "from replication.platform.job import job\nfrom replication.pool import embed\n",
        "workflow/scripts/public.py": "from consensus_embedding import (\n    TSNE,  # a public name\n)\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    code = f"""
import sys
from pathlib import Path
sys.path[:0] = [{str(ROOT / "workflow")!r}]
from replication.platform import code_behind
for name in [name for name in sys.modules if name.startswith("replication")]:
    del sys.modules[name]
sys.path[:0] = [{str(tmp_path / "src")!r}, {str(tmp_path / "workflow")!r}]
code_behind.ROOT = Path({str(tmp_path)!r})
print(*code_behind.code_behind(sys.argv[1]))
"""

    def behind(script):
        done = subprocess.run([sys.executable, "-c", code, script], check=True, capture_output=True, text=True)
        return done.stdout.split()

    return behind


def test_relative_imports_and_those_in_functions_are_followed(copied):
    library = [f"src/consensus_embedding/{name}.py" for name in ("seeds", "tsne")]
    assert copied("embed") == [*library, "workflow/replication/pool.py"]


def test_a_public_name_leads_to_the_whole_library(copied):
    assert copied("public") == [f"src/consensus_embedding/{name}.py" for name in ("__init__", "seeds", "tsne")]


def test_two_jobs_of_a_module_do_not_share_what_each_imports(tmp_path, monkeypatch):
    text = """
import numpy
def helper():
    import scipy
def first(job):
    import pandas
def second(job):
    import sklearn
    third(job)
def third(job):
    import numba
STEPS = [Step(run=first), Step(run=second), Step(run=third)]
"""
    (tmp_path / "workflow/replication").mkdir(parents=True)
    (tmp_path / "workflow/replication/two.py").write_text(text)
    monkeypatch.setattr(code_behind_module, "ROOT", tmp_path)
    names = {job: set(code_behind_module.imports_of("replication.two", job)) for job in ("first", "second")}
    assert names["first"] == {"numpy", "scipy", "pandas", "numba"}
    assert names["second"] == {"numpy", "scipy", "sklearn", "numba"}


@pytest.mark.parametrize("module", [*experiments.declarations(), *papers.declarations()])
def test_another_title_runs_no_step_again(module):
    text = (ROOT / code_behind_module.path_of(module)).read_bytes()
    edited = re.sub(rb'(?m)^    title="', rb"\g<0>Another ", text)
    assert edited != text
    assert hash_for_step(edited) == hash_for_step(text)


def test_no_step_reads_the_declarations_of_all_experiments():
    steps = steps_of(Study(read_configuration())).values()
    assert len(steps) > 50
    for step in steps:
        behind = code_behind("run", step.module, *imports_of(step.module, step.run.__name__))
        assert "workflow/replication/catalogue/experiments.py" not in behind, step.name


def test_what_every_script_starts_with_is_left_out():
    found = code_behind("present")
    assert "workflow/replication/shared/tidy.py" in found
    assert not any("platform/job.py" in path or "platform/provenance.py" in path for path in found)


def test_a_file_of_a_user_is_followed_below_its_folder(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/__init__.py").write_text("from .inner import f\n")
    (tmp_path / "mine/inner.py").write_text("import numpy\nfrom consensus_embedding.utils.seeds import stream\n")
    (tmp_path / "method.py").write_text("from mine import f\n")
    own = [str(tmp_path / name) for name in ("method.py", "mine/__init__.py", "mine/inner.py")]
    found = code_behind_file(tmp_path / "method.py", tmp_path)
    assert set(own) < set(found)
    assert "src/consensus_embedding/utils/seeds.py" in found
    for name in ("method.py", "mine/inner.py"):
        (tmp_path / name).write_text(f"from {'.' * (2 + name.count('/'))}other import thing\n")
        with pytest.raises(SyntaxError, match="it imports from above its folder"):
            code_behind_file(tmp_path / name, tmp_path)


def test_every_rule_names_the_code_behind_its_own_script():
    rules = "".join(path.read_text() for path in sorted((ROOT / "workflow/rules").glob("*.smk")))
    scripts, checked = {}, 0
    for text in re.split(r"(?m)^(?= *rule\b)", rules):
        head = re.match(r" *rule( \w+)?:", text)
        if head is None:
            continue
        script = re.search(r'"\.\./scripts/(\w+)\.py"', text)
        if script:
            scripts[head[1]] = script[1]
        named = re.search(r"code=(\w+)(?:\(\"(\w+)\")?", text)
        if named and named[1] == "code_behind":
            assert named[2] == scripts[head[1]], f"{head[1]}: {named[0]}"
            checked += 1
    assert checked


def test_folders_are_imported_from_before_any_other():
    environment = {}
    import_first(["here"], environment)
    assert environment == {"PYTHONPATH": "here"}
    import_first(["there", "then"], environment)
    assert environment == {"PYTHONPATH": os.pathsep.join(["there", "then", "here"])}


def test_what_every_job_needs_is_no_part_of_a_record():
    """Two lists, since one module runs without our packages: what a run does not look at, an audit does not either."""
    assert set(OF_EVERY_JOB) <= set(BOOKKEEPING)
