"""Methods that a configuration adds, on brain slices and on gene expression."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from consensus_embedding.clustering.clustering import ClusterScores
from consensus_embedding.utils.seeds import stream_seed

from replication.data.brainweb import about_subject
from replication.data.domains.gene_preparation import PreparedGenes, prepare_genes
from replication.data.readers.expression import load_split
from replication.papers.viswanath2012 import brain_grid, gene_expression
from replication.papers.viswanath2012.gene_splits import (
    GenePool,
    check_embeddable,
    gene_seed,
    load_pools,
    score_space,
)
from replication.papers.viswanath2012.image_slices import load_slices, space_accuracy
from replication.papers.viswanath2012.method_names import REDUCTIONS, SINGLE_METHODS, STRENGTHS
from replication.papers.viswanath2012.settings import GeneSettings, ImageSettings
from replication.platform.methods import AddedMethod
from replication.platform.settings import settings_of
from replication.platform.steps import Work
from replication.shared.tidy import Metrics
from replication.shared.user_methods import combine, embed, is_drawn


def score_brain(
    method: AddedMethod,
    work: Work,
    slices: str,
    unit: str,
    noise: int,
    brain: Mapping,
    settings: Mapping,
) -> Metrics:
    """
    Score an added method on the slices of one subject, draw and noise level, as brain_grid scores the others.

    A consensus combines the embeddings that the paper's consensus combines; an embedding takes the features of the
    objects.
    """
    image_settings = settings_of(ImageSettings, settings, "image_embedding")
    subject, _, draw = unit.rpartition("_")
    metrics = Metrics("brain_grid", **about_subject(subject), conditions=brain_grid.CONDITIONS)
    loaded = load_slices(slices)
    for kind in dict.fromkeys(name.split("/")[0] for name in loaded):
        for inhomogeneity in brain["inhomogeneity"]:
            at = {"objects": kind, "noise": noise, "inhomogeneity": inhomogeneity, "draw": int(draw)}
            work.say(f"{kind} objects, non-uniformity {inhomogeneity} %: {len(brain['slices'])} slices")
            for z in brain["slices"]:
                embedded = loaded[f"{kind}/{inhomogeneity}/{z}"]
                own = stream_seed(stream_seed(work.seed, "slice", z, *at.values()), "added methods")
                if method.kind == "consensus":
                    chosen = embedded.selected(image_settings)
                    space, _ = combine(
                        method,
                        embedded.embeddings[chosen],
                        n_components=image_settings.n_components,
                        mds=image_settings.mds,
                        seed=own,
                    )
                    metrics.add(method.label, "n_selected", len(chosen), slice=z, **at)
                else:
                    space = embed(method, embedded.objects.features, n_components=image_settings.n_components, seed=own)
                accuracy = space_accuracy(embedded, space, image_settings)
                metrics.add(method.label, "accuracy", accuracy, slice=z, **at)
    return metrics


def score_genes(
    method: AddedMethod,
    work: Work,
    split: str,
    graph_embedding: str,
    pca: str,
    name: str,
    source: str,
    settings: Mapping,
    repetitions: int,
) -> Metrics:
    """
    Score an added method on one data set of gene expression, as gene_expression scores the others.

    A consensus combines what the paper's consensus combines, of each reduction and strength; an embedding takes the
    test samples with all chosen genes.
    """
    gene_settings = settings_of(GeneSettings, settings, "gene_embedding")
    genes = prepare_genes(load_split(split), **gene_settings.preparation)
    check_embeddable(genes, gene_settings.n_components)
    pools = {"graph_embedding": load_pools(graph_embedding), "pca": load_pools(pca)}
    metrics = Metrics("gene_expression", name, source, gene_expression.CONDITIONS)
    own = gene_seed(work.seed, name)
    if method.kind == "consensus":
        scored = _consensus_of_genes(metrics, method, genes, pools, gene_settings, repetitions, own)
    else:
        scored = _embeddings_of_genes(method, genes, gene_settings, repetitions, own)
    for r, label, space, scores in scored:
        work.say(f"{label}: draw {r + 1} of {repetitions}")
        at = {"repetition": r, "variant": gene_expression.MAIN}
        gene_expression.add_scores(metrics, label, scores, at)
        gene_expression.add_silhouette(metrics, label, space, genes, at)
        gene_expression.add_errors(metrics, label, scores, genes, at)
    return metrics


_Scored = tuple[int, str, np.ndarray, ClusterScores]


def _embeddings_of_genes(
    method: AddedMethod, genes: PreparedGenes, settings: GeneSettings, repetitions: int, seed: int
) -> Iterator[_Scored]:
    """Repetition, name, space and scores; what draws nothing is embedded once."""
    space = None
    for r in range(repetitions):
        if space is None or is_drawn(method):
            drawn = stream_seed(seed, "added methods", r)
            space = embed(method, genes.test, n_components=settings.n_components, seed=drawn)
            scores = score_space(space, genes.test_positive, settings.linkage)
        yield r, method.label, space, scores


def _consensus_of_genes(
    metrics: Metrics,
    method: AddedMethod,
    genes: PreparedGenes,
    pools: Mapping[str, Sequence[GenePool]],
    settings: GeneSettings,
    repetitions: int,
    seed: int,
) -> Iterator[_Scored]:
    """Repetition, name, space and scores of each reduction and strength; adds the numbers of embeddings."""
    for r in range(repetitions):
        drawn = stream_seed(seed, "added methods", r)
        for reduction in reversed(REDUCTIONS):
            pool, known = pools[reduction][r].first(settings.n_embeddings), {}
            for strength, mark in STRENGTHS.items():
                label = f"{method.label}, {SINGLE_METHODS[reduction]}, {mark.upper()}"
                chosen = pool.selected(strength, settings.theta, settings.theta_reading)
                metrics.add(label, "n_selected", len(chosen), repetition=r, variant=gene_expression.MAIN)
                key = chosen.tobytes()
                if key not in known:
                    embeddings = pool.embeddings[chosen]
                    options = {"n_components": settings.n_components, "mds": settings.mds, "seed": drawn}
                    space, _ = combine(method, embeddings, **options)
                    known[key] = space, score_space(space, genes.test_positive, settings.linkage)
                yield r, label, *known[key]
