"""
Time the texture features beside mahotas called pixel by pixel, on one core and on the same windows.

    .venv/bin/python tests/benchmarks/bench.py --only texture    ten seconds

Processor time of both, not time on the clock: a call takes a few scheduler ticks, and beside other work the clock would
count those of the others.
"""

import time

import mahotas
import numpy as np
from consensus_embedding.features.texture import haralick_features
from nilearn.datasets import load_mni152_template
from rows import say
from threadpoolctl import threadpool_limits

WINDOW = 5
PIXELS = 17000
SAMPLE = 500


def brain_slice(noise):
    """The axial slice of the ICBM152 template (1 mm) nearest to PIXELS in size; noise as a share of its maximum."""
    volume = load_mni152_template(resolution=1).get_fdata()
    clean = volume[:, :, np.abs(np.count_nonzero(volume > 0, axis=(0, 1)) - PIXELS).argmin()]
    rng = np.random.default_rng(0)
    return clean + noise * clean.max() * rng.normal(size=clean.shape), clean > 0


def by_mahotas(image, mask, levels, pixels, all_features):
    """Seconds a pixel of mahotas on the windows of some pixels, its features 1 to 13, and on how many it gave up."""
    low, high = image[mask].min(), image[mask].max()
    quantised = np.clip(np.floor((image - low) * levels / (high - low)), 0, levels - 1).astype(np.uint8)
    padded = np.pad(np.where(mask, quantised, 0), WINDOW // 2)
    patches = [padded[y : y + WINDOW, x : x + WINDOW] for y, x in np.argwhere(mask)[pixels]]
    table, failures = np.full((len(patches), 13), np.nan), 0
    start = time.process_time()
    for row, patch in zip(table, patches, strict=True):
        try:
            row[:] = mahotas.features.haralick(patch, compute_14th_feature=all_features).mean(axis=0)[:13]
        except np.linalg.LinAlgError:
            failures += 1
    return (time.process_time() - start) / len(patches), table, failures


def bench_texture():
    """
    One line a setting: the time a pixel of both, the ratio, the largest difference in features 1 to 13.

    The 14th feature of mahotas is another statistic (of the correlations between the rows of the matrix), so it is
    timed but not compared; where a row of the matrix is constant, mahotas raises an error: such windows are counted.
    """
    for noise in (0.0, 0.03, 0.09):
        image, mask = brain_slice(noise)
        pixels = np.random.default_rng(1).choice(np.count_nonzero(mask), SAMPLE, replace=False)
        for levels in (64, 128):
            for n_features in (13, 14):
                haralick_features(image, mask, levels=levels, n_features=n_features)
                times = []
                for _ in range(5):
                    start = time.process_time()
                    found = haralick_features(image, mask, levels=levels, n_features=n_features)
                    times.append(time.process_time() - start)
                took = np.median(times)
                with threadpool_limits(1), np.errstate(invalid="ignore", divide="ignore"):
                    theirs, expected, failures = by_mahotas(image, mask, levels, pixels, n_features == 14)
                difference = np.nanmax(np.abs(found[pixels, :13] - expected))
                ours = took / len(found)
                say(
                    f"{n_features} Haralick features, {WINDOW} x {WINDOW} window, {levels} levels, noise {noise:.2f}, "
                    f"{len(found)} pixels, one pixel",
                    ours,
                    f"mahotas on {SAMPLE} of the pixels",
                    theirs,
                    f"largest difference {difference:.0e}, mahotas failed on {failures}",
                )
