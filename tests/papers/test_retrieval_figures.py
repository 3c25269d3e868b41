"""Figures of the experiments on out-of-sample embedding and retrieval, from made-up metrics and pictures."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from presented import check_figure, errorbar_values, figures_of, rows, text_of, through_file
from replication.papers.sparks2011 import retrieval_figures, retrieval_metrics, retrieval_pictures
from replication.papers.sparks2011.retrieval_metrics import METHODS, MainRows, curve
from replication.shared.figures import LINES
from retrieval_metrics import (
    QUERY,
    QUICK,
    SHARES,
    gland_metrics,
    grid_metrics,
    own_metrics,
    query_pictures,
    roll_pictures,
)

pytestmark = pytest.mark.slow

CELL = retrieval_metrics.QueryCell(*QUERY)


@pytest.fixture(scope="module")
def roll(tmp_path_factory):
    table = grid_metrics("swiss_roll", (SHARES, [0.1, 0.25, 0.6, 0.8, 1.0]), draws=3)
    return through_file(table, tmp_path_factory.mktemp("roll"))


@pytest.fixture(scope="module")
def glands(tmp_path_factory):
    return through_file(gland_metrics(grid=QUICK, draws=3, separations=(0, 2)), tmp_path_factory.mktemp("glands"))


@pytest.fixture(scope="module")
def pictures():
    return {name: query_pictures(name) for name in ("glands", "digits")}


def drawn_lines(ax):
    """Label -> points of a line."""
    return {line.get_label(): np.array(line.get_data(), dtype=float).T for line in ax.lines}


def sourced(**sources):
    """Metrics that say where data sets come from, and no more."""
    return pd.DataFrame({"dataset": list(sources), "source": list(sources.values())})


def test_curves_show_means_and_bands_beside_the_full_embeddings(roll):
    figure, values = retrieval_figures.draw_curves(roll), MainRows(roll)
    check_figure(figure)
    axes = np.array(figure.axes).reshape(2, 4)
    # The labelled shares nearest to 30, 60 and 90 %; of 80 and 100 % the first.
    columns = [("nm_ge", "ge", ""), *(("ose_ssl", "ssge", share) for share in (0.25, 0.6, 0.8))]
    for (row, score), (column, (method, full, share)) in itertools.product(
        enumerate(("si", "auprc")), enumerate(columns)
    ):
        ax = axes[row, column]
        lines = drawn_lines(ax)
        for name, drawn, objects, labelled in (
            ("all objects (mean ± SD)", method, "all", share),
            ("extrapolated (mean ± SD)", method, "extrapolated", share),
            ("all embedded together", full, "all", share),
            ("chance", "random", "all", ""),
        ):
            wide = curve(values, score, drawn, objects=objects, labelled=labelled)
            np.testing.assert_allclose(lines[name], np.column_stack([100 * wide.columns, wide.mean()]))
        for band, objects in zip(ax.collections, ("all", "extrapolated"), strict=True):
            wide = curve(values, score, method, objects=objects, labelled=share)
            for bound in (wide.mean() - wide.std(), wide.mean() + wide.std()):
                for point in zip(100 * wide.columns, bound, strict=True):
                    assert np.abs(band.get_paths()[0].vertices - point).sum(axis=1).min() < 1e-9


def test_curves_of_a_score_have_one_range(glands):
    axes = np.array(retrieval_figures.draw_curves(glands).axes).reshape(4, -1)
    for block in (axes[:2], axes[2:]):
        assert len({ax.get_ylim() for ax in block.flat}) == 1


def test_separation_runs_through_the_main_one(glands):
    figure = retrieval_figures.draw_separation(glands)
    check_figure(figure)
    axes = np.array(figure.axes).reshape(2, 2)
    here = rows(glands, dataset="glands")
    for row, objects in enumerate(("all", "extrapolated")):
        drawn = errorbar_values(axes[row, 1])
        for method in ("ose_ssl", "nm_ge", "recomputed", "dissimilarity", "random"):
            expected = [
                retrieval_metrics.at_cell(
                    retrieval_metrics.changed(here, separation=at), CELL, "auprc", objects=objects
                )[method].mean()
                for at in (0, 1, 2)
            ]
            np.testing.assert_allclose(drawn[METHODS[method]], np.column_stack([[0, 1, 2], expected]))


def test_roll_marks_extrapolated_objects_and_known_labels():
    arrays = roll_pictures(400)
    figure = retrieval_pictures.draw_roll(arrays, sourced(swiss_roll="simulated"))
    check_figure(figure)
    n_new, n_known = (~arrays["training"]).sum(), arrays["known"].sum()
    for ax, new in zip(figure.axes[1:], (n_new, 0, 0, n_new, n_new), strict=True):
        rings = [of for of in ax.collections if not len(of.get_facecolors())]
        dots = [of for of in ax.collections if len(of.get_facecolors())]
        assert sum(len(of.get_offsets()) for of in dots) == 400 - new
        assert sum(len(of.get_offsets()) for of in rings) == new + (n_known if ax is figure.axes[1] else 0)


def test_roll_leaves_out_objects_far_away():
    arrays = roll_pictures(400)
    # A few objects without neighbours have the first dimensions for themselves.
    arrays["nm_ge"][:3] = 1e4
    ax = next(ax for ax in retrieval_pictures.draw_roll(arrays, sourced(swiss_roll="simulated")).axes
              if ax.get_title().startswith("NM-GE (3 "))  # fmt: skip
    assert sum(len(of.get_offsets()) for of in ax.collections) == 397
    assert np.ptp(ax.get_xlim()) < 2 * np.ptp(arrays["nm_ge"][3:, 0])


def test_queries_are_framed_by_colour_and_line_and_named(pictures):
    figure = retrieval_pictures.draw_queries(pictures, sourced(glands="simulated", digits="public-substitute"))
    figure.canvas.draw()
    shown = [ax for ax in figure.axes if ax.axison]
    for block, of_set in zip(np.array(shown, dtype=object).reshape(2, -1), pictures.values(), strict=True):
        # By place: the query is in the first column.
        (query,) = [ax for ax in block if ax.get_title() == "query"]
        label = str(of_set["query_label"])
        assert query.get_xlabel().replace("\n", " ") == label.replace("_", " ")
        rest = iter(ax for ax in block if ax is not query)
        for method in ("nm_ge", "ose_ssl", "dissimilarity"):
            for k, (name, item) in enumerate(zip(of_set[f"{method}_labels"], of_set[f"{method}_items"], strict=True)):
                ax = next(rest)
                right = name == label
                text = f"{'✓' if right else '✗'} {name}".replace("_", " ")
                assert ax.get_xlabel().replace("\n", " ") == text
                if k == 2:
                    n_right = (of_set[f"{method}_labels"] == label).sum()
                    assert f": {n_right} of 5 " in ax.get_title()
                frame = ax.spines["left"]
                assert to_hex(frame.get_edgecolor()) == (LINES[2] if right else LINES[1]).lower()
                assert (frame.get_linestyle() in ("-", "solid")) == right
                if item.ndim == 2:
                    np.testing.assert_array_equal(ax.images[0].get_array(), item)
                else:
                    (bar,) = ax.lines
                    assert np.ptp(bar.get_xdata()) == pytest.approx(50)
                    drawn = ax.patches[0].get_xy()
                    assert np.ptp(drawn[:, 0]) == pytest.approx(np.ptp(item.real))
                    # Nothing of the outline lies outside its frame.
                    assert np.abs(drawn).max() < ax.get_xlim()[1]
        assert next(rest, None) is None
    texts = [text for ax in shown for text in (ax.xaxis.label, ax.title) if text.get_text()]
    boxes = [text.get_window_extent() for text in texts]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_figures_of_own_items_say_what_they_lack(tmp_path):
    metrics = through_file(own_metrics(2, {"oak": "1", "elm": "2"}), tmp_path)
    found = figures_of("gland_retrieval", metrics=metrics, pictures={"own_leaves": {"kind": np.array("none")}})
    for name, words in {
        "query": "no pictures of items (their names are in tables/queries_*.tsv)",
        "separation": "no sweep of the separation of the classes",
    }.items():
        assert text_of(found[name]) == f"The data have {words}: nothing to draw."
    check_figure(found["curves"])


def test_figures_of_one_draw(pictures, recwarn, tmp_path):
    table = gland_metrics(("glands",), grid=QUICK, draws=1, separations=(0,))
    found = figures_of(
        "gland_retrieval", metrics=through_file(table, tmp_path), pictures={"glands": pictures["glands"]}
    )
    assert list(found) == ["curves", "query", "separation"]
    assert not any("nothing to draw" in text_of(figure) for figure in found.values())
    for name, figure in found.items():
        if name != "query":
            check_figure(figure)
    assert not recwarn.list, recwarn.list[0].message
