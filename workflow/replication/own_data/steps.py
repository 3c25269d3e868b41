"""
The checks of the user's own embeddings, which `own_embeddings` of the configuration names.

Of each a step, since the files that it makes depend on what is known of the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from replication.own_data.checking import check, embed
from replication.own_data.contents import PARTS
from replication.own_data.entry import cost_of, number_of_points, settings_of_item
from replication.own_data.example import write_example
from replication.platform.methods import code_of_class
from replication.platform.steps import Files, Place, Seconds, Step
from replication.platform.study import Study, chunks, named_files


def folder_of(name: str) -> str:
    """Where the results of a check are."""
    return f"embedding_check/{name}"


def _data(item: Mapping[str, Any]) -> dict[str, Place | Sequence[Place]]:
    """The files that it names, and those of an embedder of the user's own."""
    named = named_files(item)
    if code := code_of_class(item.get("embedder", "")):
        named["embedder"] = code
    return {
        key: PurePath(paths) if isinstance(paths, str) else [PurePath(p) for p in paths] for key, paths in named.items()
    }


def _reads(item: Mapping[str, Any]) -> Files:
    # The check reads the files of the page itself; as inputs, a change of them makes the page anew.
    page = [PurePath(f"src/consensus_embedding/diagnostics/{name}") for name in ("page.css", "page.js", "picture.html")]
    own = settings_of_item(item)
    parts = chunks(own.n_embeddings, own.runs_per_job) if own.runs_per_job else []
    runs = [f"{folder_of(own.name)}/runs/{part}.npz" for part in parts]
    return {**_data(item), "runs": runs, "template": "workflow/report/check.html.j2", "page": page}


def _makes(item: Mapping[str, Any], study: Study) -> Files:
    """Tables, the page, what else is asked for, and figures."""
    folder = folder_of(item["name"])
    is_compared = settings_of_item(item).is_compared
    given = {"": True, "labels": bool({"label", "labels"} & set(item)), "data": is_compared}
    parts = {name: part for name, part in PARTS.items() if given[part.needs]}
    made = {name: f"{folder}/{name}.tsv" for name, part in parts.items() if part.table}
    made["page"] = f"{folder}/check.html"
    if item.get("distances"):
        made["distances"] = f"{folder}/distances.npy"
    if "anndata" in item:
        made["anndata"] = f"{folder}/{item['name']}.h5ad"
    figures = [name for name, part in parts.items() if part.caption]
    return made | {f"figure_{name}": study.figure_files(f"{folder}/figures/{name}") for name in figures}


# Settings that no run depends on.
_OF_THE_CHECK = ("n_embeddings", "n_neighbors", "tolerance", "distances")


def _for_runs(item: Mapping[str, Any]) -> dict[str, Any]:
    """What the runs need of an entry: more runs, and what the check alone needs, leave those that are there."""
    left_out = {*_OF_THE_CHECK, "labels"}
    # In a table the column with the labels is no feature.
    left_out |= {"label"} if {"labels", "anndata"} & set(item) else set()
    # An AnnData file has names of its own.
    left_out |= {"id"} if "anndata" in item else set()
    return {key: value for key, value in item.items() if key not in left_out}


def _runs_of(item: Mapping[str, Any]) -> Step:
    name, own = item["name"], _for_runs(item)
    return Step(
        name=f"embed_own_{name}",
        title=f"runs {{start}}-{{stop}} of {name}",
        run=embed,
        does=f"Runs {{wildcards.start}} to {{wildcards.stop}} of the embedding of {name}",
        reads=lambda study, _: _data(own),
        makes={"runs": f"{folder_of(name)}/runs/{{start}}-{{stop}}.npz"},
        settings=lambda study, _: {"item": own},
        wildcards={"start": r"\d+", "stop": r"\d+"},
        threads=lambda workers: min(item["runs_per_job"], workers),
        memory_mb=6000,
        minutes=240,
        takes=lambda _, at: Seconds(5, _seconds_of(item, int(at.stop) - int(at.start))[0]),
    )


def _check_of(item: Mapping[str, Any]) -> Step:
    name = item["name"]
    return Step(
        name=f"check_embedding_{name}",
        title=f"check of {name}",
        run=check,
        does=f"Check what can be trusted in the embedding of {name}",
        reads=lambda study, _: _reads(item),
        makes=lambda study: _makes(item, study),
        settings=lambda study, _: {"item": item},
        shows=lambda study: {f"{folder_of(name)}/check.html": f"what can be trusted in the embedding of {name}"},
        threads="workers",
        memory_mb=6000,
        minutes=240,
        takes=lambda study, _: check_seconds(item),
    )


# Seconds of a run of others on 1797 points: scikit-learn's t-SNE; UMAP stands for all.
_SECONDS_OF_A_RUN = {"sklearn.manifold.TSNE": 5.0}


def check_seconds(item: Mapping[str, Any]) -> Seconds:
    """How long a check takes, by its points and runs."""
    runs, rest = _seconds_of(item)
    return Seconds(5, rest if "runs_per_job" in item else runs + rest)


def _seconds_of(item: Mapping[str, Any], n_runs: int | None = None) -> tuple[float, float]:
    """How long so many runs take, by default all of them, and what is left of the check."""
    own = settings_of_item(item)
    own = own if n_runs is None else own.model_copy(update={"n_embeddings": n_runs})
    # As many as the digits where it is not known: the run makes the file, or has to open it to know.
    points = number_of_points(own.embeddings[0] if own.embeddings else own.table or "")
    points = min(points, own.sample or points) if points else own.sample or 1797
    cost = cost_of(own, points)
    runs = cost.seconds.get("runs", 0.0)
    if runs is None:
        return own.n_embeddings * _SECONDS_OF_A_RUN.get(own.embedder, 3.0) * (points / 1797) ** 1.25, cost.total
    return runs, cost.total - runs


EXAMPLE = Step(
    name="write_example_embedding",
    title="example table",
    run=write_example,
    does="Write a table of digits to try the check of an embedding",
    makes={"table": "results/example/embedding.tsv"},
    takes=Seconds(2),
)


def own_steps(study: Study) -> list[Step]:
    """A check of each entry, its runs where these have jobs of their own, and the example."""
    items = study["own_embeddings"]
    return [*map(_check_of, items), *(_runs_of(item) for item in items if "runs_per_job" in item), EXAMPLE]


STEPS = own_steps
