"""Sections of the configuration that the experiments on features share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class FeatureSettings:
    """The section feature_embedding; config/config.yaml explains its keys."""

    max_components: int
    n_neighbors: tuple[int, int]
    alphas: tuple[float, ...]
    target: str
    rule: str
    tolerance: float
    isomap_kernel: str
    form: str
    eigenvalue_power: float
    scaling: str
    classifier_scaling: str
    svm_gamma: str
    round_share: float
    round_most: int
    replacement: bool

    @property
    def embedding_options(self) -> dict[str, object]:
        """Arguments of `choose_embedding`."""
        low, high = self.n_neighbors
        return {
            "max_components": self.max_components,
            "n_neighbors": range(low, high + 1),
            "alphas": self.alphas,
            "target": self.target,
            "rule": self.rule,
            "tolerance": self.tolerance,
            "isomap_kernel": self.isomap_kernel,
            "eigenvalue_power": self.eigenvalue_power,
        }


@dataclass(frozen=True, kw_only=True)
class ForestRounds:
    """In how many of the rounds, and at which numbers of features, forests are scored."""

    rounds: int
    n_features: tuple[int, ...]
