"""Simulated prostate MRSI: paired conditions, physics that can be predicted, anatomy that holds together."""

import numpy as np
import pytest
from replication.catalogue.configuration import read_configuration
from replication.data.mrs_physics import point_spread
from replication.data.prostate_anatomy import TISSUES, draw_prostate, make_grid, reference_half_axes
from replication.data.prostate_mrsi import (
    ProstateMRSI,
    concentration_distributions,
    noise_unit,
    simulate_cohort,
    simulate_study,
    simulated_ratios,
)
from replication.data.readers.spectra import check_study
from threadpoolctl import threadpool_limits

GIVEN = ProstateMRSI.model_validate(read_configuration()["prostate_mrsi"])


def changed(parameters, **sections):
    """The parameters with other keys of some sections."""
    return parameters.replace(**{name: getattr(parameters, name).replace(**keys) for name, keys in sections.items()})


def grid_of(parameters):
    return make_grid(parameters.acquisition, parameters.anatomy.subdivision)


def prostate_of(parameters, seed):
    return draw_prostate(parameters.anatomy, parameters.foci, seed, "s", grid_of(parameters))


@pytest.fixture(scope="module")
def cohort():
    return simulate_cohort(GIVEN, 7, "evaluation", 6)


@pytest.fixture
def plain():
    """One uniform glandular tissue, no artefacts, the median prostate, no spread of anything."""
    nothing = dict.fromkeys(GIVEN.concentrations, dict.fromkeys(TISSUES, (1e-12, 1e-20)))
    return changed(
        GIVEN.replace(concentrations={**nothing, "citrate": dict.fromkeys(TISSUES, (43.1, 1e-9))}),
        anatomy={
            "volume_log_sd": 0.0,
            "proportion_log_sd": 0.0,
            "peripheral_glandular": (1.0, 0.0),
            "transition_glandular": (1.0, 0.0),
        },
        field={"width_log_sd": 0.0, "shift_sd_ppm": 0.0, "phase_sd_degrees": 0.0},
        residual_water={"to_citrate": 0.0},
        residual_lipid={"to_citrate": 0.0},
    )


@pytest.mark.slow
def test_studies_are_usable_and_of_the_size_of_a_prostate(cohort):
    for study in cohort:
        check_study(study)
        assert study.spectra.shape[1] == 256
        # 30 to 75 cc in voxels of 0.33 cc; those at the border may be more or less than half prostate.
        assert 70 < len(study.spectra) < 240
        assert study.positions.min() >= 0
        assert (study.positions.max(axis=0) < [16, 8, 8]).all()
        np.testing.assert_allclose(study.tissue.sum(axis=1), 1)
        assert study.tissue.min() >= 0
        assert min(study.truth.sum(), study.box.sum()) >= GIVEN.foci.min_voxels
    assert [study.name for study in cohort] == [f"evaluation-{k}" for k in range(1, 7)]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(cohort):
    for threads in (1, 2):
        with threadpool_limits(threads):
            again = simulate_cohort(GIVEN, 7, "evaluation", 2)
        for study, expected in zip(again, cohort, strict=False):
            np.testing.assert_array_equal(study.spectra, expected.spectra)
    assert not np.array_equal(simulate_cohort(GIVEN, 7, "training", 1)[0].truth, cohort[0].truth)
    assert not np.array_equal(simulate_cohort(GIVEN, 8, "evaluation", 1)[0].spectra, cohort[0].spectra)


def test_noise_is_added_and_only_noise_changes_with_the_draw():
    studies = {
        key: simulate_study(GIVEN, 3, "s", noise=key[0], draw=key[1]) for key in ((0, 0), (1, 0), (2, 0), (1, 1))
    }
    clean = studies[0, 0].spectra
    noise = studies[1, 0].spectra - clean
    np.testing.assert_allclose(studies[2, 0].spectra - clean, 2 * noise, atol=1e-10)
    other = studies[1, 1].spectra - clean
    assert noise.std() == pytest.approx(1, rel=0.05)
    assert other.std() == pytest.approx(1, rel=0.05)
    assert abs(np.corrcoef(noise.ravel(), other.ravel())[0, 1]) < 0.05
    for study in studies.values():
        np.testing.assert_array_equal(study.truth, studies[0, 0].truth)


def test_noise_of_neighbours_is_correlated_as_the_filter_in_k_space_says():
    clean, noisy = (simulate_study(GIVEN, 3, "s", noise=noise) for noise in (0, 1))
    noise = noisy.spectra - clean.spectra
    rows = {tuple(place): k for k, place in enumerate(clean.positions.tolist())}
    for axis, n in enumerate((16, 8, 8)):
        step = np.eye(3, dtype=int)[axis]
        pairs = [(k, rows[near]) for place, k in rows.items() if (near := tuple((place + step).tolist())) in rows]
        first, second = np.array(pairs).T
        kernel = point_spread(n)
        expected = kernel[0] @ kernel[1] / (kernel[0] @ kernel[0])
        assert (noise[first] * noise[second]).mean() == pytest.approx(expected, abs=0.06)


def test_contrast_moves_cancer_and_nothing_else():
    studies = [simulate_study(GIVEN, 11, "s", noise=0, contrast=contrast) for contrast in (1.0, 0.5, 0.0)]
    change = np.abs(studies[0].spectra - studies[2].spectra).max(axis=1)
    cancer = studies[0].tissue[:, 2]
    # The sidelobes of the point-spread function carry a trace of cancer everywhere.
    assert change[cancer < 1e-3].max() < 0.03 * change.max()
    assert np.corrcoef(change, cancer)[0, 1] > 0.6
    half = np.abs(studies[0].spectra - studies[1].spectra).max(axis=1)
    assert half.max() < change.max()
    for study in studies:
        np.testing.assert_array_equal(study.tissue, studies[0].tissue)


def test_concentrations_have_the_mean_and_sd_of_the_literature():
    for name, given in GIVEN.concentrations.items():
        for tissue, (mu, sigma) in concentration_distributions(GIVEN, name).items():
            mean = np.exp(mu + sigma**2 / 2)
            sd = mean * np.sqrt(np.expm1(sigma**2))
            np.testing.assert_allclose([mean, sd], given[tissue])
    mu, sigma = concentration_distributions(GIVEN, "citrate", 0.0)["cancer"]
    assert np.exp(mu + sigma**2 / 2) == pytest.approx((43.1 + 16.1) / 2)
    assert np.sqrt(np.expm1(sigma**2)) == pytest.approx(12.7 / 19.6)


def test_wider_lines_are_lower():
    narrow, wide = (simulate_study(GIVEN, 3, "s", noise=0, linewidth=linewidth) for linewidth in (1.0, 2.0))
    near_choline = np.abs(narrow.ppm - 3.22) < 0.1
    heights = [study.spectra[:, near_choline].mean(axis=0).max() for study in (narrow, wide)]
    assert heights[1] < 0.8 * heights[0]


def test_snr_is_the_citrate_peak_at_the_centre_over_the_noise(plain):
    study = simulate_study(plain, 5, "s", noise=0)
    prostate = prostate_of(plain, 5)
    np.testing.assert_allclose(prostate.outline.half_axes, reference_half_axes(plain.anatomy))
    height = study.spectra[:, np.abs(study.ppm - 2.6) < 0.1].max(axis=1)
    behind = prostate.outline.half_axes[1]
    depth = behind + prostate.outline.centre[1] - grid_of(plain).voxels[1][study.positions[:, 1]]
    sides = np.abs(study.positions - np.median(study.positions, axis=0)).max(axis=1)
    middle = sides <= 1.5
    assert middle.sum() >= 4
    np.testing.assert_allclose(np.interp(behind, *_sorted(depth[middle], height[middle])), plain.snr, rtol=0.12)
    expected = (1 + ((depth + 6) / 25) ** 2) ** -1.5 / (1 + ((behind + 6) / 25) ** 2) ** -1.5
    np.testing.assert_allclose(height[middle] / plain.snr, expected[middle], rtol=0.15)


def _sorted(x, y):
    order = np.argsort(x)
    return x[order], y[order]


def test_snr_scales_the_signal():
    assert noise_unit(GIVEN.replace(snr=2 * GIVEN.snr)) == pytest.approx(noise_unit(GIVEN) / 2)


def test_artefacts_lie_where_they_should(plain):
    lipid = simulate_study(changed(plain, residual_lipid={"to_citrate": 20.0}), 5, "s", noise=0)
    clean = simulate_study(plain, 5, "s", noise=0)
    extra = np.abs(lipid.spectra - clean.spectra)[:, np.abs(clean.ppm - 2.1) < 0.1].max(axis=1)
    grid, prostate = grid_of(plain), prostate_of(plain, 5)
    places = np.stack([axis[clean.positions[:, k]] for k, axis in enumerate(grid.voxels)], axis=1)
    radius = np.linalg.norm((places - prostate.outline.centre) / prostate.outline.half_axes, axis=1)
    assert extra[radius > 0.8].mean() > 3 * extra[radius < 0.4].mean()
    wet = simulate_study(changed(plain, residual_water={"to_citrate": 5.0}), 5, "s", noise=0)
    baseline = np.abs(wet.spectra - clean.spectra).mean(axis=0)
    assert baseline[:20].mean() > 3 * baseline[-20:].mean()


def test_frequency_errors_have_their_sd(plain):
    concentrations = {**plain.concentrations, "choline": dict.fromkeys(TISSUES, (7.0, 1e-9))}
    moved = changed(
        plain.replace(concentrations=concentrations), field={"shift_sd_ppm": 0.02, "shift_smooth_share": 0.0}
    )
    study = simulate_study(moved, 5, "s", noise=0)
    window = np.abs(study.ppm - 3.22) < 0.2
    peaks = study.ppm[window][study.spectra[:, window].argmax(axis=1)]
    assert peaks.std() == pytest.approx(0.02, rel=0.25)
    assert peaks.mean() == pytest.approx(3.22, abs=0.01)


def test_truth_and_box_follow_the_foci():
    parameters = changed(GIVEN, foci={"localization_sd_mm": 0.0})
    grid = grid_of(parameters)
    for seed in range(6):
        prostate = prostate_of(parameters, seed)
        assert prostate.fractions.sum(axis=-1).max() == pytest.approx(1)
        places = np.stack([axis[prostate.voxels[:, k]] for k, axis in enumerate(grid.voxels)], axis=1)
        expected = np.zeros(len(places), dtype=bool)
        for focus in prostate.foci:
            distance = np.abs(places - focus.shape.centre).max(axis=1)
            expected |= distance <= focus.shape.half_axes.max()
        np.testing.assert_array_equal(prostate.box, expected)
        # Truth lies in or next to a focus.
        nearest = np.min(
            [
                np.linalg.norm((places - focus.shape.centre) / (focus.shape.half_axes + 6.9), axis=1)
                for focus in prostate.foci
            ],
            axis=0,
        )
        assert nearest[prostate.truth].max() < 1
        assert prostate.tissue[prostate.truth, 2].mean() > 3 * prostate.tissue[~prostate.truth, 2].mean()


def test_the_box_stays_in_the_sextant():
    """However wrong the place, the centre of the cube stays in the half and the third of the focus."""
    alone = {"localization_sd_mm": 500.0, "number": (1.0,), "diameter_range_mm": (20.0, 20.0), "min_voxels": 1}
    parameters = changed(GIVEN, foci=alone)
    grid = grid_of(parameters)
    for seed in range(8):
        prostate = prostate_of(parameters, seed)
        outline, focus = prostate.outline, prostate.foci[0].shape
        places = np.stack([axis[prostate.voxels[:, k]] for k, axis in enumerate(grid.voxels)], axis=1)[prostate.box]
        right = focus.centre[0] < outline.centre[0]
        beyond = (places[:, 0] - outline.centre[0]) * (1 if right else -1)
        assert beyond.max() <= 10.0
        third = 2 * outline.half_axes[2] / 3
        number = np.clip((focus.centre[2] - outline.centre[2] + outline.half_axes[2]) // third, 0, 2)
        low = outline.centre[2] - outline.half_axes[2] + number * third
        assert places[:, 2].min() >= low - 10.0
        assert places[:, 2].max() <= low + third + 10.0


def test_glandular_tissue_lies_in_the_peripheral_zone():
    prostate = prostate_of(GIVEN, 2)
    benign = prostate.tissue[:, 2] < 0.02
    glandular = prostate.tissue[:, 0]
    assert (
        glandular[benign & (prostate.peripheral > 0.8)].mean() > glandular[benign & (prostate.peripheral < 0.2)].mean()
    )
    assert prostate.peripheral.min() > -0.05
    assert prostate.peripheral.max() < 1.05


def test_cancer_has_more_choline_over_citrate(cohort):
    spectra = np.concatenate([study.spectra for study in cohort])
    tissue = np.concatenate([study.tissue for study in cohort])
    ppm = cohort[0].ppm
    cancer, glandular = spectra[tissue[:, 2] > 0.5].mean(axis=0), spectra[(tissue[:, 0] > 0.6)].mean(axis=0)

    def area(spectrum, centre):
        return spectrum[np.abs(ppm - centre) < 0.15].sum()

    ratios = [area(spectrum, 3.2) / area(spectrum, 2.6) for spectrum in (cancer, glandular)]
    assert ratios[0] > 1.5 * ratios[1]
    assert np.abs(ppm[(glandular * (ppm < 2.9)).argmax()] - 2.6) < 0.05
    assert np.abs(ppm[(cancer * (ppm > 2.9)).argmax()] - 3.22) < 0.05


def test_ratios_agree_with_those_measured_in_vivo():
    """Means within one and a half SD of Kurhanewicz et al. 1996, to which nothing was fitted, in the same order."""
    rows = simulated_ratios(GIVEN, 20121, "training", 10)
    assert [row["tissue"] for row in rows] == ["peripheral zone", "transition zone", "cancer"]
    for row in rows:
        assert abs(row["mean"] - row["measured_mean"]) < 1.5 * row["measured_sd"]
        assert row["mean_with_polyamines"] > row["mean"]
        assert row["n_voxels"] > 20
    means = [row["mean"] for row in rows]
    assert means == sorted(means)


def test_bad_requests_are_refused():
    with pytest.raises(ValueError, match=r"study patient: .* transition zone, found 0 and [1-9][0-9]*. Give"):
        simulate_study(changed(GIVEN, acquisition={"phase_encodes": [2, 1, 1]}), 0, "patient")
    with pytest.raises(ValueError, match="study patient: expected foci that leave at least 1000000"):
        simulate_study(changed(GIVEN, foci={"min_voxels": 10**6}), 0, "patient")
