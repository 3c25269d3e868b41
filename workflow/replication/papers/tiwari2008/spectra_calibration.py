"""
Defaults for what Tiwari 2008 leaves open, picked on the training studies alone by the rule of shared/calibration.py.

An option scores by the balanced accuracy against the boxes of each training study, with windows, thresholds and
reference voxels learnt on the other training studies, of C-LLE, LLE (the mean over the kappas), PCA, z-score and peak
integration. The rule was fixed before any method was scored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from replication.data.readers.spectra import SpectraStudy
from replication.papers.tiwari2008.experiments.spectra_calibration import SpectraCalibration
from replication.papers.tiwari2008.spectra_studies import (
    SpectraSettings,
    cluster,
    clustering_scores,
    consensus_space,
    embed,
    learn,
    lle_clusters,
    lle_scores,
    pca_space,
    prepare_for,
    scores_of,
    study_seed,
    thresholds_calls,
)
from replication.shared.calibration import add_scores, calibrate
from replication.shared.tidy import Metrics

CONDITIONS = ["study", "choice", "option"]


def run(
    training: Sequence[SpectraStudy],
    settings: SpectraSettings,
    parameters: SpectraCalibration,
    *,
    dataset: str,
    source: str,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Callable[[str], None] = print,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score every option on the training studies, and pick."""
    scored, picks = calibrate(
        parameters.options, settings, score_left_out,
        [{"training": training, "k": k, "seed": seed} for k in range(len(training))],
        margin=parameters.margin, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    metrics = Metrics("spectra_calibration", dataset, source, CONDITIONS)
    add_scores(metrics, "balanced_accuracy", scored, [{"study": study.name} for study in training])
    return metrics.table(), picks


def score_left_out(training: Sequence[SpectraStudy], k: int, settings: SpectraSettings, seed: int) -> dict[str, float]:
    """Balanced accuracy of every method on one training study, with all else learnt on the others."""
    study = training[k]
    learned = learn([other for at, other in enumerate(training) if at != k], settings, seed)
    spectra, clustering_seed = prepare_for(study, learned, settings), study_seed(seed, study, "clusters")
    embeddings = embed(study, spectra, settings, settings.n_components)

    def of_space(space: np.ndarray) -> float:
        clusters = cluster(space, settings, clustering_seed)
        scores = clustering_scores(clusters, study, spectra, learned, settings)
        return scores["box", "rule"]["balanced_accuracy"]

    by_kappa = lle_scores(lle_clusters(embeddings, settings, clustering_seed), study, spectra, learned, settings)
    calls = thresholds_calls(study, spectra, learned, settings)
    return {
        "c_lle": of_space(consensus_space(embeddings.embeddings, settings)),
        "lle": by_kappa[""]["box", "rule"]["balanced_accuracy"],
        "pca": of_space(pca_space(study, settings)[0]),
        **{name: scores_of(calls[name], study.box)["balanced_accuracy"] for name in ("z_score", "peak_integration")},
    }
