"""Figures of the experiments on FINE, from made-up metrics."""

import itertools

import numpy as np
import pandas as pd
import pytest
from fine_metrics import (
    CLASSIFIERS,
    COUNTS,
    FILTERS,
    PATHOLOGY,
    SOURCES,
    VARIANTS,
    pathology_metrics,
    planted_metrics,
    selection_metrics,
    survival_metrics,
)
from presented import check_figure, errorbar_ends, errorbar_values, figures_of, rows, text_of, through_file
from replication.papers.ginsburg2016 import fine_figures, survival_figures
from replication.papers.ginsburg2016.fine_metrics import FINE, METHODS
from replication.papers.ginsburg2016.fine_sets import SELECTORS, jackknife_interval
from replication.papers.ginsburg2016.survival_figures import at_risk, curve_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pathology(tmp_path_factory):
    names = {name: PATHOLOGY[name] for name in ("s1", "s2", "s3")}
    return through_file(pathology_metrics(names, rounds=3), tmp_path_factory.mktemp("pathology"))


def bars_of(ax, family):
    """Places of the points of a family, and the ends of their bars."""
    return errorbar_values(ax)[family][:, 0], errorbar_ends(ax, family, 0)


def of_method(metrics, **at):
    main = metrics[metrics["variant"] == ""]
    return rows(main, **at)["value"]


def without_forests(metrics):
    return metrics[metrics["classifier"] != "random_forest"]


def test_panels_hold_stability_and_accuracy_of_every_method(selection):
    figure = fine_figures.draw_panels(selection)
    check_figure(figure)
    for (k, name), (j, method) in itertools.product(enumerate(SOURCES), enumerate(FILTERS)):
        at = {"dataset": name, "method": method, "n_features": 5}
        places, bars = bars_of(figure.axes[2 * k], "filters")
        jaccard = of_method(selection, metric="jaccard", **at).iloc[0]
        assert places[j] == pytest.approx(jaccard)
        interval = jackknife_interval(jaccard, of_method(selection, metric="jaccard_left_out", **at))
        np.testing.assert_allclose(bars[j], interval)
        area = of_method(without_forests(selection), metric="auc", **at)
        assert figure.axes[2 * k + 1].containers[1].lines[0].get_xdata()[j] == pytest.approx(area.mean())


def test_panels_of_cohorts_show_their_spread(pathology):
    figure = fine_figures.draw_panels(pathology)
    check_figure(figure)
    at = {"dataset": "s2", "method": next(iter(FILTERS)), "n_features": 5}
    jaccard = of_method(pathology, metric="jaccard", **at)
    places, bars = bars_of(figure.axes[2], "filters")
    assert places[0] == pytest.approx(jaccard.mean())
    np.testing.assert_allclose(bars[0], jaccard.mean() + jaccard.std() * np.array([-1, 1]))
    area = rows(without_forests(pathology), variant="", metric="auc", **at)
    area = area.groupby("cohort")["value"].mean()
    segment = figure.axes[3].containers[1].lines[2][0].get_segments()[0]
    np.testing.assert_allclose(segment[:, 0], area.mean() + area.std() * np.array([-1, 1]))


def test_variants_show_the_paired_change(pathology):
    figure = fine_figures.draw_variants(pathology)
    check_figure(figure)
    variant = next(name for name in pathology["variant"].unique() if name)
    filters = pathology[pathology["method"].isin(FILTERS)]
    at = {"dataset": "s1", "metric": "jaccard", "n_features": 5}
    changed, main = (rows(filters, variant=name, **at).groupby("cohort")["value"].mean() for name in (variant, ""))
    change = changed - main
    places, bars = bars_of(figure.axes[0], "filters")
    assert places[0] == pytest.approx(change.mean())
    np.testing.assert_allclose(bars[0], change.mean() + change.std() * np.array([-1, 1]))


def test_sweep_shows_means_at_every_number_of_features(selection):
    figure = fine_figures.draw_sweep(selection)
    check_figure(figure)
    axes = np.array(figure.axes).reshape(4, 4)
    for (row, name), (column, score) in itertools.product(enumerate(SOURCES), enumerate(("jaccard", *CLASSIFIERS))):
        at = {"metric": "jaccard"} if score == "jaccard" else {"metric": "auc", "classifier": score}
        lines = {line.get_label(): line for line in axes[row, column].lines}
        for method in ("fine_lle", "t_test"):
            x, y = lines[METHODS[method]].get_data()
            # Each method is moved a little to the side.
            np.testing.assert_allclose(x, COUNTS, rtol=0.12)
            expected = [of_method(selection, dataset=name, method=method, n_features=k, **at).mean() for k in COUNTS]
            np.testing.assert_allclose(y, expected)
    # Controls are told at five features alone.


def test_no_line_of_the_sweep_leaves_its_panel(selection):
    # A peak between the numbers of features that error bars stand at, by one classifier alone.
    areas, peak = (
        selection["metric"] == "auc",
        selection["n_features"].isin([2, 10]) & (selection["classifier"] == "random_forest"),
    )
    figure = fine_figures.draw_sweep(
        selection.assign(value=selection["value"].where(~areas, 0.55) + 0.3 * (areas & peak))
    )
    for ax in figure.axes:
        low, high = ax.get_ylim()
        lines = [line for line in ax.lines if line.get_label() in SELECTORS.values()]
        assert len(lines) > 1
        for line in lines:
            y = np.asarray(line.get_ydata(), dtype=float)
            assert ((y >= low) & (y <= high)).all()


def test_small_studies_are_drawn(tmp_path, recwarn):
    few = selection_metrics({"shift": "simulated"}, rounds=2, counts=(1, 5), variants=())
    few = through_file(few, tmp_path)
    drawn = figures_of("feature_selection", metrics=few)
    for name in ("panels", "sweep"):
        check_figure(drawn[name])
    assert "nothing to draw" in text_of(drawn["variants"])
    one = through_file(pathology_metrics({"leaves": "own"}, cohorts=1, rounds=2, variants=VARIANTS[:1]), tmp_path)
    for figure in figures_of("pathology", metrics=one).values():
        check_figure(figure)
    assert not [warning for warning in recwarn if issubclass(warning.category, UserWarning)]


# --- survival


def test_numbers_at_risk_are_those_of_the_patients():
    rng = np.random.default_rng(5)
    metrics = survival_metrics(2, cohorts=("all",))
    table = rows(metrics, fit="cross-fitted", method="fine_pca")
    n = rows(table, metric="n_low", repetition=0)["value"].iloc[0]
    curve = curve_of(table, "fine_pca", "low")
    # Times of single patients, from the curve: who had an event or was censored, and when.
    events = rows(rows(table, group="low"), metric="at_risk").set_index("months")["value"]
    survival = rows(rows(table, group="low"), metric="survival").set_index("months")["value"].astype(float)
    died = (events * (1 - survival / survival.shift(1).fillna(1))).round()
    ended = rows(rows(table, group="low"), metric="censored").set_index("months")["value"]
    times = np.concatenate([np.repeat(died.index, died.astype(int)), np.repeat(ended.index, ended.astype(int))])
    assert len(times) == n
    for month in [0, *rng.uniform(0, 130, 40), *ended.index[:5], *events.index[:5], 500]:
        assert at_risk(curve, month) == (times.astype(float) >= month).sum()


def test_curves_show_both_groups_of_every_reduction(survival):
    figure = survival_figures.draw_curves(survival)
    check_figure(figure)
    panels = [ax for ax in figure.axes if ax.get_title()]
    for ax, method in zip(panels, FINE, strict=True):
        of = rows(survival, method=method, fit="cross-fitted", cohort="all", repetition="0")
        p = rows(of, metric="log_rank_p")["value"].iloc[0]
        low, high = (int(rows(of, metric="n_events", group=group)["value"].iloc[0]) for group in ("low", "high"))
        assert ax.get_title().endswith(f"\nlog-rank p = {p:.2g}; events: low {low}, high {high}")
        assert not ax.texts
        lines = {line.get_label(): line for line in ax.lines}
        for group in ("low", "high"):
            here = rows(of, group=group)
            steps = rows(here, metric="survival").set_index("months")["value"]
            x, y = lines[f"{group} risk"].get_data()
            drawn = pd.Series(y, index=x)
            np.testing.assert_allclose(drawn[steps.index], steps)
            ended = rows(here, metric="censored")
            assert x[0] == 0
            assert x[-1] == max(steps.index.max(), ended["months"].max())
        ticks = [line for line in ax.lines if line.get_marker() == "|"]
        assert [len(line.get_xdata()) for line in ticks] == [
            len(rows(of, group=group, metric="censored")) for group in ("low", "high")
        ]


def test_reductions_with_the_same_curves_share_a_panel(survival):
    twice = rows(survival, method="fine_pca")
    twice = pd.concat([twice, twice.assign(method="fine_le")])
    panels = [ax for ax in survival_figures.draw_curves(twice).axes if ax.get_title()]
    assert [FINE[method].split()[-1] in panels[0].get_title() for method in ("fine_pca", "fine_le")] == [True, True]
    assert len(panels) == 1


def test_bands_hold_the_interval_until_the_next_step(survival):
    ax = survival_figures.draw_curves(survival).axes[0]
    of = rows(survival, method="fine_pca", fit="cross-fitted", cohort="all", group="low")
    low = rows(of, metric="survival_low").set_index("months")["value"]
    vertices = ax.collections[0].get_paths()[0].vertices
    assert vertices[:, 0].min() == low.index.min()
    months, values = low.index[:-1], low.to_numpy()
    for month, later, value in zip(months, low.index[1:], values, strict=False):
        for at in (month, later):
            assert np.abs(vertices - [at, value]).sum(axis=1).min() < 1e-9


def test_p_values_show_every_partition(survival):
    figure = survival_figures.draw_p_values(survival)
    check_figure(figure)
    titles = [ax.get_title() for ax in figure.axes]
    assert titles[0] == "prognostic (public-substitute), all patients:\ncross-fitted"
    assert titles[3] == "prognostic (public-substitute), 44 patients:\nsame patients (no cross-fitting)"
    methods = [*FINE, *FILTERS, "random"]
    for ax, (cohort, fit) in zip(
        figure.axes, itertools.product(("all", "44"), ("cross-fitted", "same patients")), strict=True
    ):
        dots = [line for line in ax.lines if line.get_marker() == "." and len(line.get_xdata())]
        for line, method in zip(dots, methods, strict=True):
            p = rows(survival, cohort=cohort, fit=fit, method=method, metric="log_rank_p")["value"]
            np.testing.assert_allclose(line.get_xdata(), p)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [METHODS[name] for name in methods]


def test_survival_of_one_partition_is_drawn(tmp_path, recwarn):
    once = through_file(survival_metrics(1, cohorts=("all", "30"), name="planted", source="simulated"), tmp_path)
    for figure in figures_of("survival", metrics=once).values():
        check_figure(figure)
    bare = once[once["group"].isna() | (once["group"] == "")]
    assert "survival curves" in text_of(survival_figures.draw_curves(bare))
    assert not [warning for warning in recwarn if issubclass(warning.category, UserWarning)]


# --- planted features


def test_rankings_are_drawn_against_the_effect(tmp_path):
    metrics = through_file(planted_metrics(), tmp_path)
    figure = fine_figures.draw_ranking(metrics)
    check_figure(figure)
    cases = list(itertools.product(("shift", "parity", "curve"), (1, 10)))
    for ax, (structure, nuisance) in zip(figure.axes, cases, strict=True):
        found = errorbar_values(ax)
        assert len(found) == 10
        of = rows(metrics, structure=structure, nuisance=nuisance, metric="ranking_auc", method="fine_lle")
        np.testing.assert_allclose(found["FINE LLE"][:, 1], of.groupby("effect")["value"].mean())
    once = planted_metrics(("shift",), (2,), (1,), draws=1)
    check_figure(fine_figures.draw_ranking(once))
