"""Where the files of the experiments on images and genes lie, and what they are made from. Light: the rules read it."""

from __future__ import annotations

from itertools import product
from typing import Any

from replication.papers.viswanath2012.method_names import REDUCTIONS
from replication.papers.viswanath2012.settings import PREPARATION, PoolSettings, SliceSettings
from replication.platform.steps import Files
from replication.platform.study import Study
from replication.shared.rows import number_of_rows

BRAINWEB = "resources/data/brainweb"
RESIMULATED = [f"{BRAINWEB}/{name}" for name in ("brainweb.mat", "possum_brain.nii.gz", "rf100_C.nii")]
SUBJECTS = ["brainweb", "brainweb_resimulated", "icbm152"]


def units(study: Study) -> list[str]:
    """Units, each a subject and a draw of its noise; the official volumes and the second subject have one draw."""
    brain = study["brain"]
    draws = {
        subject: 1 if subject in ("brainweb", brain["second_subject"]) else brain["noise_draws"]
        for subject in (brain["source"], brain["second_subject"])
        if subject != "none"
    }
    return [f"{subject}_{draw}" for subject, n_draws in draws.items() for draw in range(n_draws)]


def main_unit(study: Study) -> str:
    """The first unit, on which most claims are judged; those that compare slices take all draws."""
    return units(study)[0]


def image(unit: str, noise: object, inhomogeneity: object) -> str:
    """Slices of a unit as an image."""
    return f"images/{unit}/pn{noise}_rf{inhomogeneity}.nii.gz"


def images(study: Study, unit: str, noise: object) -> list[str]:
    """Slices of a unit at a noise level, for all levels of non-uniformity."""
    return [image(unit, noise, inhomogeneity) for inhomogeneity in study["brain"]["inhomogeneity"]]


def labels(unit: str) -> str:
    """Tissues of the slices of a unit."""
    return f"images/{unit}/labels.nii.gz"


def embedded(unit: str, noise: object) -> str:
    """Embedded slices of a unit at a noise level."""
    return f"embeddings/images/{unit}/pn{noise}.npz"


def anatomy_files(study: Study, subject: str) -> list[str]:
    """Data files behind the images of a subject."""
    if subject == "icbm152":
        return []
    if subject == "brainweb_resimulated":
        return RESIMULATED
    levels = product(study["brain"]["noise"], study["brain"]["inhomogeneity"])
    volumes = [f"{BRAINWEB}/pd_icbm_normal_1mm_pn{noise}_rf{field}.raws.gz" for noise, field in levels]
    return [f"{BRAINWEB}/phantom_1.0mm_normal_crisp.rawb.gz", *volumes]


def slice_embedding(study: Study) -> dict[str, Any]:
    """What an embedded slice contains; how embeddings are selected and combined comes later."""
    return study.of("image_embedding", SliceSettings)


def gene_sets(study: Study) -> dict[str, Any]:
    """Data sets of gene expression by their names."""
    return {item["name"]: item for item in study["genes"]["sets"]}


def gene_source(item: dict[str, Any]) -> str:
    """Where a data set of gene expression comes from."""
    if "planted" in item:
        return "simulated"
    files = [item.get(part, "") for part in ("training", "test")]
    return "original" if all(path.startswith("resources/data/kent_ridge/") for path in files) else "own"


def gene_sources(study: Study) -> dict[str, str]:
    """Source of each data set of gene expression."""
    return {name: gene_source(item) for name, item in gene_sets(study).items()}


def only_own_genes(study: Study) -> bool:
    """Whether all gene expression is the user's own."""
    return set(gene_sources(study).values()) == {"own"}


def longer(study: Study, name: str) -> float:
    """
    How many times as long a job takes on a data set as on those of the paper, which have 120 samples on average.

    Measured up to 2,000 samples. A table of another kind than CSV or TSV counts as the paper's.
    """
    return max(1.0, number_of_rows(gene_sets(study)[name].get("table", "")) / 120) ** 1.3


def all_longer(study: Study) -> float:
    """How many times as long a job takes on all data sets as on one of the paper's."""
    return sum(longer(study, name) for name in gene_sets(study))


def genes(name: str) -> str:
    """The samples of a data set of gene expression, training and test."""
    return f"genes/{name}.npz"


def all_genes(study: Study) -> list[str]:
    """The samples of all data sets of gene expression."""
    return [genes(name) for name in gene_sets(study)]


def gene_pool(name: str, reduction: str) -> str:
    """Base embeddings of a data set by a reduction."""
    return f"embeddings/genes/{name}_{reduction}.npz"


def gene_pools(study: Study) -> list[tuple[str, str]]:
    """Data set and reduction of every pool of base embeddings of genes."""
    return list(product(gene_sets(study), REDUCTIONS))


def pool_size(study: Study) -> int:
    """Embeddings of a pool: the largest M of the study; others take the first M of it."""
    return max(study["gene_embedding"]["n_embeddings"], *study["m_sensitivity"]["n_embeddings"])


def gene_preparation(study: Study) -> dict[str, Any]:
    """What is read from a table to prepared genes."""
    return study.only("gene_embedding", *PREPARATION)


def gene_embedding(study: Study) -> dict[str, Any]:
    """What is read from a table to a pool, apart from its size."""
    return study.of("gene_embedding", PoolSettings)


def own_images(study: Study) -> dict[str, Any]:
    """The user's own images by their names."""
    return {item["name"]: item for item in study["own_images"]}


def image_universe_files(study: Study) -> Files:
    """The images of the main unit, and their labels."""
    unit = main_unit(study)
    return {
        "labels": labels(unit),
        "images": [path for noise in study["brain"]["noise"] for path in images(study, unit, noise)],
    }
