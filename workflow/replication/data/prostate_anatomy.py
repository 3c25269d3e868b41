"""Simulated prostates: zones, tissue, cancer foci and the potential cancer space, on a grid of small cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from consensus_embedding.utils.seeds import stream

from replication.data.mrs_physics import Acquisition, apply_along_axes, point_spread
from replication.data.phantom import gaussian_field
from replication.data.settings import Anatomy, Foci

TISSUES = ("glandular", "stromal", "cancer")
_ATTEMPTS = 200


@dataclass(frozen=True, eq=False)
class Grid:
    """
    Cells and voxels, by their coordinates along the axes in mm from the centre of the field of view.

    x runs from right to left, y from anterior to posterior, z from base to apex.
    """

    voxels: tuple[np.ndarray, np.ndarray, np.ndarray]
    cells: tuple[np.ndarray, np.ndarray, np.ndarray]
    # Point-spread function along each axis, from cells to voxels.
    spread: tuple[np.ndarray, np.ndarray, np.ndarray]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of cells."""
        return tuple(len(axis) for axis in self.cells)

    def to_voxels(self, cells: np.ndarray) -> np.ndarray:
        """Value of each voxel, as the scanner sees it, from those of the cells."""
        return apply_along_axes(cells, self.spread)

    def smooth_field(self, rng: np.random.Generator, correlation_mm: float) -> np.ndarray:
        """Gaussian field over the cells of mean 0, SD 1 and the given lag of correlation 1/e."""
        length = correlation_mm / (self.cells[0][1] - self.cells[0][0])
        # The field repeats itself; drawn on a larger grid and cut, its ends know nothing of each other.
        margin = int(np.ceil(3.0 * length))
        return gaussian_field(rng, length, tuple(n + margin for n in self.shape))[tuple(map(slice, self.shape))]


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """An ellipsoid with axes along those of the grid, in mm."""

    centre: np.ndarray
    half_axes: np.ndarray

    def radius(self, grid: Grid) -> np.ndarray:
        """Distance of each cell from the centre as a share of that of the surface."""
        x, y, z = (
            (axis - centre) / half for axis, centre, half in zip(grid.cells, self.centre, self.half_axes, strict=True)
        )
        return np.sqrt(np.square(x)[:, None, None] + np.square(y)[:, None] + np.square(z))


@dataclass(frozen=True, eq=False)
class Focus:
    """A cancer focus: where it is, and the share of cancer in its tissue."""

    shape: Ellipsoid
    cancer_share: float


@dataclass(frozen=True, eq=False)
class Prostate:
    """One simulated prostate."""

    outline: Ellipsoid
    foci: Sequence[Focus]
    fractions: np.ndarray  # (*cells, 3): glandular, stromal and cancer tissue in each cell; all 0 outside
    voxels: np.ndarray  # (n_voxels, 3), int: grid positions of the voxels to analyse
    tissue: np.ndarray  # (n_voxels, 3): shares of the tissues in these voxels, as the scanner sees them
    peripheral: np.ndarray  # (n_voxels,): share of the peripheral zone in the prostate of these voxels
    truth: np.ndarray  # (n_voxels,), bool: cancer
    box: np.ndarray  # (n_voxels,), bool: potential cancer space


def make_grid(acquisition: Acquisition, subdivision: int) -> Grid:
    """Grid of the acquisition, with `subdivision` cells per voxel and axis."""
    encodes, size = acquisition.phase_encodes, acquisition.voxel_mm
    return Grid(
        voxels=tuple((np.arange(n) - (n - 1) / 2.0) * size for n in encodes),
        cells=tuple((np.arange(n * subdivision) - (n * subdivision - 1) / 2.0) * size / subdivision for n in encodes),
        spread=tuple(point_spread(n, subdivision) for n in encodes),
    )


def reference_half_axes(anatomy: Anatomy) -> np.ndarray:
    """Half axes in mm of a prostate of median volume and mean proportions."""
    return _half_axes(anatomy.median_volume_cc, np.array(anatomy.proportions, dtype=np.float64))


def draw_prostate(anatomy: Anatomy, foci: Foci, seed: int, name: str, grid: Grid) -> Prostate:
    """
    Draw a prostate with its foci; `name`, of the study, is for messages.

    Foci are drawn again until at least `min_voxels` voxels are with and without cancer, inside and outside of the box.
    That selects more and larger foci than are drawn first; config/simulators/prostate_mrsi.yaml says by how much.
    """
    outline, peripheral, transition = _draw_zones(anatomy, stream(seed, "zones"), grid)
    if not (peripheral.any() and transition.any()):
        raise ValueError(
            f"study {name}: expected cells of the grid in the peripheral and in the transition zone, found "
            f"{peripheral.sum()} and {transition.sum()}. Give more phase_encodes or a larger subdivision."
        )
    inside = peripheral | transition
    glandular = _draw_glandular(anatomy, stream(seed, "glandular"), grid, peripheral)
    voxels = np.argwhere(_mean_of_cells(inside, anatomy.subdivision) >= anatomy.prostate_share)

    def share_of_prostate(cells: np.ndarray) -> np.ndarray:
        seen, total = (grid.to_voxels(marked.astype(np.float64))[tuple(voxels.T)] for marked in (cells, inside))
        return seen / total

    least = foci.min_voxels
    for attempt in range(_ATTEMPTS):
        rng = stream(seed, "foci", attempt)
        drawn = _draw_foci(foci, rng, grid, peripheral, transition)
        in_focus = np.zeros(grid.shape, dtype=bool)
        cancer = np.zeros(grid.shape)
        for focus in drawn:
            cells = inside & (focus.shape.radius(grid) <= 1.0)
            in_focus |= cells
            cancer[cells] = np.maximum(cancer[cells], focus.cancer_share)
        truth = share_of_prostate(in_focus) >= foci.truth_share
        box = _draw_box(foci, rng, grid, outline, drawn, voxels)
        if all(least <= marked.sum() <= len(voxels) - least for marked in (truth, box)):
            break
    else:
        raise ValueError(
            f"study {name}: expected foci that leave at least {least} voxels with and without cancer, inside and "
            f"outside of the box, found none in {_ATTEMPTS} draws. Allow larger foci, or lower min_voxels."
        )
    rest = np.where(inside, 1.0 - cancer, 0.0)
    fractions = np.stack([rest * glandular, rest * (1.0 - glandular), cancer], axis=-1)
    tissue = np.maximum(grid.to_voxels(fractions)[tuple(voxels.T)], 0.0)
    tissue /= tissue.sum(axis=1, keepdims=True)
    return Prostate(outline, drawn, fractions, voxels, tissue, share_of_prostate(peripheral), truth, box)


def _half_axes(volume_cc: float, proportions: np.ndarray) -> np.ndarray:
    return proportions * (volume_cc * 1e3 / (4.0 / 3.0 * np.pi * np.prod(proportions))) ** (1.0 / 3.0)


def _draw_zones(anatomy: Anatomy, rng: np.random.Generator, grid: Grid) -> tuple[Ellipsoid, np.ndarray, np.ndarray]:
    """Outline of the prostate, cells of the peripheral and of the transition zone."""
    volume = anatomy.median_volume_cc * np.exp(anatomy.volume_log_sd * rng.standard_normal())
    proportions = anatomy.proportions * np.exp(anatomy.proportion_log_sd * rng.standard_normal(3))
    half_axes = _half_axes(float(np.clip(volume, *anatomy.volume_range_cc)), proportions)
    size = grid.voxels[0][1] - grid.voxels[0][0]
    # The grid is laid over the prostate by hand.
    outline = Ellipsoid(rng.uniform(-0.5, 0.5, size=3) * size, half_axes)
    scale = rng.uniform(*anatomy.transition_share) ** (1.0 / 3.0)
    front = np.array([0.0, (1.0 - scale) * half_axes[1], 0.0])
    inside = outline.radius(grid) <= 1.0
    transition = inside & (Ellipsoid(outline.centre - front, scale * half_axes).radius(grid) <= 1.0)
    return outline, inside & ~transition, transition


def _draw_glandular(anatomy: Anatomy, rng: np.random.Generator, grid: Grid, peripheral: np.ndarray) -> np.ndarray:
    field = grid.smooth_field(rng, anatomy.correlation_mm)
    zones = (anatomy.peripheral_glandular, anatomy.transition_glandular)
    in_peripheral, in_transition = (mean + sd * field for mean, sd in zones)
    return np.clip(np.where(peripheral, in_peripheral, in_transition), *anatomy.glandular_range)


def _mean_of_cells(inside: np.ndarray, subdivision: int) -> np.ndarray:
    shape = [part for n in inside.shape for part in (n // subdivision, subdivision)]
    return inside.reshape(shape).mean(axis=(1, 3, 5))


def _draw_foci(
    foci: Foci, rng: np.random.Generator, grid: Grid, peripheral: np.ndarray, transition: np.ndarray
) -> list[Focus]:
    drawn = []
    for _ in range(rng.choice(len(foci.number), p=foci.number) + 1):
        zone = peripheral if rng.random() < foci.peripheral_share else transition
        cell = rng.choice(np.argwhere(zone))
        centre = np.array([axis[k] for axis, k in zip(grid.cells, cell, strict=True)])
        diameter = foci.median_diameter_mm * np.exp(foci.diameter_log_sd * rng.standard_normal())
        shares = rng.permutation([1.0, *rng.uniform(*foci.other_diameters, size=2)])
        half_axes = np.clip(diameter, *foci.diameter_range_mm) / 2.0 * shares
        drawn.append(Focus(Ellipsoid(centre, half_axes), rng.uniform(*foci.cancer_share)))
    return drawn


def _draw_box(
    foci: Foci,
    rng: np.random.Generator,
    grid: Grid,
    outline: Ellipsoid,
    drawn: Sequence[Focus],
    voxels: np.ndarray,
) -> np.ndarray:
    """Voxels whose centre is in a cube around one of the foci, as far as sextant and diameter are known."""
    places = np.stack([axis[voxels[:, k]] for k, axis in enumerate(grid.voxels)], axis=1)
    box = np.zeros(len(voxels), dtype=bool)
    for focus in drawn:
        low, high = _sextant(focus.shape.centre, outline)
        error = foci.localization_sd_mm * rng.standard_normal(3)
        centre = np.clip(focus.shape.centre + error, low, high)
        box |= (np.abs(places - centre) <= focus.shape.half_axes.max()).all(axis=1)
    return box


def _sextant(place: np.ndarray, outline: Ellipsoid) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the sextant of a place: right or left half, and third from base to apex."""
    low, high = outline.centre - outline.half_axes, outline.centre + outline.half_axes
    middle = outline.centre[0]
    low[0], high[0] = (low[0], middle) if place[0] < middle else (middle, high[0])
    third = (high[2] - low[2]) / 3.0
    number = int(np.clip((place[2] - low[2]) // third, 0, 2))
    low[2], high[2] = low[2] + number * third, low[2] + (number + 1) * third
    return low, high
