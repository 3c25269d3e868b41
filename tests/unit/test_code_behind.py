"""The modules behind a script, which the rules name as inputs."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "workflow/scripts"
PACKAGES = ("consensus_embedding", "replication")
JOB = SCRIPTS / "replication/platform/job.py"
sys.path.insert(0, str(SCRIPTS))

from replication.ledger import papers  # noqa: E402
from replication.platform.code_behind import code_behind, import_first  # noqa: E402

NAMES = sorted(path.stem for path in SCRIPTS.glob("*.py"))


def names_of(path):
    """Dotted names of the library that a file imports, a name from a package as one of its modules, by the parser."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def parsed(path):
    files = {SCRIPTS / f"{name.replace('.', '/')}.py" for name in names_of(path) if name.startswith(PACKAGES)}
    return {file for file in files if file.is_file() and file != JOB}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_modules_are_those_that_the_parser_finds(name):
    found, ahead = set(), parsed(SCRIPTS / f"{name}.py")
    while ahead:
        path = ahead.pop()
        if path not in found:
            found.add(path)
            ahead |= parsed(path)
    expected = {path.relative_to(ROOT).as_posix() for path in found}
    assert expected <= set(code_behind(name)), "a module that is imported is no input"
    # Public names of the package are not resolved above.
    exported = re.search(r"^from consensus_embedding import", (SCRIPTS / f"{name}.py").read_text(), re.MULTILINE)
    if not exported:
        assert expected == set(code_behind(name))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "found"),
    [
        ("replication/papers/viswanath2012/universe_genes", []),
        ("replication/papers/viswanath2012/image_slices", []),
        ("replication/ledger/claims", papers.modules_of("judges")),
        ("replication/ledger/findings", [*papers.modules_of("findings"), *papers.modules_of("judges")]),
    ],
)
def test_what_python_loads_is_among_them(module, found):
    code = (
        f"import sys; sys.path.insert(0, {str(SCRIPTS)!r}); import {module.replace('/', '.')}\n"
        f"print('\\n'.join(m.__file__ for n, m in sys.modules.items() if n.startswith({PACKAGES!r})))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    paths = {Path(path).relative_to(ROOT).as_posix() for path in loaded if not path.endswith("__init__.py")}
    assert len(paths) > 5
    # The declarations of its paper are imported with every module of it, and no number comes from them.
    named = code_behind("write_manifest", module, "replication/platform/declarations", *found)
    assert paths <= set(named)


def test_public_names_lead_to_their_modules(tmp_path, monkeypatch):
    from replication.platform import code_behind as module

    for package in PACKAGES:
        (tmp_path / package).symlink_to(SCRIPTS / package)
    (tmp_path / "one.py").write_text("from consensus_embedding import (\n    median_consensus,  # the median\n)\n")
    monkeypatch.setattr(module, "SCRIPTS", tmp_path)
    module._modules.cache_clear()
    try:
        found = module.code_behind("one")
    finally:
        module._modules.cache_clear()
    assert "workflow/scripts/consensus_embedding/consensus/median_consensus_embedding.py" in found
    assert "workflow/scripts/consensus_embedding/manifold/tsne_kernels.py" in found


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
        if named and named[1] not in ("universe_code", "adding_code"):
            assert named.groups() == ("code_behind", scripts[head[1]]), f"{head[1]}: {named[0]}"
            checked += 1
    assert checked > 50


def test_a_folder_is_imported_from_before_any_other():
    environment = {}
    import_first("here", environment)
    assert environment == {"PYTHONPATH": "here"}
    import_first("there", environment)
    assert environment == {"PYTHONPATH": f"there{os.pathsep}here"}
