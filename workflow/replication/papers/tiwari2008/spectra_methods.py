"""Table 1(a) and Fig. 2 of Tiwari 2008: all methods on every study, and where their ranking turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from joblib import delayed

from replication.data.readers.spectra import SpectraStudy
from replication.papers.tiwari2008.spectra_studies import (
    ESTIMATORS,
    KnownStudy,
    Learned,
    Scores,
    SpectraSettings,
    add_scores,
    learn,
    mean_scores,
    scores_of,
    truths,
)
from replication.platform.steps import QUIET, Work
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

CONDITIONS = ["study", "n_components", "truth", "naming", "kappa", "noise", "linewidth", "contrast", "cohort"]
# The two kappas of Fig. 2(a) and (b).
PICTURED_KAPPAS = (5, 7)
# Share of cancer from which a voxel counts as cancer.
ANY_CANCER = 0.05
# Judged methods that take something from the training studies: clusters their names, the others all that they call.
NAMED, THRESHOLDED = ("c_lle", "pca"), ("peak_integration", "z_score")


def run(
    studies: Sequence[SpectraStudy],
    training: Sequence[SpectraStudy],
    settings: SpectraSettings,
    *,
    dataset: str,
    source: str,
    condition: Mapping[str, float],
    ratios: Sequence[Mapping] = (),
    map_study: int | None = 0,
    work: Work = QUIET,
    learned: Learned | None = None,
    cohorts: Iterable[Sequence[SpectraStudy]] = (),
    n_first: int | None = None,
) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """
    Score every method on every study of one condition of the simulator; keep the maps of one, or of all by None.

    `cohorts` are other training studies, from each of which is learnt anew (CH-96): the scores are means over all
    studies, and over the first `n_first`, which all conditions have.
    """
    learned = learned or learn(training, settings, work.seed)
    metrics = Metrics("spectra_methods", dataset, source, CONDITIONS)
    for row in ratios:
        for metric in ("mean", "sd", "mean_with_polyamines", "measured_mean", "measured_sd", "n_voxels"):
            metrics.add("simulator", f"ratio_{metric}", row[metric], truth=row["tissue"], **condition)
    pictures, clusters = typical_spectra(training or studies), []
    calls = (delayed(score_study)(study, learned, settings, work.seed) for study in studies)
    results = results_of(calls, work.threads, work.progress(len(studies), "studies"))
    for k, (study, (scored, share, reachable, calls)) in enumerate(zip(studies, results, strict=True)):
        _add_study(metrics, study, scored, share, reachable, settings, condition)
        clusters.append({method: calls[f"clusters_{method}"] for method in NAMED})
        if map_study is None or k == min(map_study, len(studies) - 1):
            labels = {f"label_{name}": positive for name, positive in truths(study).items()}
            maps = {"positions": study.positions, **calls, **labels}
            pictures |= {f"{study.name}/{name}": values for name, values in maps.items()}
    for number, cohort in enumerate(cohorts, 1):
        anew = learn(cohort, settings, work.seed)
        scored = [
            learnt_scores(KnownStudy(study, anew, settings, work.seed), found)
            for study, found in zip(studies, clusters, strict=True)
        ]
        _add_cohort(metrics, scored, n_first, settings, {**condition, "cohort": number})
        work.say(f"learnt on training cohort {number}")
    return metrics.table(), pictures


def score_study(
    study: SpectraStudy, learned: Learned, settings: SpectraSettings, seed: int
) -> tuple[dict, float, dict, dict[str, np.ndarray]]:
    """All methods on one study."""
    known = KnownStudy(study, learned, settings, seed)
    embeddings = known.embed(settings.n_components)
    points, share = known.pca_space()
    spaces = {name: known.consensus_space(embeddings.embeddings, name) for name in ESTIMATORS}
    spaces |= {"pca": points, "features": known.spectra}
    clusters = {method: known.cluster(space) for method, space in spaces.items()}
    scored = {(method, ""): known.scores(labels) for method, labels in clusters.items()}
    of_kappa = known.lle_clusters(embeddings)
    scored |= {("lle", kappa): scores for kappa, scores in known.lle_scores(of_kappa).items()}
    scored["random", ""] = known.random_scores(clusters["c_lle"])
    called = known.threshold_calls()
    votes = [labels == known.cancer(labels) for labels in of_kappa.values()]
    called["lle_vote"] = np.mean(votes, axis=0) > 0.5
    for method, positives in (called | label_calls(study)).items():
        scored[method, ""] = {(t, ""): scores_of(positives, positive) for t, positive in truths(study).items()}
    clusters |= {f"lle_{kappa}": of_kappa[kappa] for kappa in PICTURED_KAPPAS if kappa in of_kappa}
    calls = {f"calls_{method}": positives for method, positives in called.items()}
    for method, labels in clusters.items():
        named = known.cancer(labels)
        calls[f"calls_{method}"] = labels == named
        calls[f"clusters_{method}"] = np.where(labels == named, 0, 1 + labels - (labels > named))
    low, high = settings.kappas
    reachable = {
        kappa: (int(kappa not in embeddings.skipped), embeddings.closed_groups[kappa]) for kappa in range(low, high + 1)
    }
    return scored, share, reachable, calls


def learnt_scores(known: KnownStudy, clusters: Mapping[str, np.ndarray]) -> dict[str, Scores]:
    """Scores of the methods that take something from the training studies; the clusters are found without these."""
    calls = {(method, "rule"): labels == known.cancer(labels) for method, labels in clusters.items()}
    called = known.threshold_calls()
    calls |= {(method, ""): called[method] for method in THRESHOLDED}
    return {
        method: {(truth, naming): scores_of(positives, positive) for truth, positive in truths(known.study).items()}
        for (method, naming), positives in calls.items()
    }


def label_calls(study: SpectraStudy) -> dict[str, np.ndarray]:
    """
    What is known of a study, as calls: how well boxes and cancer voxels agree is all that a detector can reach.

    box: the box against the voxels; truth: the cancer voxels against the box; any_cancer: voxels with a share of cancer
    of at least `ANY_CANCER`.
    """
    calls = {} if study.box is None or study.truth is None else {"box": study.box, "truth": study.truth}
    if study.tissue is not None:
        calls["any_cancer"] = study.tissue[:, 2] >= ANY_CANCER
    return calls


def typical_spectra(studies: Sequence[SpectraStudy]) -> dict[str, np.ndarray]:
    """
    Mean, standard deviation and an example of the spectra of each kind of tissue, where it is known.

    Cancer is what the truth says; a benign voxel is benign peripheral zone if it is mostly glandular tissue, else
    other tissue (stroma and benign hyperplasia).
    """
    pictures = {"ppm": studies[0].ppm}
    if any(study.truth is None or study.tissue is None for study in studies):
        return pictures
    spectra = np.concatenate([study.spectra for study in studies])
    truth = np.concatenate([study.truth for study in studies])
    tissue = np.concatenate([study.tissue for study in studies])
    benign = ~truth & (tissue[:, 2] < 0.1)
    glandular = tissue[:, 0] > tissue[:, 1]
    for name, chosen in (("cancer", truth), ("benign", benign & glandular), ("other", benign & ~glandular)):
        if not chosen.any():
            continue
        kind = spectra[chosen]
        distance = np.square(kind - np.median(kind, axis=0)).sum(axis=1)
        pictures |= {
            f"mean_{name}": kind.mean(axis=0),
            f"sd_{name}": kind.std(axis=0),
            # Nearer to the middle than three of four.
            f"typical_{name}": kind[np.argsort(distance, kind="stable")[len(kind) // 4]],
        }
    return pictures


def _add_cohort(
    metrics: Metrics,
    scored: Sequence[Mapping[str, Scores]],
    n_first: int | None,
    settings: SpectraSettings,
    at: Mapping,
) -> None:
    """Rows of one more training cohort: means over the studies."""
    sizes = {"c_lle": settings.n_components, "pca": settings.pca_components}
    for over, chosen in (("mean", scored), ("first", scored[:n_first])):
        for method in (*NAMED, *THRESHOLDED):
            for (truth, naming), values in mean_scores([scores[method] for scores in chosen]).items():
                for metric, value in values.items():
                    where = {"n_components": sizes.get(method, ""), "truth": truth, "naming": naming, "kappa": ""}
                    metrics.add(method, f"{over}_{metric}", value, **where, **at)


def _add_study(
    metrics: Metrics,
    study: SpectraStudy,
    scored: Mapping,
    share: float,
    reachable: Mapping,
    settings: SpectraSettings,
    condition: Mapping,
) -> None:
    """Rows of one study."""
    metrics.add("all", "n_voxels", len(study.spectra), study=study.name, **condition)
    for name, positive in truths(study).items():
        metrics.add("all", {"box": "n_box", "voxels": "n_truth"}[name], positive.sum(), study=study.name, **condition)
    sizes = {"pca": settings.pca_components, **dict.fromkeys(("lle", *ESTIMATORS), settings.n_components)}
    for (method, kappa), scores in scored.items():
        at = {"study": study.name, "n_components": sizes.get(method, ""), "kappa": kappa, **condition}
        add_scores(metrics, method, scores, **at)
    metrics.add("pca", "explained_variance", share, study=study.name, n_components=sizes["pca"], **condition)
    for kappa, (connected, groups) in reachable.items():
        metrics.add("lle", "connected", connected, study=study.name, kappa=kappa, **condition)
        metrics.add("lle", "closed_groups", groups, study=study.name, kappa=kappa, **condition)
