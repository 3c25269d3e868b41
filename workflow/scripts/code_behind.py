"""The modules of the library that a script rests on, found by following its imports."""

import re
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).parent
PACKAGE = "consensus_embedding"
_IMPORT = re.compile(
    rf"^[ \t]*(?:from {PACKAGE}([\w.]*) import (\([^)]*\)|[^\n]*)|import {PACKAGE}\.([\w.]+))", re.MULTILINE
)
_EXPORT = re.compile(r'^    "(\w+)": "([\w.]+)",$', re.MULTILINE)


def code_behind(script, *modules):
    """
    Paths of the modules that a script imports, and of those that they import.

    Snakemake looks at scripts by itself, not at what they import. Left out is what only `job.py` needs, which every
    script starts with and no number comes from.

    Parameters
    ----------
    script : str
        Name of a script in this folder, without .py.
    *modules : str
        Modules of the library that it imports by name at run time, such as "experiments/universe_genes".

    Returns
    -------
    list of str
        Relative to the checkout, in alphabetical order.
    """
    found = set()
    ahead = [*_imported(f"{script}.py"), *(f"{PACKAGE}/{module}.py" for module in modules)]
    while ahead:
        path = ahead.pop()
        if path not in found:
            found.add(path)
            ahead += _imported(path)
    return sorted(f"workflow/scripts/{path}" for path in found)


@cache
def _modules():
    """Paths of all modules of the library, from the folder of the scripts."""
    return {path.relative_to(SCRIPTS).as_posix() for path in (SCRIPTS / PACKAGE).rglob("*.py")}


@cache
def _exports():
    """Public name -> module, as the package's __init__.py has them."""
    return dict(_EXPORT.findall((SCRIPTS / PACKAGE / "__init__.py").read_text(encoding="utf-8")))


@cache
def _imported(path):
    """Modules of the library that a file imports."""
    found = set()
    for inside, names, plain in _IMPORT.findall((SCRIPTS / path).read_text(encoding="utf-8")):
        module = f"{PACKAGE}{inside}" if not plain else f"{PACKAGE}.{plain}"
        path_of = module.replace(".", "/")
        if f"{path_of}.py" in _modules():
            found.add(f"{path_of}.py")
            continue
        # A folder of modules, or the package itself, whose public names are those of modules.
        for name in re.findall(r"(\w+)(?: as \w+)?", re.sub(r"#.*", "", names)):
            if f"{path_of}/{name}.py" in _modules():
                found.add(f"{path_of}/{name}.py")
            elif not inside and name in _exports():
                found.add(f"{PACKAGE}/{_exports()[name].replace('.', '/')}.py")
    return found
