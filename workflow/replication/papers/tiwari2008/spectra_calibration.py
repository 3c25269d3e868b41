"""
Defaults for what Tiwari 2008 leaves open, picked on the training studies alone by the rule of shared/calibration.py.

An option scores by the balanced accuracy against the boxes of each training study, with windows, thresholds and
reference voxels learnt on the other training studies, of C-LLE, LLE (the mean over the kappas), PCA, z-score and peak
integration. The rule was fixed before any method was scored.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from replication.data.readers.spectra import SpectraStudy
from replication.papers.tiwari2008.experiments.spectra_calibration import SpectraCalibration
from replication.papers.tiwari2008.spectra_studies import KnownStudy, SpectraSettings, learn, scores_of
from replication.platform.steps import QUIET, Work
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
    work: Work = QUIET,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score every option on the training studies, and pick."""
    scored, picks = calibrate(
        parameters.options, settings, score_left_out,
        [{"training": training, "k": k, "seed": work.seed} for k in range(len(training))],
        margin=parameters.margin, n_jobs=work.threads, progress=work.say,
    )  # fmt: skip
    metrics = Metrics("spectra_calibration", dataset, source, CONDITIONS)
    add_scores(metrics, "balanced_accuracy", scored, [{"study": study.name} for study in training])
    return metrics.table(), picks


def score_left_out(training: Sequence[SpectraStudy], k: int, settings: SpectraSettings, seed: int) -> dict[str, float]:
    """Balanced accuracy of every method on one training study, with all else learnt on the others."""
    study = training[k]
    learned = learn([other for at, other in enumerate(training) if at != k], settings, seed)
    known = KnownStudy(study, learned, settings, seed)
    embeddings, calls = known.embed(settings.n_components), known.threshold_calls()
    scores = {
        "c_lle": known.scores(known.cluster(known.consensus_space(embeddings.embeddings))),
        "lle": known.lle_scores(known.lle_clusters(embeddings))[""],
        "pca": known.scores(known.cluster(known.pca_space()[0])),
    }
    of_box = {method: values["box", "rule"] for method, values in scores.items()}
    of_box |= {method: scores_of(calls[method], study.box) for method in ("z_score", "peak_integration")}
    return {method: values["balanced_accuracy"] for method, values in of_box.items()}
