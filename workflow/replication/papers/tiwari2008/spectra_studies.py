"""From studies of MR spectra to voxels called cancer: the part that all experiments on spectra share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from consensus_embedding.consensus.consensus_clustering import consensus_clusters
from consensus_embedding.consensus.subset_embeddings import combine_embeddings
from consensus_embedding.manifold.lle import LLEEmbeddings, lle_embeddings
from consensus_embedding.utils.seeds import stream_seed
from consensus_embedding.utils.threads import one_blas_thread
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from replication.data.domains.peak_integration import (
    LITERATURE_WINDOWS,
    PeakWindows,
    best_threshold,
    learn_peak_windows,
    sensitivity_specificity,
    z_scores,
    zakian_ratio,
)
from replication.data.readers.spectra import SpectraStudy
from replication.papers.tiwari2008.settings import SpectraSettings, TrainingSettings
from replication.shared.tidy import Metrics

# Estimators of the location of K distances, by the names of their methods; the first is the paper's.
ESTIMATORS = {"c_lle": "mode", "c_lle_mean": "mean", "c_lle_median": "median"}
MODES = {"half_sample": "mode", "kernel_density": "mode_kernel_density", "histogram": "mode_histogram"}
# Orders of the norms that a spectrum may be divided by.
NORMALIZATIONS = {"none": None, "norm": 2, "area": 1}
# Random clusterings, and starts of the independent components, that scores are averaged over.
RANDOM_DRAWS = 20


@dataclass(frozen=True)
class Learned:
    """What the methods take from the training studies; no label of another study enters."""

    ppm: np.ndarray | None  # (n_points,): axis of the training studies; None without any.
    windows: PeakWindows  # Of choline + creatine and of citrate.
    # (n_reference, n_points): spectra outside the boxes, prepared as the z-score takes them: its reference voxels.
    reference: np.ndarray | None = None
    z_threshold: float | None = None
    ratio_threshold: float | None = None
    discriminant_threshold: float | None = None
    # (n_points,): direction of a linear discriminant of the voxels inside and outside the boxes: a control that shows
    # how much of the boxes the spectra show at all.
    discriminant: np.ndarray | None = None
    cancer_spectrum: np.ndarray | None = None  # (n_points,): mean of the truth where it is known, else of the boxes.


def study_seed(seed: int, study: SpectraStudy, *axes: str | int) -> int:
    """Seed of the clusterings of a study: the same for every method."""
    return stream_seed(seed, "spectra", study.name, *axes)


def prepare(study: SpectraStudy, normalization: str) -> np.ndarray:
    """Spectra as a method sees them."""
    order = NORMALIZATIONS[normalization]
    if order is None:
        return study.spectra
    return study.spectra / np.linalg.norm(study.spectra, ord=order, axis=1, keepdims=True)


def learn(training: Sequence[SpectraStudy], settings: TrainingSettings, seed: int) -> Learned:
    """
    Windows, reference voxels and thresholds from training studies.

    The labels of all that calls voxels are what a clinic has: the boxes, not the truth. Windows come from the
    independent components of the spectra inside the boxes, thresholds from the largest sensitivity + specificity. The
    truth enters the mean cancer spectrum alone, which calls nothing.
    """
    if not training:
        return Learned(None, LITERATURE_WINDOWS)
    for study in training:
        if study.box is None:
            raise ValueError(f"{study.name}: a training study needs a column or image named box, found none.")
        check_axis(study, training[0].ppm)
    spectra = np.concatenate([prepare(study, settings.normalization) for study in training])
    scaled = np.concatenate([prepare(study, settings.z_score_normalization) for study in training])
    box = np.concatenate([study.box for study in training])
    truth = np.concatenate([study.box if study.truth is None else study.truth for study in training])
    ppm = training[0].ppm
    windows = learn_peak_windows(
        spectra[box], ppm, settings.ica_components, seed=stream_seed(seed, "spectra", "windows")
    )
    reference = scaled[~box]
    ratio = zakian_ratio(spectra, ppm, windows, baseline=settings.baseline)
    direction = discriminant(spectra, box)
    return Learned(
        ppm,
        windows,
        reference,
        z_threshold=best_threshold(z_scores(scaled, reference), box),
        ratio_threshold=best_threshold(ratio, box),
        discriminant_threshold=best_threshold(spectra @ direction, box),
        discriminant=direction,
        cancer_spectrum=spectra[truth].mean(axis=0),
    )


def discriminant(spectra: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """
    Direction of Fisher's linear discriminant, the covariance of each class shrunk by the share of Ledoit and Wolf 2004.

    scikit-learn standardises within each class first, so it shrinks towards the diagonal matrix of the variances.
    """
    with one_blas_thread():
        model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto", priors=[0.5, 0.5])
        return model.fit(spectra, positive).coef_[0]


def prepare_for(study: SpectraStudy, learned: Learned, settings: SpectraSettings) -> np.ndarray:
    """
    Spectra as all methods but PCA and the z-score see them, of a study with the ppm axis of the training studies.

    Clusters are named by these spectra too, those of PCA among them.
    """
    if learned.ppm is not None:
        check_axis(study, learned.ppm)
    return prepare(study, settings.normalization)


def check_axis(study: SpectraStudy, ppm: np.ndarray) -> None:
    """Refuse a study that was not sampled at the ppm of the training studies."""
    if study.ppm.shape != ppm.shape or not np.allclose(study.ppm, ppm, atol=1e-4):
        raise ValueError(
            f"{study.name}: expected the ppm of the training studies ({len(ppm)} points from {ppm[0]:.3f} to "
            f"{ppm[-1]:.3f}), found {len(study.ppm)} points from {study.ppm[0]:.3f} to {study.ppm[-1]:.3f}; "
            "give all studies the same points."
        )


def embed(study: SpectraStudy, spectra: np.ndarray, settings: SpectraSettings, n_components: int) -> LLEEmbeddings:
    """LLE of one study over the range of kappa."""
    low, high = settings.kappas
    try:
        return lle_embeddings(
            spectra,
            range(low, high + 1),
            n_components,
            regularization=settings.regularization,
            on_disconnected="skip",
        )
    except ValueError as error:
        raise ValueError(f"{study.name}: {error}") from None


def consensus_space(embeddings: np.ndarray, settings: SpectraSettings, method: str = "c_lle") -> np.ndarray:
    """Consensus of LLE embeddings (K, n, m), in m dimensions too unless set otherwise, by the estimator of a method."""
    estimator = MODES[settings.mode] if method == "c_lle" else ESTIMATORS[method]
    consensus = combine_embeddings(
        embeddings,
        n_components=settings.consensus_components or embeddings.shape[2],
        estimator=estimator,
        normalization="none",
        mds=settings.mds,
    )
    return consensus.embedding


def principal_components(spectra: np.ndarray, n_components: int) -> tuple[np.ndarray, float]:
    """Scores of the first principal components, and the share of the variance that they explain."""
    centred = spectra - spectra.mean(axis=0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    share = np.square(values[:n_components]).sum() / np.square(values).sum()
    return left[:, :n_components] * values[:n_components], float(share)


def pca_space(study: SpectraStudy, settings: SpectraSettings) -> tuple[np.ndarray, float]:
    """Principal components of a study, normalised as PCA takes it, and the share of the variance that they explain."""
    return principal_components(prepare(study, settings.pca_normalization), settings.pca_components)


def cluster(space: np.ndarray, settings: SpectraSettings, seed: int) -> np.ndarray:
    """Consensus clusters of an embedding (Tiwari 2008, Sec. 3.3)."""
    return consensus_clusters(space, settings.n_clusters, settings.kmeans_runs, seed=seed)


def cancer_cluster(
    clusters: np.ndarray, study: SpectraStudy, spectra: np.ndarray, learned: Learned, settings: SpectraSettings
) -> int:
    """The cluster whose mean spectrum has the largest ratio of choline + creatine to citrate."""
    names = np.unique(clusters)
    means = np.array([spectra[clusters == name].mean(axis=0) for name in names])
    ratio = zakian_ratio(means, study.ppm, learned.windows, baseline=settings.baseline)
    return int(names[ratio.argmax()])


def best_cluster(clusters: np.ndarray, positive: np.ndarray) -> int:
    """The cluster that meets the truth best, by sensitivity + specificity: an oracle."""
    names = np.unique(clusters)
    return int(names[np.argmax([sum(sensitivity_specificity(clusters == name, positive)) for name in names])])


def thresholds_calls(
    study: SpectraStudy, spectra: np.ndarray, learned: Learned, settings: SpectraSettings
) -> dict[str, np.ndarray]:
    """
    Voxels called cancer by the methods that have a threshold.

    Without training studies that is peak integration by windows and threshold of the literature alone.
    """
    ratio = zakian_ratio(spectra, study.ppm, LITERATURE_WINDOWS, baseline=settings.baseline)
    customary = {"peak_integration_literature": ratio >= settings.literature_ratio}
    if learned.reference is None:
        return customary
    ratio = zakian_ratio(spectra, study.ppm, learned.windows, baseline=settings.baseline)
    return customary | {
        "z_score": z_scores(prepare(study, settings.z_score_normalization), learned.reference) >= learned.z_threshold,
        "peak_integration": ratio >= learned.ratio_threshold,
        "discriminant": spectra @ learned.discriminant >= learned.discriminant_threshold,
    }


def truths(study: SpectraStudy) -> dict[str, np.ndarray]:
    """What calls can be compared with: the boxes, the voxels themselves, or nothing."""
    return {name: labels for name, labels in (("box", study.box), ("voxels", study.truth)) if labels is not None}


def scores_of(called: np.ndarray, positive: np.ndarray) -> dict[str, float]:
    """Sensitivity, specificity and their mean."""
    sensitivity, specificity = sensitivity_specificity(called, positive)
    return {
        "sensitivity": sensitivity,
        "specificity": specificity,
        "balanced_accuracy": (sensitivity + specificity) / 2,
    }


def clustering_scores(
    clusters: np.ndarray, study: SpectraStudy, spectra: np.ndarray, learned: Learned, settings: SpectraSettings
) -> dict[tuple[str, str], dict[str, float]]:
    """Scores of a clustering by truth and by the way its cancer cluster is named."""
    named = cancer_cluster(clusters, study, spectra, learned, settings)
    return {
        (truth, naming): scores_of(clusters == chosen, positive)
        for truth, positive in truths(study).items()
        for naming, chosen in (("rule", named), ("oracle", best_cluster(clusters, positive)))
    }


def random_scores(
    clusters: np.ndarray,
    study: SpectraStudy,
    spectra: np.ndarray,
    learned: Learned,
    settings: SpectraSettings,
    seed: int,
) -> dict[tuple[str, str], dict[str, float]]:
    """Mean scores of clusters of the same sizes with voxels drawn at random: what rule and oracle get for free."""
    rng = np.random.default_rng(seed)
    drawn = [rng.permutation(clusters) for _ in range(RANDOM_DRAWS)]
    return mean_scores([clustering_scores(shuffled, study, spectra, learned, settings) for shuffled in drawn])


def add_scores(metrics: Metrics, method: str, scores: Mapping[tuple[str, str], Mapping[str, float]], **at) -> None:
    """Add the scores of `clustering_scores`."""
    for (truth, naming), values in scores.items():
        for metric, value in values.items():
            metrics.add(method, metric, value, truth=truth, naming=naming, **at)


def mean_scores(listed: Sequence[Mapping[tuple[str, str], Mapping[str, float]]]) -> dict:
    """Mean of several sets of scores, as over the kappas."""
    return {
        key: {metric: float(np.mean([scores[key][metric] for scores in listed])) for metric in values}
        for key, values in listed[0].items()
    }


def lle_clusters(embeddings: LLEEmbeddings, settings: SpectraSettings, seed: int) -> dict[int, np.ndarray]:
    """Consensus clusters of LLE at each kappa, by kappa."""
    return {
        kappa: cluster(space, settings, seed)
        for kappa, space in zip(embeddings.kappas, embeddings.embeddings, strict=True)
    }


def lle_scores(
    clusters: Mapping[int, np.ndarray],
    study: SpectraStudy,
    spectra: np.ndarray,
    learned: Learned,
    settings: SpectraSettings,
) -> dict[int | str, dict[tuple[str, str], dict[str, float]]]:
    """Scores of LLE by kappa, their mean over the kappas under ""."""
    by_kappa = {
        kappa: clustering_scores(labels, study, spectra, learned, settings) for kappa, labels in clusters.items()
    }
    return {"": mean_scores(list(by_kappa.values()))} | by_kappa
