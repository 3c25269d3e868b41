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
# Score -> value, by truth and by the way the cancer cluster is named.
Scores = dict[tuple[str, str], dict[str, float]]


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


def prepare(study: SpectraStudy, normalization: str) -> np.ndarray:
    """Spectra as a method sees them."""
    order = NORMALIZATIONS[normalization]
    if order is None:
        return study.spectra
    return study.spectra / np.linalg.norm(study.spectra, ord=order, axis=1, keepdims=True)


def learn(
    training: Sequence[SpectraStudy], settings: TrainingSettings, seed: int, windows: PeakWindows | None = None
) -> Learned:
    """
    Windows, reference voxels and thresholds from training studies.

    The labels of all that calls voxels are what a clinic has: the boxes, not the truth. Windows come from the
    independent components of the spectra inside the boxes, thresholds from the largest sensitivity + specificity. The
    truth enters the mean cancer spectrum alone, which calls nothing. Windows depend neither on the normalisation for
    the z-score nor on the baseline; those that are known already can be given.
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
    windows = windows or learn_peak_windows(
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


def check_axis(study: SpectraStudy, ppm: np.ndarray) -> None:
    """Refuse a study that was not sampled at the ppm of the training studies."""
    if study.ppm.shape != ppm.shape or not np.allclose(study.ppm, ppm, atol=1e-4):
        raise ValueError(
            f"{study.name}: expected the ppm of the training studies ({len(ppm)} points from {ppm[0]:.3f} to "
            f"{ppm[-1]:.3f}), found {len(study.ppm)} points from {study.ppm[0]:.3f} to {study.ppm[-1]:.3f}; "
            "give all studies the same points."
        )


def principal_components(spectra: np.ndarray, n_components: int) -> tuple[np.ndarray, float]:
    """Scores of the first principal components, and the share of the variance that they explain."""
    centred = spectra - spectra.mean(axis=0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    share = np.square(values[:n_components]).sum() / np.square(values).sum()
    return left[:, :n_components] * values[:n_components], float(share)


def best_cluster(clusters: np.ndarray, positive: np.ndarray) -> int:
    """The cluster that meets the truth best, by sensitivity + specificity: an oracle."""
    names = np.unique(clusters)
    return int(names[np.argmax([sum(sensitivity_specificity(clusters == name, positive)) for name in names])])


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


def add_scores(metrics: Metrics, method: str, scores: Scores, **at) -> None:
    """Add the scores of a clustering, or means of them."""
    for (truth, naming), values in scores.items():
        for metric, value in values.items():
            metrics.add(method, metric, value, truth=truth, naming=naming, **at)


def mean_scores(listed: Sequence[Scores]) -> Scores:
    """Mean of several sets of scores, as over the kappas."""
    return {
        key: {metric: float(np.mean([scores[key][metric] for scores in listed])) for metric in values}
        for key, values in listed[0].items()
    }


class KnownStudy:
    """A study and what the methods have learnt elsewhere: spectra as they see them, embeddings, calls, scores."""

    def __init__(self, study: SpectraStudy, learned: Learned, settings: SpectraSettings, seed: int):
        if learned.ppm is not None:
            check_axis(study, learned.ppm)
        self.study, self.learned, self.settings, self.seed = study, learned, settings, seed
        # As all methods but PCA and the z-score see them. Clusters are named by them too, those of PCA among them.
        self.spectra = prepare(study, settings.normalization)

    def seed_of(self, *axes: str | int) -> int:
        """Seed of what is drawn on the study: the same for every method."""
        return stream_seed(self.seed, "spectra", self.study.name, *axes)

    def embed(self, n_components: int, kappas: tuple[int, int] | None = None) -> LLEEmbeddings:
        """LLE over the range of kappa."""
        low, high = kappas or self.settings.kappas
        try:
            return lle_embeddings(
                self.spectra,
                range(low, high + 1),
                n_components,
                regularization=self.settings.regularization,
                on_disconnected="skip",
            )
        except ValueError as error:
            raise ValueError(f"{self.study.name}: {error}") from None

    def consensus_space(self, embeddings: np.ndarray, method: str = "c_lle") -> np.ndarray:
        """Consensus of LLE embeddings (K, n, m) by a method's estimator, in m dimensions too unless set otherwise."""
        consensus = combine_embeddings(
            embeddings,
            n_components=self.settings.consensus_components or embeddings.shape[2],
            estimator=MODES[self.settings.mode] if method == "c_lle" else ESTIMATORS[method],
            normalization="none",
            mds=self.settings.mds,
        )
        return consensus.embedding

    def pca_space(self) -> tuple[np.ndarray, float]:
        """Principal components of the spectra as PCA takes them, and the share of the variance that they explain."""
        return principal_components(prepare(self.study, self.settings.pca_normalization), self.settings.pca_components)

    def cluster(self, space: np.ndarray, *axes: int) -> np.ndarray:
        """Consensus clusters of an embedding (Tiwari 2008, Sec. 3.3)."""
        seed = self.seed_of("clusters", *axes)
        return consensus_clusters(space, self.settings.n_clusters, self.settings.kmeans_runs, seed=seed)

    def lle_clusters(self, embeddings: LLEEmbeddings) -> dict[int, np.ndarray]:
        """Consensus clusters of LLE at each kappa, by kappa."""
        return {
            kappa: self.cluster(space) for kappa, space in zip(embeddings.kappas, embeddings.embeddings, strict=True)
        }

    def cancer(self, clusters: np.ndarray) -> int:
        """The cluster whose mean spectrum has the largest ratio of choline + creatine to citrate."""
        names = np.unique(clusters)
        means = np.array([self.spectra[clusters == name].mean(axis=0) for name in names])
        ratio = self._ratio(means, self.learned.windows)
        return int(names[ratio.argmax()])

    def threshold_calls(self) -> dict[str, np.ndarray]:
        """
        Voxels called cancer by the methods that have a threshold.

        Without training studies that is peak integration by windows and threshold of the literature alone.
        """
        learned, settings = self.learned, self.settings
        ratio = self._ratio(self.spectra, LITERATURE_WINDOWS)
        customary = {"peak_integration_literature": ratio >= settings.literature_ratio}
        if learned.reference is None:
            return customary
        scaled = prepare(self.study, settings.z_score_normalization)
        return customary | {
            "z_score": z_scores(scaled, learned.reference) >= learned.z_threshold,
            "peak_integration": self._ratio(self.spectra, learned.windows) >= learned.ratio_threshold,
            "discriminant": self.spectra @ learned.discriminant >= learned.discriminant_threshold,
        }

    def _ratio(self, spectra: np.ndarray, windows: PeakWindows) -> np.ndarray:
        return zakian_ratio(spectra, self.study.ppm, windows, baseline=self.settings.baseline)

    def scores(self, clusters: np.ndarray) -> Scores:
        """Scores of a clustering."""
        named = self.cancer(clusters)
        return {
            (truth, naming): scores_of(clusters == chosen, positive)
            for truth, positive in truths(self.study).items()
            for naming, chosen in (("rule", named), ("oracle", best_cluster(clusters, positive)))
        }

    def random_scores(self, clusters: np.ndarray) -> Scores:
        """Mean scores of clusters of the same sizes with voxels drawn at random: what rule and oracle get for free."""
        rng = np.random.default_rng(self.seed_of("random clusters"))
        return mean_scores([self.scores(rng.permutation(clusters)) for _ in range(RANDOM_DRAWS)])

    def lle_scores(self, clusters: Mapping[int, np.ndarray]) -> dict[int | str, Scores]:
        """Scores of LLE by kappa, their mean over the kappas under ""."""
        by_kappa = {kappa: self.scores(labels) for kappa, labels in clusters.items()}
        return {"": mean_scores(list(by_kappa.values()))} | by_kappa
