"""
How hard are the paper's private spectra? Contrast and noise of the simulator, set by what Tiwari 2008 prints.

The rule, fixed before any setting was scored, in two steps:

1. The contrast between cancer and benign tissue is the one of the grid at which the noise-free ratio of choline +
   creatine to citrate in cancer voxels is nearest to the mean measured in vivo (Kurhanewicz et al. 1996).
2. At that contrast, studies apart from all others are simulated at every signal-to-noise ratio of the grid, and
   prepared by every normalisation, of which the paper names none. LLE (mean over the kappas), PCA, the z-score and
   peak integration are scored against the cancer voxels. The setting is taken whose mean sensitivities and
   specificities, and share of variance of five principal components, are nearest to those printed (root mean square,
   in percentage points).

C-LLE is not run. Thresholds and windows are learnt on training studies of this experiment alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from consensus_embedding.readers.spectra import SpectraStudy
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from replication.datasets.prostate_mrsi import MEASURED_RATIOS, ProstateMRSI, simulate_cohort, simulated_ratios
from replication.papers.tiwari2008.spectra_studies import (
    Learned,
    SpectraSettings,
    cluster,
    clustering_scores,
    embed,
    learn,
    lle_clusters,
    lle_scores,
    prepare_for,
    principal_components,
    scores_of,
    study_seed,
    thresholds_calls,
    truths,
)
from replication.papers.tiwari2008.spectra_values import PAPER_SCORES, PAPER_VARIANCE
from replication.shared.substitutes import rank_settings
from replication.shared.tidy import Metrics

CONDITIONS = ["study", "contrast", "snr", "normalization", "truth"]
# Studies of this experiment alone.
SCORED, LEARNT = "substitute", "substitute-training"
BASELINES = ("lle", "pca", "z_score", "peak_integration")
SCORES = ("sensitivity", "specificity")
# In percent.
PRINTED = {f"{method} {score}": PAPER_SCORES[method][k] for method in BASELINES for k, score in enumerate(SCORES)} | {
    "pca explained_variance": 100 * PAPER_VARIANCE
}


def run(
    simulator: ProstateMRSI,
    settings: SpectraSettings,
    parameters: Mapping,
    *,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Callable[[str], None] = print,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """
    Score the baselines at every setting of the simulator, and pick one.

    Parameters
    ----------
    simulator : ProstateMRSI
    settings : SpectraSettings
    parameters : mapping
        contrast, snr, normalization: the grid; n_studies, n_training.
    seed : int
    n_jobs : int
        Processes. The result does not depend on it.
    progress : callable

    Returns
    -------
    metrics : DataFrame
        Tidy: ratio (mean in cancer voxels) per contrast; sensitivity, specificity (against the voxels and the boxes)
        and explained_variance per study, method and setting.
    picks : DataFrame
        Of `rank_settings`, with a column "configured": whether the configuration holds this setting.
    """
    metrics = Metrics("spectra_substitute", "prostate_mrsi", "simulated", CONDITIONS)
    contrast = pick_contrast(simulator, parameters["contrast"], parameters["n_studies"], seed, metrics)
    progress(f"contrast {contrast}: the ratio in cancer nearest to {MEASURED_RATIOS['cancer'][0]}")
    tried, means = [], []
    with Parallel(n_jobs=n_jobs) as workers:
        for snr in parameters["snr"]:
            at = replace(simulator, snr=snr, contrast=contrast)
            studies, training = (
                simulate_cohort(at, seed, role, parameters[key])
                for role, key in ((SCORED, "n_studies"), (LEARNT, "n_training"))
            )
            for normalization in parameters["normalization"]:
                setting = {"contrast": contrast, "snr": snr, "normalization": normalization}
                changed = replace(settings, normalization=normalization)
                learned = learn(training, changed, seed)
                found = workers(delayed(score_baselines)(study, learned, changed, seed) for study in studies)
                for study, scored in zip(studies, found, strict=True):
                    for (method, metric, truth), value in scored.items():
                        metrics.add(method, metric, value, study=study.name, truth=truth, **setting)
                tried.append(setting)
                means.append(mean_percentages(found))
                progress(f"signal-to-noise {snr}, normalisation {normalization}: {len(studies)} studies")
    picks = rank_settings(tried, means, PRINTED)
    configured = {"contrast": simulator.contrast, "snr": simulator.snr, "normalization": settings.normalization}
    picks["configured"] = [setting == configured for setting in tried]
    return metrics.table(), picks


def pick_contrast(
    simulator: ProstateMRSI, contrasts: Sequence[float], n_studies: int, seed: int, metrics: Metrics
) -> float:
    """The contrast at which the ratio in cancer voxels is nearest to that in vivo; adds the ratios to the metrics."""
    measured = MEASURED_RATIOS["cancer"][0]
    ratios = {}
    for contrast in contrasts:
        for row in simulated_ratios(replace(simulator, contrast=contrast), seed, SCORED, n_studies):
            metrics.add("simulator", "ratio", row["mean"], contrast=contrast, truth=row["tissue"])
            if row["tissue"] == "cancer":
                ratios[contrast] = row["mean"]
    return min(ratios, key=lambda contrast: abs(ratios[contrast] - measured))


def score_baselines(
    study: SpectraStudy, learned: Learned, settings: SpectraSettings, seed: int
) -> dict[tuple[str, str, str], float]:
    """
    What the paper compares C-LLE with, on one study.

    Returns
    -------
    dict
        (method, metric, truth) -> value; truth is "box", "voxels", or "" for explained_variance.
    """
    with threadpool_limits(1):
        spectra, clustering_seed = prepare_for(study, learned, settings), study_seed(seed, study, "clusters")
        embeddings = embed(study, spectra, settings, settings.n_components)
        points, share = principal_components(spectra, settings.pca_components)
        clusters = lle_clusters(embeddings, settings, clustering_seed)
        by_rule = {
            "lle": lle_scores(clusters, study, spectra, learned, settings)[""],
            "pca": clustering_scores(cluster(points, settings, clustering_seed), study, spectra, learned, settings),
        }
        calls = thresholds_calls(study, spectra, learned, settings)
        found: dict[tuple[str, str, str], float] = {("pca", "explained_variance", ""): share}
        for truth, positive in truths(study).items():
            scored = {method: scores[truth, "rule"] for method, scores in by_rule.items()}
            scored |= {method: scores_of(calls[method], positive) for method in ("z_score", "peak_integration")}
            for method, values in scored.items():
                found |= {(method, metric, truth): values[metric] for metric in SCORES}
        return found


def mean_percentages(found: Sequence[Mapping[tuple[str, str, str], float]]) -> dict[str, float]:
    """Means over the studies of what is printed, in percent, scores against the voxels."""
    means = {}
    for name in PRINTED:
        method, metric = name.split()
        truth = "" if metric == "explained_variance" else "voxels"
        means[name] = 100 * float(np.mean([one[method, metric, truth] for one in found]))
    return means
