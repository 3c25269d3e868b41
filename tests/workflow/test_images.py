"""The image experiments at their smallest, and region maps of images of one's own."""

import re
import shutil

import nibabel
import numpy as np
import pytest
import yaml
from replication.shared.tidy import read_table

pytestmark = pytest.mark.long_study

# Enough for every table and figure; the numbers say nothing.
FEW = {"window": 3, "max_objects": 30, "n_neighbors": 6, "n_embeddings": 6, "kmeans_starts": 2}
STUDY = {
    "experiments": [
        "brain_grid",
        "ml_estimators",
        "theta_sensitivity",
        "intrinsic_dimension",
        "leave_one_out",
        "toy_rgb",
        "theory_error",
        "theory_monotone",
    ],
    # The mean shift takes minutes on the prostate; brain_grid runs it beside k-means.
    "image_embedding": {**FEW, "objects": "k_means"},
    "figure_formats": ["png", "pdf"],
    # Slices near the top of the brain, which have few pixels.
    "brain": {
        "noise_draws": 1,
        "noise": [3],
        "inhomogeneity": [40],
        "slices": [142, 144],
        "calibration_slices": [145],
    },
    "brain_grid": {"objects": ["k_means", "mean_shift"], "maps": [[3, 40]], "map_slice": 144},
    "theta_sensitivity": {"n_selected": [1, 3]},
    "intrinsic_dimension": {"slices": [144]},
    "toy_rgb": {"size": 8, "n_draws": 2},
    "theory_error": {"n_objects": 6, "n_embeddings": [3], "repetitions": 2},
    "theory_monotone": {"repetitions": 2, "n_levels": 3},
    # Genes, which three of these experiments also read.
    "genes": {"repetitions": 2},
    "gene_embedding": {"n_embeddings": 6, "subset_size": 12},
    "m_sensitivity": {"n_embeddings": [5, 6]},
}


@pytest.fixture(scope="module")
def studied(new_checkout):
    """A checkout in which the image experiments have run on one core."""
    checkout = new_checkout()
    checkout.snakemake("--cores", "1", "--configfile", checkout.write_config(STUDY))
    return checkout


def test_the_numbers_do_not_depend_on_the_number_of_cores(studied, new_checkout):
    other = new_checkout()
    # What the first run compiled, the second finds compiled: that shall not matter either.
    shutil.copytree(studied / "workflow", other / "workflow", dirs_exist_ok=True)
    numbers = [f"results/quick/{name}/metrics.tsv" for name in STUDY["experiments"]]
    numbers += ["results/quick/brain_grid/parts/icbm152_0_pn3.tsv", "results/quick/claims.tsv"]
    other.snakemake("--cores", "2", *numbers, "--configfile", other.write_config(STUDY))
    for name in numbers:
        assert (other / name).read_bytes() == (studied / name).read_bytes(), name


def write_own_images(checkout, own_images, name="config/own.yaml"):
    """A file with images of one's own and small settings, to be read after config/own_images.yaml."""
    content = {"image_embedding": FEW, "own_images": own_images}
    (checkout / name).write_text(yaml.safe_dump(content))
    return name


def map_regions(checkout, own_images, *arguments, fails=False):
    files = ["config/own_images.yaml", write_own_images(checkout, own_images)]
    return checkout.snakemake("--cores", "1", "region_maps", *arguments, "--configfile", *files, fails=fails)


def save(checkout, name, array, origin=(0.0, 0.0, 0.0), placed=True):
    """Write an image; return its path as a configuration names it."""
    path = checkout / "own" / f"{name}.nii.gz"
    path.parent.mkdir(exist_ok=True)
    affine = np.diag([2.0, 2.0, 3.0, 1.0])
    affine[:3, 3] = origin
    written = nibabel.Nifti1Image(array, affine)
    if not placed:
        written.set_sform(None)
    nibabel.save(written, path)
    return f"own/{name}.nii.gz"


def two_textures(seed=0):
    """A slice whose left half is dark and smooth, its right half bright and rough; its mask; its labels."""
    noise = np.random.default_rng(seed).normal(size=(24, 20))
    bright = np.zeros(noise.shape, dtype=np.uint8)
    bright[:, 10:] = 1
    mask = np.zeros(noise.shape, dtype=np.uint8)
    mask[3:-3, 2:-2] = 1
    image = np.where(bright, 200 + 40 * noise, 50 + 2 * noise).astype(np.float32)
    return image, mask, bright


def test_the_example_and_own_images_get_region_maps(studied):
    example = yaml.safe_load((studied / "config/own_images.yaml").read_text())["own_images"][0]
    image, mask, bright = two_textures()
    nothing = np.zeros_like(image)
    # Its first slice has one class only.
    labels = np.stack([np.zeros_like(mask), np.zeros_like(mask), mask, bright], axis=2)
    flat = {"name": "flat", "image": save(studied, "flat", image, placed=False), "mask": save(studied, "mask", mask)}
    volume = {
        "name": "volume",
        "image": save(studied, "volume", np.stack([nothing, image, image, two_textures(1)[0]], axis=2)),
        "mask": save(studied, "volume_mask", np.stack([np.zeros_like(mask), mask, mask, mask], axis=2)),
        "slices": [1, 3],
    }
    labelled = {**volume, "name": "labelled", "labels": save(studied, "volume_labels", labels)}
    sagittal = {
        "name": "sagittal",
        "image": save(studied, "sagittal", image[None]),
        "mask": save(studied, "sagittal_mask", mask[None]),
    }
    own = [example, flat, volume, labelled, sagittal]
    assert "7 steps to run" in map_regions(studied, own)
    maps = {}
    for item in own:
        folder = studied / "results/own_images/region_maps" / item["name"]
        ends = ("nii.gz", "tsv", "png", "pdf")
        assert {path.name for path in folder.iterdir()} == {f"regions.{end}" for end in ends} | {"metrics.tsv"}
        given, found = nibabel.load(studied / item["image"]), nibabel.load(folder / "regions.nii.gz")
        assert found.shape == given.shape
        assert np.array_equal(found.affine, given.affine)
        assert found.header["sform_code"] == given.header["sform_code"]
        inside = np.asarray(nibabel.load(studied / item["mask"]).dataobj) > 0
        if "slices" in item:
            inside[..., [z for z in range(inside.shape[2]) if z not in item["slices"]]] = False
        regions, grey = np.asarray(found.dataobj), np.asarray(given.dataobj)
        assert set(np.unique(regions[inside])) == {1, 2}
        assert not regions[~inside].any()
        metrics = read_table(folder / "metrics.tsv")
        assert set(metrics["source"]) == {"own"}
        assert ("accuracy" in set(metrics["metric"])) == ("labels" in item)
        if item is sagittal:
            regions, grey = regions[0], grey[0]
        for one, level in zip(np.atleast_3d(regions).T, np.atleast_3d(grey).T, strict=True):
            # Regions are counted by rising intensity.
            assert not one.any() or level[one == 1].mean() < level[one == 2].mean()
        maps[item["name"]] = regions
    # A slice of a volume is mapped as it is alone, and in its place.
    assert np.array_equal(maps["volume"][..., 1], maps["flat"])
    assert not np.array_equal(maps["volume"][..., 3], maps["flat"])
    assert np.array_equal(maps["sagittal"], maps["flat"])
    # Labels of one class only choose nothing.
    assert np.array_equal(maps["labelled"][..., 1], maps["flat"])
    assert "Nothing to be done" in map_regions(studied, own)
    # What is said of one image is no reason to map the others again.
    output = map_regions(studied, [example, {**flat, "n_regions": 3}, volume], "--dry-run")
    assert re.search(r"^map_regions +1$", output, re.M)


def test_an_image_that_cannot_be_used_is_one_clear_message_and_leaves_nothing(studied):
    image, mask = (save(studied, f"faulty_{k}", array) for k, array in enumerate(two_textures()[:2]))
    output = map_regions(studied, [{"name": "beyond", "image": image, "mask": mask, "slices": [1]}], fails=True)
    assert "Traceback" not in output
    when_it_fails, at_the_end = (
        [line for line in part.splitlines() if line.startswith("map_regions, beyond failed: ")]
        for part in output.split("Look above for error messages")
    )
    assert ["slice 1 is out of range: axis 2 has slices 0 to 0" in line for line in when_it_fails] == [True]
    assert at_the_end == when_it_fails
    assert "The full trace is in results/logs/own_images/map_regions/beyond.log" in output
    assert not list(studied.folder.glob("results/own_images/region_maps/beyond/*"))
