"""What the arena combines: data, their classes, and pools of embeddings without a common run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
from consensus_embedding.consensus.subset_embeddings import embed_subsets, feature_subsets
from consensus_embedding.manifold.lle import lle_embeddings
from consensus_embedding.utils.seeds import stream_seed

from replication.data.digits import digits_name, digits_source, read_digits
from replication.data.domains.gene_preparation import standardize, transform_expression
from replication.data.readers.expression import SplitExpression
from replication.data.readers.spectra import SpectraStudy
from replication.papers.tiwari2008.spectra_studies import SpectraSettings, prepare
from replication.papers.tomo2025.mce_extensions import extension_runs
from replication.papers.tomo2025.pools import TSNESettings, embed_runs
from replication.papers.viswanath2012.image_slices import WHITE_MATTER, embed_slice
from replication.papers.viswanath2012.settings import PoolSettings, SliceSettings

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Data:
    """
    Points with known classes.

    Attributes
    ----------
    name, source : str
        As in the columns dataset and source.
    X : ndarray of shape (n, n_features)
    labels : ndarray of shape (n,)
    """

    name: str
    source: str
    X: np.ndarray
    labels: np.ndarray


def save_input(data: Data, pools: np.ndarray) -> dict[str, np.ndarray]:
    """Arrays of an input, to be written by `numpy.savez`."""
    return {**{key: np.asarray(one) for key, one in vars(data).items()}, "pools": pools}


def load_input(path: str | PathLike[str]) -> tuple[Data, np.ndarray]:
    """Read what `save_input` arranged: the data, and the pools of shape (repetitions, m, n, p)."""
    with np.load(path) as arrays:
        return Data(str(arrays["name"]), str(arrays["source"]), arrays["X"], arrays["labels"]), arrays["pools"]


@dataclass(frozen=True)
class PoolSizes:
    """Numbers of pools, and of embeddings in each."""

    repetitions: int
    n_embeddings: int

    @property
    def total(self) -> int:
        """Embeddings in all pools."""
        return self.repetitions * self.n_embeddings

    def deal(self, embeddings: np.ndarray) -> np.ndarray:
        """Pools of shape (repetitions, n_embeddings, n, p), dealt in turn so that none has all the first ones."""
        return np.stack([embeddings[r : self.total : self.repetitions] for r in range(self.repetitions)])


def digits_data(max_points: int) -> Data:
    """The first images."""
    return Data(digits_name(max_points), digits_source(max_points), *read_digits(max_points))


def gene_data(split: SplitExpression, name: str, source: str, settings: PoolSettings) -> Data:
    """
    All samples of a data set of gene expression, on the genes of the largest variance.

    Unlike in the experiments on genes, the choice of the genes sees no class.

    Parameters
    ----------
    split : SplitExpression
    name, source : str
    settings : PoolSettings
        The number of genes, the transform and the standardisation are those of the experiments on genes.

    Returns
    -------
    Data
    """
    parts = (split.training, split.test)
    values = [transform_expression(part.values, settings.transform, of=name) for part in parts]
    together = np.concatenate(values)
    # A gene with missing values counts as the least variable.
    variance = np.where(np.isnan(together).any(axis=0), -1.0, together.var(axis=0))
    chosen = np.argsort(-variance, kind="stable")[: settings.n_genes]
    tables, _ = standardize(*(part[:, chosen] for part in values), settings.standardization)
    return Data(name, source, np.concatenate(tables), np.concatenate([part.classes for part in parts]))


def spectra_data(study: SpectraStudy, number: int, source: str, settings: SpectraSettings) -> Data:
    """The spectra of one study as LLE takes them, and which voxels are cancer; a ValueError if that is not known."""
    if study.truth is None:
        raise ValueError(
            f"{study.name}: the arena needs the truth of each voxel, found none; leave out kappa: spectra."
        )
    return Data(f"study_{number}", source, prepare(study, settings.normalization), study.truth)


def slice_input(
    image: np.ndarray, labels: np.ndarray, z: int, settings: SliceSettings, sizes: PoolSizes, source: str, seed: int
) -> tuple[Data, np.ndarray]:
    """
    Objects of a slice of the brain, and pools of graph embeddings of random subsets of their texture features.

    Parameters
    ----------
    image, labels : ndarray of shape (rows, columns)
    z : int
        Of the slice, for its name.
    settings : SliceSettings
    sizes : PoolSizes
    source : str
    seed : int

    Returns
    -------
    data : Data
        An object is of white matter if most of its pixels are.
    pools : ndarray of shape (repetitions, n_embeddings, n, n_components)
    """
    settings = replace(settings, n_embeddings=sizes.total)
    found = embed_slice(image, labels > 0, labels == WHITE_MATTER, settings, seed=seed)
    white = 2 * found.positive > found.objects.sizes
    return Data(f"slice_{z}", source, found.objects.features, white), sizes.deal(found.embeddings)


def subset_pools(data: Data, settings: PoolSettings, sizes: PoolSizes, seed: int) -> np.ndarray:
    """Pools of graph embeddings of random subsets of the genes."""
    subsets = feature_subsets(data.X.shape[1], sizes.total, settings.subset_size, seed)
    options = settings.graph_options
    return sizes.deal(embed_subsets(data.X, subsets, n_components=settings.n_components, options=options))


def kappa_pools(data: Data, settings: SpectraSettings, sizes: PoolSizes, kappas: tuple[int, int]) -> np.ndarray:
    """
    Pools of locally linear embeddings, of the smallest numbers of neighbours that give an embedding.

    Raises
    ------
    ValueError
        If there are too few of them from the smallest to the largest kappa.
    """
    tried = range(kappas[0], min(kappas[1], len(data.X) - 1) + 1)
    found = lle_embeddings(
        data.X,
        tried,
        settings.n_components,
        regularization=settings.regularization,
        on_disconnected="skip",
    )
    if len(found.kappas) < sizes.total:
        raise ValueError(
            f"{data.name}: expected {sizes.total} numbers of neighbours that give an embedding, repetitions times "
            f"n_embeddings, found {len(found.kappas)} from {tried[0]} to {tried[-1]}; widen consensus_arena.kappas."
        )
    return sizes.deal(found.embeddings)


def run_pools(
    kind: str,
    data: Data,
    tsne: TSNESettings,
    sizes: PoolSizes,
    options: Mapping[str, Any],
    seed: int,
    progress: Progress | None = None,
) -> np.ndarray:
    """
    Pools of t-SNE or UMAP runs.

    Parameters
    ----------
    kind : {"tsne", "umap", "perplexity", "imputation"}
        See `extension_runs`; "tsne": from random starts.
    data : Data
    tsne : TSNESettings
        The perplexity is at most a third of the number of points less one.
    sizes : PoolSizes
    options : mapping
        `perplexities` and `missing_share` of `extension_runs`.
    seed : int
    progress : callable, optional
        Called with the number of finished runs.

    Returns
    -------
    ndarray of shape (repetitions, n_embeddings, n, 2)
    """
    most = (len(data.X) - 1) / 3
    tsne = replace(tsne, perplexity=min(tsne.perplexity, most))
    if kind == "tsne":
        seeds = [stream_seed(seed, data.name, "arena", run) for run in range(sizes.total)]
        return sizes.deal(embed_runs(data.X, seeds, tsne, progress=progress)[0])
    options = {**options, "perplexities": [min(one, most) for one in options["perplexities"]]}
    pools = []
    for r in range(sizes.repetitions):
        pools.append(
            extension_runs(
                kind, data.X, r, n_embeddings=sizes.n_embeddings, tsne=tsne, seed=seed, dataset=data.name, **options
            )
        )
        if progress is not None:
            progress(len(pools) * sizes.n_embeddings)
    return np.stack(pools)
