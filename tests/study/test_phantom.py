"""The prostate phantom does what its parameters say."""

from dataclasses import replace

import numpy as np
import pytest
from replication.data.phantom import (
    CENTRAL,
    PARAMETERS,
    PERIPHERAL,
    anatomy,
    coil_sensitivity,
    gaussian_field,
    lesion_mask,
    noise_sd,
    prostate_slices,
    t2_map,
)
from scipy.spatial.distance import pdist

GLANDS = range(len(PARAMETERS.glands))
SLICES = range(PARAMETERS.n_slices)


@pytest.fixture(scope="module")
def images():
    return {(gland, c): prostate_slices(gland, c, seed=3) for gland in GLANDS for c in (0.0, 0.5, 1.0)}


def lesions():
    for gland in GLANDS:
        for number, lesion in enumerate(PARAMETERS.glands[gland].lesions):
            yield gland, number, lesion


@pytest.mark.slow
def test_two_glands_of_eight_slices_of_the_size_of_the_paper(images):
    slices = images[0, 0.5] + images[1, 0.5]
    assert len(slices) == 16
    assert len({one.name for one in slices}) == 16
    for one in slices:
        assert one.image.shape == one.mask.shape == one.lesion.shape == one.zones.shape == (256, 256)
        assert 15_000 <= one.mask.sum() <= 40_000
        np.testing.assert_array_equal(one.mask, one.zones > 0)
        assert one.lesion.any()
        assert one.mask[one.lesion].all()
        assert np.isfinite(one.image).all()
        assert (one.image >= 0).all()


def test_outline_changes_by_slice_and_stays_in_the_image():
    for gland in GLANDS:
        masks = [anatomy(gland, index)[0] > 0 for index in SLICES]
        areas = [mask.sum() for mask in masks]
        assert len(set(areas)) == len(areas)
        assert np.argmax(areas) in (3, 4)
        for mask in masks:
            assert mask[1:-1, 1:-1].sum() == mask.sum()
            np.testing.assert_array_equal(mask, mask[:, ::-1])
        central = [(anatomy(gland, index)[0] == CENTRAL).sum() / areas[index] for index in SLICES]
        assert (np.diff(central) < 0).all()


@pytest.mark.parametrize("length", [3.0, 6.0, 15.0])
def test_correlation_length_is_the_lag_where_autocorrelation_is_one_over_e(length):
    autocorrelation = np.zeros((256, 256))
    variances = []
    for seed in range(12):
        field = gaussian_field(np.random.default_rng(seed), length, (256, 256))
        autocorrelation += np.fft.ifft2(np.abs(np.fft.fft2(field)) ** 2).real
        variances.append(field.var())
    profile = (autocorrelation[0, :] + autocorrelation[:, 0]) / 2 / autocorrelation[0, 0]
    below = np.argmax(profile < np.exp(-1))
    crossing = below - (np.exp(-1) - profile[below]) / (profile[below - 1] - profile[below])
    assert crossing == pytest.approx(length, rel=0.08)
    assert np.mean(variances) == pytest.approx(1.0, rel=0.1)


@pytest.mark.parametrize("shape", [(4000,), (200, 150), (60, 40, 50)])
def test_a_field_has_variance_one_in_any_number_of_dimensions(shape):
    variances = [gaussian_field(np.random.default_rng(seed), 3.0, shape).var() for seed in range(12)]
    assert np.mean(variances) == pytest.approx(1.0, rel=0.05)


@pytest.mark.slow
def test_texture_of_the_tissues_has_the_stated_correlation_length_and_variation():
    # Texture in the map itself: neighbours so far apart as the correlation length correlate with 1/e.
    for zone, tissue in ((PERIPHERAL, PARAMETERS.peripheral), (CENTRAL, PARAMETERS.central)):
        lag = round(tissue.correlation_length / PARAMETERS.pixel_size)
        pairs, values = [], []
        for gland in GLANDS:
            for index in SLICES:
                for seed in range(3):
                    zones, lesion = anatomy(gland, index)
                    t2 = t2_map(gland, index, 0.7, seed) / (tissue.t2 * PARAMETERS.glands[gland].t2_factor) - 1.0
                    here = (zones == zone) & ~lesion
                    values.append(t2[here])
                    both = here[:, lag:] & here[:, :-lag]
                    pairs.append(t2[:, lag:][both] * t2[:, :-lag][both])
        values = np.concatenate(values)
        assert values.mean() == pytest.approx(0.0, abs=0.02)
        assert values.std() == pytest.approx(tissue.variation, rel=0.05)
        assert np.concatenate(pairs).mean() / np.square(values).mean() == pytest.approx(np.exp(-1), abs=0.06)


@pytest.mark.slow
def test_lesions_take_t2_and_texture_of_tumour_as_the_contrast_grows():
    means, spreads = {}, {}
    for contrast in (0.0, 0.5, 1.0):
        values = []
        for gland in GLANDS:
            for index in SLICES:
                zones, lesion = anatomy(gland, index)
                t2 = t2_map(gland, index, contrast, 5) / PARAMETERS.glands[gland].t2_factor
                values.append(t2[lesion & (zones == PERIPHERAL)])
        means[contrast], spreads[contrast] = np.concatenate(values).mean(), np.concatenate(values).std()
    host, tumour = PARAMETERS.peripheral, PARAMETERS.tumour
    assert means[0.0] == pytest.approx(host.t2, rel=0.02)
    assert means[0.5] == pytest.approx((host.t2 + tumour.t2) / 2, rel=0.02)
    assert means[1.0] == pytest.approx(tumour.t2, rel=0.01)
    assert spreads[0.0] == pytest.approx(host.t2 * host.variation, rel=0.06)
    assert spreads[1.0] == pytest.approx(tumour.t2 * tumour.variation, rel=0.03)


@pytest.mark.slow
def test_without_contrast_there_is_no_lesion_in_the_image(images):
    healthy = replace(PARAMETERS, glands=tuple(replace(gland, lesions=()) for gland in PARAMETERS.glands))
    for gland in GLANDS:
        for one, without in zip(images[gland, 0.0], prostate_slices(gland, 0.0, 3, healthy), strict=True):
            np.testing.assert_array_equal(one.image, without.image)


def test_contrast_changes_lesions_only_and_darkens_them(images):
    for gland in GLANDS:
        for faint, strong in zip(images[gland, 0.0], images[gland, 1.0], strict=True):
            np.testing.assert_array_equal(faint.image[~faint.lesion], strong.image[~strong.lesion])
            assert strong.image[strong.lesion].mean() < 0.9 * faint.image[faint.lesion].mean()


def test_lesions_measure_5_to_15_mm_and_lie_in_their_zone():
    for gland, number, lesion in lesions():
        for index in range(lesion.slices[0], lesion.slices[1] + 1):
            mask = lesion_mask(gland, number, index)
            assert (anatomy(gland, index)[0][mask] == lesion.zone).all()
            assert 5.0 <= 2 * np.sqrt(mask.sum() * PARAMETERS.pixel_size**2 / np.pi) <= 15.0
            edge = np.argwhere(mask & ~(np.roll(mask, 1, 1) & np.roll(mask, -1, 1)))
            assert 5.0 <= pdist(edge * PARAMETERS.pixel_size).max() <= 15.0
    zones = [lesion.zone for _, _, lesion in lesions()]
    assert zones.count(PERIPHERAL) > zones.count(CENTRAL) > 0


def test_a_lesion_is_one_body_through_neighbouring_slices():
    for gland, number, lesion in lesions():
        present = [index for index in SLICES if lesion_mask(gland, number, index).any()]
        assert present == list(range(lesion.slices[0], lesion.slices[1] + 1))
        assert len(present) >= 2
        for index in present[:-1]:
            here, above = lesion_mask(gland, number, index), lesion_mask(gland, number, index + 1)
            assert (here & above).sum() > 0.5 * min(here.sum(), above.sum())


def test_noise_is_rician_with_the_stated_sd(images):
    for gland in GLANDS:
        for index, one in enumerate(images[gland, 1.0]):
            air = one.image[~one.mask]
            sd = noise_sd(gland, index)
            assert np.sqrt(np.square(air).mean() / 2) == pytest.approx(sd, rel=0.02)
            assert air.mean() == pytest.approx(sd * np.sqrt(np.pi / 2), rel=0.02)
    # The excess of the squared magnitude over the squared signal is twice the variance, inside as outside.
    noisy = images[1, 1.0][4]
    clean = prostate_slices(1, 1.0, 3, replace(PARAMETERS, noise=0.0))[4]
    excess = np.square(noisy.image[noisy.mask]) - np.square(clean.image[clean.mask])
    assert excess.mean() == pytest.approx(2 * noise_sd(1, 4) ** 2, abs=4 * excess.std() / np.sqrt(excess.size))


def test_signal_is_the_spin_echo_equation_under_the_coil():
    quiet = replace(PARAMETERS, noise=0.0)
    for gland in GLANDS:
        one = prostate_slices(gland, 1.0, 3, quiet)[2]
        expected = np.exp(-PARAMETERS.echo_time / t2_map(gland, 2, 1.0, 3)[one.mask])
        found = one.image[one.mask] / (PARAMETERS.signal_scale * coil_sensitivity(gland, 2)[one.mask])
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert (one.image[~one.mask] == 0).all()


def test_coil_falls_off_smoothly_and_strongly_from_the_back():
    for gland in GLANDS:
        for index in SLICES:
            mask = anatomy(gland, index)[0] > 0
            field = coil_sensitivity(gland, index)
            assert 3.0 <= field[mask].max() / field[mask].min() <= 8.0
            assert (np.diff(field[:, 128][mask[:, 128]]) > 0).all()
            assert np.abs(np.diff(field, axis=0)).max() < 0.02
            assert field.max() <= 1.0


def test_same_seed_same_slices_other_seed_other_texture(images):
    again = prostate_slices(1, 0.5, seed=3)
    other = prostate_slices(1, 0.5, seed=4)
    for one, same, different in zip(images[1, 0.5], again, other, strict=True):
        np.testing.assert_array_equal(one.image, same.image)
        np.testing.assert_array_equal(one.zones, different.zones)
        np.testing.assert_array_equal(one.lesion, different.lesion)
        assert abs(np.corrcoef(one.image[~one.mask], different.image[~one.mask])[0, 1]) < 0.05


def test_glands_differ(images):
    for first, second in zip(images[0, 1.0], images[1, 1.0], strict=True):
        assert first.mask.sum() < second.mask.sum()
        assert (first.lesion != second.lesion).any()
    means = []
    for gland in GLANDS:
        maps = [t2_map(gland, index, 0.0, 0)[anatomy(gland, index)[0] == PERIPHERAL] for index in SLICES]
        means.append(np.concatenate(maps).mean())
    assert means[0] / means[1] == pytest.approx(1.1 / 0.9, rel=0.03)
