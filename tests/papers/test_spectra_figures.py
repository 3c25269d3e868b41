"""Figures of the experiments on prostate spectra, from made-up metrics and pictures."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from presented import check_figure, check_labels_apart, errorbar_values, figures_of, rows, text_of, through_file
from replication.papers.tiwari2008 import spectra_figures, spectra_metrics, spectra_pictures, spectra_tables
from replication.papers.tiwari2008.spectra_maps import calls_table, maps_of
from replication.papers.tiwari2008.spectra_metrics import METHODS, PAPER_METHODS, STEADY_METHODS
from spectra_metrics import (
    KAPPAS,
    KINDS,
    PPM,
    STUDIES,
    THRESHOLDS,
    component_pictures,
    components_metrics,
    dimensions_metrics,
    methods_metrics,
    pictures,
    stability_metrics,
)

pytestmark = pytest.mark.slow

CANCER, SECOND, THIRD, NOT_CALLED = "#d55e00", "#56b4e9", "#f0e442", "#bbbbbb"


@pytest.fixture(scope="module")
def metrics(tmp_path_factory):
    return through_file(methods_metrics(), tmp_path_factory.mktemp("spectra"))


def main_rows(metrics, **conditions):
    return rows(metrics, noise=1, linewidth=1, contrast=1, **conditions)


# What the figures read of their metrics: the source, for the title.
OF = {source: pd.DataFrame({"dataset": [source], "source": [source]}) for source in ("simulated", "own")}


def test_methods_are_drawn_against_both_truths_and_by_the_oracle(metrics):
    figure = spectra_figures.draw_methods(metrics)
    check_figure(figure)
    axes = figure.axes
    assert [label.get_text() for label in axes[0].get_yticklabels()] == list(METHODS.values())
    check_labels_apart(axes[0], "y")
    for ax, truth, naming in zip(axes, ("box", "voxels", "voxels"), ("rule", "rule", "oracle"), strict=True):
        drawn = errorbar_values(ax)
        for score in ("sensitivity", "specificity"):
            for row, method in enumerate(METHODS):
                used = "" if method in THRESHOLDS and naming == "rule" else naming
                here = main_rows(metrics, method=method, metric=score, truth=truth, naming=used)
                here = here[here["kappa"].isna()]["value"]
                expected = 100 * here.mean()
                np.testing.assert_allclose(drawn[score][row, 0], expected)
    open_circles = next(line for line in axes[0].lines if line.get_label() == "sensitivity, paper")
    assert open_circles.get_markerfacecolor() == "none"
    np.testing.assert_array_equal(open_circles.get_xdata()[:5], [86.9, 83.38, 45.29, 66.95, 74.74])
    assert np.isnan(open_circles.get_xdata()[5:]).all()
    assert not any("paper" in line.get_label() for line in axes[1].lines)


def facecolours(ax):
    """Position (column, row) -> colour of the squares of a map."""
    mesh = ax.collections[0]
    values = mesh.get_array()
    colours = mesh.cmap(mesh.norm(values))
    return {
        (x, y): to_hex(colours[y, x]) for y, x in itertools.product(*map(range, values.shape)) if not values.mask[y, x]
    }


def test_each_study_that_has_maps_is_drawn_and_is_in_the_table_of_calls():
    mapped = pictures() | {key.replace("study_1", "study_2"): values for key, values in pictures(("box",), ()).items()}
    figure = spectra_pictures.draw_maps(mapped, OF["simulated"])
    figure.draw_without_rendering()
    boxes = [ax.get_window_extent() for ax in figure.axes]
    assert len(boxes) == 12
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    assert [part.get_suptitle().split(",")[0] for part in figure.subfigs] == ["study_1", "study_2"]
    table = calls_table(mapped)
    assert table.columns[:6].tolist() == ["study", "x", "y", "z", "label: box", "label: voxels"]
    for name, maps in maps_of(mapped).items():
        rows = table[table["study"] == name]
        np.testing.assert_array_equal(rows[["x", "y", "z"]], maps["positions"])
        np.testing.assert_array_equal(rows["c_lle"].astype(bool), maps["calls_c_lle"])
    # Of the second study there is no call of that method, and no label of voxels.
    assert table.groupby("study")[["lle_5", "label: voxels"]].count().to_numpy().tolist() == [[len(rows)] * 2, [0, 0]]


def test_the_outline_of_a_box_does_not_strike_through_the_words_of_an_empty_panel():
    mapped = {key: values for key, values in pictures().items() if "lle_5" not in key}
    ax = spectra_pictures.draw_maps(mapped, OF["own"]).axes[0]
    (words,) = ax.texts
    assert words.get_text() == "no call"
    assert words.get_bbox_patch().get_facecolor() == (1, 1, 1, 1)
    assert ax.lines
    assert all(words.get_zorder() > line.get_zorder() for line in ax.lines)


def test_maps_show_calls_clusters_box_and_truth():
    figure = spectra_pictures.draw_maps(pictures(), OF["simulated"])
    arrays = maps_of(pictures())["study_1"]
    check_figure(figure)
    positions, box, truth = arrays["positions"], arrays["label_box"], arrays["label_voxels"]
    shift, on = positions.min(axis=0), positions[:, 2] == 1
    names = ["lle_5", "lle_7", "c_lle", "peak_integration", "z_score", "pca"]
    for letter, ax, method in zip("abcdef", figure.axes, names, strict=True):
        title = ax.get_title().split("\n")
        assert title[0].startswith(f"({letter}) ")
        called = arrays[f"calls_{method}"]
        sensitivity, specificity = np.mean(called[truth]), np.mean(~called[~truth])
        assert title[1] == f"sensitivity {100 * sensitivity:.0f} %, specificity {100 * specificity:.0f} %"
        colours = facecolours(ax)
        assert len(colours) == on.sum()
        for k in np.flatnonzero(on):
            x, y = positions[k, :2] - shift[:2]
            others = (SECOND, THIRD) if f"clusters_{method}" in arrays else (NOT_CALLED,)
            if called[k]:
                assert colours[x, y] == CANCER
            else:
                assert colours[x, y] in others
        dots = ax.lines[-1]
        expected = (positions - shift)[on & truth, :2]
        np.testing.assert_array_equal(np.array(dots.get_data()).T, expected)
        # As many edges as there are neighbours, one inside the box and one not.
        inside = {tuple(place) for place in positions[on & box, :2]}
        steps = ((0, 1), (0, -1), (1, 0), (-1, 0))
        edges = sum((x + dx, y + dy) not in inside for (x, y), (dx, dy) in itertools.product(inside, steps))
        assert len(ax.lines) - 1 == edges
        # Anterior is above.
        assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_typical_spectra_stand_on_a_falling_axis():
    figure = spectra_pictures.draw_typical(pictures(), OF["simulated"])
    check_figure(figure)
    for ax, kind in zip(figure.axes, KINDS, strict=True):
        drawn = {line.get_label(): line.get_ydata() for line in ax.lines}
        np.testing.assert_array_equal(drawn["mean over voxels"], KINDS[kind])
        assert len(drawn["one voxel"]) == len(PPM)
        assert ax.get_xlim() == pytest.approx((4.2, 1.8))
        boxes = [text.get_window_extent() for text in ax.texts]
        assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    assert [text.get_text() for text in figure.axes[0].texts] == ["choline", "polyamines", "creatine", "citrate"]


def test_sweep_marks_the_highest_method_of_every_condition(metrics):
    figure = spectra_figures.draw_sweep(metrics)
    check_figure(figure)
    assert [label.get_text() for label in figure.axes[3].get_xticklabels()] == ["0.5", "0.75", "1"]
    table = spectra_tables.sweep(metrics).set_index(["noise", "linewidth", "contrast"])
    colours = {METHODS[name]: spectra_figures._STYLES[name]["color"] for name in PAPER_METHODS}
    for ax, width in zip(figure.axes, (0.7, 1, 1.5), strict=False):
        stars = [line for line in ax.lines if line.get_marker() == "*" and len(line.get_xdata())]
        drawn = errorbar_values(ax)
        for k, noise in enumerate((0.5, 1, 2)):
            row = table.loc[(noise, width, 1)]
            assert stars[k].get_color() == colours[row["highest of the paper's"]]
            filled = stars[k].get_markerfacecolor() != "white"
            assert filled == (row["lead"] == "beyond the spread")
            assert f"{drawn['PCA'][k, 1]:.1f}" == row["PCA"].split(" ")[0]


def test_dimensions_stand_beside_the_paper_and_their_difference():
    metrics = dimensions_metrics()
    figure = figures_of("spectra_dimensions", metrics=metrics)["dimensions"]
    check_figure(figure)
    axes = np.array(figure.axes).reshape(2, 3)
    paper = {line.get_label(): line for line in axes[0, 1].lines if "paper" in line.get_label()}
    np.testing.assert_array_equal(paper["C-LLE, paper"].get_ydata(), [84.81, 85.14, 85.6, np.nan])
    np.testing.assert_array_equal(paper["LLE, mean over κ, paper"].get_ydata(), [81.89, 81.77, 81.7, np.nan])
    assert not any("paper" in str(line.get_label()) for line in axes[1, 0].lines)
    assert [label.get_text() for label in axes[1, 2].get_xticklabels()] == ["3", "4", "5", "7"]
    table = rows(spectra_tables.table_1b(metrics), truth="voxels", score="specificity")
    # Sensitivities were drawn first.
    for container, row in zip(axes[1, 2].containers[4:], table.to_dict("records"), strict=True):
        assert container.lines[0].get_ydata()[0] == pytest.approx(row["difference (% points)"], abs=1e-4)
        (bar,) = container.lines[2][0].get_segments()
        assert bar[:, 1] == pytest.approx((row["CI low"], row["CI high"]), abs=1e-4)


def test_kappa_shows_every_study_and_the_consensus_as_a_band():
    metrics = stability_metrics()
    found = figures_of("spectra_stability", metrics=metrics)
    assert list(found) == ["kappa", "spread"]
    figure = found["kappa"]
    check_figure(figure)
    ax = figure.axes[2]
    here = rows(metrics, axis="values", metric="sensitivity", truth="voxels")
    single = rows(here, method="lle").pivot(index="kappa", columns="study", values="value").astype(float)
    assert sum(len(line.get_xdata()) == len(KAPPAS) for line in ax.lines[: len(STUDIES)]) == len(STUDIES)
    mean = next(line for line in ax.lines if line.get_label() == "LLE, mean")
    np.testing.assert_allclose(mean.get_ydata(), 100 * single.mean(axis=1))
    consensus = 100 * rows(here, method="c_lle")["value"]
    assert next(line for line in ax.lines if line.get_label() == "C-LLE, mean").get_ydata()[0] == consensus.mean()
    band = ax.patches[0]
    assert (band.get_y(), band.get_height()) == pytest.approx((consensus.mean() - consensus.std(), 2 * consensus.std()))


def test_spread_shows_deviations_and_distances_by_axis():
    metrics = stability_metrics()
    figure = spectra_figures.draw_spread(metrics)
    check_figure(figure)
    axes = np.array(figure.axes).reshape(2, 4)
    methods = [name for name in METHODS if name in set(metrics["method"])]
    assert [label.get_text() for label in axes[0, 0].get_yticklabels()] == [STEADY_METHODS[name] for name in methods]
    for ax, axis, metric, label, unit in (
        (axes[0, 1], "noise", "sd_specificity", "specificity", 100),
        (axes[1, 0], "kappa", "distance", "distance", 1),
    ):
        here = rows(metrics, axis=axis, metric=metric)
        here = here[here["truth"].isna() | (here["truth"] == "voxels")]
        expected = unit * here.groupby("method")["value"].mean().reindex(methods)
        np.testing.assert_allclose(errorbar_values(ax)[label][:, 0], expected)
    assert not axes[1, 2].get_visible()
    # Distances alone, of own spectra without labels.
    metrics = stability_metrics(labels=(), axes=("kappa",))
    figure = spectra_figures.draw_spread(metrics)
    check_figure(figure)
    assert len(figure.axes) == 1
    # Of values that hardly differ none is at an edge.
    metrics.loc[metrics["metric"] == "distance", "value"] = 0.5
    (ax,) = spectra_figures.draw_spread(metrics).axes
    assert ax.get_xlim() == pytest.approx((-0.015, 0.52))
    # Of most studies 0: the bar is longer than the mean, and both its ends are seen.
    metrics.loc[(metrics["metric"] == "distance") & (metrics["study"] != metrics["study"].iloc[0]), "value"] = 0
    (ax,) = spectra_figures.draw_spread(metrics).axes
    assert ax.get_xlim()[0] < ax.dataLim.x0 < 0


def test_components_stand_beside_the_reference():
    metrics, arrays = components_metrics(), component_pictures()
    figure = figures_of("spectra_components", metrics=metrics, pictures=arrays)["components"]
    figure.canvas.draw()
    *panels, correlations = figure.axes
    np.testing.assert_array_equal(panels[0].lines[0].get_ydata(), KINDS["cancer"])
    for ax, name in zip(panels[1:], ("ic_c_lle", "ic_pca"), strict=True):
        r = np.corrcoef(arrays[name], KINDS["cancer"])[0, 1]
        assert ax.get_title(loc="left").endswith(f"correlation {r:.2f}")
        np.testing.assert_array_equal(ax.lines[0].get_ydata(), arrays[name])
    wide = rows(metrics, metric="correlation").pivot(index="study", columns="method", values="value")
    shown = wide[list(spectra_metrics.VOXELS)]
    lines = np.array([line.get_ydata() for line in correlations.lines[: len(STUDIES)]])
    np.testing.assert_allclose(lines[lines[:, 0].argsort()], shown.sort_values("truth"))
    (means,) = errorbar_values(correlations).values()
    np.testing.assert_allclose(means[:, 1], shown.mean())
    check_labels_apart(correlations, "x")


def test_figures_of_data_without_labels_say_so():
    own = methods_metrics(STUDIES[:2], [("", "", "")], labels=(), source="own")
    found = figures_of("spectra_methods", metrics=own, pictures=pictures(labels=()))
    assert list(found) == ["methods", "maps", "typical", "sweep"]
    for name in ("methods", "sweep"):
        assert text_of(found[name]) == "The data have no labels: nothing to draw."
    assert "no voxels of known tissue" in text_of(found["typical"])
    assert "no labels" in text_of(spectra_figures.draw_dimensions(dimensions_metrics(labels=())))
    assert "no labels" in text_of(spectra_figures.draw_kappa(stability_metrics(labels=())))
    empty = figures_of("spectra_components", metrics=components_metrics(studies=()), pictures={"ppm": PPM})
    assert "no reference spectrum" in text_of(empty["components"])


@pytest.mark.parametrize("labels", [("box",), ("box", "voxels")])
def test_figures_of_one_study(labels, recwarn):
    one = STUDIES[:1]
    figures = figures_of(
        "spectra_methods", metrics=methods_metrics(one, [("", "", "")], labels), pictures=pictures(labels)
    )
    figures |= figures_of("spectra_dimensions", metrics=dimensions_metrics(one, (3, 4), labels))
    figures |= figures_of("spectra_stability", metrics=stability_metrics(one, labels))
    for figure in figures.values():
        check_figure(figure)
    components = figures_of("spectra_components", metrics=components_metrics(one), pictures=component_pictures())
    components["components"].canvas.draw()
    assert len(figures["sweep"].axes) == 1
    assert not recwarn.list, recwarn.list[0].message
