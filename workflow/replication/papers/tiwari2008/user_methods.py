"""Methods that a configuration adds, on MR spectra of the prostate."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from replication.data.readers.spectra import load_studies
from replication.papers.tiwari2008.spectra_methods import CONDITIONS
from replication.papers.tiwari2008.spectra_studies import (
    SpectraSettings,
    add_scores,
    cluster,
    clustering_scores,
    embed,
    learn,
    prepare_for,
    study_seed,
)
from replication.platform.methods import AddedMethod
from replication.platform.settings import settings_of
from replication.shared import user_methods
from replication.shared.tidy import Metrics


def score_spectra(
    method: AddedMethod,
    seed: int,
    evaluation: str,
    training: str,
    dataset: str,
    source: str,
    settings: Mapping,
    condition: Mapping,
    progress: Callable[[str], None] = print,
) -> Metrics:
    """
    Score an added method on the studies of one condition, as spectra_methods scores the others.

    A consensus combines the locally linear embeddings over kappa, as C-LLE does; an embedding takes the spectra as LLE
    does. Clusters are found, and that of cancer is named, as of the other methods.
    """
    spectra_settings = settings_of(SpectraSettings, settings, "spectra_embedding")
    learned = learn(load_studies(training), spectra_settings, seed)
    n_components = spectra_settings.n_components
    metrics = Metrics("spectra_methods", dataset, source, CONDITIONS)
    for study in load_studies(evaluation):
        scored = study.box is not None or study.truth is not None
        progress(study.name if scored else f"{study.name}: without box and truth {method.label} gets no scores")
        spectra, own = prepare_for(study, learned, spectra_settings), study_seed(seed, study, "added methods")
        if method.kind == "consensus":
            space, _ = user_methods.combine(
                method,
                embed(study, spectra, spectra_settings, n_components).embeddings,
                n_components=spectra_settings.consensus_components or n_components,
                mds=spectra_settings.mds,
                seed=own,
            )
        else:
            space = user_methods.embed(method, spectra, n_components=n_components, seed=own)
        clusters = cluster(space, spectra_settings, study_seed(seed, study, "clusters"))
        scores = clustering_scores(clusters, study, spectra, learned, spectra_settings)
        at = {"study": study.name, "n_components": n_components, "kappa": "", **condition}
        add_scores(metrics, method.label, scores, **at)
    return metrics
