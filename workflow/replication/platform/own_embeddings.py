"""Embeddings of your own in the configuration: keys that must fit one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge, Len
from pydantic import Field

from replication.platform.settings import Count, Distinct, DistinctOrNone, Integer, Item, Name, Positive, Text, matching

Runs = Annotated[Distinct[Text], Len(3)]
# Key -> keys that it needs one of.
_NEEDS = {
    "obsm": ("anndata",),
    "representation": ("anndata",),
    "components": ("anndata",),
    "id": ("table", "embeddings", "labels"),
    "drop": ("table", "embeddings"),
    "parameters": ("embedder",),
}
# Keys that exclude one another.
_EITHER = (("table", "anndata"), ("embeddings", "anndata"), ("embeddings", "obsm"))
# Ready embeddings are not computed.
_OF_RUNS = ("embedder", "parameters", "n_embeddings", "runs_per_job")


class OwnEmbedding(Item):
    """An embedding of your own; config/own_embedding.yaml shows how."""

    name: Name = Field(description="what the results call it")
    table: Text = Field(None, description="path of a table with a row per point")
    labels: Text = Field(None, description="path of a file with labels, in place of a column")
    anndata: Text = Field(None, description="path of an AnnData file, in place of a table")
    embeddings: Runs = Field((), description="paths of ready embeddings")
    obsm: Runs = Field((), description="keys of obsm with ready embeddings")
    representation: Text = Field(None, description="X or a key of obsm; X_pca if it is there, else X, if not given")
    components: Count = Field(None, description="principal components of X, or dimensions of the representation")
    label: Text = Field(None, description="column with categories")
    id: Text = Field(None, description="column with names of the points")
    drop: DistinctOrNone[Text] = Field((), description="columns that are not features")
    embedder: Annotated[
        str, matching(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", "the import path of a class, such as umap.UMAP")
    ] = Field(None, description="import path of the method; by default the t-SNE of this project")
    # Whatever the embedder takes.
    parameters: Mapping[str, Any] = Field({}, description="of the embedder")
    n_embeddings: Annotated[Integer, Ge(3)] = Field(20, description="runs to compare; below 10 the intervals are wide")
    runs_per_job: Count = Field(None, description="runs in a job of their own; by default the check makes all of them")
    n_neighbors: Count = Field(15, description="nearest neighbours that are compared between runs")
    tolerance: Positive = Field(
        0.1,
        description=(
            "how far the consensus may be from that of many more runs, as a share of the size of its distances"
        ),
    )
    scaling: Literal["zscore", "none"] = Field(
        None, description="of the columns; by default zscore for a table, none for AnnData"
    )
    sample: Annotated[Integer, Ge(10)] = Field(None, description="check a random sample of this size")
    distances: bool = Field(
        False, description="also write the consensus distances of all pairs of points, of at most 10000"
    )

    @property
    def is_compared(self) -> bool:
        """Whether there are data to compare with: ready embeddings without any have none."""
        return not (self.embeddings or self.obsm) or bool(self.table or self.representation)

    @property
    def scaled_by(self) -> str:
        """How the columns are scaled."""
        return self.scaling or ("none" if self.anndata else "zscore")

    def unfit(self) -> Iterator[tuple[str, str]]:
        """Keys that exclude or need one another."""
        item = {key: getattr(self, key) for key in self.model_fields_set}
        if not {"table", "anndata", "embeddings"} & set(item):
            yield "", "expected table, anndata or embeddings, found none of them"
        for first, second in _EITHER:
            if first in item and second in item:
                yield "", f"expected either {first} or {second}, found both"
        for key, needed in _NEEDS.items():
            if key in item and not set(needed) & set(item):
                yield key, f"expected {' or '.join(needed)} as well, found none"
        if "label" in item and not {"table", "anndata", "labels"} & set(item):
            yield "label", "expected a table or labels that have this column, found neither"
        ready = next((key for key in ("embeddings", "obsm") if key in item), None)
        if ready:
            for key in sorted(set(_OF_RUNS) & set(item)):
                yield key, f"expected no {key} next to ready embeddings ({ready}); leave one of them out"
        if "components" in item and ready and "representation" not in item:
            yield "components", "expected representation as well, found none"
        if "scaling" in item and not self.is_compared:
            yield "scaling", "expected data to scale as well (table or representation), found none"
        if "random_state" in item.get("parameters", {}):
            yield "parameters.random_state", "expected none, since every run gets a seed of its own (see seed)"
        if "precomputed" in (self.parameters.get("metric"), self.parameters.get("dissimilarity")):
            if "sample" in item:
                yield "sample", "expected none next to distances (precomputed); compute those of a sample instead"
            if self.scaled_by != "none":
                yield "scaling", f"expected scaling: none next to distances (precomputed), found {self.scaled_by}"
        size, n_neighbors = item.get("sample"), item.get("n_neighbors", 15)
        if size is not None and 2 * n_neighbors >= size:
            yield "n_neighbors", f"expected less than half of sample = {size}, found {n_neighbors}"
