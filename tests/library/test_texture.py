"""Haralick features per pixel: mahotas and plain NumPy as oracles, known answers, invariances, bad input."""

import mahotas
import numpy as np
import pytest
from consensus_embedding.features.texture import haralick_features, scale_features, texture_features
from mahotas.features.texture import cooccurence, haralick_labels
from refusals import refusals

NAMES = {name.lower(): k for k, name in enumerate(haralick_labels)}
# The oracles' matrices are small: threads would only wait for each other.
pytestmark = pytest.mark.usefixtures("one_blas_thread")
DIFFERENCE_VARIANCE = NAMES["difference variance"]
LAST = NAMES["maximal correlation coefficient"]


def picture(kind, levels, shape=(13, 14)):
    """Whole numbers that span 0, ..., levels - 1, so that quantising leaves them alone."""
    rng = np.random.default_rng(levels)
    rows, columns = np.indices(shape)
    found = {
        "random": rng.integers(0, levels, shape),
        "waves": np.rint((levels - 1) * (0.5 + 0.5 * np.sin(0.7 * rows + 0.3 * columns**1.2))),
        "patches": rng.choice(rng.integers(0, levels, 4), (3, 3))[rows // 5, columns // 5],
        "smooth": np.clip(levels // 2 + np.rint(rng.normal(scale=1.2, size=shape)), 0, levels - 1),
    }[kind].astype(int)
    found[0, 0], found[-1, -1] = 0, levels - 1
    return found


def ragged(shape):
    """A mask with holes, lone pixels and ends at the border; the extremes of `picture` are inside."""
    mask = np.random.default_rng(3).random(shape) < 0.7
    mask[0, 0] = mask[-1, -1] = True
    mask[4:8, 6:8] = False
    return mask


def windows(levels, mask, window, fill):
    half = window // 2
    padded = np.pad(levels, half, constant_values=fill)
    for y, x in np.argwhere(mask):
        yield padded[y : y + window, x : x + window]


def singular_value(p):
    """Feature 14 from a dense decomposition."""
    p = p[:, p.sum(axis=0) > 0][p.sum(axis=0) > 0]
    root = np.sqrt(p.sum(axis=0))
    values = np.linalg.svd(p / root / root[:, None], compute_uv=False)
    return values[1] if len(values) > 1 else 0.0


def by_mahotas(levels, mask, window, distance=1, **options):
    """Features 1 to 13 of mahotas, window by window; feature 14 by Haralick's definition, which mahotas has not."""
    table = []
    for patch in windows(np.where(mask, levels, 0), mask, window, 0):
        patch = patch.astype(np.uint8)
        first = mahotas.features.haralick(patch, distance=distance, **options).mean(axis=0)
        counts = [cooccurence(patch, direction, distance=distance).astype(float) for direction in range(4)]
        table.append([*first, np.mean([singular_value(c / c.sum()) for c in counts])])
    return np.array(table)


def entropy(p):
    p = p[p > 0]
    return -(p * np.log2(p)).sum()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["random", "waves", "patches", "smooth"])
@pytest.mark.parametrize(
    ("window", "levels", "distance"),
    [(3, 8, 1), (3, 128, 2), (5, 8, 1), (5, 64, 1), (5, 64, 2), (5, 128, 1), (7, 32, 1), (9, 128, 2)],
)
def test_features_are_those_of_mahotas(kind, window, levels, distance):
    image = picture(kind, levels)
    mask = ragged(image.shape)
    found = haralick_features(image, mask, window=window, levels=levels, distance=distance)
    if (window, levels, distance) == (5, 128, 1):
        np.testing.assert_array_equal(haralick_features(image, mask), found)  # the defaults
    assert found.shape == (mask.sum(), 14)
    expected = by_mahotas(image, mask, window, distance)
    others = [k for k in range(14) if k != NAMES["information measure of correlation 2"]]
    np.testing.assert_allclose(found[:, others], expected[:, others], rtol=0, atol=1e-8)
    # The root in this one blows up mahotas's rounding where levels are independent; ours is exactly 0 there.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["random", "waves", "patches", "smooth"])
@pytest.mark.parametrize("outside", ["zero", "excluded", "image"])
@pytest.mark.parametrize("variance", ["mahotas", "haralick"])
@pytest.mark.parametrize(("window", "levels", "distance"), [(3, 8, 2), (5, 16, 1), (5, 64, 3)])
def test_mahotas_and_the_fast_implementation_give_the_same_features(kind, outside, variance, window, levels, distance):
    image = picture(kind, levels)
    mask = ragged(image.shape)
    mask[0:6, 9:] = False
    mask[2, 12] = True  # on its own
    options = {"window": window, "levels": levels, "distance": distance, "value_range": (0, levels - 1)}
    options |= {"outside": outside, "difference_variance": variance}
    found, expected = (haralick_features(image, mask, implementation=one, **options) for one in ("mahotas", "fast"))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)
    thirteen = haralick_features(image, mask, implementation="mahotas", n_features=13, **options)
    np.testing.assert_array_equal(thirteen, found[:, :13])


def test_difference_variance_of_haralick_is_that_of_mahotas_with_its_switch():
    image = picture("random", 32)
    mask = ragged(image.shape)
    ours = haralick_features(image, mask, levels=32, difference_variance="haralick")
    expected = by_mahotas(image, mask, 5, use_x_minus_y_variance=True)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-8)
    default = haralick_features(image, mask, levels=32)
    assert abs(ours[:, DIFFERENCE_VARIANCE] - default[:, DIFFERENCE_VARIANCE]).min() > 1


@pytest.mark.parametrize("variance", ["mahotas", "haralick"])
def test_a_pixel_without_any_pair_is_like_a_constant_window(variance):
    image = picture("random", 16)
    mask = np.zeros(image.shape, bool)
    mask[1, 1] = mask[8, 8] = True
    image[1, 1], image[8, 8] = 5, 11
    options = {"levels": 16, "value_range": (0, 15), "difference_variance": variance}
    found = haralick_features(image, mask, outside="excluded", **options)
    for row, level in zip(found, (5, 11), strict=True):
        expected = haralick_features(np.full((5, 5), level), np.ones((5, 5), bool), **options)[12]
        np.testing.assert_array_equal(row, expected)


def test_image_outside_the_mask_is_clipped_to_the_range_of_the_mask():
    image = picture("random", 16)
    mask = ragged(image.shape)
    wild = np.where(mask, image, np.where(image % 2, 1000.0, -np.inf))
    tame = np.where(mask, image, np.where(image % 2, 15, 0))
    found, expected = (haralick_features(x, mask, levels=16, outside="image") for x in (wild, tame))
    np.testing.assert_array_equal(found, expected)


def centre(patch, levels):
    """Features of the middle pixel of one window."""
    mask = np.zeros(np.shape(patch), bool)
    mask[len(patch) // 2, len(patch) // 2] = True
    return haralick_features(
        patch, mask, window=len(patch), levels=levels, value_range=(0, levels - 1), outside="image"
    )[0]


def test_constant_window():
    found = centre(np.full((5, 5), 3), 8)
    expected = np.zeros(14)
    expected[[0, 2, 4]], expected[5] = 1, 6
    expected[DIFFERENCE_VARIANCE] = np.var([1, 0, 0, 0])
    np.testing.assert_array_equal(found, expected)
    by_oracle = mahotas.features.haralick(np.full((5, 5), 3, np.uint8)).mean(axis=0)
    np.testing.assert_allclose(found[:13], by_oracle, rtol=0, atol=1e-12)


@pytest.mark.parametrize("window", [5, 9, 13])
def test_independent_levels_share_exactly_no_information(window):
    # Stripes 0 0 1 1 ...: along rows and both diagonals all four pairs are equally frequent; columns are constant.
    found = centre(np.tile(np.arange(window) // 2 % 2, (window, 1)), 2)
    ones = (window // 2) / window
    assert found[NAMES["correlation"]] == pytest.approx(0.25, abs=1e-14)
    assert found[NAMES["information measure of correlation 1"]] == pytest.approx(-0.25, abs=1e-12)
    expected = np.sqrt(1 - np.exp(-2 * entropy(np.array([ones, 1 - ones])))) / 4
    assert found[NAMES["information measure of correlation 2"]] == pytest.approx(expected, abs=1e-12)
    assert found[LAST] == pytest.approx(0.25, abs=1e-14)


def test_checkerboard_is_fully_dependent():
    found = centre(np.indices((5, 5)).sum(axis=0) % 2 * 7, 8)
    assert found[LAST] == 1.0
    assert found[NAMES["contrast"]] == pytest.approx(49 / 2)
    assert found[NAMES["correlation"]] == pytest.approx(0, abs=1e-14)
    assert found[NAMES["entropy"]] == pytest.approx(1, abs=0.02)


def test_maximal_correlation_is_the_root_of_the_second_eigenvalue_of_q():
    rng = np.random.default_rng(5)
    degenerate, between = 0, 0
    for n_levels in (2, 3, 5, 8, 12, 20, 60):
        for _ in range(25):
            patch = rng.integers(0, n_levels, (5, 5)).astype(np.uint8)
            roots = []
            for direction in range(4):
                p = cooccurence(patch, direction).astype(float)
                p = p[p.sum(axis=0) > 0][:, p.sum(axis=0) > 0] / p.sum()
                marginal = p.sum(axis=0)
                q = (p / marginal) @ p.T / marginal[:, None]
                values = np.sort(np.linalg.eigvals(q).real)
                roots.append(np.sqrt(max(0.0, values[-2])) if len(values) > 1 else 0.0)
            # The eigenvalue is exact to rounding, and so is its square root where it is not next to 0.
            assert centre(patch, n_levels)[LAST] == pytest.approx(np.mean(roots), abs=1e-7)
            degenerate += np.mean(roots) > 1 - 1e-9
            between += np.mean(roots) < 0.95
    assert degenerate > 5
    assert between > 50


@pytest.mark.parametrize("window", [5, 11, 21])
@pytest.mark.parametrize("kind", ["stripes", "blocks", "ramp", "rare", "random", "smooth"])
def test_maximal_correlation_of_degenerate_and_large_windows(kind, window):
    rng = np.random.default_rng(window)
    rows, columns = np.indices((window, window))
    patch = {
        "stripes": columns % 4 + 4 * (rows % 3),
        "blocks": 40 * (rows // 3) % 200 + columns // 3,
        "ramp": (3 * rows + 2 * columns) % 256,
        "rare": np.where(rng.random((window, window)) < 0.05, rng.integers(1, 256, (window, window)), 0),
        "random": rng.integers(0, 256, (window, window)),
        "smooth": np.rint(100 + 8 * rng.normal(size=(window, window))),
    }[kind].astype(np.int32)
    counts = [cooccurence(patch, direction).astype(float) for direction in range(4)]
    expected = np.mean([singular_value(c / c.sum()) for c in counts])
    assert centre(patch, 256)[LAST] == pytest.approx(expected, abs=1e-11)


def test_turning_the_image_turns_the_features():
    image = np.random.default_rng(6).normal(size=(11, 16))
    mask = ragged(image.shape)
    for outside in ("zero", "excluded", "image"):
        field = np.zeros((14, *image.shape))
        field[:, mask] = haralick_features(image, mask, outside=outside).T
        turned = np.rot90(mask)
        found = haralick_features(np.rot90(image), turned, outside=outside)
        np.testing.assert_allclose(found, np.rot90(field, axes=(1, 2))[:, turned].T, rtol=1e-12, atol=1e-12)


def test_shift_of_all_grey_levels():
    image = picture("random", 32)
    mask = ragged(image.shape)
    options = {"levels": 64, "value_range": (0, 63), "outside": "excluded", "difference_variance": "haralick"}
    before, after = (haralick_features(x, mask, **options) for x in (image, image + 20))
    average = NAMES["sum average"]
    np.testing.assert_allclose(after[:, average], before[:, average] + 40, rtol=1e-12)
    others = np.delete(np.arange(14), average)
    np.testing.assert_allclose(after[:, others], before[:, others], rtol=1e-12, atol=1e-12)


def test_scale_and_unit_of_the_image_do_not_matter():
    image = picture("random", 64)
    mask = ragged(image.shape)
    expected = haralick_features(image, mask, levels=64)
    image.flags.writeable = mask.flags.writeable = False  # and neither is written to
    for other in (image * 8.0 - 100, image.astype(np.float32), image.astype(np.uint8), np.asfortranarray(image)):
        np.testing.assert_array_equal(haralick_features(other, mask, levels=64), expected)
    unknown = np.where(mask, image, np.nan)
    np.testing.assert_array_equal(haralick_features(unknown, mask, levels=64), expected)


def test_whole_numbers_stay_what_they_are_at_every_number_of_levels():
    for levels in range(2, 257):
        image = np.arange(levels)[None, :]
        found = haralick_features(image, image >= 0, window=3, levels=levels, outside="excluded", n_features=13)
        average = np.convolve(np.arange(levels), [1, 2, 1])[2:-2] / 2
        np.testing.assert_allclose(found[1:-1, NAMES["sum average"]], average, rtol=1e-12)


def test_result_does_not_depend_on_threads_mask_or_how_many_features():
    image = np.random.default_rng(7).normal(size=(40, 31))
    mask = ragged(image.shape)
    mask[10:20] = False
    expected = haralick_features(image, mask)
    for n_jobs in (2, 3, 50):
        np.testing.assert_array_equal(haralick_features(image, mask, n_jobs=n_jobs), expected)
    np.testing.assert_array_equal(haralick_features(image, mask, n_features=13, n_jobs=2), expected[:, :13])
    everywhere = np.ones(image.shape, bool)
    options = {"value_range": (-3, 3), "outside": "image"}
    part, whole = (haralick_features(image, m, **options) for m in (mask, everywhere))
    np.testing.assert_array_equal(part, whole[mask.ravel()])


def test_window_larger_than_the_image():
    image = picture("random", 16, (3, 4))
    mask = np.ones((3, 4), bool)
    found = haralick_features(image, mask, window=9, levels=16)
    np.testing.assert_allclose(found, by_mahotas(image, mask, 9), rtol=0, atol=1e-8)


def test_choice_of_features():
    image = picture("random", 16).astype(float)
    mask = ragged(image.shape)
    all_features = haralick_features(image, mask, levels=16, window=3)
    np.testing.assert_array_equal(texture_features(image, mask, levels=16, window=3), all_features)
    with_intensity = texture_features(image, mask, features="haralick13_intensity", levels=16, window=3)
    np.testing.assert_array_equal(with_intensity, np.column_stack([all_features[:, :13], image[mask]]))


def test_scaling():
    F = np.column_stack([np.arange(5.0), [0, 0, 0, 0, 8], np.full(5, 0.1)])
    assert scale_features(F)[:, :2].std(axis=0) == pytest.approx([1, 1])
    assert scale_features(F).mean(axis=0) == pytest.approx([0, 0, 0], abs=1e-15)
    np.testing.assert_allclose(scale_features(F, "minmax"), np.column_stack([F[:, 0] / 4, F[:, 1] / 8, np.zeros(5)]))
    robust = np.column_stack([(F[:, 0] - 2) / 2, F[:, 1] / F[:, 1].std(), np.zeros(5)])
    np.testing.assert_allclose(scale_features(F, "robust"), robust)
    np.testing.assert_array_equal(scale_features(F, "none"), F)
    for method in ("zscore", "minmax", "robust"):
        assert (scale_features(F, method)[:, 2] == 0).all()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("window", 4, "odd"),
        ("window", 1, "at least 3"),
        ("window", 3.5, "integer, found 3.5"),
        ("levels", 1, "at least 2 and at most 256"),
        ("levels", 257, "at least 2 and at most 256"),
        ("distance", 5, "less than the window, 5, found 5"),
        ("n_features", 12, "at least 13 and at most 14"),
        ("outside", "mirror", "outside .* must be one of"),
        ("difference_variance", "index", r"\['haralick', 'mahotas'\], found 'index'"),
        ("implementation", "slow", "found 'slow'"),
        ("value_range", (3, 3), "the first smaller"),
        ("value_range", (0, np.inf), "finite"),
        ("value_range", (0, np.nan), "finite"),
        ("value_range", 7, "two numbers"),
    ],
)
def test_options_out_of_range(name, value, message):
    image = picture("random", 16)
    with pytest.raises(ValueError, match=message):
        haralick_features(image, ragged(image.shape), **{name: value})


IMAGE = picture("random", 16).astype(float)
MASK = ragged(IMAGE.shape)


test_images_masks_and_features_that_cannot_be_used = refusals(
    (lambda: haralick_features(IMAGE, np.zeros_like(MASK)), "mask is empty"),
    (lambda: haralick_features(IMAGE, MASK[1:]), "same shape"),
    (lambda: haralick_features(IMAGE[None], MASK[None]), "two dimensions"),
    (lambda: haralick_features(IMAGE, MASK * 2), "boolean, or 0 and 1"),
    (lambda: haralick_features(np.where(MASK, np.nan, IMAGE), MASK), f"NaN or infinity at {MASK.sum()} pixels"),
    (lambda: haralick_features(np.where(MASK, IMAGE, np.nan), MASK, outside="image"), "NaN outside the mask"),
    (lambda: haralick_features(np.where(MASK, 4.5, IMAGE), MASK), r"constant .*\(every pixel is 4.5\)"),
    (lambda: texture_features(IMAGE, MASK, features="gabor"), "haralick14"),
    (lambda: scale_features(np.ones(3)), "table"),
    (lambda: scale_features(np.ones((0, 2))), "at least one row"),
    (lambda: scale_features([[1, np.nan]], "minmax"), "NaN"),
    (lambda: scale_features(np.ones((2, 2)), "rank"), "zscore"),
)
