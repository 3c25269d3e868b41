"""The modules that a script depends on, found by following its imports."""

import ast
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).parents[2]
PACKAGES = ("consensus_embedding", "replication")
# An import statement in our own style: it begins its line, and continues only inside parentheses.
_IMPORT = re.compile(r"^[ \t]*((?:import|from) [^\n(]*(?:\([^)]*\))?)", re.MULTILINE)
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
    Paths of the modules that a script imports, and of the modules that these import.

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
    return _behind([*_imported(f"{script}.py"), *(f"{module}.py" for module in modules)])


def code_behind_file(path: str | Path, root: str | Path) -> list[str]:
    """
    Paths of the modules behind a file of anyone's: itself, what it imports below a folder, and ours.

    Parameters
    ----------
    path : path-like
        The file.
    root : path-like
        The folder from which it is imported. Modules elsewhere are taken for installed ones, and left out.

    Returns
    -------
    list of str
        In alphabetical order; paths below `root` begin as `root` does.

    Raises
    ------
    SyntaxError
        If one of the files is not valid Python.
    """
    found: set[Path] = set()
    ours: set[str] = set()
    ahead = [Path(path)]
    while ahead:
        one = ahead.pop()
        if one not in found:
            found.add(one)
            ours |= _imported(one.resolve().as_posix())
            ahead += _imported_below(one, Path(root))
    return sorted({path.as_posix() for path in found} | set(_behind(list(ours))))


def _behind(ahead: list[str]) -> list[str]:
    """Modules of the packages, with all that they import, relative to the checkout."""
    found: set[str] = set()
    while ahead:
        path = ahead.pop()
        if path not in found:
            found.add(path)
            ahead += _imported(path)
    return sorted(f"workflow/scripts/{path}" for path in found)


def _imported_below(path: Path, root: Path) -> Iterator[Path]:
    """Files below a folder that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        names, start = [], root
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = path.parents[node.level - 1] if node.level else root
            stem = f"{node.module}." if node.module else ""
            names = [f"{stem}{alias.name}" for alias in node.names] + ([node.module] if node.module else [])
        for name in names:
            parts = name.split(".")
            # A package runs its __init__ before any of its modules.
            for k in range(1, len(parts) + 1):
                module = start.joinpath(*parts[:k])
                yield from filter(Path.is_file, (module.with_suffix(".py"), module / "__init__.py"))


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
    for node in _import_statements(
        (SCRIPTS / path).read_text(encoding="utf-8"), in_our_style=not Path(path).is_absolute()
    ):
        if isinstance(node, ast.Import):
            found |= {_path(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= set(_imported_from(node))
    return found & _modules() - {_OF_EVERY_SCRIPT}


def _import_statements(text: str, in_our_style: bool) -> list[ast.stmt]:
    """Import statements of a file; of one in our style, they are found without parsing the rest, ten times as fast."""
    if in_our_style:
        try:
            return ast.parse("\n".join(_IMPORT.findall(text))).body
        except SyntaxError:
            # A sentence in a docstring begins like an import.
            pass
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]


def _imported_from(node: ast.ImportFrom) -> Iterator[str]:
    """The module of a ``from`` import, or the modules that its names are, or come from."""
    yield _path(node.module)
    for alias in node.names:
        yield _path(f"{node.module}.{alias.name}")
        if node.module == PACKAGES[0] and alias.name in _exports():
            yield _path(f"{node.module}.{_exports()[alias.name]}")


def _path(module: str) -> str:
    return f"{module.replace('.', '/')}.py"
