"""Physics of proton MR spectra: strongly coupled citrate under PRESS, relaxation, line shapes, spectra, k-space."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from replication.data.settings import Acquisition, CoupledPairs, Lines, Processing


def citrate_lines(
    larmor_mhz: float, coupling_hz: float, difference_ppm: float, echo_times_ms: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray]:
    """
    Frequencies and complex amplitudes, (4,) each, of the AB spin system of citrate at the top of the PRESS echo.

    The density matrix of two coupled protons is followed through 90 - TE1/2 - 180 - TE1/2 + TE2/2 - 180 - TE2/2 with
    ideal hard pulses, under H / 2 pi = d/2 (I1z - I2z) + J I1.I2 (Mulkern and Bowers 1994, Concepts Magn Reson 6:1).
    Frequencies are in Hz from the mean of the two shifts, d apart. Amplitudes are shares of the total signal of the
    protons, without relaxation; they sum to 1 at TE 0.
    """
    # Spin operators of two protons; the Hamiltonian is real symmetric.
    half = np.array([[0, 1], [1, 0]]) / 2.0, np.array([[0, -1j], [1j, 0]]) / 2.0, np.diag([0.5, -0.5])
    first, second = ([np.kron(s, np.eye(2)) for s in half], [np.kron(np.eye(2), s) for s in half])
    hamiltonian = difference_ppm * larmor_mhz / 2.0 * (first[2] - second[2])
    hamiltonian = hamiltonian + coupling_hz * sum(a @ b for a, b in zip(first, second, strict=True))
    # A term along the field, which commutes with the others, separates states of different order; the echo refocuses
    # it, so it is left out of the energies.
    along = first[2] + second[2]
    _, states = np.linalg.eigh(hamiltonian.real + 1e3 * (1.0 + abs(coupling_hz)) * along)
    energies = np.diag(states.T @ hamiltonian.real @ states)

    def wait(rho: np.ndarray, milliseconds: float) -> np.ndarray:
        phases = np.exp(-2j * np.pi * energies * milliseconds * 1e-3)
        evolution = (states * phases) @ states.T
        return evolution @ rho @ evolution.conj().T

    total_x = first[0] + second[0]
    # exp(-i pi Ix) of one spin is -2i Ix.
    pulse = np.kron(-2j * half[0], -2j * half[0])
    te1, te2 = echo_times_ms
    rho = wait(total_x, te1 / 2.0)
    rho = wait(pulse @ rho @ pulse.conj().T, (te1 + te2) / 2.0)
    rho = wait(pulse @ rho @ pulse.conj().T, te2 / 2.0)

    # Signal Tr(rho F+); each pair of states contributes exp(-2 pi i (E_r - E_s) t).
    raising = states.T @ (total_x + 1j * (first[1] + second[1])) @ states
    weights = (states.T @ rho @ states) * raising.T
    frequencies = -(energies[:, None] - energies[None, :])
    # The four transitions in which one spin turns.
    order = np.diag(states.T @ along @ states)
    single = np.isclose(order[:, None] - order[None, :], -1.0)
    amplitudes = weights[single] / np.trace(total_x @ total_x)
    rank = np.argsort(frequencies[single], kind="stable")
    return frequencies[single][rank], amplitudes[rank]


def relaxation_factor(echo_time_ms: float, repetition_time_ms: float, t1_ms: float, t2_ms: float) -> float:
    """Share of the signal that relaxation leaves: exp(-TE / T2) (1 - exp(-TR / T1))."""
    return float(np.exp(-echo_time_ms / t2_ms) * -np.expm1(-repetition_time_ms / t1_ms))


def gaussian_decay(time: np.ndarray, width_hz: float | np.ndarray) -> np.ndarray:
    """Decay in time (s) of a Gaussian line of this full width at half maximum, which broadcasts with `time`."""
    return np.exp(-np.square(np.pi * width_hz * time) / (4.0 * np.log(2.0)))


def time_axis(acquisition: Acquisition) -> np.ndarray:
    """Times of the acquired points from the top of the echo, in s."""
    return np.arange(acquisition.n_points) / acquisition.bandwidth_hz


def metabolite_lines(
    acquisition: Acquisition, metabolites: Mapping[str, CoupledPairs | Lines]
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """
    Shifts in ppm and amplitudes of the lines of 1 mmol/kg of each metabolite at the top of the echo.

    Metabolites go by name, as in `vars` of `Metabolites`. The unit of the amplitudes, complex for citrate, is the
    signal of 1 mmol/kg of protons at TE 0 without saturation.
    """
    lines = {}
    for name, substance in metabolites.items():
        left = relaxation_factor(
            sum(acquisition.echo_times_ms), acquisition.repetition_time_ms, substance.t1_ms, substance.t2_ms
        )
        if isinstance(substance, CoupledPairs):
            offsets, shares = citrate_lines(
                acquisition.larmor_mhz,
                substance.coupling_hz,
                substance.difference_ppm,
                acquisition.echo_times_ms,
            )
            shifts = substance.shift_ppm + offsets / acquisition.larmor_mhz
            lines[name] = shifts, left * substance.protons * shares
        else:
            shifts, protons = np.array(substance.lines, dtype=np.float64).T
            lines[name] = shifts, left * substance.visible * protons
    return lines


def metabolite_signals(
    acquisition: Acquisition, metabolites: Mapping[str, CoupledPairs | Lines], linewidth: float = 1.0
) -> dict[str, np.ndarray]:
    """
    Complex signals in time, (n_points,), of 1 mmol/kg of each metabolite in a homogeneous field.

    The value at time 0 is the area of the spectrum, in the unit of `metabolite_lines`. `linewidth` multiplies the
    widths of the lines; the decay until the echo stays as it is.
    """
    time = time_axis(acquisition)
    signals = {}
    for name, (shifts, amplitudes) in metabolite_lines(acquisition, metabolites).items():
        substance = metabolites[name]
        frequencies = (shifts - acquisition.carrier_ppm) * acquisition.larmor_mhz
        decay = np.exp(-linewidth * time * 1e3 / substance.t2_ms)
        decay = decay * gaussian_decay(time, linewidth * substance.extra_width_hz)
        signals[name] = amplitudes @ np.exp(2j * np.pi * frequencies[:, None] * time) * decay
    return signals


def spectra_of(signals: np.ndarray, acquisition: Acquisition, processing: Processing) -> np.ndarray:
    """
    Process signals as a clinical workstation does: Gaussian filter, zero-filling, Fourier transform, real part.

    Complex signals in time, (..., n_points), become spectra, (..., n_kept_points), at the shifts of `ppm_axis`. The sum
    over all frequencies times their distance in Hz is the value at time 0.
    """
    weighted = signals * gaussian_decay(time_axis(acquisition), processing.apodization_hz)
    # The transform of a signal that begins at 0 counts its first point half; otherwise the base line is raised.
    weighted[..., 0] /= 2.0
    spectra = np.fft.fft(weighted, n=processing.zero_filled_points, axis=-1)
    return spectra.real[..., _kept_points(acquisition, processing)] * (2.0 / acquisition.bandwidth_hz)


def noise_in_spectra(acquisition: Acquisition, processing: Processing) -> float:
    """SD of the noise in spectra of `spectra_of`, for noise of SD 1 in both channels of the signal."""
    weights = gaussian_decay(time_axis(acquisition), processing.apodization_hz)
    weights[0] /= 2.0
    return float(np.linalg.norm(weights)) * 2.0 / acquisition.bandwidth_hz


def ppm_axis(acquisition: Acquisition, processing: Processing) -> np.ndarray:
    """Chemical shifts in ppm of the points of `spectra_of`, falling."""
    n_points = processing.zero_filled_points
    frequencies = np.fft.fftfreq(n_points, 1.0 / acquisition.bandwidth_hz)[_kept_points(acquisition, processing)]
    return acquisition.carrier_ppm + frequencies / acquisition.larmor_mhz


def _kept_points(acquisition: Acquisition, processing: Processing) -> np.ndarray:
    """Indices into the transform, by falling frequency from the first shift on."""
    n_points, n_kept = processing.zero_filled_points, processing.n_kept_points
    hz_per_point = acquisition.bandwidth_hz / n_points
    offset = (processing.first_ppm - acquisition.carrier_ppm) * acquisition.larmor_mhz
    first = int(np.floor(offset / hz_per_point))
    if first >= n_points // 2 or first - n_kept + 1 < -(n_points // 2):
        raise ValueError(
            f"processing: expected {n_kept} points from {processing.first_ppm} ppm on within the bandwidth, found "
            f"that they reach beyond it. Keep fewer points, or zero-fill more."
        )
    return np.arange(first, first - n_kept, -1) % n_points


def point_spread(n_encodes: int, subdivision: int = 1) -> np.ndarray:
    """
    Point-spread function of Hamming-filtered phase encoding along one axis, (n_encodes, n_encodes * subdivision).

    It maps values of cells, `subdivision` to a voxel, to those of voxels; rows sum to 1, and repeat with the field of
    view. The number of phase encodes is that of voxels.
    """
    n_cells = n_encodes * subdivision
    k = np.arange(n_encodes) - n_encodes // 2
    weights = 0.54 + 0.46 * np.cos(2.0 * np.pi * k / n_encodes)
    voxels = np.arange(n_encodes) + 0.5
    cells = (np.arange(n_cells) + 0.5) / subdivision
    distance = voxels[:, None] - cells[None, :]
    return np.cos(2.0 * np.pi * distance[:, :, None] * k / n_encodes) @ weights / n_cells


def apply_along_axes(array: np.ndarray, matrices: tuple[np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
    """Apply a matrix, (new length, old length), along each of the first three axes."""
    for axis, matrix in enumerate(matrices):
        array = np.moveaxis(np.tensordot(matrix, array, axes=(1, axis)), 0, axis)
    return array
