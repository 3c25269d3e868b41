"""A study as the declarations see it: its checked configuration, and where its results lie."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from replication.platform.settings import Settings

# Keys of an entry of the user's own data that name files.
_KEYS_OF_FILES = ("training", "test", "table", "dissimilarities", "nifti", "image", "mask", "box", "truth", "labels")
_KEYS_OF_FILES += ("anndata", "embeddings")


@dataclass(frozen=True)
class Study:
    """The study of a configuration, and the claims that it names."""

    config: Mapping[str, Any]
    claims: Sequence[Mapping[str, Any]] = ()

    def __getitem__(self, section: str) -> Any:
        return self.config[section]

    @property
    def results(self) -> str:
        """The folder of its results, relative to the project."""
        return f"results/{self.config['study']}"

    def figure_files(self, stem: str) -> list[str]:
        """Files of a figure in all formats; the report shows PNG."""
        return [f"{stem}.{kind}" for kind in dict.fromkeys(["png", *self.config["figure_formats"]])]

    def sections(self, *names: str) -> dict[str, Any]:
        """Sections by their names."""
        return {name: self.config[name] for name in names}

    def only(self, section: str, *keys: str) -> dict[str, Any]:
        """Some settings of a section."""
        return {key: self.config[section][key] for key in keys}

    def of(self, section: str, model: type[Settings]) -> dict[str, Any]:
        """The settings of a section that a model has."""
        return {key: value for key, value in self.config[section].items() if key in model.model_fields}

    def without(self, section: str, *keys: str) -> dict[str, Any]:
        """All settings of a section but some."""
        return {key: value for key, value in self.config[section].items() if key not in keys}

    def claims_of(self, experiments: Collection[str]) -> list[Mapping[str, Any]]:
        """Claims about some experiments. As settings they rerun a job only if one of them changes, not their file."""
        return [claim for claim in self.claims if claim["experiment"] in experiments]

    def shares(self, n_draws: int) -> list[str]:
        """Cut draws into parts for jobs of their own; with workers: 1 all jobs are short, and one does all."""
        return chunks(n_draws, n_draws if self.config["workers"] == 1 else 1)


def named_files(item: Mapping[str, Any]) -> dict[str, Any]:
    """Key -> the path, or list of paths, of the files that an entry of the user's own data names."""
    return {key: item[key] for key in _KEYS_OF_FILES if key in item}


def chunks(n_runs: int, size: int) -> list[str]:
    """Cut runs 0 .. n_runs - 1 into "start-stop" ranges, stop not included."""
    bounds = [*range(0, n_runs, size), n_runs]
    return [f"{start}-{stop}" for start, stop in pairwise(bounds)]
