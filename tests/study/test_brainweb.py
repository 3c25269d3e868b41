"""Brain images: the simulator against known answers, the readers against files made here. No downloads."""

import gzip

import numpy as np
import pytest
from consensus_embedding.utils.text import InputError
from replication.data import brainweb
from replication.data.brainweb import (
    FIELD_RANGE,
    REAL_SLICES,
    SHAPE,
    about_subject,
    brain_slices,
    compare_with_real,
    load_anatomy,
    real_slices,
    validate_slices,
)
from replication.data.mri_simulator import TISSUE_VALUES, Anatomy, add_field_and_noise, noise_free_signal
from replication.data.readers.volumes import write_nifti
from scipy.io import savemat
from scipy.ndimage import gaussian_filter
from scipy.stats import kstest, rice

FLUID, GREY, WHITE = TISSUE_VALUES[1:4]


def make_labels():
    """Left half of a block grey, right half white, a sheet of fluid behind, skull around it, air outside."""
    labels = np.zeros(SHAPE, dtype=np.uint8)
    labels[30:151, 40:181, 60:121] = 7
    labels[40:90, 50:171, 60:121] = 2
    labels[90:141, 50:171, 60:121] = 3
    labels[40:141, 50:60, 60:121] = 1
    return labels


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of all sources, of a head that is easy to reckon with."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "brainweb").mkdir()
    labels = make_labels()
    savemat(folder / "brainweb/brainweb.mat", {"brainweb": {"typemap": labels}}, do_compression=True)
    fractions = np.stack([labels == tissue for tissue in (2, 3, 1)], axis=-1)[::-1]
    content = fractions.astype(np.uint8)
    write_nifti(content, folder / "brainweb/possum_brain.nii.gz")
    affine = np.array([[-1.5, 0, 0, 84], [0, 1.5, 0, -120], [0, 0, 1.5, -72], [0, 0, 0, 1]])
    x, y, z = np.meshgrid(*(np.arange(n) for n in (113, 137, 113)), indexing="ij")
    field = 5 + (84 - 1.5 * x) / 200 + (1.5 * y - 120) / 400 + (1.5 * z - 72) / 800  # linear in millimetres
    write_nifti(field, folder / "brainweb/rf100_C.nii", affine=affine)
    zipped = gzip.compress(labels.tobytes(order="F"), compresslevel=1)
    (folder / "brainweb/phantom_1.0mm_normal_crisp.rawb.gz").write_bytes(zipped)
    official = (TISSUE_VALUES[labels] * 10).astype("<i2")
    for order, level in (("<i2", 3), (">i2", 5)):
        zipped = gzip.compress(official.astype(order).tobytes(order="F"), compresslevel=1)
        (folder / f"brainweb/pd_icbm_normal_1mm_pn{level}_rf20.raws.gz").write_bytes(zipped)
    real = np.rint(TISSUE_VALUES[labels[:, :, 90:93]]).astype(np.uint8)
    (folder / "brainweb/BrainProtonDensity3Slices.raw").write_bytes(real.tobytes(order="F"))
    return folder


def flat_anatomy(fractions, labels, point_spread=0.0):
    return Anatomy(labels, fractions, lambda z: np.full(labels.shape[:2], 5.0), point_spread)


def test_the_mixture_weighs_tissues_by_their_fractions():
    rng = np.random.default_rng(1)
    fractions = rng.multinomial(255, [0.5, 0.3, 0.2], size=(5, 6, 3)).astype(np.uint8)
    labels = np.full((5, 6, 3), 2, dtype=np.uint8)
    expected = (fractions[:, :, 1] / 255) @ [GREY, WHITE, FLUID]
    np.testing.assert_allclose(noise_free_signal(flat_anatomy(fractions, labels), 1), expected, rtol=1e-12)


def test_the_rest_of_a_brain_voxel_is_what_it_borders_on():
    labels = np.array([[2, 2, 2, 9, 7]], dtype=np.uint8)[:, :, None]
    fractions = np.zeros((1, 5, 1, 3), dtype=np.uint8)
    fractions[0, :, 0, 0] = [255, 255, 51, 51, 0]  # grey matter fills a fifth of the two voxels at the border
    connective, skull = TISSUE_VALUES[[9, 7]]
    expected = [GREY, GREY, 0.2 * GREY + 0.8 * connective, 0.2 * GREY + 0.8 * connective, skull]
    np.testing.assert_allclose(noise_free_signal(flat_anatomy(fractions, labels), 0)[0], expected)


def test_the_point_spread_blurs_in_three_directions_and_keeps_the_mean():
    labels = np.full((9, 9, 9), 3, dtype=np.uint8)
    labels[4, 4, 4] = 2
    fractions = np.stack([labels == 2, labels == 3, labels == 1], axis=-1).astype(np.uint8) * 255
    sharp, blurred = (flat_anatomy(fractions, labels, spread) for spread in (0.0, 0.5))
    volume = np.stack([noise_free_signal(sharp, z) for z in range(9)], axis=2)
    result = np.stack([noise_free_signal(blurred, z) for z in range(9)], axis=2)
    np.testing.assert_allclose(result, gaussian_filter(volume, 0.5, mode="nearest"), rtol=1e-12)
    assert result[4, 4, 3] == pytest.approx(result[4, 3, 4])
    assert result.mean() == pytest.approx(volume.mean())


def test_without_noise_the_field_alone_is_applied():
    signal = np.array([[100.0, 200.0]])
    field = np.array([[4.5, 5.5]])
    rng = np.random.default_rng(0)
    np.testing.assert_allclose(add_field_and_noise(signal, field, 20, 0, rng), [[90.0, 220.0]])
    np.testing.assert_array_equal(add_field_and_noise(signal, field, 0, 0, rng), signal)
    np.testing.assert_array_equal(add_field_and_noise(signal, field - 4, 100, 0, rng), [[0.0, 0.0]])


@pytest.mark.parametrize("signal", [0.0, 5.0, 186.3])
def test_pixels_follow_the_rice_distribution(signal):
    flat, rng = np.full((200, 200), signal), np.random.default_rng(3)
    image = add_field_and_noise(flat, np.full((200, 200), 5.0), 20, 6.0, rng)
    law = rice(signal / 6.0, scale=6.0)
    assert kstest(image.ravel(), law.cdf).pvalue > 0.01
    assert image.mean() == pytest.approx(law.mean(), abs=4 * law.std() / 200)
    assert image.std() == pytest.approx(law.std(), rel=0.02)


@pytest.mark.slow
def test_icbm152_without_noise_and_field_is_its_mixture():
    (only,) = brain_slices("icbm152", 0, 0, [90], seed=0)
    fractions = load_anatomy("icbm152").fractions[:, :, 90] / 255
    np.testing.assert_allclose(only.image, fractions @ [GREY, WHITE, FLUID], atol=1e-9)
    assert only.name == "z090"
    np.testing.assert_array_equal(only.mask, np.isin(only.labels, (2, 3)))
    inside = only.mask & (fractions.max(axis=-1) > 0.9)
    np.testing.assert_array_equal(only.labels[inside] == 2, fractions[inside][:, 0] > fractions[inside][:, 1])
    assert min(np.bincount(only.labels[only.mask])[2:]) > 5000


@pytest.mark.slow
def test_icbm152_fractions_fill_the_brain_and_nothing_else():
    anatomy = load_anatomy("icbm152")
    total = anatomy.fractions.sum(axis=-1)
    assert set(np.unique(total[anatomy.labels > 0])) <= {255, 256}  # two maps rounded
    assert total[anatomy.labels == 0].max() == 0


def test_the_stand_in_field_has_the_range_of_field_c_over_the_brain():
    anatomy = load_anatomy("icbm152")
    slices = range(anatomy.labels.shape[2])
    inside = np.concatenate([anatomy.field(z)[anatomy.labels[:, :, z] > 0] for z in slices])
    assert (inside.min(), inside.max()) == pytest.approx(FIELD_RANGE, abs=1e-5)
    field = anatomy.field(90)
    assert np.abs(np.diff(field, 2, axis=0)).max() < 1e-3  # smooth


def test_inhomogeneity_multiplies_by_its_field():
    flat, bent = (brain_slices("icbm152", 0, p, [90], seed=0)[0] for p in (0, 40))
    inside = flat.labels > 0
    gain = 1 + 0.4 * (load_anatomy("icbm152").field(90) - 5)
    np.testing.assert_allclose(bent.image[inside] / flat.image[inside], gain[inside], rtol=1e-6)


@pytest.mark.parametrize("noise", [1, 9])
def test_noise_is_given_in_per_cent_of_fluid(noise):
    clean, noisy = (brain_slices("icbm152", level, 0, [90], seed=0)[0] for level in (0, noise))
    difference = (noisy.image - clean.image)[clean.mask]  # far above the noise, so the Rice law is nearly normal
    assert difference.std() == pytest.approx(noise / 100 * FLUID, rel=0.03)


def test_noise_depends_on_seed_draw_level_and_slice_only():
    def images(slices, noise=3, inhomogeneity=20, **options):
        return [one.image for one in brain_slices("icbm152", noise, inhomogeneity, slices, **{"seed": 0, **options})]

    both = images([80, 90])
    np.testing.assert_array_equal(images([90])[0], both[1])
    np.testing.assert_array_equal(images([90, 80])[1], both[0])
    np.testing.assert_array_equal(images([90], noise=3.0)[0], both[1])
    for options in ({"draw": 1}, {"seed": 1}, {"noise": 3.5}):
        assert np.corrcoef((images([90], **options)[0] - both[1]).ravel(), both[1].ravel())[0, 1] < 0.2
        assert np.abs(images([90], **options)[0] - both[1]).mean() > 1
    background = load_anatomy("icbm152").labels[:, :, 90] == 0
    np.testing.assert_array_equal(images([90], inhomogeneity=40)[0][background], both[1][background])


@pytest.mark.slow
def test_resimulated_images_have_tissues_and_field_in_their_places(folder):
    (only,) = brain_slices("brainweb_resimulated", 0, 20, [90], data_folder=folder, seed=0)
    labels = make_labels()[:, :, 90]
    np.testing.assert_array_equal(only.labels, labels)
    for (x, y), value in {(60, 110): GREY, (120, 110): WHITE, (60, 54): FLUID, (35, 110): TISSUE_VALUES[7]}.items():
        # z = 90 lies at 18 mm; the field of the fixture is linear in millimetres
        gain = 1 + 0.2 * ((x - 90) / 200 + (y - 126) / 400 + 18 / 800)
        assert only.image[x, y] == pytest.approx(gain * value, rel=1e-5)
    assert only.mask.sum() == np.isin(labels, (2, 3)).sum()


def test_official_volumes_are_read_in_either_byte_order(folder):
    expected = (TISSUE_VALUES[make_labels()[:, :, 77]] * 10).astype(int)
    for noise in (3, 5):
        (only,) = brain_slices("brainweb", noise, 20, [77], data_folder=folder, seed=0)
        np.testing.assert_array_equal(only.image, expected)
        np.testing.assert_array_equal(only.labels, make_labels()[:, :, 77])


def test_the_real_slices_come_with_their_labels(folder):
    slices = real_slices(folder)
    assert [one.name for one in slices] == ["z090", "z091", "z092"]
    np.testing.assert_array_equal(slices[1].image, np.rint(TISSUE_VALUES[make_labels()[:, :, 91]]))
    np.testing.assert_array_equal(slices[1].labels, make_labels()[:, :, 91])


@pytest.mark.slow
def test_the_comparison_sees_equal_images_as_equal_and_noise_as_noise(folder, tmp_path):
    (tmp_path / "brainweb").mkdir()
    for file in (folder / "brainweb").iterdir():
        (tmp_path / "brainweb" / file.name).symlink_to(file)
    made, others = (
        brain_slices("brainweb_resimulated", 3, 20, REAL_SLICES, data_folder=folder, seed=seed) for seed in (5, 6)
    )
    real = np.rint(np.stack([one.image for one in made], axis=2)).astype(np.uint8)
    (tmp_path / "brainweb/BrainProtonDensity3Slices.raw").unlink()
    (tmp_path / "brainweb/BrainProtonDensity3Slices.raw").write_bytes(real.tobytes(order="F"))
    same, other = (compare_with_real(real_slices(tmp_path), simulated, tmp_path) for simulated in (made, others))
    assert len(same) == len(REAL_SLICES) * 4
    for row, unlike in zip(same, other, strict=True):
        assert row["mean_ratio"] == row["noise_ratio"] == 1
        assert unlike["noise_ratio"] == pytest.approx(1, abs=0.1)
        assert unlike["noise_ratio"] != 1
        if row["tissue"] == "WM":
            assert row["real_noise"] == pytest.approx(0.03 * FLUID, rel=0.05)
        if row["tissue"] == "brain":
            assert row["correlation"] == pytest.approx(1)
            assert 0.8 < unlike["correlation"] < 0.99


def test_names_tell_what_is_simulated():
    assert {source: tuple(about_subject(source).values()) for source in brainweb.SOURCES} == {
        "brainweb": ("brainweb", "original"),
        "brainweb_resimulated": ("brainweb_resimulated", "simulated"),
        "icbm152": ("icbm152_simulated", "simulated"),
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (("icbm152", 3, 20, [189]), "slice 189 is out of range: icbm152 has slices 0 to 188"),
        (("icbm152", 3, 20, [-1]), "slice -1 is out of range"),
        (("icbm152", 3, 20, [185]), "slice 185 of icbm152 lacks grey and white matter"),
        (("brainweb", 2, 20, [90]), "noise of 0, 1, 3, 5, 7, 9 per cent, found 2.* brainweb_re"),
        (("brainweb", 3, 30, [90]), "inhomogeneity of 0, 20, 40 per cent, found 30"),
        (("brainweb", 7, 20, [90]), "pn7_rf20.raws.gz, not found in .* brainweb_resimulated"),
    ],
)
def test_requests_that_cannot_be_met(folder, request_, message):
    source, noise, inhomogeneity, slices = request_
    with pytest.raises(InputError, match=message):
        validate_slices(source, noise, inhomogeneity, slices, data_folder=folder)


def test_a_folder_that_is_not_there_is_named():
    with pytest.raises(InputError, match=r"brainweb\.mat, .*possum_brain\.nii\.gz, .* icbm152"):
        brain_slices("brainweb_resimulated", 3, 20, [90], data_folder="absent", seed=0)


def test_real_slices_that_are_not_there_are_named(tmp_path):
    with pytest.raises(InputError, match="BrainProtonDensity3Slices"):
        real_slices(tmp_path)


def test_damaged_files_are_named(folder, tmp_path):
    (tmp_path / "brainweb").mkdir()
    for file in (folder / "brainweb").iterdir():
        (tmp_path / "brainweb" / file.name).write_bytes(file.read_bytes()[:5000])
    for source, name in (("brainweb", "phantom_1.0mm"), ("brainweb_resimulated", "possum_brain")):
        with pytest.raises(InputError, match=f"{name}.* cannot be read"):
            brain_slices(source, 3, 20, [90], data_folder=tmp_path, seed=0)
    with pytest.raises(InputError, match=r"brainweb\.mat cannot be read"):
        real_slices(tmp_path)


@pytest.mark.parametrize("labels", [np.ones((3, 4, 5), np.uint8), np.array(["a", "b"]), 7])
def test_labels_of_another_shape_are_named(tmp_path, labels):
    (tmp_path / "brainweb").mkdir()
    savemat(tmp_path / "brainweb/brainweb.mat", {"brainweb": {"typemap": labels}})
    with pytest.raises(InputError, match=r"brainweb\.mat: expected labels of shape \(181, 217, 181\), found"):
        brainweb._mat_labels(tmp_path)
