"""Keys of the configuration that belong to no paper: the study, and data of your own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le
from pydantic import AfterValidator, Field, PlainValidator

from replication.platform.own_embeddings import OwnEmbedding
from replication.platform.settings import (
    DistinctOrNone,
    Integer,
    Item,
    Name,
    Settings,
    Some,
    Text,
    different_names,
    matching,
    refuse_unless,
)


class AddedMethod(Item):
    """A method of your own; docs/add_a_method.md shows how."""

    name: Annotated[
        str,
        matching(
            r"[A-Za-z][A-Za-z0-9 .()+-]{0,39}", "a letter, and up to 39 letters, digits, blanks or signs of . ( ) + -"
        ),
    ] = Field(description="what tables and figures call it")
    class_: Annotated[str, matching(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", "module.Class")] = Field(
        alias="class", description="module.Class"
    )
    kind: Literal["consensus", "embedding"] = Field(description="what it does")
    parameters: Mapping[str, Any] = Field(None, description="what its class takes")
    path: Text = Field(
        None, description="its file, relative to your working folder; a class of a module on PYTHONPATH needs none"
    )


class Data(Settings):
    """Where data come from."""

    mirrors: DistinctOrNone[Text] = Field(
        description=(
            "folders or base URLs searched before the public addresses; a file is used only if its hash matches. The "
            'environment variable CONSENSUS_EMBEDDING_MIRRORS (entries separated by ";") is searched first'
        )
    )
    # The names are checked against resources/datasets.yaml, the one place where they are.
    sets: DistinctOrNone[Text] = Field(
        description=(
            "data sets that `snakemake fetch` downloads and `snakemake verify_data` checks; the names are in "
            "resources/datasets.yaml. The experiments themselves download only what they read"
        )
    )


def _workers(value: Any) -> int | str:
    fits = value == "auto" or (type(value) is int and value >= 1)
    refuse_unless(fits, "an integer of at least 1, or auto")
    return value


# Folders of results that all studies share.
SHARED_FOLDERS = ("example", "logs")


def _own_folder(value: str) -> str:
    shared = " and ".join(SHARED_FOLDERS)
    refuse_unless(
        value.casefold() not in SHARED_FOLDERS, f"another name than {shared}, whose folders all studies share"
    )
    return value


def cores_of_worker(setting: int | str, cores: int | None) -> int:
    """Cores of a job that works on many draws, where a run has so many; on a cluster there is no such number."""
    return max(1, (cores or 4) // 2) if setting == "auto" else int(setting)


class StudySettings(Settings):
    """Keys without a section."""

    study: Annotated[Name, AfterValidator(_own_folder)] = Field(
        description="results go to results/<study>/, so that one study never overwrites another"
    )
    sizes: Literal["paper", "quick"] = Field(
        "paper",
        description=(
            "quick: so small that the report shows the committed answers at paper scale next to those of the study; "
            "config/quick.yaml says so"
        ),
    )
    seed: Annotated[Integer, Ge(0), Le(2**32 - 1)] = Field(
        description="seed of every random stream; change it to see how much the results depend on the random draws"
    )
    workers: Annotated[int | Literal["auto"], PlainValidator(_workers)] = Field(
        description=(
            "cores of a job that works on many draws; auto: half of those of the run, or 2 on a cluster. Use 1 if "
            "all jobs are short, because starting a process takes seconds. The results do not depend on it"
        )
    )
    arithmetic: Literal["portable", "native"] = Field(
        description=(
            "portable: the same numbers on every x86-64 processor with AVX2. native: the widest instructions of this "
            "processor; t-SNE runs then differ between processors"
        )
    )
    figure_formats: DistinctOrNone[Literal["png", "pdf", "svg"]] = Field(
        description="of the figures: pdf or svg for print, and png, which the report shows and every study writes"
    )
    methods: Some[AddedMethod] = Field(
        description="methods of your own that join the experiments; docs/add_a_method.md shows how"
    )
    # Their names are checked against what the papers declare.
    experiments: DistinctOrNone[str] = Field(
        description="the experiments to run; none where only results of your own data are asked for"
    )
    claims: DistinctOrNone[Text] = Field(
        description="files of claims, judged in this order; none where nothing is judged"
    )
    data: Data
    own_embeddings: Annotated[Some[OwnEmbedding], AfterValidator(different_names)] = Field(
        description=(
            "your own embeddings; `snakemake embedding_check` checks what can be trusted in them. "
            "config/own_embedding.yaml shows how"
        )
    )
