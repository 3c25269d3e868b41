"""Table 1(b) of Tiwari 2008: C-LLE against LLE over the dimension of the embedding."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
from consensus_embedding.readers.spectra import SpectraStudy
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from replication.papers.tiwari2008.spectra_studies import (
    Learned,
    SpectraSettings,
    add_scores,
    cluster,
    clustering_scores,
    consensus_space,
    embed,
    learn,
    lle_clusters,
    lle_scores,
    prepare_for,
    study_seed,
)
from replication.shared.tidy import Metrics

CONDITIONS = ["study", "n_components", "truth", "naming", "kappa"]


def run(
    studies: Sequence[SpectraStudy],
    training: Sequence[SpectraStudy],
    settings: SpectraSettings,
    n_components: Sequence[int],
    *,
    dataset: str,
    source: str,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Callable[[int], None] = lambda finished: None,
    learned: Learned | None = None,
) -> pd.DataFrame:
    """
    Score C-LLE, and LLE at every kappa, at several dimensions m.

    Parameters
    ----------
    studies, training : sequence of SpectraStudy
    settings : SpectraSettings
    n_components : sequence of int
        Dimensions m.
    dataset, source : str
    seed : int
    n_jobs : int
        Processes. The result does not depend on it.
    progress : callable
        Called with the number of finished studies.
    learned : Learned, optional
        What `learn` gives of the training studies, where it is there already.

    Returns
    -------
    DataFrame
        Tidy: sensitivity, specificity and balanced accuracy.
    """
    learned = learned or learn(training, settings, seed)
    metrics = Metrics("spectra_dimensions", dataset, source, CONDITIONS)
    found = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(score_study)(study, learned, settings, n_components, seed) for study in studies
    )
    for k, (study, scored) in enumerate(zip(studies, found, strict=True)):
        for (method, m, kappa), scores in scored.items():
            add_scores(metrics, method, scores, study=study.name, n_components=m, kappa=kappa)
        progress(k + 1)
    return metrics.table()


def score_study(
    study: SpectraStudy, learned: Learned, settings: SpectraSettings, n_components: Sequence[int], seed: int
) -> dict[tuple[str, int, int | str], dict]:
    """Scores of one study by method, dimension and kappa ("": C-LLE, or the mean of LLE over the kappas)."""
    with threadpool_limits(1):
        spectra, clustering_seed = prepare_for(study, learned, settings), study_seed(seed, study, "clusters")
        scored = {}
        for m in n_components:
            # Which kappas determine an embedding depends on m, so that this is the C-LLE that would be run at that m.
            embeddings = embed(study, spectra, settings, m)
            clusters = cluster(consensus_space(embeddings.embeddings, settings), settings, clustering_seed)
            scored["c_lle", m, ""] = clustering_scores(clusters, study, spectra, learned, settings)
            found = lle_scores(lle_clusters(embeddings, settings, clustering_seed), study, spectra, learned, settings)
            scored |= {("lle", m, kappa): scores for kappa, scores in found.items()}
    return scored
