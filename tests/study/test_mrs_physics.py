"""Physics of spectra against closed forms, an independent density-matrix calculation, and published results."""

import numpy as np
import pytest
from replication.catalogue.configuration import read_configuration
from replication.data.mrs_physics import (
    apply_along_axes,
    citrate_lines,
    gaussian_decay,
    metabolite_lines,
    metabolite_signals,
    noise_in_spectra,
    point_spread,
    ppm_axis,
    relaxation_factor,
    spectra_of,
    time_axis,
)
from replication.data.settings import Acquisition, Lines, Metabolites, Processing
from scipy.linalg import expm

GIVEN = read_configuration()["prostate_mrsi"]
ACQUISITION = Acquisition.model_validate(GIVEN["acquisition"])
PROCESSING = Processing.model_validate(GIVEN["processing"])
METABOLITES = vars(Metabolites.model_validate(GIVEN["metabolites"]))
LARMOR = 63.87


@pytest.mark.parametrize(("coupling", "difference"), [(15.7, 0.149), (16.1, 0.1), (5.0, 0.4), (15.7, 1e-9)])
def test_lines_at_te_0_are_the_ab_quartet(coupling, difference):
    frequencies, amplitudes = citrate_lines(LARMOR, coupling, difference, (0, 0))
    c = np.hypot(coupling, difference * LARMOR)
    expected = np.array([-(c + coupling), -(c - coupling), c - coupling, c + coupling]) / 2
    np.testing.assert_allclose(frequencies, expected, atol=1e-9)
    outer, inner = (1 - coupling / c) / 4, (1 + coupling / c) / 4
    np.testing.assert_allclose(amplitudes, [outer, inner, inner, outer], atol=1e-12)


def test_weakly_coupled_lines_turn_by_pi_j_te():
    """Two hard pulses leave J evolving over the whole echo time: phases exp(+-i pi J TE) of each doublet."""
    frequencies, amplitudes = citrate_lines(1e5, 15.7, 0.149, (37.0, 52.0))
    phase = np.exp(1j * np.pi * 15.7 * 0.089)
    np.testing.assert_allclose(amplitudes, np.array([1 / phase, phase, 1 / phase, phase]) / 4, atol=1e-3)
    np.testing.assert_allclose(np.diff(frequencies)[[0, 2]], 15.7, atol=1e-6)


def test_equivalent_protons_do_not_see_their_coupling():
    frequencies, amplitudes = citrate_lines(LARMOR, 15.7, 0.0, (60, 60))
    assert amplitudes[np.isclose(frequencies, 0, atol=1e-9)].sum() == pytest.approx(1)
    np.testing.assert_allclose(amplitudes[~np.isclose(frequencies, 0, atol=1e-9)], 0, atol=1e-12)
    uncoupled = citrate_lines(LARMOR, 0.0, 0.149, (60, 60))
    np.testing.assert_allclose(np.abs(uncoupled[0]), 0.149 * LARMOR / 2)
    np.testing.assert_allclose(uncoupled[1].sum(), 1)


@pytest.mark.parametrize("echo_times", [(60, 60), (22, 98), (80, 45), (10.5, 3.25)])
def test_signal_is_that_of_an_independent_propagation(echo_times):
    """Matrix exponentials, pulses about y instead of x, and the signal sampled in time."""
    x, y, z = np.array([[0, 1], [1, 0]]) / 2, np.array([[0, -1j], [1j, 0]]) / 2, np.diag([0.5, -0.5])
    one = np.eye(2)
    a, b = [np.kron(s, one) for s in (x, y, z)], [np.kron(one, s) for s in (x, y, z)]
    shift = 2 * np.pi * 0.149 * LARMOR
    h = shift / 2 * (a[2] - b[2]) + 2 * np.pi * 15.7 * sum(p @ q for p, q in zip(a, b, strict=True))

    def turned(rho, operator):
        u = expm(-1j * operator)
        return u @ rho @ u.conj().T

    total = [p + q for p, q in zip(a, b, strict=True)]
    rho = turned(total[2], np.pi / 2 * total[1])
    te1, te2 = (te * 1e-3 for te in echo_times)
    for delay in (te1 / 2, (te1 + te2) / 2):
        rho = turned(turned(rho, h * delay), np.pi * total[1])
    rho = turned(rho, h * te2 / 2)
    time = np.arange(40) * 3.1e-3
    expected = [np.trace(turned(rho, h * t) @ (total[0] + 1j * total[1])) / 2 for t in time]
    frequencies, amplitudes = citrate_lines(LARMOR, 15.7, 0.149, echo_times)
    found = amplitudes @ np.exp(2j * np.pi * frequencies[:, None] * time)
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_outer_lines_vanish_where_published():
    """Van der Graaf et al. 1997: with delays of 11 and 60 ms, so TE1 22 and TE2 98 ms, they are almost removed."""
    citrate = METABOLITES["citrate"]
    lines = [
        np.abs(citrate_lines(LARMOR, citrate.coupling_hz, citrate.difference_ppm, echo_times)[1])
        for echo_times in [(22, 98), (60, 60), (0, 0)]
    ]
    outer, elsewhere, at_start = ((line[0] + line[3]) / line.sum() for line in lines)
    assert outer < 0.02
    assert elsewhere > 0.1
    assert at_start > 0.05


def test_relaxation():
    assert relaxation_factor(0, 1e9, 500, 100) == pytest.approx(1)
    assert relaxation_factor(100, 500, 500, 100) == pytest.approx(np.exp(-1) * (1 - np.exp(-1)))


def test_areas_are_concentration_times_protons_times_relaxation():
    lines = metabolite_lines(ACQUISITION, METABOLITES)
    expected = 9 * np.exp(-120 / 170) * (1 - np.exp(-1000 / 870))
    assert lines["choline"][1].sum() == pytest.approx(expected)
    assert len(lines["citrate"][0]) == 4
    np.testing.assert_allclose(lines["citrate"][0].mean(), 2.6)
    # The whole band, so that nothing of the area is lost; the first point of the signal is the area.
    first = ACQUISITION.carrier_ppm + 1023.5 / 2048 * 1250 / LARMOR
    processing = PROCESSING.replace(first_ppm=first, n_kept_points=2048, apodization_hz=0.0)
    for name, signal in metabolite_signals(ACQUISITION, METABOLITES).items():
        area = spectra_of(signal.copy(), ACQUISITION, processing).sum() * 1250 / 2048
        assert area == pytest.approx(lines[name][1].sum().real, rel=1e-9)


@pytest.mark.parametrize("linewidth", [1.0, 2.0])
def test_a_line_is_as_wide_as_its_relaxation_and_field_say(linewidth):
    acquisition = ACQUISITION.replace(n_points=8192, bandwidth_hz=1250)
    processing = PROCESSING.replace(zero_filled_points=131072, n_kept_points=16384, apodization_hz=0.0)
    metabolites = {
        "sharp": Lines(lines=((3.22, 9),), t1_ms=1, t2_ms=170, extra_width_hz=0.0, visible=1.0),
        "broad": Lines(lines=((3.22, 9),), t1_ms=1, t2_ms=1e9, extra_width_hz=8.0, visible=1.0),
    }
    ppm = ppm_axis(acquisition, processing)
    for name, expected in (("sharp", 1 / (np.pi * 0.170)), ("broad", 8.0)):
        spectrum = spectra_of(metabolite_signals(acquisition, metabolites, linewidth)[name], acquisition, processing)
        width = np.ptp(ppm[spectrum > spectrum.max() / 2]) * LARMOR
        assert width == pytest.approx(linewidth * expected, abs=0.03)
        assert ppm[spectrum.argmax()] == pytest.approx(3.22, abs=2e-4)


def test_gaussian_decay_has_the_width_in_the_spectrum():
    time = np.arange(500) * 2e-3
    frequency = np.linspace(-10, 10, 1001)
    spectrum = np.cos(2 * np.pi * frequency[:, None] * time) @ gaussian_decay(time, 6.0)
    above = frequency[spectrum > spectrum.max() / 2]
    assert np.ptp(above) == pytest.approx(6.0, abs=0.05)


def test_ppm_axis_falls_through_the_window_of_the_paper():
    ppm = ppm_axis(ACQUISITION, PROCESSING)
    assert ppm.shape == (256,)
    np.testing.assert_allclose(np.diff(ppm), -1250 / 2048 / LARMOR)
    assert 4.24 < ppm[0] <= 4.25
    assert ppm[-1] == pytest.approx(1.80, abs=0.01)
    with pytest.raises(ValueError, match="reach beyond"):
        ppm_axis(ACQUISITION, PROCESSING.replace(first_ppm=20.0))


def test_noise_in_spectra_is_measured():
    rng = np.random.default_rng(0)
    signals = rng.standard_normal((400, 512)) + 1j * rng.standard_normal((400, 512))
    assert spectra_of(signals, ACQUISITION, PROCESSING).std() == pytest.approx(
        noise_in_spectra(ACQUISITION, PROCESSING), rel=0.03
    )


def test_spectra_leave_their_input_as_it_is():
    signals = np.ones((2, len(time_axis(ACQUISITION))), dtype=complex)
    spectra_of(signals, ACQUISITION, PROCESSING)
    assert (signals == 1).all()


@pytest.mark.parametrize(("n", "subdivision"), [(8, 1), (8, 3), (16, 3), (7, 3), (1, 3)])
def test_point_spread_is_phase_encoding_step_by_step(n, subdivision):
    """Fourier coefficients of an object of cells, times the Hamming window, transformed back."""
    rng = np.random.default_rng(n)
    cells = rng.random(n * subdivision)
    places = (np.arange(len(cells)) + 0.5) / subdivision / n
    back = (np.arange(n) + 0.5) / n
    image = np.zeros(n, dtype=complex)
    for k in range(-(n // 2), n - n // 2):
        measured = (cells * np.exp(-2j * np.pi * k * places)).mean()
        image += (0.54 + 0.46 * np.cos(2 * np.pi * k / n)) * measured * np.exp(2j * np.pi * k * back)
    matrix = point_spread(n, subdivision)
    np.testing.assert_allclose(matrix @ cells, image.real, atol=1e-12)
    np.testing.assert_allclose(matrix.sum(axis=1), 1)


def test_matrices_along_axes_are_an_einsum():
    rng = np.random.default_rng(0)
    array = rng.random((4, 5, 6, 2))
    matrices = tuple(rng.random((k, n)) for k, n in zip((2, 3, 7), (4, 5, 6), strict=True))
    expected = np.einsum("ai,bj,ck,ijkd->abcd", *matrices, array)
    np.testing.assert_allclose(apply_along_axes(array, matrices), expected)
