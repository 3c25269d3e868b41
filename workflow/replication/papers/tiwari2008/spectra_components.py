"""Fig. 2(g)-(i) of Tiwari 2008: do the spectra of the cluster called cancer contain the spectrum of cancer?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from consensus_embedding.utils.seeds import stream
from joblib import delayed

from replication.data.domains.peak_integration import component_starts
from replication.data.readers.spectra import SpectraStudy
from replication.papers.tiwari2008.spectra_studies import KnownStudy, Learned, SpectraSettings
from replication.platform.steps import QUIET, Work
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

CONDITIONS = ["study"]


def run(
    studies: Sequence[SpectraStudy],
    learned: Learned,
    settings: SpectraSettings,
    parameters: Mapping,
    *,
    dataset: str,
    source: str,
    map_study: int = 0,
    work: Work = QUIET,
) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Correlate independent components of clusters called cancer with the mean cancer spectrum of training."""
    metrics = Metrics("spectra_components", dataset, source, CONDITIONS)
    pictures = {"ppm": studies[0].ppm}
    if learned.cancer_spectrum is None:
        return metrics.table(), pictures
    pictures["reference"] = learned.cancer_spectrum
    calls = (delayed(score_study)(study, learned, settings, parameters, work.seed) for study in studies)
    results = results_of(calls, work.threads, work.progress(len(studies), "studies"))
    for k, (study, (scored, drawn)) in enumerate(zip(studies, results, strict=True)):
        for method, values in scored.items():
            for metric, value in values.items():
                metrics.add(method, metric, value, study=study.name)
        if k == map_study:
            pictures |= drawn | {"study": np.array(study.name)}
    return metrics.table(), pictures


def score_study(
    study: SpectraStudy, learned: Learned, settings: SpectraSettings, parameters: Mapping, seed: int
) -> tuple[dict[str, dict[str, float]], dict[str, np.ndarray]]:
    """Correlations by method, and the components and mean spectra of C-LLE and PCA."""
    known = KnownStudy(study, learned, settings, seed)
    spectra = known.spectra
    spaces = {
        "c_lle": known.consensus_space(known.embed(settings.n_components).embeddings),
        "pca": known.pca_space()[0],
        "features": spectra,
    }
    chosen = {}
    for method, space in spaces.items():
        clusters = known.cluster(space)
        chosen[method] = clusters == known.cancer(clusters)
    if study.truth is not None:
        chosen["truth"] = study.truth
        # As many voxels at random, treated as the cancer is.
        chosen["random_as_truth"] = stream(seed, "spectra", study.name, "random as truth").permutation(study.truth)
    scored, drawn = {}, {}
    component_seed, starts = known.seed_of("components"), parameters["starts"]
    for method, members in chosen.items():
        component, scores = best_component(
            spectra[members], learned.cancer_spectrum, settings.ica_components, starts, component_seed
        )
        scored[method] = {**scores, "n_voxels": float(members.sum())}
        if method in ("c_lle", "pca"):
            drawn |= {f"ic_{method}": component, f"mean_{method}": spectra[members].mean(axis=0)}
    rng, size = stream(seed, "spectra", study.name, "random"), int(chosen["c_lle"].sum())
    draws = [
        best_component(
            spectra[rng.permutation(len(spectra))[:size]],
            learned.cancer_spectrum,
            settings.ica_components,
            1,
            component_seed,
        )[1]
        for _ in range(parameters["random_draws"])
    ]
    scored["random"] = {key: float(np.mean([draw[key] for draw in draws])) for key in draws[0]}
    scored["random"]["n_voxels"] = float(size)
    return scored, drawn


def best_component(
    spectra: np.ndarray, reference: np.ndarray, n_components: int, n_starts: int, seed: int
) -> tuple[np.ndarray, dict[str, float]]:
    """The independent component of some spectra that meets a reference spectrum best."""
    by_start = []
    for components in component_starts(spectra, n_components, n_starts, seed=seed):
        correlations = np.array([np.corrcoef(candidate, reference)[0, 1] for candidate in components])
        best = int(np.abs(correlations).argmax())
        by_start.append((float(abs(correlations[best])), components[best] * np.sign(correlations[best])))
    by_start.sort(key=lambda start: start[0])
    correlation, component = by_start[(n_starts - 1) // 2]
    return component, {
        "correlation": correlation,
        "correlation_mean": float(np.corrcoef(spectra.mean(axis=0), reference)[0, 1]),
    }
