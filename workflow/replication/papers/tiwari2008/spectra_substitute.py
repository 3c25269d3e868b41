"""
How hard are the paper's private spectra? Contrast and noise of the simulator, by the rule of shared/substitutes.py.

In three steps; docs/rule_log.md says when their versions were fixed, and what had been seen then:

1. The contrast between cancer and benign tissue is the one of the grid at which the noise-free ratio of choline +
   creatine to citrate in cancer voxels is nearest to the mean measured in vivo (Kurhanewicz et al. 1996).
2. At that contrast, studies are simulated at every signal-to-noise ratio of the grid. The paper names no normalisation.
   So LLE (mean over the kappas), PCA and the z-score each take the one at which their mean sensitivity and specificity
   against the cancer voxels, and for PCA the share of variance of five components, are nearest to those printed (in
   percentage points).
3. The signal-to-noise ratio is the one at which all these numbers together are nearest.

Peak integration takes the normalisation of LLE, and is scored but does not count: since the simulator's lines lie where
windows are learnt, no setting comes near its printed sensitivity. Thresholds and windows are learnt on training studies
of this experiment alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from joblib import delayed

from replication.data.prostate_mrsi import MEASURED_RATIOS, ProstateMRSI, simulate_cohort, simulated_ratios
from replication.data.readers.spectra import SpectraStudy
from replication.papers.tiwari2008.spectra_metrics import BASELINE_KEYS, BASELINE_SCORES, PRINTED, PRINTED_OTHERS
from replication.papers.tiwari2008.spectra_studies import KnownStudy, Learned, SpectraSettings, learn, scores_of, truths
from replication.platform.steps import QUIET, Work
from replication.shared.substitutes import rank_settings
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

CONDITIONS = ["study", "contrast", "snr", "normalization", "truth"]
# Studies of this experiment alone.
SCORED, LEARNT = "substitute-3", "substitute-3-training"


def run(
    simulator: ProstateMRSI,
    settings: SpectraSettings,
    parameters: Mapping,
    work: Work = QUIET,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score the baselines at every setting of the simulator, and pick one."""
    metrics = Metrics("spectra_substitute", "prostate_mrsi", "simulated", CONDITIONS)
    contrast = pick_contrast(simulator, parameters["contrast"], parameters["n_studies"], work.seed, metrics)
    work.say(f"contrast {contrast}: the ratio in cancer nearest to {MEASURED_RATIOS['cancer'][0]}")
    tried, means = [], []
    for snr in parameters["snr"]:
        at = simulator.replace(snr=snr, contrast=contrast)
        studies, training = (
            simulate_cohort(at, work.seed, role, parameters[key])
            for role, key in ((SCORED, "n_studies"), (LEARNT, "n_training"))
        )
        where = {"contrast": contrast, "snr": snr}
        chosen, reached = _pick_normalizations(
            studies, training, settings, parameters["normalization"], metrics, where, work
        )
        tried.append(where | chosen.only(*BASELINE_KEYS.values()))
        means.append(reached)
        work.say(f"signal-to-noise {snr}: {len(studies)} studies")
    picks = rank_settings(tried, means, PRINTED)
    picks[list(PRINTED_OTHERS)] = [[reached[name] for name in PRINTED_OTHERS] for reached in means]
    configured = {"contrast": simulator.contrast, "snr": simulator.snr}
    configured |= settings.only(*BASELINE_KEYS.values())
    picks["configured"] = [setting == configured for setting in tried]
    return metrics.table(), picks


def pick_contrast(
    simulator: ProstateMRSI, contrasts: Sequence[float], n_studies: int, seed: int, metrics: Metrics
) -> float:
    """The contrast at which the ratio in cancer voxels is nearest to that in vivo; adds the ratios to the metrics."""
    measured = MEASURED_RATIOS["cancer"][0]
    ratios = {}
    for row in simulated_ratios(simulator.replace(contrast=1.0), seed, SCORED, n_studies, contrasts):
        metrics.add("simulator", "ratio", row["mean"], contrast=row["contrast"], truth=row["tissue"])
        if row["tissue"] == "cancer":
            ratios[row["contrast"]] = row["mean"]
    return min(ratios, key=lambda contrast: abs(ratios[contrast] - measured))


def _pick_normalizations(
    studies: Sequence[SpectraStudy],
    training: Sequence[SpectraStudy],
    settings: SpectraSettings,
    normalizations: Sequence[str],
    metrics: Metrics,
    where: Mapping[str, float],
    work: Work,
) -> tuple[SpectraSettings, dict[str, float]]:
    """Each baseline with the normalisation that brings it nearest to what is printed, and the mean scores there."""
    chosen, reached, learnt, windows = settings, {}, {}, {}
    for method, key in BASELINE_KEYS.items():
        means = {}
        for normalization in normalizations:
            changed = chosen.replace(**{key: normalization})
            of_training = changed.normalization, changed.z_score_normalization
            if of_training not in learnt:
                learnt[of_training] = learn(training, changed, work.seed, windows.get(changed.normalization))
            learned = learnt[of_training]
            windows[changed.normalization] = learned.windows
            calls = (delayed(_score)(method, study, learned, changed, work.seed) for study in studies)
            scored = list(results_of(calls, work.threads))
            for study, values in zip(studies, scored, strict=True):
                for (name, metric, truth), value in values.items():
                    at = {"study": study.name, "truth": truth, "normalization": normalization}
                    metrics.add(name, metric, value, **at, **where)
            means[changed] = mean_percentages(scored)
        chosen = min(means, key=lambda changed: distance(means[changed], method))
        reached |= means[chosen]
    return chosen, reached


def _score(
    method: str, study: SpectraStudy, learned: Learned, settings: SpectraSettings, seed: int
) -> dict[tuple[str, str, str], float]:
    """Scores of a baseline on one study."""
    known = KnownStudy(study, learned, settings, seed)
    if method == "z_score":
        return _by_threshold(method, known)
    if method == "pca":
        points, share = known.pca_space()
        return {("pca", "explained_variance", ""): share, **_by_rule("pca", known.scores(known.cluster(points)))}
    by_kappa = known.lle_scores(known.lle_clusters(known.embed(settings.n_components)))
    # Peak integration takes the same normalisation.
    return _by_rule("lle", by_kappa[""]) | _by_threshold("peak_integration", known)


def _by_rule(method: str, scores: Mapping) -> dict[tuple[str, str, str], float]:
    return {
        (method, metric, truth): values[metric]
        for (truth, naming), values in scores.items()
        if naming == "rule"
        for metric in BASELINE_SCORES
    }


def _by_threshold(method: str, known: KnownStudy) -> dict[tuple[str, str, str], float]:
    called = known.threshold_calls()[method]
    scores = {truth: scores_of(called, positive) for truth, positive in truths(known.study).items()}
    return {(method, metric, truth): values[metric] for truth, values in scores.items() for metric in BASELINE_SCORES}


def distance(means: Mapping[str, float], method: str) -> float:
    """Root mean square difference of a method's mean scores from those that are printed of it."""
    gaps = [means[name] - target for name, target in PRINTED.items() if name.split()[0] == method]
    return float(np.sqrt(np.mean(np.square(gaps))))


def mean_percentages(scored: Sequence[Mapping[tuple[str, str, str], float]]) -> dict[str, float]:
    """Means over the studies of what was scored, in percent, scores against the voxels."""
    means = {}
    for method, metric, truth in scored[0]:
        if truth in ("", "voxels"):
            means[f"{method} {metric}"] = 100 * float(np.mean([values[method, metric, truth] for values in scored]))
    return means
