"""
Methods that a configuration adds by import path: where their files are, and what is wrong with how they are named.

It needs the standard library alone, since the rules read it. `replication.shared.user_methods` loads and calls them.
"""

from __future__ import annotations

import ast
import re
import site
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from replication.platform.code_behind import FOLDERS, code_behind_file
from replication.platform.configuration import ConfigurationError, nearest

# What the metrics, tables and figures put before the name of an added method.
MARK = "added: "
# What an experiment sets itself, for every method alike.
SET_BY_EXPERIMENTS = ("n_components", "random_state")


@dataclass(frozen=True)
class AddedMethod:
    """An entry of ``methods`` in the configuration."""

    name: str
    class_path: str  # "module.Class".
    kind: str  # "embedding" or "consensus".
    parameters: Mapping[str, Any] = field(default_factory=dict)  # Arguments of the class.
    path: str | None = None  # File with the class; None if its module can be imported as it is.

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> AddedMethod:
        """The method that an entry of the configuration describes."""
        return cls(**{{"class": "class_path"}.get(key, key): value for key, value in item.items()})

    @property
    def label(self) -> str:
        """Its name in metrics, tables and figures."""
        return f"{MARK}{self.name}"

    @property
    def stem(self) -> str:
        """Its name in names of files."""
        return re.sub(r"\W+", "_", self.name.lower()).strip("_")

    @property
    def module(self) -> str:
        """Name of the module of its class."""
        return self.class_path.rpartition(".")[0]

    @property
    def class_name(self) -> str:
        """Name of its class in the module."""
        return self.class_path.rpartition(".")[2]


def with_added(names: Mapping[str, str], methods: Iterable[str]) -> dict[str, str]:
    """Names of the project's own methods by what metrics call them, and then those added among some methods."""
    return {**names, **{method: method for method in dict.fromkeys(methods) if method.startswith(MARK)}}


def module_file(method: AddedMethod) -> Path | None:
    """The file with the class of a method; None if there is none."""
    if method.path is not None:
        return Path(method.path) if Path(method.path).is_file() else None
    spec = None
    # It imports the packages around the module, which may raise anything.
    with suppress(Exception):
        spec = find_spec(method.module)
    origin = spec and spec.origin
    return Path(origin) if origin and origin.endswith(".py") else None


def code_of_method(method: AddedMethod) -> list[str]:
    """
    Files whose change makes the results of a method stale: that of its class, and the modules that it imports.

    Of an installed package that is the file of the class alone. The method is one that `check_methods` accepts.
    """
    file = module_file(method)
    if method.path is not None:
        return code_behind_file(file, file.parent)
    depth = method.module.count(".") + (file.name == "__init__.py")
    root = file.parents[depth]
    return [str(file)] if _is_installed(root) else code_behind_file(file, root)


def code_of_class(class_path: str) -> list[str]:
    """Files behind a class of the user's own that can be imported: none for one of an installed package or of ours."""
    package, spec = class_path.partition(".")[0], None
    # Of the package alone, since to look for a module in it imports it.
    with suppress(Exception):
        spec = find_spec(package)
    if package in FOLDERS or spec is None:
        return []
    places = [*(spec.submodule_search_locations or [spec.origin or ""])]
    method = AddedMethod(name=class_path, class_path=class_path, kind="embedding")
    if any(_is_installed(Path(place).parent) for place in places) or (file := module_file(method)) is None:
        return []
    try:
        return code_of_method(method)
    except (SyntaxError, ValueError):  # which its job reports
        return [str(file)]


def _is_installed(folder: Path) -> bool:
    """Whether packages are installed into a folder, or it is that of the standard library."""
    installed = (*site.getsitepackages(), site.getusersitepackages())
    return str(folder) in installed or (folder / "os.py").is_file()


def check_methods(items: Iterable[Mapping[str, Any]], taken: Iterable[str] = ()) -> None:
    """
    Check the section ``methods`` of a configuration, without importing their modules.

    All problems are refused together, one line each; `taken` are the names of the project's own methods.
    """
    lines, seen = [], {}
    own = {_plain(name) for name in taken}
    for k, item in enumerate(items):
        method = AddedMethod.from_item(item)
        where = f"methods[{k}]"
        if _plain(method.name) in own:
            lines.append(f"{where}.name: a method of this project is called '{method.name}'; take another name")
        if method.stem in seen:
            lines.append(f"{where}.name: expected names that differ, found '{method.name}' and '{seen[method.stem]}'")
        seen[method.stem] = method.name
        for key in SET_BY_EXPERIMENTS:
            if key in method.parameters:
                lines.append(f"{where}.parameters.{key}: leave it out; the experiments set it, for every method alike")
        lines += [f"{where}.{line}" for line in _class_problems(method)]
    if lines:
        raise ConfigurationError("\n".join(lines))


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.lower()).strip()


def _class_problems(method: AddedMethod) -> list[str]:
    """What is wrong with the class of a method and its file, one line each."""
    file = module_file(method)
    if method.path is not None:
        if file is None:
            return [f"path: {method.path} does not exist"]
        if file.suffix != ".py":
            return [f"path: expected a file that ends in .py, found {method.path}"]
        if method.module != file.stem:
            return [f"class: expected {file.stem}.{method.class_name}, as the file {file.name} is called, found "
                    f"{method.class_path}"]  # fmt: skip
    if file is None:
        return [
            f"class: there is no module {method.module}; name its file under `path`, or add its folder to PYTHONPATH"
        ]
    try:
        defined = _names_in(file)
        code_of_method(method)
    except SyntaxError as error:
        return [f"class: {error.filename} is not valid Python: line {error.lineno}: {error.msg}"]
    except ValueError as error:
        return [f"class: {file}, or a module that it imports, is not text in UTF-8: {error}"]
    # A module may make its names when they are asked for.
    if method.class_name not in defined and "__getattr__" not in defined and "*" not in defined:
        meant = nearest(method.class_name, sorted(defined))
        return [f"class: {file} has no class {method.class_name}" + (f"; did you mean '{meant}'?" if meant else "")]
    return []


def _names_in(file: Path) -> set[str]:
    """Names that a module binds at any level, "*" for those that it imports without naming them."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"), str(file))):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names
