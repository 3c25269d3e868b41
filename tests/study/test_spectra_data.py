"""Studies of spectra: what is written is read again, from tables and NIfTI-MRS; each bad input gets one clear error."""

import contextlib
from pathlib import Path

import nibabel
import numpy as np
import pytest
from consensus_embedding.utils.text import InputError
from nifti_mrs.create_nmrs import gen_nifti_mrs
from replication.data.readers.spectra import SpectraStudy, check_study, load_studies, read_own_study, save_studies
from replication.data.readers.volumes import write_nifti
from test_feature_set import changed

PPM = np.round(np.linspace(4.2, 1.8, 13), 6)
PLACES = np.argwhere(np.ones((3, 2, 2), dtype=bool))


def make_study(**changes):
    rng = np.random.default_rng(0)
    parts = {
        "name": "p1",
        "spectra": rng.standard_normal((12, 13)),
        "ppm": PPM,
        "positions": PLACES,
        "box": np.arange(12) < 5,
        "truth": np.arange(12) < 2,
        "tissue": np.full((12, 3), 1 / 3),
    }
    return SpectraStudy(**{**parts, **changes})


def table_rows(study, labels=("box", "truth")):
    header = ["x", "y", "z", *labels, *(repr(float(shift)) for shift in study.ppm)]
    given = [getattr(study, label).astype(int) for label in labels]
    parts = zip(study.positions.tolist(), *given, study.spectra.tolist(), strict=True)
    return [header, *([*map(str, place), *map(str, known), *map(repr, values)] for place, *known, values in parts)]


@pytest.fixture
def write(tmp_path):
    """A function that writes rows of cells, or text, and returns the path."""

    def written(content, name="t.csv"):
        path = tmp_path / name
        separator = "\t" if name.endswith(".tsv") else ","
        text = content if isinstance(content, str) else "\n".join(separator.join(row) for row in content) + "\n"
        path.write_text(text)
        return path

    return written


def read(path, **more):
    return read_own_study({"name": "p1", "table": str(path), **more})


def assert_same(found, expected, tissue=True):
    for part in ("spectra", "ppm", "positions", "box", "truth", *(["tissue"] if tissue else [])):
        values = getattr(found, part)
        np.testing.assert_array_equal(values, getattr(expected, part))
        assert values is None or values.dtype == np.asarray(getattr(expected, part)).dtype
    assert found.name == expected.name


def test_saved_studies_are_loaded_again(tmp_path):
    studies = [make_study(), make_study(name="ü 2", box=None, truth=None, tissue=None, spectra=np.eye(12, 13))]
    np.savez(tmp_path / "s.npz", other=np.zeros(3), **save_studies(studies))
    loaded = load_studies(tmp_path / "s.npz")
    assert len(loaded) == 2
    for found, expected in zip(loaded, studies, strict=True):
        assert_same(found, expected)


@pytest.mark.parametrize("name", ["t.csv", "t.TSV", "t.tsv"])
@pytest.mark.parametrize("labels", [("box", "truth"), ("truth",), ()])
@pytest.mark.parametrize("rising", [False, True])
def test_a_table_is_read_as_it_was_written(write, name, labels, rising):
    study = make_study(**{label: None for label in ("box", "truth") if label not in labels})
    rows = table_rows(study, labels)
    if rising:
        rows = [row[: 3 + len(labels)] + row[: 2 + len(labels) : -1] for row in rows]
    separator = "\t" if name.lower().endswith("tsv") else ","
    text = "\ufeff" + "\n".join(separator.join(row) for row in rows) + "\n\n"
    assert_same(read(write(text, name)), make_study(**{**vars(study), "tissue": None}))


def test_columns_may_stand_in_any_order_and_case(write):
    rows = np.array(table_rows(make_study()))
    rows[0, :3] = ["X", " Y ", "z"]
    order = np.random.default_rng(0).permutation(5).tolist()
    mixed = np.concatenate([rows[:, 5:9], rows[:, order], rows[:, 9:]], axis=1)
    assert_same(read(write(mixed.tolist())), make_study(tissue=None))


SPECTRA = make_study().spectra


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"spectra": changed(SPECTRA, 3, 2.5)}, "constant at x 0, y 1, z 1 .row 4"),
        ({"spectra": changed(SPECTRA, (2, 1), np.nan)}, "infinity at x 0, y 1, z 0 .row 3. .1 of 12"),
        ({"spectra": changed(SPECTRA, (2, 1), np.inf)}, "NaN or infinity"),
        ({"ppm": changed(PPM, 4, PPM[3])}, "found 3.6 twice"),
        ({"ppm": changed(PPM, 4, 4.0)}, "found 3.6 next to 4"),
        ({"ppm": changed(PPM, 4, np.nan)}, "found NaN"),
        ({"positions": changed(PLACES, 5, PLACES[2])}, "several at x 0, y 1, z 0 .row 3"),
        ({"box": np.zeros(12, dtype=bool)}, "box: .*found no voxel"),
        ({"box": np.ones(12, dtype=bool)}, "box: .*found all 12 voxels"),
        ({"truth": np.zeros(12, dtype=bool)}, "truth: .*found no voxel"),
    ],
)
def test_a_study_that_cannot_be_analysed_is_refused(changes, message):
    check_study(make_study())
    with pytest.raises(InputError, match=f"study p1.*{message}"):
        check_study(make_study(**changes))


def test_too_few_voxels_or_points_are_refused():
    few = {part: getattr(make_study(), part)[:9] for part in ("spectra", "positions", "box", "truth", "tissue")}
    with pytest.raises(InputError, match="at least 10 voxels and 8 points, found 9 voxels and 13 points"):
        check_study(make_study(**few))
    with pytest.raises(InputError, match="found 12 voxels and 7 points"):
        check_study(make_study(spectra=make_study().spectra[:, :7], ppm=PPM[:7]))


def edited(row, column, value):
    rows = table_rows(make_study())
    rows[row][column] = value
    return rows


ROWS = table_rows(make_study())


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row[1:] for row in ROWS], "found no x among y, z, box"),
        ([row[:2] + row[3:] for row in ROWS], "found no z among x, y, box"),
        ([row[3:] for row in ROWS], "found no x and no y and no z"),
        (edited(0, 7, "name"), "found 'name'"),
        (edited(0, 7, "4.00"), "found 4 twice"),
        (edited(0, 7, "9.5"), "found 4 next to 9.5"),
        (edited(0, 4, "box"), "one column box, found several"),
        (edited(4, 8, "high"), r"line 5, column '3\.6': .* found 'high'"),
        (edited(2, 3, "2"), "line 3, column 'box': expected 0 or 1, found 2"),
        (edited(2, 4, "0.5"), "line 3, column 'truth': expected 0 or 1, found 0.5"),
        (edited(2, 1, "1.5"), "line 3, column 'y': expected an integer .* found 1.5"),
        (edited(2, 0, "1e30"), r"line 3, column 'x': .* below 1,000,000, .* found 1e\+30"),
        ([[*ROWS[0][:5], *map(str, range(13))], *ROWS[1:]], "named by their ppm, found 0, 1 ... 12, which count"),
        ([[*row, str(k - 1 if k else 0)] for k, row in enumerate(ROWS)], "column '0': .* the numbers of the rows"),
        (edited(2, 2, "0"), "several at x 0, y 0, z 0"),
        ([*ROWS[:3], [*ROWS[3][:5], *["1.0"] * 13], *ROWS[4:]], "constant at x 0, y 1, z 0"),
        ([*ROWS[:6], ROWS[6][:-1], *ROWS[7:]], "line 7: expected 18 cells"),
        (ROWS[:1], "expected a header and a row per voxel"),
    ],
)
def test_a_bad_table_is_refused(write, rows, message):
    with pytest.raises(InputError, match=message):
        read(write(rows))


def test_bad_files_and_ranges_are_refused(write, tmp_path):
    good = write(table_rows(make_study()))
    with pytest.raises(InputError, match=r"none\.csv does not exist"):
        read(tmp_path / "none.csv")
    with pytest.raises(InputError, match=r"ending in \.csv or \.tsv"):
        read(write("x", "t.txt"))
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00x")
    with pytest.raises(InputError, match="text in UTF-8"):
        read(tmp_path / "b.csv")
    with pytest.raises(InputError, match=r"from 3\.5 to 3\.9, found 2; the spectra reach from 1\.8 to 4\.2"):
        read(good, ppm=[3.5, 3.9])


# NIfTI-MRS: 64 points of 1250 Hz at 63.87 MHz; a line at 3.2 ppm of a height that tells the voxel.
SHAPE, DWELL, LARMOR = (3, 4, 2), 1 / 1250, 63.87
RAS = np.diag([6.9, 6.9, 6.9, 1.0])


def signals(shift=3.2):
    time = np.arange(64) * DWELL
    line = np.exp(2j * np.pi * (shift - 4.65) * LARMOR * time - 20 * time)
    height = 1.0 + np.arange(np.prod(SHAPE)).reshape(SHAPE)
    return (height[..., None] * line).astype(np.complex64)


def save_spectra(path, data, affine=RAS, nucleus="1H", tags=(None, None, None)):
    file = gen_nifti_mrs(data, DWELL, LARMOR, nucleus=nucleus, affine=affine, dim_tags=list(tags))
    file.save(str(path))
    return str(path)


@pytest.fixture
def nifti(tmp_path):
    """Paths of spectra and of images with the given voxels."""
    paths = {"nifti": save_spectra(tmp_path / "s.nii.gz", signals())}
    flat = np.arange(np.prod(SHAPE)).reshape(SHAPE)
    for name, image in (("mask", flat < 14), ("box", flat < 6), ("truth", flat < 3)):
        paths[name] = str(tmp_path / f"{name}.nii")
        write_nifti(image, paths[name], affine=RAS)
    return {"name": "p1", **paths}


def test_nifti_spectra_have_their_lines_at_the_right_ppm(nifti):
    study = read_own_study({**nifti, "ppm": [-10, 20]})
    # Water and fat are left out if nothing is said.
    given = read_own_study(nifti)
    np.testing.assert_array_equal(given.spectra, study.spectra[:, (study.ppm >= 1.8) & (study.ppm <= 4.25)])
    # The other way round in the file, as the standard has it.
    np.testing.assert_allclose(np.asarray(nibabel.load(nifti["nifti"]).dataobj), signals().conj())
    assert study.spectra.shape == (14, 64)
    assert study.box.sum() == 6
    assert study.truth.sum() == 3
    assert (np.diff(study.ppm) < 0).all()
    assert abs(study.ppm[study.spectra[0].argmax()] - 3.2) < 1250 / 64 / LARMOR
    np.testing.assert_allclose(study.spectra.max(axis=1) / study.spectra[0].max(), np.arange(1, 15), rtol=1e-4)
    cropped = read_own_study({**nifti, "ppm": [1.0, 5.0]})
    assert cropped.ppm.max() <= 5.0
    np.testing.assert_array_equal(cropped.spectra, study.spectra[:, (study.ppm >= 1) & (study.ppm <= 5)])


def test_no_flipped_bit_of_zipped_spectra_changes_them(nifti):
    path, study = Path(nifti["nifti"]), read_own_study(nifti)
    content = path.read_bytes()
    for byte in range(0, len(content), 97):
        path.write_bytes(content[:byte] + bytes([content[byte] ^ 4]) + content[byte + 1 :])
        with contextlib.suppress(InputError):
            assert_same(read_own_study(nifti), study)


def test_without_a_mask_voxels_with_a_signal_are_read(tmp_path):
    data = signals()
    data[0] = 0
    study = read_own_study({"name": "p1", "nifti": save_spectra(tmp_path / "z.nii.gz", data)})
    assert len(study.spectra) == 16
    assert study.box is None
    assert study.truth is None


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 0, 1)])
@pytest.mark.parametrize("flips", [(1, 1, 1), (-1, 1, -1)])
def test_positions_run_to_the_left_the_back_and_the_apex(tmp_path, axes, flips):
    """Whatever the order of the axes in the file, a voxel keeps its place in the patient."""
    affine = np.zeros((4, 4))
    affine[3, 3] = 1
    for k, (axis, flip) in enumerate(zip(axes, flips, strict=True)):
        affine[axis, k] = 6.9 * flip
    study = read_own_study({"name": "p1", "nifti": save_spectra(tmp_path / "s.nii.gz", signals(), affine)})
    voxels = np.argwhere(np.ones(SHAPE))
    right, front, up = (voxels @ affine[:3, :3].T).T
    for column, along in enumerate((-right, -front, -up)):
        expected = np.round((along - along.min()) / 6.9).astype(int)
        np.testing.assert_array_equal(study.positions[:, column], expected)


def test_images_without_a_position_lie_on_the_grid_of_the_spectra(nifti):
    study = read_own_study(nifti)
    for name in ("mask", "box", "truth"):
        write_nifti(np.asarray(nibabel.load(nifti[name]).dataobj), nifti[name], affine=RAS, placed=False)
    assert_same(read_own_study(nifti), study)


def test_bad_nifti_files_are_refused(nifti, tmp_path):
    def refused(message, **changes):
        with pytest.raises(InputError, match=message):
            read_own_study({**nifti, **changes})

    def image(array, affine=RAS):
        write_nifti(array, tmp_path / "other.nii", affine=affine)
        return str(tmp_path / "other.nii")

    refused("does not exist", nifti=str(tmp_path / "none.nii"))
    refused("expected a NIfTI-MRS file", nifti=nifti["mask"])
    (tmp_path / "text.nii").write_text("no image")
    refused("expected a NIfTI-MRS file", nifti=str(tmp_path / "text.nii"))
    refused("1H, found 31P", nifti=save_spectra(tmp_path / "p.nii.gz", signals(), nucleus="31P"))
    coils = np.repeat(signals()[..., None], 2, axis=-1)
    path = save_spectra(tmp_path / "c.nii.gz", coils, tags=("DIM_COIL", None, None))
    refused(r"found 2 of them \(DIM_COIL\)", nifti=path)
    bits, soft = np.ones(SHAPE, dtype=bool), np.linspace(0, 1, np.prod(SHAPE)).reshape(SHAPE)
    grids = r"mask .*other\.nii: .*\(3, 4, 2\), found \(3, 4, 3\)"
    refused(grids, mask=image(np.ones((3, 4, 3), dtype=bool)))
    refused("position and orientation", box=image(bits, np.diag([-6.9, 6.9, 6.9, 1])))
    refused("mask .* is empty", mask=image(~bits))
    refused("truth .*expected 0 or 1 in each voxel, found 2", truth=image(np.full(SHAPE, 2)))
    refused("mask .*finite", mask=image(np.full(SHAPE, np.nan)))
    refused("mask .*expected 0 outside and one value", mask=image(soft))
    nibabel.save(nibabel.Nifti1Image(np.zeros(SHAPE, dtype=np.complex64), RAS), tmp_path / "complex.nii")
    refused("one real number per voxel", mask=str(tmp_path / "complex.nii"))


@pytest.mark.parametrize("kept", [(2.9, 4.2), (1.8, 3.0)])
def test_ppm_that_miss_a_metabolite_are_refused_with_the_study(write, kept):
    wide = make_study(spectra=np.random.default_rng(0).standard_normal((12, 49)), ppm=np.linspace(4.2, 1.8, 49))
    path = write(table_rows(wide))
    with pytest.raises(InputError, match=rf"study p1, ppm: .* choline, .* found {kept[0]:.2f} to {kept[1]:.2f}"):
        read(path, ppm=list(kept))
