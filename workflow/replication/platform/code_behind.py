"""The modules that a script depends on, found by following its imports."""

import ast
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[3]
# Our packages, and the folders that they are imported from.
FOLDERS = {"consensus_embedding": "src", "replication": "workflow"}
# Every job needs them, and no number comes from them.
OF_EVERY_JOB = [
    f"replication.platform.{name}" for name in ("configuration", "declarations", "job", "refusals", "steps", "study")
]


def import_first(folders, environment):
    """Let Python import from folders before any other, in processes that are started later."""
    others = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [*map(str, folders), others]))


def code_behind(script: str, *modules: str) -> list[str]:
    """
    Paths of the modules that a script imports, and of the modules that these import.

    Snakemake checks scripts by itself, but not what they import. What only `job` needs is left out.
    """
    return _behind([*_imported_by_script(script), *modules])


def imports_of(module: str, function: str) -> list[str]:
    """
    Names that a function of a module may import: all of the module's, apart from those of its other jobs.

    A job is a function that the module names in ``run=`` of a step, and nowhere else.
    """
    jobs, imports = _jobs_and_imports(module)
    return [name for part, names in imports for name in names if part == function or part not in jobs]


@cache
def _jobs_and_imports(module: str) -> tuple[set[str], list[tuple[str | None, list[str]]]]:
    """The functions that are jobs, and for each part of a module its name, if it has one, and what it imports."""
    path = ROOT / path_of(module)
    parts = [(getattr(part, "name", None), list(ast.walk(part))) for part in _parsed(path).body]
    nodes = [node for _, below in parts for node in below]
    uses = Counter(node.id for node in nodes if isinstance(node, ast.Name))
    runs = Counter(
        node.value.id
        for node in nodes
        if isinstance(node, ast.keyword) and node.arg == "run" and isinstance(node.value, ast.Name)
    )
    jobs = {name for name, n in runs.items() if n == uses[name]}
    return jobs, [(name, list(_imports_in(below, path, None))) for name, below in parts]


def code_behind_file(path: str | Path, root: str | Path) -> list[str]:
    """Paths of the modules behind a file of anyone's: itself, what it imports below a folder, and ours."""
    root = Path(root)
    files: set[Path] = set()
    ours: set[str] = set()
    ahead = [Path(path)]
    while ahead:
        file = ahead.pop()
        if file not in files:
            files.add(file)
            names = list(_imported(file, root))
            ours |= set(names)
            ahead += [imported for name in names for imported in _files(name, root)]
    return sorted({path.as_posix() for path in files} | set(_behind(ours)))


def _imported(path: Path, root: Path | None = None) -> Iterator[str]:
    """Dotted names that a file imports, of modules or of what is in them; relative ones as seen from a root."""
    yield from _imports_in(ast.walk(_parsed(path)), path, root)


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _imports_in(nodes: Iterable[ast.AST], path: Path, root: Path | None) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if root and node.level > len(path.relative_to(root).parts):
                raise SyntaxError("it imports from above its folder", (str(path), node.lineno, None, None))
            start = [] if not node.level else [*path.parents[node.level - 1].relative_to(root or path.parent).parts]
            module = ".".join([*start, *filter(None, [node.module])])
            yield from filter(None, [module])
            yield from (".".join(filter(None, [module, alias.name])) for alias in node.names)


@cache
def _imported_by_script(script: str) -> list[str]:
    """`_imported` of a script; dozens of rules share one."""
    return list(_imported(ROOT / f"workflow/scripts/{script}.py"))


def _files(name: str, root: Path) -> Iterator[Path]:
    """Files below a folder that an import of a dotted name runs: a package runs its __init__ before its modules."""
    parts = name.split(".")
    for k in range(1, len(parts) + 1):
        module = root.joinpath(*parts[:k])
        yield from filter(Path.is_file, (module.with_suffix(".py"), module / "__init__.py"))


@cache
def _graph() -> grimp.ImportGraph:
    """Who imports whom in our packages; any import in a file counts, also one inside a function."""
    graph = grimp.build_graph(*FOLDERS, cache_dir=None)
    for name in OF_EVERY_JOB:
        graph.remove_module(name)
    return graph


def _behind(names: Iterable[str]) -> list[str]:
    """Files of those names that are modules of our packages, with all that they import."""
    graph = _graph()
    modules = {name for name in names if name in graph.modules}
    for name in list(modules):
        modules |= _upstream(name)
    if "consensus_embedding" in modules:
        # Its names come from modules that are imported when a name is first asked for.
        modules |= graph.find_descendants("consensus_embedding")
    return sorted({path_of(name) for name in modules})


@cache
def _upstream(name: str) -> set[str]:
    return _graph().find_upstream_modules(name)


@cache
def path_of(name: str) -> str:
    """File of a module of our packages, relative to the checkout."""
    path = ROOT / FOLDERS[name.partition(".")[0]] / name.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file.relative_to(ROOT).as_posix()
