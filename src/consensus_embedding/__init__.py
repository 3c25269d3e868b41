"""
Consensus embeddings: stable low-dimensional embeddings from many unstable ones.

Every public name can be imported from here; modules are loaded when first used.
"""

import sys
from importlib import import_module

# Public name -> its module: the lines of the stub, which tells type checkers what is loaded when first used.
with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as _stub:
    _EXPORTS = {line.split()[-1]: line.split()[1] for line in _stub if line.startswith("from ")}

# What only the study reads files and features with is in its own package.
_OF_THE_STUDY = {
    "SpectraStudy": "readers.spectra",
    "learn_peak_windows": "domains.peak_integration",
    "peak_areas": "domains.peak_integration",
    "prepare_genes": "domains.gene_preparation",
    "read_expression": "readers.expression_table",
    "read_items": "readers.item_table",
    "read_own_study": "readers.spectra",
    "read_split": "readers.expression",
    "shape_distances": "domains.shape_distance",
    "t_statistics": "domains.gene_preparation",
    "z_scores": "domains.peak_integration",
    "zakian_ratio": "domains.peak_integration",
}

__all__ = sorted(_EXPORTS)


def __getattr__(name: str) -> object:
    if name == "__version__":
        return _version()
    if name in _OF_THE_STUDY:
        place = f"replication.data.{_OF_THE_STUDY[name]}"
        raise AttributeError(f"{name} belongs to the study: import it from {place}, with a checkout of the repository")
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Here and not on import of the package, as most jobs of the study import its modules themselves.
    import_module(f"{__name__}.utils.compiled_loops").keep_compiled_loops_somewhere()
    value = getattr(import_module(_EXPORTS[name], __name__), name)
    if "numba" in sys.modules:
        # Here, so that the jobs of the study, which import the modules themselves, do not wait for it.
        import_module(f"{__name__}.utils.compile_notice")
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def _version() -> str:
    """Version of the installed package; in a checkout that is not installed, the one in its pyproject.toml."""
    # Imported here since every job imports this package, and few ask for its version.
    import tomllib
    from importlib.metadata import PackageNotFoundError, version
    from pathlib import Path

    try:
        return version("consensus-embedding")
    except PackageNotFoundError:
        project = Path(__file__).parents[2] / "pyproject.toml"
        return tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
