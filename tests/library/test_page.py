"""The interactive page of a check: what is in its data, how large it is, and what names may do to it."""

import json
import tomllib
import zlib
from base64 import b64decode
from dataclasses import replace
from fnmatch import fnmatch
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from consensus_embedding import check_embedding
from consensus_embedding.diagnostics import page
from consensus_embedding.diagnostics.page import on_picture, picture_data, picture_html
from consensus_embedding.utils.colours import SEQUENTIAL

N, M = 60, 6
ROOT = Path(__file__).parents[2]
HOSTILE = ["</script><script>alert(1)</script>", "<!-- ${n} $n", '"><img src=x onerror=alert(1)>', "]]> \u2028 &lt;"]


@pytest.fixture(scope="module")
def check():
    rng = np.random.default_rng(0)
    centres = np.repeat(np.eye(3, 2) * 20, N // 3, axis=0)
    runs = [(centres + rng.normal(size=(N, 2))) @ turn(k) for k in range(M)]
    return check_embedding(embeddings=runs, labels=[*"abc" * (N // 3 - 1), *"ab", None], n_neighbors=5, random_state=0)


def turn(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def unpacked(text, dtype):
    """Numbers of the data by another way than the page's: all low bytes come first."""
    planes = np.frombuffer(zlib.decompress(b64decode(text)), dtype=np.uint8).reshape(np.dtype(dtype).itemsize, -1)
    return sum(plane.astype(np.int64) << (8 * k) for k, plane in enumerate(planes))


def places(data, moves=None):
    steps = unpacked(data["picture"], np.uint16)
    if moves is not None:
        steps = (steps + unpacked(moves, np.uint16)) % 2**16
    return steps.reshape(2, -1).T * data["step"] + data["origin"]


def column(data, key):
    return next(one for one in data["columns"] if one["key"] == key)


def numbers(one):
    steps = unpacked(one["values"], np.uint16)
    return np.where(steps == 65535, np.nan, one["low"] + steps / 65534 * (one["high"] - one["low"]))


def test_coordinates_names_labels_and_numbers_come_back_within_a_step(check):
    names = [f"sample {k} Ω" for k in range(N)]
    data = json.loads(json.dumps(picture_data(check, names)))
    np.testing.assert_allclose(places(data), check.consensus.embedding, atol=0.501 * data["step"])
    assert data["step"] < np.ptp(check.consensus.embedding) / 20_000
    assert json.loads(zlib.decompress(b64decode(data["names"]))) == names
    label = column(data, "label")
    found = [*label["names"], None]
    expected = [None if pd.isna(name) else name for name in check.points.label]
    assert [found[code] for code in unpacked(label["codes"], np.uint16)] == expected
    stability = column(data, "category")
    codes = unpacked(stability["codes"], np.uint16)
    assert [stability["names"][code] for code in codes] == check.points.category.tolist()
    for key in ("instability", "neighbor_turnover"):
        one = column(data, key)
        step = (one["high"] - one["low"]) / 65534
        np.testing.assert_allclose(numbers(one), check.points[key], atol=0.501 * step)


def test_points_of_a_sample_keep_their_rows(check):
    rows = 70_000 + 3 * np.arange(N)
    data = picture_data(replace(check, points=check.points.assign(point=rows)))
    assert unpacked(data["points"], np.uint32).tolist() == rows.tolist()


def test_added_columns_can_be_seen_and_those_that_say_nothing_cannot(check):
    half = np.where(np.arange(N) % 2, np.arange(N) / 7, np.nan)
    points = check.points.assign(
        gene=half, batch=["x", "y"] * (N // 2), marked=[True, False] * (N // 2), same=3.0, empty=np.nan,
        sort=pd.Categorical(["p", "q"] * (N // 2)),
    )  # fmt: skip
    data = picture_data(replace(check, points=points))
    keys = {one["key"] for one in data["columns"]}
    assert {"gene", "batch", "marked", "same", "sort"} <= keys
    assert not {"empty", "point", "x", "y"} & keys
    np.testing.assert_allclose(numbers(column(data, "gene")), half, atol=1e-3)
    np.testing.assert_allclose(numbers(column(data, "same")), 3.0)
    assert column(data, "marked")["names"] == ["False", "True"]


@pytest.mark.parametrize("had_labels", [True, False])
def test_other_labels_are_seen_as_those_of_a_column_of_any_name(check, had_labels):
    kinds = pd.Series(["q", "p", None, *"pqr" * (N // 3 - 1)])
    groups = check.label_groups if had_labels else check.label_groups.head(0)
    changed = replace(check, points=check.points.assign(label=kinds, kind=kinds), label_groups=groups)
    data = picture_data(changed)
    label, kind = ({**column(data, key), "key": "", "title": ""} for key in ("label", "kind"))
    assert label == kind
    assert label["names"] == ["p", "q", "r"]


def test_labels_keep_the_order_of_the_check():
    runs = np.random.default_rng(0).normal(size=(M, N, 2))
    check = check_embedding(embeddings=list(runs), labels=np.repeat([2, 10, 1], N // 3), n_neighbors=5, random_state=0)
    assert column(picture_data(check), "label")["names"] == ["1", "2", "10"]
    part = replace(check, points=check.points.assign(label=[2, 10] * (N // 2)))
    assert column(picture_data(part), "label")["names"] == ["1", "2", "10"]


def test_each_run_is_turned_and_stretched_onto_the_consensus(check):
    data = picture_data(check)
    assert [run["name"] for run in data["runs"]] == [f"run {k + 1}" for k in range(M)]
    picture = check.consensus.embedding
    for run, moved in zip(check.embeddings, data["runs"], strict=True):
        found = places(data, moved["moves"])
        # Turned, mirrored, shifted and stretched beforehand, a run ends at the same places.
        other = 7.0 * run @ turn(1.0) @ np.diag([1, -1]) + [5.0, -3.0]
        np.testing.assert_allclose(found, on_picture(other, picture), atol=data["step"])
        shift = found - found.mean(axis=0)
        # At the optimum no further turn and no other size brings it nearer.
        best = np.square(shift - (picture - picture.mean(axis=0))).sum()
        for angle, size in ((0.01, 1.0), (-0.01, 1.0), (0.0, 1.01), (0.0, 0.99)):
            assert np.square(size * shift @ turn(angle) - (picture - picture.mean(axis=0))).sum() > best


def test_a_run_of_three_dimensions_that_contains_the_picture_falls_onto_it(check):
    picture = check.consensus.embedding
    spin = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    np.testing.assert_allclose(on_picture(np.pad(picture, ((0, 0), (0, 1))) @ spin, picture), picture, atol=1e-9)
    line = on_picture(picture[:, :1], picture)
    assert line.shape == (N, 2)
    assert np.linalg.matrix_rank(line - line.mean(axis=0), tol=1e-6) == 1


class Scripts(HTMLParser):
    """The elements of a page, and the text of its scripts."""

    def __init__(self):
        super().__init__()
        self.tags, self.scripts, self.inside = [], [], False

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1] += data


def test_hostile_names_stay_text(check, tmp_path):
    pytest.importorskip("matplotlib")
    labels = np.resize(np.array(HOSTILE, dtype=object), N)
    runs = dict(zip([*HOSTILE, "e", "f"], check.embeddings, strict=True))
    hostile = check_embedding(embeddings=runs, labels=labels, n_neighbors=5, random_state=0)
    pages = []
    for one, names, title in ((hostile, labels, HOSTILE[0]), (check, ["p"] * N, "t")):
        one.write_html(tmp_path / "page.html", names, title)
        page = Scripts()
        page.feed((tmp_path / "page.html").read_text(encoding="utf-8"))
        pages.append(page)
    found, plain = pages
    assert len(found.scripts) == len(plain.scripts) == 2
    assert set(found.tags) == set(plain.tags)
    data = json.loads(found.scripts[0])
    assert json.loads(zlib.decompress(b64decode(data["names"]))) == labels.tolist()
    assert [run["name"] for run in data["runs"]] == list(runs)
    assert column(data, "label")["names"] == sorted(HOSTILE)


def test_names_that_are_not_one_per_point_are_refused(check, tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(ValueError, match=r"names must have one entry per point, 60, found 59\."):
        check.write_html(tmp_path / "page.html", ["a"] * (N - 1))
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_hundred_thousand_points_fit_into_eight_megabytes(check):
    rng, n = np.random.default_rng(0), 100_000
    points = pd.DataFrame({
        "point": np.arange(n), "label": rng.choice([f"cell type {k}" for k in range(30)], n),
        "category": rng.choice(["stable", "uncertain", "unstable"], n),
        **{f"measure {k}": rng.random(n) for k in range(3)},
    })  # fmt: skip
    groups = pd.DataFrame({"label": sorted(points.label.unique())})
    # Nothing agrees between runs, so that nothing packs well.
    consensus = replace(check.consensus, embedding=rng.normal(size=(n, 2)))
    large = replace(
        check, consensus=consensus, embeddings=rng.normal(size=(20, n, 2)), points=points, label_groups=groups
    )
    names = ["".join(letters) for letters in rng.choice([*"ACGT"], (n, 16))]
    page = picture_html(large, "", names)
    shown = len(picture_data(large, names)["runs"])
    assert len(page.encode()) < 7.2e6
    assert 5 <= shown < 20
    assert f"{20 - shown} of the 20 runs" in page


def test_what_does_not_fit_is_left_out_and_said(check, monkeypatch):
    names = [f"sample {k}" for k in range(N)]
    whole = picture_data(check, names)
    always = {**whole, "names": None, "runs": [], "columns": whole["columns"][:3]}
    monkeypatch.setattr(page, "_MOST_BYTES", len(json.dumps(always)))
    data = picture_data(check, names)
    assert [one["key"] for one in data["columns"]] == ["category", "label", "instability"]
    assert data["runs"] == []
    assert data["names"] is None
    # With just enough room the names are there.
    names_alone = len(json.dumps(whole["names"])) + 2
    monkeypatch.setattr(page, "_MOST_BYTES", len(json.dumps(always)) + names_alone)
    assert picture_data(check, names)["names"] == whole["names"]
    monkeypatch.setattr(page, "_MOST_BYTES", len(json.dumps(always)))
    written = picture_html(check, "", names)
    for left_out in ("6 of the 6 runs", "the colours by instability low", "the names of the points"):
        assert left_out in written


def test_numbers_have_the_colours_of_cividis():
    matplotlib = pytest.importorskip("matplotlib")
    expected = [matplotlib.colors.to_hex(matplotlib.colormaps["cividis"](place)) for place in np.linspace(0, 1, 17)]
    assert expected == SEQUENTIAL


def test_what_the_page_is_made_of_is_installed():
    package = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    source = ROOT / "src"
    for path in source.glob("consensus_embedding/**/*.*"):
        if path.suffix in (".css", ".html", ".js"):
            patterns = package[".".join(path.parent.relative_to(source).parts)]
            assert any(fnmatch(path.name, pattern) for pattern in patterns), path
