"""The toy image: regions that differ in red only, noise of the stated size."""

import numpy as np
import pytest
from replication.data.toy_image import BACKGROUND_RED, FOREGROUND_RED, LEVEL, toy_image

GAP = FOREGROUND_RED - BACKGROUND_RED


def test_regions_differ_in_red_only():
    image = toy_image(30, noise=1.0, seed=0)
    assert image.rgb.shape == image.clean.shape == (30, 30, 3)
    assert set(np.unique(image.clean[image.foreground, 0])) == {FOREGROUND_RED}
    assert set(np.unique(image.clean[~image.foreground, 0])) == {BACKGROUND_RED}
    assert (image.clean[..., 1:] == LEVEL).all()
    assert image.foreground.mean() == pytest.approx(np.pi * 0.35**2, abs=0.02)


def test_noise_is_on_green_and_blue_in_units_of_the_red_difference():
    image = toy_image(200, noise=2.0, seed=0)
    np.testing.assert_array_equal(image.rgb[..., 0], image.clean[..., 0])
    noise = (image.rgb - image.clean)[..., 1:]
    assert noise.std() == pytest.approx(2.0 * GAP, rel=0.01)
    assert noise.mean() == pytest.approx(0.0, abs=0.02)
    assert abs(np.corrcoef(noise[..., 0].ravel(), noise[..., 1].ravel())[0, 1]) < 0.02
    assert abs(noise[image.foreground].mean() - noise[~image.foreground].mean()) < 0.03


def test_red_noise_has_its_own_size():
    image = toy_image(200, noise=1.0, red_noise=0.2, seed=0)
    assert (image.rgb - image.clean)[..., 0].std() == pytest.approx(0.2 * GAP, rel=0.02)


def test_draws_differ_and_a_draw_is_the_same_noise_at_every_level():
    weak, strong = toy_image(20, noise=1.0, seed=5, draw=2), toy_image(20, noise=3.0, seed=5, draw=2)
    np.testing.assert_allclose(3.0 * (weak.rgb - weak.clean), strong.rgb - strong.clean, atol=1e-12)
    np.testing.assert_array_equal(weak.rgb, toy_image(20, noise=1.0, seed=5, draw=2).rgb)
    assert (weak.rgb != toy_image(20, noise=1.0, seed=5, draw=3).rgb)[..., 1:].all()
    assert (weak.rgb != toy_image(20, noise=1.0, seed=6, draw=2).rgb)[..., 1:].all()
