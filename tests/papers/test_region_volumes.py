"""Region maps of volumes: slices alone, several at a time, and all in one embedding."""

import numpy as np
import pytest
from replication.catalogue.configuration import read_configuration
from replication.data.readers.volumes import ImageSlice
from replication.papers.viswanath2012 import region_volumes
from replication.papers.viswanath2012.region_maps import CONDITIONS, map_slice
from replication.papers.viswanath2012.region_volumes import map_slices
from replication.papers.viswanath2012.settings import RegionSettings
from replication.platform.steps import Work
from replication.shared.tidy import Metrics

FEW = {"levels": 32, "max_objects": 40, "n_neighbors": 8, "n_embeddings": 8, "strength": "r_squared"}
WORK = Work(seed=1)


@pytest.fixture(scope="module")
def settings():
    section = {**read_configuration()["image_embedding"], **FEW}
    del section["exploratory_theta"]
    return RegionSettings.model_validate(section)


@pytest.fixture(scope="module")
def volume():
    """Three slices: dark and smooth on the left, bright and rough on the right; then dark alone; then bright alone."""
    rng = np.random.default_rng(0)
    mask = np.zeros((24, 26), dtype=bool)
    mask[2:-2, 3:-3] = True
    right = np.zeros(mask.shape, dtype=bool)
    right[:, 13:] = True
    slices = []
    for k, bright in enumerate((right, np.zeros_like(right), np.ones_like(right))):
        image = 100 + 60 * bright + rng.normal(size=mask.shape) * np.where(bright, 20, 4)
        slices.append(ImageSlice(f"head_z{k:03d}", image, mask, None))
    return slices


def mapped(slices, settings, work=WORK, **how):
    metrics = Metrics("region_maps", "head", "own", CONDITIONS)
    return np.array(map_slices(slices, settings, metrics, work=work, **how)), metrics.table()


def test_slice_by_slice_each_map_is_that_of_the_slice_alone_whatever_the_number_at_a_time(volume, settings):
    finished = []
    maps, table = mapped(volume, settings, Work(seed=1, say=finished.append))
    again, same = mapped(volume, settings, Work(seed=1, threads=3))
    assert finished == [f"{k} of 3 slices" for k in (1, 2, 3)]
    assert np.array_equal(maps, again)
    assert table.equals(same)
    assert table["slice"].drop_duplicates().tolist() == [one.name for one in volume]
    for one, drawn in zip(volume, maps, strict=True):
        alone = Metrics("region_maps", "head", "own", CONDITIONS)
        assert np.array_equal(drawn, map_slice(one, settings, alone, seed=1))
        assert table[table["slice"] == one.name].reset_index(drop=True).equals(alone.table())


def test_in_one_embedding_a_region_means_the_same_in_each_slice(volume, settings):
    maps, table = mapped(volume, settings, one_embedding=True)
    (mixed, dark, bright), mask = maps, volume[0].mask
    assert (maps[:, ~mask] == 0).all()
    assert np.mean(dark[mask] == 1) > 0.9
    assert np.mean(bright[mask] == 2) > 0.9
    assert np.mean(mixed[mask] == 1 + (np.argwhere(mask)[:, 1] >= 13)) > 0.8
    # Alone, a slice of one tissue is parted all the same.
    assert np.unique(mapped(volume[1:2], settings)[0][0][mask]).tolist() == [1, 2]
    assert table["slice"].unique().tolist() == ["head_z000 to head_z002"]
    assert np.array_equal(maps, mapped(volume, settings, Work(seed=1, threads=2), one_embedding=True)[0])


def test_objects_found_among_some_pixels_stand_for_all(volume, settings, monkeypatch):
    expected, _ = mapped(volume, settings, one_embedding=True)
    monkeypatch.setattr(region_volumes, "MOST_PIXELS", 600)
    found, _ = mapped(volume, settings, one_embedding=True)
    mask = volume[0].mask
    assert mask.sum() * 3 > 600
    assert (found[:, ~mask] == 0).all()
    assert 0.9 < np.mean(found[:, mask] == expected[:, mask]) < 1


def test_one_slice_in_one_embedding_is_that_slice(volume, settings):
    assert np.array_equal(*(mapped(volume[:1], settings, one_embedding=how)[0] for how in (True, False)))


def test_a_slice_that_cannot_be_mapped_is_named_and_ends_the_others(volume, settings):
    few = np.zeros_like(volume[1].mask)
    few[3, 3:5] = True
    bad = ImageSlice("head_z009", volume[1].image, few, None)
    finished = []
    with pytest.raises(ValueError, match=r"^slice head_z009, 2 pixels in the mask"):
        mapped([volume[0], volume[2], bad], settings, Work(seed=1, threads=2, say=finished.append))
    # Its turn comes first.
    assert finished == []
