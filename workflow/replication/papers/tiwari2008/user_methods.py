"""Methods that a configuration adds, on MR spectra of the prostate."""

from __future__ import annotations

from collections.abc import Mapping

from replication.data.readers.spectra import load_studies
from replication.papers.tiwari2008.spectra_methods import CONDITIONS
from replication.papers.tiwari2008.spectra_studies import KnownStudy, SpectraSettings, add_scores, learn
from replication.platform.methods import AddedMethod
from replication.platform.settings import settings_of
from replication.platform.steps import Work
from replication.shared import user_methods
from replication.shared.tidy import Metrics


def score_spectra(
    method: AddedMethod,
    work: Work,
    evaluation: str,
    training: str,
    dataset: str,
    source: str,
    settings: Mapping,
    condition: Mapping,
) -> Metrics:
    """
    Score an added method on the studies of one condition, as spectra_methods scores the others.

    A consensus combines the locally linear embeddings over kappa, as C-LLE does; an embedding takes the spectra as LLE
    does. Clusters are found, and that of cancer is named, as of the other methods.
    """
    spectra_settings = settings_of(SpectraSettings, settings, "spectra_embedding")
    learned = learn(load_studies(training), spectra_settings, work.seed)
    n_components = spectra_settings.n_components
    metrics = Metrics("spectra_methods", dataset, source, CONDITIONS)
    for study in load_studies(evaluation):
        scored = study.box is not None or study.truth is not None
        work.say(study.name if scored else f"{study.name}: without box and truth {method.label} gets no scores")
        known = KnownStudy(study, learned, spectra_settings, work.seed)
        own = known.seed_of("added methods")
        if method.kind == "consensus":
            space, _ = user_methods.combine(
                method,
                known.embed(n_components).embeddings,
                n_components=spectra_settings.consensus_components or n_components,
                mds=spectra_settings.mds,
                seed=own,
            )
        else:
            space = user_methods.embed(method, known.spectra, n_components=n_components, seed=own)
        at = {"study": study.name, "n_components": n_components, "kappa": "", **condition}
        add_scores(metrics, method.label, known.scores(known.cluster(space)), **at)
    return metrics
