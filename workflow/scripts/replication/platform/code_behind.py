"""The modules that a script depends on, found by following its imports."""

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).parents[2]
PACKAGES = ("consensus_embedding", "replication")
# Every script starts with it, and no number comes from it.
_OF_EVERY_SCRIPT = "replication/platform/job.py"


def import_first(folder, environment):
    """
    Let Python import from a folder before any other, in processes that are started later.

    Parameters
    ----------
    folder : path-like
    environment : mutable mapping
        Such as ``os.environ``; its PYTHONPATH is changed in place.
    """
    others = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), others]))


def code_behind(script: str, *modules: str) -> list[str]:
    """
    Paths of the modules that a script imports, and of those that they import.

    Snakemake checks scripts by itself, but not what they import. What only `job` needs is left out.

    Parameters
    ----------
    script : str
        Name of a script, without .py.
    *modules : str
        Modules that it imports by name at run time, such as "replication/papers/viswanath2012/universe_genes".

    Returns
    -------
    list of str
        Relative to the checkout, in alphabetical order.
    """
    found: set[str] = set()
    ahead = [*_imported(f"{script}.py"), *(f"{module}.py" for module in modules)]
    while ahead:
        path = ahead.pop()
        if path not in found:
            found.add(path)
            ahead += _imported(path)
    return sorted(f"workflow/scripts/{path}" for path in found)


@cache
def _modules() -> set[str]:
    """Paths of all modules of the packages, relative to the folder of the scripts."""
    return {path.relative_to(SCRIPTS).as_posix() for name in PACKAGES for path in (SCRIPTS / name).rglob("*.py")}


@cache
def _exports() -> dict[str, str]:
    """Public name of the library -> its module, as in the library's __init__.py."""
    for node in ast.parse((SCRIPTS / PACKAGES[0] / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "_EXPORTS":
            return ast.literal_eval(node.value)
    return {}


@cache
def _imported(path: str) -> set[str]:
    """Modules of the packages that a file imports."""
    found = set()
    for node in ast.walk(ast.parse((SCRIPTS / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {_path(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= set(_imported_from(node))
    return found & _modules() - {_OF_EVERY_SCRIPT}


def _imported_from(node: ast.ImportFrom) -> Iterator[str]:
    """The module of a ``from`` import, or the modules that its names are, or come from."""
    yield _path(node.module)
    for alias in node.names:
        yield _path(f"{node.module}.{alias.name}")
        if node.module == PACKAGES[0] and alias.name in _exports():
            yield _path(f"{node.module}.{_exports()[alias.name]}")


def _path(module: str) -> str:
    return f"{module.replace('.', '/')}.py"
