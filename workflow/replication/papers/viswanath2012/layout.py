"""Where the files of images and genes lie, and what they are made from. Light: the rules read it."""

from __future__ import annotations

from typing import Any

from replication.platform.steps import Files
from replication.platform.study import Study

IMAGES, GENES = "images", "genes"


def units(study: Study) -> list[str]:
    """A unit is a subject and a draw of its noise. The official volumes and the second subject are one draw."""
    brain = study["brain"]
    subjects = [subject for subject in (brain["source"], brain["second_subject"]) if subject != "none"]
    once = ("brainweb", brain["second_subject"])
    return [f"{one}_{draw}" for one in subjects for draw in range(1 if one in once else brain["noise_draws"])]


def main_unit(study: Study) -> str:
    """The unit that most experiments take."""
    return units(study)[0]


def slice_embedding(study: Study) -> dict[str, Any]:
    """What an embedded slice contains. How embeddings are selected and combined comes later."""
    later = ("normalization", "mds", "theta", "theta_reading", "strength", "exploratory_theta")
    return study.without("image_embedding", *later)


def gene_sets(study: Study) -> dict[str, dict[str, Any]]:
    """Data set of gene expression -> its entry in the configuration."""
    return {item["name"]: item for item in study["genes"]["sets"]}


def gene_sources(study: Study) -> dict[str, str]:
    """Data set of gene expression -> where it comes from."""
    return {name: _source(item) for name, item in gene_sets(study).items()}


def _source(item: dict[str, Any]) -> str:
    if "planted" in item:
        return "simulated"
    paths = [item.get(part, "") for part in ("training", "test")]
    return "original" if all(path.startswith("resources/data/kent_ridge/") for path in paths) else "own"


def gene_pool(study: Study) -> dict[str, Any]:
    """What is read from prepared genes to a pool of embeddings, whose size is set apart."""
    later = ("n_embeddings", "normalization", "mds", "knn_neighbors", "label_weights")
    return study.without("gene_embedding", *later, "theta", "theta_reading", "exploratory_theta")


def image_universe_files(study: Study) -> Files:
    """The images of the main unit, and their labels."""
    folder, brain = f"{IMAGES}/{main_unit(study)}", study["brain"]
    levels = [f"pn{noise}_rf{rf}" for noise in brain["noise"] for rf in brain["inhomogeneity"]]
    return {"labels": f"{folder}/labels.nii.gz", "images": [f"{folder}/{level}.nii.gz" for level in levels]}


def gene_universe_files(study: Study) -> Files:
    """The prepared data sets."""
    return {"splits": [f"{GENES}/{name}.npz" for name in gene_sets(study)]}
