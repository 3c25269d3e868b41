"""The registry of data files: resources/datasets.yaml as typed records."""

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Le, Len
from pydantic import ValidationError

from replication.platform.configuration import ConfigurationError, nearest, read_yaml
from replication.platform.refusals import refusals
from replication.platform.settings import AtLeastOne, Count, Distinct, Item, Settings, Text, matching

_CHECKOUT = Path(__file__).resolve().parents[3]
REGISTRY_PATH = _CHECKOUT / "resources" / "datasets.yaml"

_Size = Annotated[int, Ge(1), Le(10**12)]
_Key = Annotated[str, matching(r"[a-z][a-z0-9_]*", "small letters, digits and _, starting with a letter")]


class _File(Item):
    """A file of a data set, or several that differ in what `expand` says."""

    # Never absolute, never upwards: the name becomes a path below resources/data.
    name: Annotated[
        str,
        matching(
            r"[A-Za-z0-9_][A-Za-z0-9_.{}-]*(/[A-Za-z0-9_][A-Za-z0-9_.{}-]*)*",
            "a relative path of letters, digits, _, . and -",
        ),
    ]
    description: Text
    shape: AtLeastOne[Count] | None
    bytes: _Size | None
    sha256: Annotated[str, matching(r"[0-9a-f]{64}", "64 hexadecimal digits in small letters")] | None
    unzipped_bytes: _Size = None
    urls: Distinct[
        Annotated[
            str,
            matching(
                r"(https?://|\{[a-z][a-z0-9_]*\})\S*",
                "an address that starts with http://, https:// or the name of a source in braces",
            ),
        ]
    ]
    citation: Text = None
    licence: Text = None
    note: Text = None
    expand: Annotated[Mapping[str, Distinct[int | str]], Len(1)] = None

    def unfit(self) -> Iterator[tuple[str, str]]:
        """Without a published hash only a compressed file can show that it arrived complete."""
        if self.sha256 is None and self.unzipped_bytes is None:
            yield "unzipped_bytes", "missing; needed where sha256 is null"


class _DataSet(Item):
    """A data set."""

    description: Text
    citation: Text = None
    licence: Text
    note: Text = None
    fallback: Text = None
    files: AtLeastOne[_File]


class _Registry(Settings):
    """The file resources/datasets.yaml."""

    sources: Mapping[_Key, Annotated[str, matching(r"https?://\S+", "an address that starts with http:// or https://")]]
    sets: Annotated[Mapping[_Key, _DataSet], Len(1)]


@dataclass(frozen=True)
class DataFile:
    """One file that an experiment reads."""

    name: str  # Path below resources/data, with forward slashes.
    set: str  # Name of its data set.
    shape: tuple[int, ...] | None  # Samples x features, or the grid of an image, fastest axis first; None for prose.
    urls: tuple[str, ...]  # In order of preference.
    sha256: str | None  # Of the file as downloaded; None where none is published.
    bytes: int | None  # As downloaded; None where it is not known.
    unzipped_bytes: int | None  # Checked in place of the file itself where no hash is published.
    citation: str
    licence: str
    fallback: str  # What to do where the file cannot be had; may be empty.


def load_registry(path: str | PathLike[str] = REGISTRY_PATH) -> dict[str, DataFile]:
    """The files by name, in the order of the registry, with its templates expanded."""
    content = read_yaml(path)
    try:
        _Registry.model_validate(content)
    except ValidationError as error:
        raise ConfigurationError("\n".join(f"{path}: {line}" for line in refusals(error, _Registry, content))) from None
    registry: dict[str, DataFile] = {}
    for set_name, data_set in content["sets"].items():
        for entry in data_set["files"]:
            for data_file in _expand(set_name, data_set, entry, content["sources"], path):
                if data_file.name in registry:
                    raise ConfigurationError(f"{path}: {data_file.name} is listed twice")
                registry[data_file.name] = data_file
    return registry


def files_of_sets(registry: Mapping[str, DataFile], sets: Iterable[str]) -> list[DataFile]:
    """The files of some data sets, in the order of the registry, each once; an unknown set is refused."""
    known = list(dict.fromkeys(data_file.set for data_file in registry.values()))
    wanted = set(sets)
    unknown = sorted(wanted.difference(known))
    if unknown:
        meant = nearest(unknown[0], known)
        hint = f"did you mean '{meant}'? " if meant else ""
        raise ConfigurationError(f"unknown data set '{unknown[0]}'; {hint}known sets: {', '.join(known)}")
    return [data_file for data_file in registry.values() if data_file.set in wanted]


def volume(files: Collection[DataFile]) -> str:
    """Number and size of files, as said to readers."""
    unknown = sum(file.bytes is None for file in files)
    text = f"{len(files)} files, {sum(file.bytes or 0 for file in files) / 1e6:.1f} MB"
    return f"{text} and {unknown} files of unknown size" if unknown else text


def _expand(
    set_name: str,
    data_set: Mapping[str, Any],
    entry: Mapping[str, Any],
    sources: Mapping[str, str],
    path: str | PathLike[str],
) -> Iterator[DataFile]:
    """Yield one record for every combination of the values of an entry's template."""
    citation = entry.get("citation", data_set.get("citation"))
    if citation is None:
        raise ConfigurationError(f"{path}: {entry['name']}: no citation, neither of its own nor of its set")
    template = entry.get("expand", {})
    for combination in itertools.product(*template.values()):
        values = dict(zip(template, combination, strict=True))
        try:
            yield DataFile(
                name=entry["name"].format_map(values),
                set=set_name,
                shape=tuple(entry["shape"]) if entry["shape"] else None,
                urls=tuple(url.format_map({**sources, **values}) for url in entry["urls"]),
                sha256=entry["sha256"],
                bytes=entry["bytes"],
                unzipped_bytes=entry.get("unzipped_bytes"),
                citation=citation,
                licence=entry.get("licence", data_set["licence"]),
                fallback=data_set.get("fallback", ""),
            )
        except KeyError as error:
            raise ConfigurationError(
                f"{path}: {entry['name']}: {{{error.args[0]}}} is neither a source nor a value of its expand"
            ) from error
