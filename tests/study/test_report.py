"""Figures are drawn and show what they should."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from replication.papers.tomo2025 import mce_figures
from replication.shared import figures


def distances_table(paper, sd=0.5):
    rows = [
        {"distance": distance, "m": m, "mean": 100 / m, "SD": sd, "band 5 %": 90 / m, "band 95 %": 110 / m,
         "paper": paper, "mean on the picture": 120 / m}
        for distance in ("distance to reference", "pairwise distance")
        for m in (1, 10, 100)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_distances_are_labelled_with_units_and_show_the_paper_only_where_there_is_one():
    for paper, series in ((50.0, 4), (float("nan"), 3)):
        figure = mce_figures.draw_distances(distances_table(paper), "none")
        axes = figure.axes[0]
        assert axes.get_xlabel() == "t-SNE runs combined, m"
        assert "t-SNE units" in axes.get_ylabel()
        assert len(axes.get_legend_handles_labels()[1]) == series
        assert axes.get_ylim()[0] == 0
        plt.close(figure)


def test_a_bar_that_reaches_below_zero_is_drawn_whole():
    (ax, _) = mce_figures.draw_distances(distances_table(50.0, sd=5), "none").axes
    assert ax.get_ylim()[0] < 1 - 5
    kept = {"neighborhood_preservation": [0.2, 0.3, 0.2, 0.3]}
    spread = {name: [0, 0, 0, 1] for name in ("pairwise_distance", "distance_to_reference", "silhouette")} | kept
    metrics = pd.DataFrame(
        {"metric": metric, "kind": "seeds", "method": "single", "space": space, "value": value}
        for metric, values in spread.items()
        for space in ("consensus", "picture")
        for value in values
    )
    (ax, *_) = mce_figures.draw_comparison(metrics, "none").axes
    assert ax.get_xlim()[0] < ax.dataLim.x0 < 0
    ax, shares = mce_figures.draw_extensions(metrics).axes
    assert ax.get_ylim()[0] < ax.dataLim.y0 < 0
    assert shares.get_ylim()[0] == 0
    plt.close("all")


def test_repetitions_get_a_panel_each_on_one_scale():
    pictures = {"reference": np.zeros((40, 2)), "m1": np.random.default_rng(0).normal(size=(3, 40, 2))}
    pictures["m10"] = pictures["m1"] * 2
    figure = mce_figures.draw_repetitions(pictures, 40)
    assert len(figure.axes) == 6
    assert len({axes.get_xlim() for axes in figure.axes}) == 1
    assert [axes.get_title() for axes in figure.axes[:3]] == [f"repetition {r}" for r in (1, 2, 3)]
    plt.close(figure)


def test_reference_names_every_class():
    pictures = {"reference": np.random.default_rng(0).normal(size=(40, 2))}
    figure = mce_figures.draw_reference(pictures, 40, 100, "unit_norm")
    assert {text.get_text() for text in figure.axes[0].texts} == set("0123456789")
    assert "runs of norm 1" in figure.axes[0].get_xlabel()
    plt.close(figure)


@pytest.mark.slow
def test_figures_are_the_same_files_each_time_and_leave_the_style_alone(tmp_path):
    before = plt.rcParams["font.size"]
    for name in ("first", "second"):
        figure = mce_figures.draw_distances(distances_table(50.0), "none")
        figures.save_figure(figure, tmp_path / f"{name}.png", tmp_path / f"{name}.pdf")
    for suffix in ("png", "pdf"):
        first, second = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("first", "second"))
        assert first == second
        assert len(first) > 5000
    assert plt.rcParams["font.size"] == before
