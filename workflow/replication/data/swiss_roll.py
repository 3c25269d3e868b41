"""The Swiss roll with two classes: a sheet rolled up in space, whose halves have a label each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from consensus_embedding.utils.seeds import stream_seed
from sklearn.datasets import make_swiss_roll

# Of scikit-learn's roll: the angle runs from 1.5 pi to 4.5 pi, the sheet is 21 wide.
_FIRST_ANGLE, _MIDDLE_ANGLE, _WIDTH = 1.5 * np.pi, 3.0 * np.pi, 21.0


@dataclass(frozen=True, eq=False)
class SwissRoll:
    """Samples of a rolled sheet."""

    X: np.ndarray  # (n_samples, 3): points in space
    labels: np.ndarray  # (n_samples,): 0 or 1, the half of the sheet
    # (n_samples, 2): place on the unrolled sheet, in the unit of X: length along the roll from its inner edge, and
    # height across it.
    position: np.ndarray


def simulate_swiss_roll(n_samples: int, seed: int, *, split: str = "length") -> SwissRoll:
    """
    Draw a Swiss roll without noise and label its halves.

    Sparks and Madabhushi 2011, Sec. 4.2, divide the sheet into two domains and do not say how. The points are those of
    scikit-learn's `make_swiss_roll`: uniform in the angle, so denser by area near the inner edge, and uniform across.

    `split` says across which of its sides the sheet is halved. "length": at the median of the length along the roll in
    the population (the angle 3 pi), so that the classes are about equal in number; the outer half is larger in area.
    "width": at half its height.
    """
    X, angle = make_swiss_roll(n_samples, noise=0.0, random_state=stream_seed(seed, "swiss_roll"))
    position = np.stack([_length(angle) - _length(_FIRST_ANGLE), X[:, 1]], axis=1)
    outer = angle >= _MIDDLE_ANGLE if split == "length" else X[:, 1] >= _WIDTH / 2.0
    if outer.all() or not outer.any():
        raise ValueError(
            f"n_samples: expected samples in both halves of the sheet, found all {n_samples} in one (split {split}, "
            f"seed {seed}). Draw more samples."
        )
    return SwissRoll(X, outer.astype(np.int64), position)


def _length(angle: float | np.ndarray) -> float | np.ndarray:
    """Length of the spiral from its centre: the radius equals the angle."""
    return (angle * np.sqrt(1.0 + np.square(angle)) + np.arcsinh(angle)) / 2.0
