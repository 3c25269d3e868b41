"""
Simulated endorectal MR spectroscopic imaging of prostates with cancer, at 1.5 T.

It replaces the private ACRIN 6659 studies of Tiwari, Rosen and Madabhushi 2008. Every parameter comes from physics
or the literature, or is an assumption that says so, and was fixed before any method was scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from consensus_embedding.utils.seeds import stream, stream_seed
from threadpoolctl import threadpool_limits

from replication.data.mrs_physics import (
    apply_along_axes,
    gaussian_decay,
    metabolite_lines,
    metabolite_signals,
    noise_in_spectra,
    point_spread,
    ppm_axis,
    spectra_of,
    time_axis,
)
from replication.data.prostate_anatomy import (
    TISSUES,
    Grid,
    Prostate,
    draw_prostate,
    make_grid,
    reference_half_axes,
)
from replication.data.readers.spectra import SpectraStudy, check_study
from replication.data.settings import Coil, ProstateMRSI

# (Choline + creatine) / citrate in vivo at 1.5 T, mean and SD: Kurhanewicz et al. 1996, Radiology 198:795. That of the
# transition zone is their benign prostatic hyperplasia.
MEASURED_RATIOS = {"peripheral zone": (0.54, 0.11), "transition zone": (0.61, 0.21), "cancer": (2.1, 1.3)}
_INTEGRATED_PPM = (2.2, 3.5)


# Roles of the cohorts of a study, by the files that they go to. Other names are other draws: these were new when the
# simulator had been set by the paper's baselines.
ROLES = {"evaluation": "judged", "training": "judged-training"}


def simulate_cohort(
    parameters: ProstateMRSI, root_seed: int, role: str, n_studies: int, **condition: Any
) -> list[SpectraStudy]:
    """
    Simulate studies of different patients, named by the role and a number: "judged-1", "judged-2" ...

    The role is what the studies are for; cohorts of different roles are independent. A larger cohort begins with the
    studies of a smaller one. `condition` are the arguments of `simulate_study` after the name.
    """
    return [
        simulate_study(parameters, stream_seed(root_seed, "prostate_mrsi", role, k), f"{role}-{k + 1}", **condition)
        for k in range(n_studies)
    ]


# Sums must not depend on the number of threads.
@threadpool_limits.wrap(limits=1, user_api="blas")
def simulate_study(
    parameters: ProstateMRSI,
    seed: int,
    name: str,
    *,
    noise: float = 1.0,
    linewidth: float = 1.0,
    contrast: float = 1.0,
    draw: int = 0,
) -> SpectraStudy:
    """
    Simulate the spectra of one prostate, in units of the SD of the noise at `noise` 1, with box, truth and tissue.

    Anatomy, concentrations, field and artefacts depend on the seed alone, so that conditions are paired. `noise`
    multiplies the SD of the noise, whose draws are numbered by `draw`; `linewidth` the widths of all lines, those from
    T2 and those from the field; `contrast` the contrast of the parameters, which is how far concentrations in cancer
    have moved from those of benign tissue (0) to those given for cancer (1), in the logarithm.
    """
    grid = make_grid(parameters.acquisition, parameters.anatomy.subdivision)
    prostate = draw_prostate(parameters.anatomy, parameters.foci, seed, name, grid)
    signals = _noise_free_signals(parameters, seed, grid, prostate, linewidth, contrast * parameters.contrast)
    unit = noise_unit(parameters)
    if noise > 0:
        sd = noise * unit / noise_in_spectra(parameters.acquisition, parameters.processing)
        signals += sd * _noise(parameters, stream(seed, "noise", draw))[tuple(prostate.voxels.T)]
    study = SpectraStudy(
        name=name,
        spectra=spectra_of(signals, parameters.acquisition, parameters.processing) / unit,
        ppm=ppm_axis(parameters.acquisition, parameters.processing),
        positions=prostate.voxels.astype(np.int64),
        box=prostate.box,
        truth=prostate.truth,
        tissue=prostate.tissue,
    )
    check_study(study)
    return study


def noise_unit(parameters: ProstateMRSI) -> float:
    """
    SD of the noise in the spectra of the main condition, in units of `spectra_of`.

    It is the height of the citrate peak of a purely glandular voxel (mean concentration, median line width, centre of a
    prostate of median size) over the parameter `snr`.
    """
    basis = metabolite_signals(parameters.acquisition, vars(parameters.metabolites))
    signal = parameters.concentrations["citrate"]["glandular"][0] * basis["citrate"]
    signal *= gaussian_decay(time_axis(parameters.acquisition), parameters.field.width_hz)
    depth = reference_half_axes(parameters.anatomy)[1]
    peak = spectra_of(signal, parameters.acquisition, parameters.processing).max()
    return float(peak * _sensitivity(parameters.coil, depth) / parameters.snr)


@threadpool_limits.wrap(limits=1, user_api="blas")
def simulated_ratios(
    parameters: ProstateMRSI, root_seed: int, role: str, n_studies: int, contrasts: Sequence[float] = (1.0,)
) -> list[dict[str, Any]]:
    """
    Compare the noise-free ratio (choline + creatine) / citrate of a cohort with `MEASURED_RATIOS`, measured in vivo.

    Areas are those of the lines at the top of the echo, so without noise, artefacts and overlap. Voxels with a share of
    cancer below 0.05 count as benign; they belong to the zone with the larger share. Mean and SD are over the voxels of
    a tissue; mean_with_polyamines has polyamines in the numerator, as where they cannot be resolved. Contrasts are
    multiples of that of the parameters.
    """
    areas, lines = {}, metabolite_lines(parameters.acquisition, vars(parameters.metabolites))
    for name, (shifts, amplitudes) in lines.items():
        # The second line of creatine is outside of what is integrated.
        areas[name] = float(amplitudes[(shifts > _INTEGRATED_PPM[0]) & (shifts < _INTEGRATED_PPM[1])].sum().real)
    grid = make_grid(parameters.acquisition, parameters.anatomy.subdivision)
    ratios, groups = {contrast: [] for contrast in contrasts}, []
    for k in range(n_studies):
        seed = stream_seed(root_seed, "prostate_mrsi", role, k)
        prostate = draw_prostate(parameters.anatomy, parameters.foci, seed, f"{role}-{k + 1}", grid)
        deviates = _deviates(parameters, seed, grid)
        for contrast in contrasts:
            maps = _concentration_maps(parameters, deviates, prostate, contrast * parameters.contrast)
            area = {name: areas[name] * grid.to_voxels(maps[name])[tuple(prostate.voxels.T)] for name in areas}
            numerator = area["choline"] + area["creatine"]
            both = np.stack([numerator, numerator + area["polyamines"]], axis=1)
            ratios[contrast].append(both / area["citrate"][:, None])
        benign = np.where(prostate.peripheral >= 0.5, "peripheral zone", "transition zone")
        mixed = np.where(prostate.tissue[:, 2] < 0.05, benign, "")
        groups.append(np.where(prostate.truth, "cancer", mixed))
    group = np.concatenate(groups)
    return [
        {
            "contrast": contrast,
            "tissue": tissue,
            "n_voxels": int((group == tissue).sum()),
            "mean": float(ratio[group == tissue, 0].mean()),
            "sd": float(ratio[group == tissue, 0].std(ddof=1)),
            "mean_with_polyamines": float(ratio[group == tissue, 1].mean()),
            "measured_mean": mean,
            "measured_sd": sd,
        }
        for contrast, ratio in ((contrast, np.concatenate(found)) for contrast, found in ratios.items())
        for tissue, (mean, sd) in MEASURED_RATIOS.items()
    ]


def concentration_distributions(
    parameters: ProstateMRSI, metabolite: str, contrast: float = 1.0
) -> dict[str, tuple[float, float]]:
    """
    Log-normal distribution of a concentration in each tissue: mean and SD of the logarithm of mmol/kg.

    At `contrast` 1 the mean in cancer is the given one, at 0 that of benign tissue (mean of glandular and stromal),
    between them and beyond it is interpolated in the logarithm. The coefficient of variation stays that of cancer.
    """
    given = parameters.concentrations[metabolite]
    means = {tissue: given[tissue][0] for tissue in TISSUES}
    benign = (means["glandular"] + means["stromal"]) / 2.0
    means["cancer"] = benign ** (1.0 - contrast) * means["cancer"] ** contrast
    distributions = {}
    for tissue in TISSUES:
        variance = np.log1p((given[tissue][1] / given[tissue][0]) ** 2)
        distributions[tissue] = (float(np.log(means[tissue]) - variance / 2.0), float(np.sqrt(variance)))
    return distributions


def _sensitivity(coil: Coil, depth_mm: float | np.ndarray) -> float | np.ndarray:
    """Relative sensitivity of the coil at a distance from the rectal wall."""
    return (1.0 + np.square((depth_mm + coil.gap_mm) / coil.radius_mm)) ** -1.5


def _noise_free_signals(
    parameters: ProstateMRSI, seed: int, grid: Grid, prostate: Prostate, linewidth: float, contrast: float
) -> np.ndarray:
    """Signals in time of the voxels, shape (n_voxels, n_points)."""
    voxels = tuple(prostate.voxels.T)
    wall = prostate.outline.centre[1] + prostate.outline.half_axes[1]
    sensitivity = _sensitivity(parameters.coil, np.maximum(wall - grid.cells[1], 0.0))[:, None]
    basis = metabolite_signals(parameters.acquisition, vars(parameters.metabolites), linewidth)
    maps = _concentration_maps(parameters, _deviates(parameters, seed, grid), prostate, contrast)
    signals = sum(grid.to_voxels(maps[name] * sensitivity)[voxels][:, None] * basis[name] for name in basis)
    citrate = parameters.concentrations["citrate"]["glandular"][0] * np.abs(basis["citrate"][0])
    fat = grid.to_voxels(_lipid_map(parameters, seed, grid, prostate) * sensitivity)[voxels]
    signals = signals + citrate * _residual_lipid(parameters, seed, fat, linewidth)
    at_voxels = _sensitivity(parameters.coil, np.maximum(wall - grid.voxels[1][voxels[1]], 0.0))
    signals += citrate * at_voxels[:, None] * _residual_water(parameters, seed, grid, voxels, linewidth)
    return signals * _field_effects(parameters, seed, grid, voxels, linewidth)


def _deviates(parameters: ProstateMRSI, seed: int, grid: Grid) -> dict[tuple[str, str], np.ndarray]:
    """Standard normal deviate of the logarithm of a concentration in each cell, by metabolite and tissue."""
    variation = parameters.variation
    between = variation.between_studies
    deviates = {}
    for name, tissue in product(vars(parameters.metabolites), TISSUES):
        rng = stream(seed, "concentration", name, tissue)
        deviate = np.sqrt(between) * rng.standard_normal()
        deviates[name, tissue] = deviate + np.sqrt(1.0 - between) * grid.smooth_field(rng, variation.correlation_mm)
    return deviates


def _concentration_maps(
    parameters: ProstateMRSI, deviates: Mapping[tuple[str, str], np.ndarray], prostate: Prostate, contrast: float
) -> dict[str, np.ndarray]:
    """Concentration of each metabolite in each cell, mmol/kg."""
    maps = {}
    for name in vars(parameters.metabolites):
        distributions = concentration_distributions(parameters, name, contrast)
        maps[name] = np.zeros(prostate.fractions.shape[:-1])
        for k, tissue in enumerate(TISSUES):
            log_median, log_sd = distributions[tissue]
            maps[name] += prostate.fractions[..., k] * np.exp(log_median + log_sd * deviates[name, tissue])
    return maps


def _lipid_map(parameters: ProstateMRSI, seed: int, grid: Grid, prostate: Prostate) -> np.ndarray:
    """Signal of the fat around the prostate in each cell, over that of citrate in glandular tissue."""
    lipid, rng = parameters.residual_lipid, stream(seed, "lipid")
    # Along a radius of the ellipsoid; the exact distance differs little for such shapes.
    outline = prostate.outline
    outside = (outline.radius(grid) - 1.0) * outline.half_axes.mean()
    excited = [
        np.abs(axis - centre) <= half + lipid.margin_mm
        for axis, centre, half in zip(grid.cells, outline.centre, outline.half_axes, strict=True)
    ]
    box = excited[0][:, None, None] & excited[1][:, None] & excited[2]
    deviate = np.sqrt(0.5) * (rng.standard_normal() + grid.smooth_field(rng, lipid.correlation_mm))
    return np.where(box & (outside >= lipid.begins_mm), lipid.to_citrate * np.exp(lipid.log_sd * deviate), 0.0)


def _residual_lipid(parameters: ProstateMRSI, seed: int, amplitude: np.ndarray, linewidth: float) -> np.ndarray:
    acquisition, lipid = parameters.acquisition, parameters.residual_lipid
    time = time_axis(acquisition)
    shifts, shares = np.array(lipid.lines, dtype=np.float64).T
    frequencies = (shifts - acquisition.carrier_ppm) * acquisition.larmor_mhz
    signal = shares @ np.exp(2j * np.pi * frequencies[:, None] * time - np.pi * linewidth * lipid.width_hz * time)
    phases = np.radians(lipid.phase_sd_degrees) * stream(seed, "lipid phase").standard_normal(len(amplitude))
    return (amplitude * np.exp(1j * phases))[:, None] * signal


def _residual_water(
    parameters: ProstateMRSI, seed: int, grid: Grid, voxels: tuple[np.ndarray, ...], linewidth: float
) -> np.ndarray:
    acquisition, water, rng = parameters.acquisition, parameters.residual_water, stream(seed, "water")
    time = time_axis(acquisition)
    size, phase = (_at_voxels(grid, grid.smooth_field(rng, water.correlation_mm), voxels) for _ in range(2))
    amplitude = water.to_citrate * np.exp(water.log_sd * size)
    phases = 2.0 * np.pi * rng.random() + np.radians(water.phase_sd_degrees) * phase
    frequency = (water.shift_ppm - acquisition.carrier_ppm) * acquisition.larmor_mhz
    signal = np.exp((2j * np.pi * frequency - np.pi * linewidth * water.width_hz) * time)
    return (amplitude * np.exp(1j * phases))[:, None] * signal


def _field_effects(
    parameters: ProstateMRSI, seed: int, grid: Grid, voxels: tuple[np.ndarray, ...], linewidth: float
) -> np.ndarray:
    """Factor on the signals: broadening, frequency error and phase error of each voxel."""
    acquisition, field, rng = parameters.acquisition, parameters.field, stream(seed, "field")
    time = time_axis(acquisition)
    width, smooth = (_at_voxels(grid, grid.smooth_field(rng, field.correlation_mm), voxels) for _ in range(2))
    own, phase = rng.standard_normal((2, len(width)))
    share = field.shift_smooth_share
    shift = field.shift_sd_ppm * acquisition.larmor_mhz * (np.sqrt(share) * smooth + np.sqrt(1.0 - share) * own)
    rotation = 2.0 * np.pi * shift[:, None] * time + np.radians(field.phase_sd_degrees) * phase[:, None]
    widths = linewidth * field.width_hz * np.exp(field.width_log_sd * width)
    return np.exp(1j * rotation) * gaussian_decay(time, widths[:, None])


def _at_voxels(grid: Grid, cells: np.ndarray, voxels: tuple[np.ndarray, ...]) -> np.ndarray:
    """Value in the cell nearest to the centre of each voxel."""
    subdivision = len(grid.cells[0]) // len(grid.voxels[0])
    return cells[tuple(index * subdivision + subdivision // 2 for index in voxels)]


def _noise(parameters: ProstateMRSI, rng: np.random.Generator) -> np.ndarray:
    """Complex noise of SD 1 in both channels, after the filter in k-space: neighbours are correlated."""
    acquisition = parameters.acquisition
    filters = tuple(point_spread(n) for n in acquisition.phase_encodes)
    white = rng.standard_normal((*acquisition.phase_encodes, acquisition.n_points, 2)).view(np.complex128)[..., 0]
    norm = np.prod([np.linalg.norm(matrix[0]) for matrix in filters])
    return apply_along_axes(white, filters) / norm
