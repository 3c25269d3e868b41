"""Volumes: what is written is read again; each bad file gets one error that names it."""

import gzip
import re
import tracemalloc
from contextlib import contextmanager

import h5py
import nibabel
import numpy as np
import pytest
from consensus_embedding.io import memory
from consensus_embedding.utils.text import InputError
from replication.data.readers.spectra import read_own_study
from replication.data.readers.volumes import Volume, load_image_and_mask, read_raw, read_volume, take_slice, write_nifti
from scipy.io import netcdf_file
from test_feature_set import changed

RNG = np.random.default_rng(0)
GREY_LEVELS = RNG.normal(100, 10, size=(6, 7, 4)).astype(np.float32)


@pytest.fixture
def files(tmp_path):
    """An image, a mask of its slices 1 and 2, and labels of two classes."""
    mask = np.zeros(GREY_LEVELS.shape, dtype=bool)
    mask[1:5, 2:6, 1:3] = True
    labels = np.zeros(GREY_LEVELS.shape, int)
    labels[3:] = 3
    paths = {name: tmp_path / f"{name}.nii.gz" for name in ("image", "mask", "labels")}
    for name, array in (("image", GREY_LEVELS), ("mask", mask), ("labels", labels)):
        write_nifti(array, paths[name])
    return paths


@contextmanager
def little_memory():
    """What is done inside takes less than 20 megabytes."""
    tracemalloc.start()
    yield
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < 20e6


MINC_AXES = ("time", "zspace", "yspace", "xspace")


def write_minc(path, stored, starts, steps, scale, axes=MINC_AXES):
    """A MINC 1 file is netCDF 3: axes (time,) z, y, x; real values run over image-min to image-max of each slice."""
    with netcdf_file(path, "w") as minc:
        names = axes[-stored.ndim :]
        for name, length, start, step in zip(names, stored.shape, starts, steps, strict=True):
            minc.createDimension(name, length)
            axis = minc.createVariable(name, "i", ())
            axis.start, axis.step, axis.spacing = float(start), float(step), "regular__"
        image = minc.createVariable("image", "b", names)
        image[:] = stored.astype(np.int8)
        image.signtype, image.valid_range = b"unsigned", np.array([0.0, 200.0])
        for name, value in (("image-min", 0.0), ("image-max", scale)):
            minc.createVariable(name, "d", names[:-2])[:] = value


def write_minc2(path, stored, starts=(0, 0, 0), steps=(1, 1, 1), scale=400.0, axes=MINC_AXES):
    """A MINC 2 file is HDF5; its axes have attributes only, as the library of MINC writes them."""
    with h5py.File(path, "w") as file:
        names = axes[-stored.ndim :]
        for name, start, step in zip(names, starts, steps, strict=True):
            axis = file.create_dataset(f"minc-2.0/dimensions/{name}", (), "i4")
            axis.attrs.update(start=float(start), step=float(step), spacing=np.bytes_("regular__"))
        image = file.create_dataset("minc-2.0/image/0/image", data=stored, chunks=(1, *stored.shape[1:]))
        image.attrs.update(dimorder=np.bytes_(",".join(names)), valid_range=np.array([0.0, 200.0]))
        for name, value in (("image-min", 0.0), ("image-max", scale)):
            limit = file.create_dataset(f"minc-2.0/image/0/{name}", data=np.full(stored.shape[:-2], value))
            limit.attrs["dimorder"] = np.bytes_(",".join(names[:-2]))


@pytest.mark.parametrize("suffix", [".nii", ".nii.gz"])
@pytest.mark.parametrize("dtype", ["float32", "int16", "uint8"])
def test_nifti_written_is_nifti_read(tmp_path, suffix, dtype):
    array = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for name in "ab":
        write_nifti(array, tmp_path / f"{name}{suffix}", affine=np.diag([1, 2, 3, 1]))
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"a{suffix}", f"b{suffix}"]
    volume = read_volume(tmp_path / f"a{suffix}")
    assert volume.data.dtype == dtype
    np.testing.assert_array_equal(volume.data, array)
    np.testing.assert_array_equal(volume.affine, np.diag([1.0, 2, 3, 1]))


def test_wide_integers_are_narrowed_and_keep_their_values(tmp_path):
    write_nifti(np.full((2, 3, 4), 70000, dtype=np.int64), tmp_path / "a.nii")
    volume = read_volume(tmp_path / "a.nii")
    assert volume.data.dtype == "int32"
    assert (volume.data == 70000).all()


def test_what_is_written_without_a_position_has_voxel_sizes_only(tmp_path):
    write_nifti(np.ones((3, 4, 5)), tmp_path / "a.nii", affine=PLACED, placed=False)
    header = nibabel.load(tmp_path / "a.nii").header
    assert (header["qform_code"], header["sform_code"]) == (0, 0)
    assert header.get_zooms() == (2, 2, 3)
    assert header.get_xyzt_units()[0] == "mm"
    assert not read_volume(tmp_path / "a.nii").placed


@pytest.mark.parametrize("offset", [1e7, 2.0**24 + 1])
def test_grey_levels_and_labels_of_double_precision_are_kept(tmp_path, offset):
    grey = np.random.default_rng(0).normal(offset, 0.3, size=(30, 30))
    labels = np.where(np.arange(900).reshape(30, 30) % 2, offset, offset - 1) * (np.arange(30) > 3)
    for name, array in (("image", grey), ("mask", np.ones((30, 30))), ("labels", labels)):
        write_nifti(array, tmp_path / f"{name}.nii")
    (one,) = load_image_and_mask(*(tmp_path / f"{name}.nii" for name in ("image", "mask", "labels")))
    np.testing.assert_array_equal(one.image, grey)
    np.testing.assert_array_equal(one.labels, labels)


@pytest.mark.parametrize(("unit", "size"), [("mm", 2.0), ("micron", 2000.0), ("meter", 0.002), ("unknown", 2.0)])
def test_every_unit_of_length_becomes_millimetres(tmp_path, unit, size):
    image = nibabel.Nifti1Image(np.eye(3, dtype=np.float32)[None], np.diag([size, size, size, 1]))
    image.header.set_xyzt_units(unit)
    nibabel.save(image, tmp_path / "a.nii")
    volume = read_volume(tmp_path / "a.nii")
    assert volume.affine == pytest.approx(np.diag([2.0, 2, 2, 1]))


def test_stored_scaling_is_applied(tmp_path):
    image = nibabel.Nifti1Image(np.arange(8, dtype=np.int16).reshape(2, 2, 2), np.eye(4))
    image.header.set_slope_inter(0.5, 10)
    image.to_filename(tmp_path / "scaled.nii")
    # nibabel keeps the real values and scales what it stores, so the oracle is its own reading of the file
    np.testing.assert_allclose(
        read_volume(tmp_path / "scaled.nii").data, nibabel.load(tmp_path / "scaled.nii").get_fdata()
    )


@pytest.mark.parametrize("write", [write_minc, write_minc2])
def test_minc_is_scaled_and_its_axes_are_x_y_z(tmp_path, write):
    stored = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)  # z, y, x
    write(tmp_path / "a.mnc", stored, starts=(-72, -126, -90), steps=(3, 2, 1), scale=400.0)
    volume = read_volume(tmp_path / "a.mnc")
    np.testing.assert_allclose(volume.data, 2.0 * stored.transpose(2, 1, 0))  # 0..200 stands for 0..400
    np.testing.assert_allclose(volume.affine, [[1, 0, 0, -90], [0, 2, 0, -126], [0, 0, 3, -72], [0, 0, 0, 1]])
    # Fractions of MINC 2 are read as they are.
    write_minc2(tmp_path / "b.mnc", GREY_LEVELS)
    np.testing.assert_array_equal(read_volume(tmp_path / "b.mnc").data, GREY_LEVELS.T)


@pytest.mark.parametrize("place", [0, 1, 3], ids=["first", "second", "last"])
@pytest.mark.parametrize("write", [write_minc, write_minc2])
def test_one_time_of_minc_is_no_axis_wherever_it_stands(tmp_path, write, place):
    space, axes = np.arange(24, dtype=np.uint8).reshape(2, 3, 4), list(MINC_AXES[1:])
    starts, steps = [-72, -126, -90], [3, 2, 1]
    write(tmp_path / "alone.mnc", space, starts, steps, 400.0)
    for values, value in ((axes, "time"), (starts, 0), (steps, 1)):
        values.insert(place, value)
    write(tmp_path / "one.mnc", np.expand_dims(space, place), starts, steps, 400.0, axes)
    one, alone = (read_volume(tmp_path / f"{name}.mnc") for name in ("one", "alone"))
    np.testing.assert_array_equal(one.data, alone.data)
    np.testing.assert_array_equal(one.affine, alone.affine)
    # Two times of one slice are no volume.
    times = np.repeat(np.expand_dims(space, place), 2, axis=place)
    slices = times.take([0], axis=axes.index("xspace"))
    write(tmp_path / "two.mnc", slices, starts, steps, 400.0, axes)
    with pytest.raises(InputError, match=r"found shape \(.*\); save one volume"):
        load_image_and_mask(tmp_path / "two.mnc", tmp_path / "two.mnc")


def replaced(name, link=None, **values):
    """Change a part of a MINC 2 file, or make it a link."""

    def change(file):
        attributes = dict(file[name].attrs)
        del file[name]
        if link is not None:
            file[name] = link
        else:
            file.create_dataset(name, **values).attrs.update(attributes)

    return change


def first_slices(file):
    replaced(VOXELS, shape=(6, 7, 4), dtype="u1", chunks=(1, 7, 4))(file)
    file[VOXELS][:5] = 1


VOXELS = "minc-2.0/image/0/image"
OTHER = h5py.VirtualLayout((6, 7, 4), "u1")
OTHER[:] = h5py.VirtualSource("other.mnc", VOXELS, (6, 7, 4))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (replaced(VOXELS, shape=(6, 7, 4), dtype="u1"), "no values were written"),
        (first_slices, "not allocated"),
        (replaced(VOXELS, shape=(1000, 1000, 1000), dtype="u1", chunks=(1, 1000, 1000)), "announces 1e[+]09 bytes"),
        (replaced("minc-2.0/image/0/image-max", shape=(6,), dtype="f8"), "image-max .*no values were written"),
        (replaced(VOXELS, h5py.ExternalLink("other.mnc", VOXELS)), "in another file, other.mnc"),
        (replaced("minc-2.0", h5py.ExternalLink("/etc/passwd", "minc-2.0")), "in another file, /etc/passwd"),
        (replaced("minc-2.0", h5py.SoftLink("/minc-2.0")), "more than 16 links"),
        (replaced(VOXELS, h5py.SoftLink(f"/door/{VOXELS}")), "in another file, other.mnc"),
        (replaced(VOXELS, shape=(6, 7, 4), dtype="u1", external="/etc/passwd"), "in other files or datasets"),
        (lambda file: file.pop(VOXELS) and file.create_virtual_dataset(VOXELS, OTHER), "in other files or datasets"),
    ],
)
def test_voxels_that_a_minc2_file_has_not_itself_are_refused(tmp_path, change, words):
    for name in ("a.mnc", "other.mnc"):
        write_minc2(tmp_path / name, np.ones((6, 7, 4), np.uint8))
    with h5py.File(tmp_path / "a.mnc", "r+") as file:
        file["door"] = h5py.ExternalLink("other.mnc", "/")
        change(file)
    with little_memory(), pytest.raises(InputError, match=rf"a\.mnc cannot be read: .*{words}"):
        read_volume(tmp_path / "a.mnc")


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_raw_runs_along_x_first(tmp_path, suffix):
    content = np.arange(24, dtype="<i2").tobytes()
    (tmp_path / f"a.raws{suffix}").write_bytes(gzip.compress(content, mtime=0) if suffix else content)
    data = read_raw(tmp_path / f"a.raws{suffix}", (4, 3, 2), "<i2")
    assert data.shape == (4, 3, 2)
    assert (data[1, 0, 0], data[0, 1, 0], data[0, 0, 1]) == (1, 4, 12)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.rawb", bytes(23), r"24 bytes \(4 x 3 x 2 .*found 23"),
        ("a.rawb", bytes(25), r"24 bytes \(4 x 3 x 2 .*found (25|more)"),
        ("a.rawb.gz", gzip.compress(bytes(23), mtime=0), r"24 bytes \(4 x 3 x 2 .*found 23"),
        ("a.rawb.gz", gzip.compress(bytes(30_000_000), mtime=0), r"24 bytes \(4 x 3 x 2 .*found more"),
        ("a.rawb.gz", gzip.compress(RNG.bytes(2000), mtime=0)[:-900], r"a\.rawb\.gz cannot be read"),
        ("a.rawb.gz", b"<html>Not found</html>", r"a\.rawb\.gz cannot be read"),
    ],
)
def test_raw_of_another_size_or_that_is_no_whole_gzip(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    shape = (20, 10, 10) if "cannot" in words else (4, 3, 2)
    with little_memory(), pytest.raises(InputError, match=rf"{words}.* Delete the file and"):
        read_raw(tmp_path / name, shape, np.uint8)


@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz", "a.mnc"])
@pytest.mark.parametrize("kept", [0, 0.2, 0.7, -1, -4, -9])
def test_truncated_volumes(tmp_path, name, kept):
    path = tmp_path / name
    if path.suffix == ".mnc":
        write_minc(path, RNG.integers(0, 200, (8, 9, 10)), (0, 0, 0), (1, 1, 1), 1.0)
    else:
        write_nifti(RNG.normal(size=(8, 9, 10)), path)
    content = path.read_bytes()
    path.write_bytes(content[: kept if kept < 0 else int(kept * len(content))])
    with pytest.raises(InputError, match=f"{re.escape(str(path))} cannot be read: expected a complete (NIfTI|MINC)"):
        read_volume(path)


def test_no_flipped_bit_of_a_zipped_image_changes_a_voxel(tmp_path):
    """The checksum at the end is read: each damaged file is refused, or holds the voxels that were written."""
    path, array = tmp_path / "a.nii.gz", RNG.integers(0, 200, (8, 9, 10)).astype(np.int16)
    write_nifti(array, path)
    content = path.read_bytes()
    refused = 0
    for bit in RNG.choice(8 * len(content), 200, replace=False):
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        try:
            np.testing.assert_array_equal(read_volume(path).data, array)
        except InputError:
            refused += 1
    # What passes is the name and the time in the header of gzip.
    assert refused > 180


@pytest.mark.parametrize("offset", [0, 348])
def test_bytes_of_the_header_are_no_voxels(tmp_path, offset):
    write_nifti(np.ones((8, 9, 10), np.int16), tmp_path / "a.nii")
    content = bytearray((tmp_path / "a.nii").read_bytes())
    content[108:112] = np.float32(offset).tobytes()
    (tmp_path / "a.nii").write_bytes(content)
    with pytest.raises(InputError, match="cannot be read"):
        read_volume(tmp_path / "a.nii")


@pytest.mark.parametrize("suffix", [".nii", ".nii.gz"])
def test_a_header_that_announces_more_than_the_file_has_takes_no_memory(tmp_path, suffix, monkeypatch):
    """The reader of voxels makes room for all of them before it reads the first."""
    monkeypatch.setattr(memory, "free_memory", lambda: 1e10)
    path = tmp_path / f"a{suffix}"
    write_nifti(np.ones((8, 9, 10), np.uint8), path)
    content = bytearray(path.read_bytes() if suffix == ".nii" else gzip.decompress(path.read_bytes()))
    content[42:48] = np.full(3, 1200, np.int16).tobytes()
    path.write_bytes(content if suffix == ".nii" else gzip.compress(content, mtime=0))
    with little_memory(), pytest.raises(InputError, match=r"1072 bytes, .* announces 1728000000 bytes"):
        read_volume(path)


@pytest.mark.parametrize("shape", [(8, 9, 10), (300, 300, 300)], ids=["a header of few voxels", "a header of all"])
def test_a_zipped_image_without_end_is_read_up_to_the_limit(tmp_path, shape, monkeypatch):
    """30 kilobytes that would be 30 megabytes."""
    monkeypatch.setattr(memory, "free_memory", lambda: 10_000_000)
    path = tmp_path / "a.nii.gz"
    write_nifti(np.ones((8, 9, 10), np.uint8), path)
    header = bytearray(gzip.decompress(path.read_bytes())[:352])
    header[42:48] = np.array(shape, np.int16).tobytes()
    path.write_bytes(gzip.compress(bytes(header) + bytes(30_000_000)))
    assert path.stat().st_size < 60_000
    for read in (read_volume, lambda path: read_own_study({"name": "mine", "nifti": str(path)})):
        with little_memory(), pytest.raises(InputError, match=r"a\.nii\.gz: .* 0\.00931 GiB"):
            read(path)


def masked(folder, mask, labels=None):
    """Slices of an image of noise with this mask."""
    write_nifti(RNG.normal(size=mask.shape), folder / "image.nii")
    nibabel.Nifti1Image(mask, np.eye(4)).to_filename(folder / "mask.nii")
    if labels is not None:
        nibabel.Nifti1Image(labels, np.eye(4), dtype=labels.dtype).to_filename(folder / "labels.nii")
    return load_image_and_mask(
        folder / "image.nii", folder / "mask.nii", None if labels is None else folder / "labels.nii"
    )


@pytest.mark.parametrize("inside", [1, 255, 0.2])
@pytest.mark.parametrize("rounding", [0, 1e-15, 2e-4])
def test_the_mask_has_one_value_inside_up_to_rounding(tmp_path, inside, rounding):
    mask = np.zeros((6, 7), np.float32)
    mask[1:4] = inside
    noise = RNG.uniform(-1, 1, size=mask.shape) * rounding * inside
    for given in [(mask + noise).astype(np.float32)] + [(mask > 0).astype(kind) * 100 for kind in ("u1", "i1", "u2")]:
        (one,) = masked(tmp_path, given)
        np.testing.assert_array_equal(one.mask, mask > 0)


@pytest.mark.parametrize(("value", "kind"), [(0.3, "f4"), (2, "f4"), (-1, "f4"), (0.002, "f4"), (2, "u1"), (2, "u2")])
def test_a_mask_with_other_values_is_refused(tmp_path, value, kind):
    mask = np.zeros((6, 7), kind)
    mask[1:4] = 1
    mask[5, 5] = value
    with pytest.raises(InputError, match=r"mask .*mask\.nii: expected 0 outside and one value"):
        masked(tmp_path, mask)


@pytest.mark.parametrize("shape", [(20, 30), (1, 20, 30), (20, 1, 30), (20, 30, 1)])
def test_a_single_slice_along_any_axis_is_one_slice(tmp_path, shape):
    mask = np.zeros(shape, np.uint8)
    mask.reshape(20, 30)[2:9, 3:12] = 1
    (one,) = masked(tmp_path, mask)
    assert one.name == "image"
    np.testing.assert_array_equal(one.mask, mask.reshape(20, 30) > 0)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (
            np.arange(42, dtype=np.uint64).reshape(6, 7) % 2 * np.uint64(2**63 + 1),
            r"up to 2147483647, found 9\.22e\+18",
        ),
        (np.arange(42, dtype=np.int32).reshape(6, 7) % 2 + 1, "0 and above 0 .* found 1, 2 in image"),
    ],
)
def test_classes_beyond_32_bits_or_all_above_zero_are_refused(tmp_path, labels, words):
    with pytest.raises(InputError, match=words):
        masked(tmp_path, np.ones((6, 7), np.uint8), labels)


@pytest.mark.parametrize(
    ("name", "words"),
    [(name, "cannot be read") for name in ("a.nii", "a.nii.gz", "a.mnc")]
    + [("b.nii", r"b\.nii does not exist"), ("a.png", r"\.nii, \.nii\.gz, \.mnc"), ("c.nii", "complex64")],
)
def test_files_that_are_no_images(tmp_path, name, words):
    nibabel.Nifti1Image(np.ones((2, 2, 2), np.complex64), np.eye(4)).to_filename(tmp_path / "c.nii")
    if name[0] == "a":
        (tmp_path / name).write_text("no image at all\n" * 50)
    with pytest.raises(InputError, match=words):
        read_volume(tmp_path / name)
    with pytest.raises(InputError, match="does not exist"):
        read_raw(tmp_path / "b.raw", (1, 1, 1), "u1")


def test_take_slice_cuts_the_axis_asked_for():
    volume = Volume(GREY_LEVELS, np.eye(4))
    np.testing.assert_array_equal(take_slice(volume, 3), GREY_LEVELS[:, :, 3])
    np.testing.assert_array_equal(take_slice(volume, 5, axis=0), GREY_LEVELS[5])


def test_slices_of_the_mask_are_taken_when_none_are_named(files):
    first, second = load_image_and_mask(files["image"], files["mask"], files["labels"])
    assert (first.name, second.name) == ("image_z001", "image_z002")
    np.testing.assert_array_equal(first.image, GREY_LEVELS[:, :, 1])
    assert first.image.dtype == np.float64
    assert first.mask.dtype == bool
    assert first.mask.sum() == 16
    assert set(np.unique(first.labels)) == {0, 3}
    assert np.issubdtype(first.labels.dtype, np.integer)


def test_missing_pixels_outside_the_mask_are_set_to_zero(files):
    image = GREY_LEVELS.copy()
    image[0, 0, 1], image[0, 1, 1] = np.nan, np.inf
    write_nifti(image, files["image"])
    (only,) = load_image_and_mask(files["image"], files["mask"], slices=[1])
    assert only.image[0, 0] == only.image[0, 1] == 0
    assert np.isfinite(only.image).all()


@pytest.mark.parametrize(
    ("role", "array", "message"),
    [
        ("image", changed(GREY_LEVELS, (2, 3, 1), np.nan), "slice 1 of axis 2: 1 of 16 pixels .* NaN or infinite"),
        ("image", changed(GREY_LEVELS, (2, 3, 1), np.inf), "1 of 16 pixels"),
        ("image", np.full((6, 7, 4), 5.0), "constant .*all 16 pixels are 5"),
        ("image", np.zeros((6, 7, 4, 2)), r"found shape \(6, 7, 4, 2\)"),
        ("mask", np.ones((6, 7, 3)), r"mask and image .*\(6, 7, 3\), .*\(6, 7, 4\)"),
        ("mask", np.zeros((6, 7, 4)), "mask.nii.gz is empty"),
        ("mask", np.full((6, 7, 4), np.nan), "mask .*expected finite"),
        ("mask", changed(np.zeros((6, 7, 4)), (0, slice(2), 2), 1), r"mask\.nii\.gz, slice 2 of axis 2: .*found 2"),
        ("labels", np.ones((6, 7, 3), int), "labels and image differ in shape"),
        ("labels", np.full((6, 7, 4), 7), r"labels\.nii\.gz: .* found 7 in image_z001; 7 in image_z002"),
        ("labels", np.full((6, 7, 4), 0.5), "integers, one per class"),
    ],
)
def test_what_cannot_be_analysed(files, role, array, message):
    write_nifti(array, files[role])
    with pytest.raises(InputError, match=message):
        load_image_and_mask(files["image"], files["mask"], files["labels"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slices": [9]}, "slice 9 is out of range: axis 2 has slices 0 to 3"),
        ({"slices": [-1]}, "slice -1 is out of range"),
        ({"slices": [1, 0]}, "is empty in slice 0 of axis 2"),
    ],
)
def test_named_slices_that_cannot_be_used(files, options, message):
    with pytest.raises(InputError, match=message):
        load_image_and_mask(files["image"], files["mask"], **options)


def test_a_slice_of_a_volume_may_hold_one_class_only(files):
    labels = np.zeros(GREY_LEVELS.shape, int)
    labels[3:, :, 2] = 3
    write_nifti(labels, files["labels"])
    slices = load_image_and_mask(files["image"], files["mask"], files["labels"])
    assert [np.unique(one.labels[one.mask]).tolist() for one in slices] == [[0], [0, 3]]
    with pytest.raises(InputError, match="found 0 in image_z001"):
        load_image_and_mask(files["image"], files["mask"], files["labels"], slices=[1])


PLACED = np.array([[-2.0, 0, 0, 90], [0, 2, 0, -126], [0, 0, 3, -72], [0, 0, 0, 1]])


def moved(*shift):
    return PLACED + np.array([[0, 0, 0, shift[axis]] for axis in range(3)] + [[0] * 4])


@pytest.mark.parametrize("role", ["mask", "labels"])
@pytest.mark.parametrize(
    ("affine", "apart"),
    [
        (moved(0, 0, 12), "12"),
        (moved(0, 3, 4), "5"),
        (np.diag([2.0, 2, 3, 1]), "171"),
        (PLACED @ np.diag([-1, 1, 1, 1]), "20"),
        (PLACED @ np.diag([1.1, 1, 1, 1]), "1"),
    ],
    ids=["shifted", "shifted along two axes", "without the origin", "turned over", "larger voxels"],
)
def test_another_place_is_no_grid_of_the_image(files, role, affine, apart):
    for name, path in files.items():
        write_nifti(read_volume(path).data, path, affine=affine if name == role else PLACED)
    with pytest.raises(InputError) as error:
        load_image_and_mask(files["image"], files["mask"], files["labels"])
    for words in (role, str(files[role]), str(files["image"]), f"{apart} mm", str(np.round(affine[:3], 3).tolist())):
        assert words in str(error.value)


def test_a_rounded_affine_and_a_file_that_names_no_place_pass(files):
    for path in files.values():
        write_nifti(read_volume(path).data, path, affine=PLACED)
    write_nifti(read_volume(files["mask"]).data, files["mask"], affine=PLACED + 1e-3)
    image = nibabel.Nifti1Image(read_volume(files["labels"]).data, None)
    image.header["qform_code"] = image.header["sform_code"] = 0
    image.to_filename(files["labels"])
    assert not read_volume(files["labels"]).placed
    assert read_volume(files["mask"]).placed
    assert len(load_image_and_mask(files["image"], files["mask"], files["labels"])) == 2
