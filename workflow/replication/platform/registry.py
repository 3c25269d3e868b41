"""The registry of data files: resources/datasets.yaml as typed records."""

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Le

from replication.platform.configuration import ConfigurationError, nearest, read_yaml
from replication.platform.settings import AtLeastOne, Count, Distinct, Item, Text, matching, settings_of

_CHECKOUT = Path(__file__).resolve().parents[3]
REGISTRY_PATH = _CHECKOUT / "resources" / "datasets.yaml"

_Size = Annotated[int, Ge(1), Le(10**12)]


class DataFile(Item):
    """One file that an experiment reads."""

    # A path below resources/data: never absolute, never upwards.
    name: Annotated[
        str,
        matching(
            r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*",
            "a relative path of letters, digits, _, . and -",
        ),
    ]
    set: Text  # Name of its data set.
    description: Text
    shape: AtLeastOne[Count] | None  # Samples x features, or the grid of an image, fastest axis first; None for prose.
    bytes: _Size | None  # As downloaded; None where it is not known.
    sha256: Annotated[str, matching(r"[0-9a-f]{64}", "64 hexadecimal digits in small letters")] | None  # As downloaded.
    unzipped_bytes: _Size = None  # Checked in place of the file itself where no hash is published.
    # In order of preference.
    urls: Distinct[Annotated[str, matching(r"https?://\S+", "an address that starts with http:// or https://")]]
    citation: Text
    licence: Text
    note: Text = None
    fallback: Text = None  # What to do where the file cannot be had.

    def unfit(self) -> Iterator[tuple[str, str]]:
        """Without a published hash only a compressed file can show that it arrived complete."""
        if self.sha256 is None and self.unzipped_bytes is None:
            yield "unzipped_bytes", "missing; needed where sha256 is null"


def load_registry(path: str | PathLike[str] = REGISTRY_PATH) -> dict[str, DataFile]:
    """The files by name, in the order of the registry, with its templates expanded."""
    content = read_yaml(path)
    registry: dict[str, DataFile] = {}
    section = ""
    try:
        sources = content["sources"]
        for set_name, data_set in content["sets"].items():
            section = f"{set_name}."
            of_set = {key: value for key, value in data_set.items() if key != "files"}
            for entry in data_set["files"]:
                for record in _expand({"set": set_name, **of_set, **entry}, sources, path):
                    data_file = settings_of(DataFile, record, f"{path}: {record['name']}")
                    if data_file.name in registry:
                        raise ConfigurationError(f"{path}: {data_file.name} is listed twice")
                    registry[data_file.name] = data_file
    except KeyError as error:
        raise ConfigurationError(f"{path}: {section}{error.args[0]}: missing") from None
    except (AttributeError, TypeError) as error:
        raise ConfigurationError(
            f"{path}: {section or 'sets'}: has another form than the head of the file: {error}"
        ) from None
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


def _expand(entry: dict[str, Any], sources: Mapping[str, str], path: str | PathLike[str]) -> Iterator[dict[str, Any]]:
    """Yield one record for every combination of the values of an entry's template."""
    template, name, addresses = entry.get("expand", {}), entry["name"], entry["urls"]
    fixed = {key: value for key, value in entry.items() if key != "expand"}
    for combination in itertools.product(*template.values()):
        values = dict(zip(template, combination, strict=True))
        try:
            urls = [url.format_map({**sources, **values}) for url in addresses]
            yield {**fixed, "name": name.format_map(values), "urls": urls}
        except KeyError as error:
            raise ConfigurationError(
                f"{path}: {name}: {{{error.args[0]}}} is neither a source nor a value of its expand"
            ) from error
