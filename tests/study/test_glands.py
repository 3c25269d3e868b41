"""Simulated glands: simple curves of the sizes and shapes asked for, alike in a region, paired across conditions."""

import numpy as np
import pytest
from replication.catalogue.configuration import read_configuration
from replication.data.glands import (
    GlandClass,
    GlandSimulator,
    Segmentation,
    enclosed_area,
    equally_spaced,
    simulate_glands,
)

CONFIGURED = GlandSimulator.model_validate(read_configuration()["glands"])
# All but invisible, for parameters that must be positive.
NONE = (1e-6, 0)
CLASS = GlandClass(
    n_glands=40,
    n_regions=4,
    radius_um=(50, 0.4),
    excess_aspect=(0.5, 0.5),
    bend_degrees=(20, 0.5),
    lobulation=(0.1, 0.4),
    folding=(0.04, 0.4),
    spectrum_exponent=(2, 0.2),
)
PLAIN = CLASS.replace(excess_aspect=NONE, bend_degrees=NONE, lobulation=NONE, folding=NONE)


def parameters(between=0.3, sd_um=0.0, n_points=256, **classes):
    return GlandSimulator(
        n_points=n_points,
        classes=classes,
        between_regions=between,
        segmentation=Segmentation(sd_um=sd_um, correlation_um=15),
    )


def log_radius(glands):
    return np.log(enclosed_area(glands.outlines) / np.pi) / 2


def polar(outline, n=512):
    """Radius about the centroid of the area at equally spaced angles, the outline being star-shaped."""
    fine = equally_spaced(outline, 8192)
    following = np.roll(fine, -1)
    cross = (fine.conj() * following).imag
    fine = fine - ((fine + following) * cross).sum() / (3 * cross.sum())
    angle = np.angle(fine)
    order = np.argsort(angle)
    places = np.linspace(-np.pi, np.pi, n, endpoint=False)
    return np.interp(places, angle[order], np.abs(fine)[order], period=2 * np.pi)


def crossings(outline):
    """Pairs of sides of a polygon that cross, neighbours left out."""
    a, b = outline, np.roll(outline, -1)

    def side(p, q, r):
        return np.sign(((q - p).conj() * (r - p)).imag)

    first, last = a[:, None], b[:, None]
    apart = side(first, last, a[None]) * side(first, last, b[None]) < 0
    cross = apart & apart.T
    n = len(outline)
    gap = np.abs(np.arange(n)[:, None] - np.arange(n))
    return int(cross[(gap > 1) & (gap < n - 1)].sum())


@pytest.fixture(scope="module")
def configured():
    return simulate_glands(CONFIGURED, 1)


def test_numbers_are_those_of_the_paper(configured):
    assert configured.names == ("benign", "grade_3", "grade_4")
    assert configured.outlines.shape == (888, 256)
    np.testing.assert_array_equal(np.bincount(configured.labels), [93, 748, 47])
    classes = [set(configured.labels[configured.regions == region].tolist()) for region in range(102)]
    assert configured.regions.max() == 101
    assert [sum(found == {k} for found in classes) for k in range(3)] == [24, 67, 11]


def test_outlines_are_simple_counter_clockwise_and_equally_spaced(configured):
    steps = np.abs(np.diff(configured.outlines, axis=1, append=configured.outlines[:, :1]))
    # Arcs are equal; chords are as long where the outline is straight, and cut its corners elsewhere.
    assert (np.median(steps, axis=1) / steps.max(axis=1)).min() > 0.95
    assert np.median(steps.std(axis=1) / steps.mean(axis=1)) < 0.01
    assert (enclosed_area(configured.outlines) > 0).all()
    assert sum(crossings(outline) for outline in configured.outlines[:200]) == 0


@pytest.mark.slow
def test_extreme_shapes_are_simple_too():
    wild = CLASS.replace(excess_aspect=(4, 0.5), bend_degrees=(400, 0.5), lobulation=(0.3, 0.4), folding=(0.12, 0.4))
    glands = simulate_glands(parameters(sd_um=2, n_points=1024, wild=wild), 0)
    assert sum(crossings(outline) for outline in glands.outlines) == 0
    assert (enclosed_area(glands.outlines) > 0).all()


def test_the_crossing_of_an_eight_is_seen():
    t = 2 * np.pi * (np.arange(64) + 0.5) / 64
    assert crossings(np.sin(t) + 0.5j * np.sin(2 * t)) == 2


def test_without_spread_glands_are_circles_of_the_radius():
    glands = simulate_glands(parameters(round=PLAIN.replace(radius_um=(30, 0))), 0)
    distance = np.abs(glands.outlines - glands.outlines.mean(axis=1, keepdims=True))
    np.testing.assert_allclose(distance, 30, rtol=1e-4)
    assert np.ptp(glands.outlines.mean(axis=1).real) > 500
    assert np.ptp(np.angle(glands.outlines[:, 0] - glands.outlines.mean(axis=1))) > 5


@pytest.mark.parametrize(
    ("change", "first", "last"), [({"lobulation": (0.1, 0)}, 2, 4), ({"folding": (0.05, 0)}, 5, 20)]
)
def test_lobes_and_folds_have_the_size_asked_for(change, first, last):
    glands = simulate_glands(parameters(one=PLAIN.replace(**change)), 0)
    radii = np.array([polar(outline) for outline in glands.outlines])
    power = np.square(np.abs(np.fft.rfft(np.log(radii), axis=1) / radii.shape[1])) * 2
    size = np.sqrt(power[:, 1:].sum(axis=1))
    np.testing.assert_allclose(size, next(iter(change.values()))[0], rtol=0.05)
    assert (power[:, first : last + 1].sum(axis=1) / power[:, 1:].sum(axis=1) > 0.95).all()


@pytest.mark.slow
def test_power_falls_with_the_exponent():
    """Mean power of harmonics 5 to 10 over that of 11 to 20, against the sums of the law."""
    found = []
    for exponent in (0.5, 3):
        settings = PLAIN.replace(n_glands=200, folding=(0.03, 0), spectrum_exponent=(exponent, 0))
        glands = simulate_glands(parameters(one=settings), 0)
        log_radii = np.log([polar(outline, 256) for outline in glands.outlines])
        power = np.square(np.abs(np.fft.rfft(log_radii, axis=1))).mean(axis=0)
        law = np.arange(1, 21) ** -float(exponent)
        found.append(power[5:11].sum() / power[11:21].sum())
        assert found[-1] == pytest.approx(law[4:10].sum() / law[10:].sum(), rel=0.25)
    assert found[1] > 3 * found[0]


def test_length_over_width():
    glands = simulate_glands(parameters(one=PLAIN.replace(excess_aspect=(1, 0))), 0)
    for outline in glands.outlines:
        radius = polar(outline)
        assert radius.max() / radius.min() == pytest.approx(2, rel=1e-3)


def test_bending_keeps_the_area_and_gives_the_axis_an_angle():
    bent = PLAIN.replace(radius_um=(30, 0), excess_aspect=(9, 0), bend_degrees=(90, 0))
    glands = simulate_glands(parameters(n_points=1024, one=bent), 0)
    for outline in glands.outlines[:5]:
        assert enclosed_area(outline) == pytest.approx(np.pi * 900, rel=1e-3)
        # The tips: the axis between them is an arc of 90 degrees, as long as that of the straight ellipse.
        apart = np.abs(outline[:, None] - outline)
        chord = 2 * 30 * np.sqrt(10)
        assert apart.max() == pytest.approx(chord * np.sin(np.pi / 4) / (np.pi / 4), rel=0.02)


def test_errors_of_the_segmentation_have_their_size_and_length():
    settings = PLAIN.replace(n_glands=400, radius_um=(100, 0))
    glands = simulate_glands(parameters(sd_um=2, one=settings), 0)
    # About the true centre, not that of the outline, the first harmonic counts too: compare from the second on.
    radii = np.array([polar(outline) for outline in glands.outlines])
    power = np.square(np.abs(np.fft.rfft(radii, axis=1) / radii.shape[1])).mean(axis=0) * 2
    law = np.exp(-np.square(np.arange(1, 65) * 0.15) / 4)
    np.testing.assert_allclose(power[2:21], 4 * law[1:20] / law.sum(), rtol=0.25)


def test_medians_and_spreads_are_those_asked_for():
    glands = simulate_glands(parameters(between=0, one=CLASS.replace(n_glands=1000, radius_um=(60, 0.5))), 0)
    assert log_radius(glands).mean() == pytest.approx(np.log(60), abs=0.06)
    assert log_radius(glands).std() == pytest.approx(0.5, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("between", [0, 0.3, 1])
def test_glands_of_a_region_share_a_part_of_the_variance(between):
    glands = simulate_glands(parameters(between, n_points=64, one=CLASS.replace(n_glands=2000, n_regions=200)), 0)
    values = log_radius(glands)
    within = np.mean([values[glands.regions == region].var(ddof=1) for region in range(200)])
    assert 1 - within / 0.16 == pytest.approx(between, abs=0.06)
    # 200 regions: five standard errors of a variance that is all theirs.
    assert values.var() == pytest.approx(0.16, rel=0.5 if between == 1 else 0.2)


def test_separation_moves_medians_alone():
    """Each gland keeps its deviates: from one separation to another all of a class change by one factor."""
    classes = {"small": CLASS.replace(radius_um=(20, 0.3)), "large": CLASS.replace(radius_um=(80, 0.5), n_glands=10)}
    drawn = {separation: simulate_glands(parameters(**classes), 0, separation=separation) for separation in (0, 1, 2)}
    np.testing.assert_array_equal(drawn[0].labels, drawn[2].labels)
    np.testing.assert_array_equal(drawn[0].regions, drawn[2].regions)
    for separation in (1, 2):
        moved = log_radius(drawn[separation]) - log_radius(drawn[0])
        expected = separation * np.where(drawn[0].labels == 0, -np.log(2), np.log(2))
        np.testing.assert_allclose(moved, expected, atol=0.02)


@pytest.mark.slow
def test_seed_and_role_decide_all(configured):
    again = simulate_glands(CONFIGURED, 1)
    np.testing.assert_array_equal(again.outlines, configured.outlines)
    np.testing.assert_array_equal(again.regions, configured.regions)
    for other in (simulate_glands(CONFIGURED, 2), simulate_glands(CONFIGURED, 1, role="training")):
        assert np.corrcoef(np.sort(log_radius(other)), np.sort(log_radius(configured)))[0, 1] > 0.9
        assert abs(np.corrcoef(log_radius(other), log_radius(configured))[0, 1]) < 0.2
        assert (other.labels != configured.labels).any()


@pytest.mark.parametrize("between", [0, 1])
def test_no_random_number_is_shared_by_two_roles(between):
    circles = PLAIN.replace(n_glands=4)
    one, other = (simulate_glands(parameters(between, one=circles), 0, role=role) for role in ("first", "second"))
    assert np.abs(np.sort(log_radius(one)) - np.sort(log_radius(other))).min() > 1e-3
    places, others = one.outlines.mean(axis=1), other.outlines.mean(axis=1)
    assert np.abs(places[:, None] - others).min() > 1


def test_the_order_does_not_tell_the_class(configured):
    assert len(set(configured.labels[:300].tolist())) == 3
    assert abs(np.corrcoef(np.arange(888), configured.labels)[0, 1]) < 0.2


def test_equally_spaced_points_of_a_square():
    square = np.array([0, 1, 1 + 1j, 1j])
    np.testing.assert_allclose(equally_spaced(square, 8), [0, 0.5, 1, 1 + 0.5j, 1 + 1j, 0.5 + 1j, 1j, 0.5j])
    np.testing.assert_allclose(equally_spaced(square, 4, 0.125), [0.5, 1 + 0.5j, 0.5 + 1j, 0.5j])
    assert enclosed_area(square) == 1
    assert enclosed_area(square[::-1]) == -1
