"""Tables, texts and figures of the image experiments and of the theory, from small metrics."""

import itertools

import numpy as np
import pandas as pd
import pytest
from presented import check_labelled, errorbar_ends, errorbar_values, figures_of, rows, tables_of
from replication.data.readers.volumes import ImageSlice
from replication.papers.viswanath2012 import (
    image_figures,
    image_tables,
    method_names,
    theory_figures,
)
from replication.shared.statistics import holm, paired_comparison
from scipy import stats

PAPER = list(method_names.PAPER_METHODS)
FIRST = {"dataset": "brainweb", "source": "original"}
SECOND = {"dataset": "icbm152_simulated", "source": "simulated"}


THETAS = (0.15, 0.9)


COMBINATIONS = [(noise, f) for noise in (1, 9) for f in (0, 40)]


def test_readings_count_the_combinations_in_which_the_consensus_is_ahead():
    table = image_tables.readings_table(readings_metrics())
    counted = ["grey levels", "combinations", "highest", "significantly", "above GE", "GE above F, MDS"]
    assert table[counted].drop_duplicates().to_numpy().tolist() == [[64, 2, 0, 0, 0, 2], [128, 2, 2, 1, 2, 2]]
    assert set(table["embeddings used"]) == {8}
    assert len(table) == 2 * len(READINGS)


def readings_metrics():
    """At 128 grey levels the consensus is ahead at both combinations, at one of them by chance; at 64 nowhere."""
    made = []
    for levels, n, z in itertools.product((64, 128), (1, 9), range(3)):
        at = {"levels": levels, "noise": n, "inhomogeneity": 0, "slice": z}
        ahead = {64: -0.1, 128: 0.1 if n == 1 else 0.01 + 0.2 * (z - 1)}[levels]
        values = {"features": 0.5, "mds": 0.6, "graph_embedding": 0.7} | dict.fromkeys(READINGS, 0.7 + ahead)
        made += [at | {"method": method, "value": value + 0.001 * z} for method, value in values.items()]
        made += [at | {"method": method, "metric": "n_selected", "value": 8} for method in READINGS]
    return tidy(made)


def tidy(rows, **fixed):
    common = {"experiment": "made_up", **FIRST, "repetition": "", "metric": "accuracy"}
    return pd.DataFrame([common | fixed | row for row in rows])


def grid(seed=0, methods=tuple(method_names.METHODS), noise=(1, 9), inhomogeneity=(0, 40), slices=4, **fixed):
    """Random accuracies, the same in one kind of slice; methods get better in the order in which they stand."""
    rng = np.random.default_rng(seed)
    rows = []
    for n in noise:
        for f in inhomogeneity:
            level = rng.uniform(0.6, 0.7, size=slices)
            for k, method in enumerate(methods):
                for z in range(slices):
                    value = level[z] + 0.01 * k + rng.normal(0, 0.01)
                    rows.append({"method": method, "noise": n, "inhomogeneity": f, "slice": 60 + z, "value": value})
    return tidy(rows, **({"objects": "mean_shift", "draw": 0} | fixed))


def kept(**numbers):
    """Numbers of embeddings that the methods select, at each combination and slice."""
    combinations = [(n, f, z) for n in (1, 9) for f in (0, 40) for z in range(60, 64)]
    rows = [
        {"method": method, "noise": n, "inhomogeneity": f, "slice": z, "value": value}
        for method, value in numbers.items()
        for n, f, z in combinations
    ]
    return tidy(rows, metric="n_selected", objects="mean_shift", draw=0)


# --- tables


def test_accuracy_table_has_the_layout_of_the_paper():
    metrics = grid()
    # At one combination another method is best.
    best = (metrics["method"] == "features") & (metrics["noise"] == 9) & (metrics["inhomogeneity"] == 0)
    metrics.loc[best, "value"] = [0.95, 0.97, 0.96, 0.98]
    table = image_tables.accuracy_table(pd.concat([metrics, grid(5, draw=1), grid(5, objects="k_means")]))
    assert table.iloc[:, :2].to_numpy().tolist() == [[1, 0], [1, 40], [9, 0], [9, 40]]
    assert table["features (F)"][2] == "0.965 ± 0.013"
    assert table["highest"].tolist() == ["consensus GE", "consensus GE", "features (F)", "consensus GE"]
    values = rows(metrics, method="mds", noise=9, inhomogeneity=40)["value"]
    assert table["MDS"][3] == f"{values.mean():.3f} ± {values.std(ddof=1):.3f}"


def test_grid_tests_are_paired_t_tests_with_the_correction_of_holm():
    metrics = grid()
    # The order of the rows does not matter: values are paired by their slice.
    table = image_tables.grid_tests(pd.concat([metrics.sample(frac=1, random_state=0), grid(7, draw=1)]))
    assert not table.duplicated(["first", "second", "noise", "inhomogeneity"]).any()
    names = {name: method for method, name in method_names.METHODS.items()}
    for (first, second), here in table.groupby(["first", "second"]):
        for row in here.to_dict("records"):
            at = {"noise": row["noise"], "inhomogeneity": row["inhomogeneity"]}
            a, b = (rows(metrics, method=names[m], **at)["value"].to_numpy() for m in (first, second))
            expected = paired_comparison(a, b, alternative="greater", margin=0.02)
            found = [row[name] for name in ("difference", "CI low", "CI high", "t", "p (first larger)")]
            found += [row["effect size d_z"], row["equivalent (TOST p)"], row["n"]]
            wanted = [expected.mean_difference, expected.ci_low, expected.ci_high, expected.t, expected.p_value]
            assert found == pytest.approx([*wanted, expected.effect_size, expected.tost_p, 4], abs=1e-6)
            assert row["p (first larger)"] == pytest.approx(
                stats.ttest_rel(a, b, alternative="greater").pvalue, abs=1e-6
            )
        np.testing.assert_allclose(here["p (Holm)"], holm(here["p (first larger)"].to_numpy()), atol=2e-5)


def test_tests_need_two_slices_and_both_methods():
    assert image_tables.grid_tests(grid(slices=1)).empty
    some = image_tables.grid_tests(grid(methods=("features", "mds")))
    assert some[["first", "second"]].drop_duplicates().to_numpy().tolist() == [["features (F)", "MDS"]]


def test_controls_count_the_combinations_above_the_baselines():
    first, k_means = grid(), grid(4, methods=PAPER, objects="k_means")
    # Above the three others at one combination of four only.
    strict = first["method"] == "consensus_strict"
    first.loc[strict, "value"] = 0.1
    first.loc[strict & (first["noise"] == 1) & (first["inhomogeneity"] == 40), "value"] = 0.99
    others = [grid(8, draw=1), kept(consensus_strict=9.0).assign(**SECOND), kept(consensus_strict=7.0).assign(draw=1)]
    metrics = pd.concat([first, k_means, kept(consensus_strict=3.5), *others])
    table = image_tables.controls_table(metrics)
    assert table.groupby("objects").size().to_dict() == {"mean shift": len(method_names.METHODS), "k means": len(PAPER)}
    strict = rows(table, objects="mean shift", method=method_names.METHODS["consensus_strict"]).iloc[0]
    assert strict["above F, MDS and GE"] == "1 of 4"
    assert strict["mean accuracy"] == pytest.approx((0.99 + 3 * 0.1) / 4)
    # The accuracies are those of the first draw and data set, so are the numbers of embeddings.
    assert strict["embeddings used"] == 3.5
    assert rows(table, objects="mean shift", method="consensus GE")["above F, MDS and GE"].item() == "4 of 4"
    for method in ("GE", "MDS", "features (F)"):
        assert rows(table, objects="mean shift", method=method)["above F, MDS and GE"].item() == "0 of 4"


def test_units_are_subjects_and_draws():
    tables = [grid(), grid(1, draw=1), grid(2, **SECOND), grid(3, draw=1, **SECOND), grid(4, objects="k_means")]
    # Pixels are clustered everywhere but in one unit.
    tables[3] = tables[3][tables[3]["method"] != "intensity"]
    table = image_tables.units_table(pd.concat(tables))
    # What one unit lacks is left out.
    assert "intensity" not in table
    assert table["draw"].tolist()[:4] == [0, 1, 0, 1]
    assert table["source"].tolist()[:4] == ["original", "original", "simulated", "simulated"]
    means = np.array([[rows(t, method=m)["value"].mean() for m in ("consensus", "graph_embedding")] for t in tables])
    np.testing.assert_allclose(table["consensus GE"][:4].astype(float), means[:4, 0], atol=5e-5)
    assert float(table["consensus GE"][4]) == pytest.approx(means[:4, 0].mean(), abs=5e-5)
    difference = means[:4, 0] - means[:4, 1]
    low, high = stats.t.interval(0.95, 3, difference.mean(), stats.sem(difference))
    assert table["consensus GE"][5] == f"{difference.mean():+.3f} ({low:+.3f} to {high:+.3f})"
    assert table["GE"][5] == ""
    assert len(image_tables.units_table(grid())) == 1


def test_estimators_table_holds_both_thresholds():
    tables = [grid(k, methods=("median", "mean"), theta=theta) for k, theta in enumerate((0.9, 0.15))]
    metrics = pd.concat([*tables, grid(9, methods=("median", "mean"), theta=0.15, draw=1)]).drop(columns="objects")
    table = image_tables.estimators_table(metrics)
    assert table["theta"].tolist() == [0.15] * 4 + [0.9] * 4
    row = table.iloc[5].to_dict()
    assert (row["noise (%)"], row["non-uniformity (%)"]) == (1, 40)
    a, b = (
        rows(tables[0], method=m, noise=1, inhomogeneity=40)["value"].to_numpy() for m in ("median", "mean")
    )  # fmt: skip
    assert row["median"] == f"{a.mean():.4f} ± {a.std(ddof=1):.4f}"
    assert row["mean"] == f"{b.mean():.4f} ± {b.std(ddof=1):.4f}"
    expected = paired_comparison(a, b, alternative="greater", margin=0.02)
    assert row["difference"] == pytest.approx(a.mean() - b.mean(), abs=1e-6)
    assert row["p (first larger)"] == pytest.approx(expected.p_value, abs=1e-6)
    assert row["equivalent (TOST p)"] == pytest.approx(expected.tost_p, abs=1e-6)


def sensitivity_metrics():
    made = [{"method": "graph_embedding", "noise": n, "slice": z, "value": 0.7} for n in (1, 9) for z in (60, 61)]
    for r in range(2):
        for z in (60, 61):
            for theta, value, count in ((0.15, 0.8, 10), (0.9, 0.85, 4 + z - 60 + r)):
                at = {"method": "consensus", "theta": theta, "slice": z, "repetition": r, "noise": 1}
                made.append(at | {"value": value + 0.01 * r + 0.1 * (z - 60)})
                made.append(at | {"metric": "n_selected", "value": count})
            for k, value in ((1, 0.6), (10, 0.8)):
                at = {"method": "consensus_of_k", "n_selected": k, "slice": z, "repetition": r, "noise": 1}
                made.append(at | {"value": value - 0.02 * r})
    return tidy(made)


def test_sensitivity_table_by_hand():
    table = image_tables.sensitivity_table(sensitivity_metrics())
    assert table["varied"].tolist() == ["theta / max", "theta / max", "K", "K", "GE of all features"]
    assert table["value"].tolist() == [0.15, 0.9, 1, 10, ""]
    assert table["mean accuracy"].tolist() == pytest.approx([0.855, 0.905, 0.59, 0.79, 0.7])
    # The spread is that of the repetitions, not of the slices.
    spread = [np.std([0, 0.01], ddof=1)] * 2 + [np.std([0, 0.02], ddof=1)] * 2
    assert table["SD over repetitions"].tolist()[:4] == pytest.approx(spread, abs=5e-5)
    assert table["embeddings kept"].tolist()[:4] == [10, 5, 1, 10]
    assert table["fewest kept"].tolist()[:4] == [10, 4, 1, 10]


def runtime_metrics():
    steps = {"texture": 2.0, "subsampling": 1.0, "create": 0.5, "select": 0.1, "combine": 0.2, "total": 4.0}
    made = [
        {"method": step, "n_pixels": 20000, "n_objects": 290, "repetition": r, "value": seconds + 0.2 * (r - 2)}
        for r in (1, 2, 3)
        for step, seconds in steps.items()
    ]
    made += [{"method": step, "n_pixels": 5589, "n_objects": 5589, "repetition": 1, "value": 10 * steps[step]}
             for step in ("create", "select", "combine")]  # fmt: skip
    return tidy(made, metric="seconds", threads=2)


def test_runtime_table_puts_the_paper_beside_the_steps_that_it_timed():
    table = image_tables.runtime_table(runtime_metrics())
    assert rows(table, pixels=5589)[["seconds", "paper (8 cores of 2007)"]].to_numpy().tolist() == [
        [5.0, 121.33],
        [1.0, 12.22],
        [2.0, 35.75],
    ]
    whole = rows(table, pixels=20000).set_index("step")
    assert whole["paper (8 cores of 2007)"].dropna().to_dict() == {"ConsEmbedMS, texture included": 119.0}
    assert whole["seconds"]["mean shift"] == 1.0


def detection_metrics(contrasts=(0.25, 1.0)):
    rng = np.random.default_rng(0)
    return tidy(
        {
            "method": method, "metric": metric, "scheme": scheme, "contrast": contrast, "pair": gland // 2,
            "gland": gland, "slice": z, "value": 0.5 + 0.02 * k + rng.normal(0, 0.02),
        }
        for contrast in contrasts
        for scheme in ("slice", "gland")
        for k, method in enumerate(method_names.DETECTORS)
        for gland in range(6 if contrast == 1.0 else 2)
        for z in range(3)
        for metric in ("accuracy", "sensitivity", "specificity", "balanced_accuracy")
    )  # fmt: skip


def test_detection_table_and_tests():
    metrics = detection_metrics()
    row = rows(
        image_tables.detection_table(metrics), **{"contrast": 1.0, "method": "consensus GE", "left out": "gland"}
    ).iloc[0]
    at = {"contrast": 1.0, "scheme": "gland", "method": "consensus"}
    for metric in ("accuracy", "sensitivity", "specificity", "balanced_accuracy"):
        values = rows(metrics, metric=metric, **at)["value"]
        assert row[metric.replace("_", " ")] == f"{values.mean():.3f} ± {values.std():.3f}"
    tests = image_tables.detection_tests(metrics)
    here = rows(tests, first="consensus GE", second="GE", metric="specificity", contrast=0.25)
    a, b = (
        rows(metrics, method=m, metric="specificity", contrast=0.25, scheme="slice")["value"].to_numpy()
        for m in ("consensus", "graph_embedding")
    )
    p = stats.ttest_rel(a, b, alternative="greater").pvalue
    assert rows(here, **{"left out": "slice"})["p (first larger)"].item() == pytest.approx(p, abs=1e-6)
    # Slices of a pair are no independent units: where there are several pairs, each counts once.
    assert tests.groupby("contrast")["n"].unique().map(list).to_dict() == {0.25: [6], 1.0: [3]}
    numbers = rows(metrics, metric="accuracy", method="consensus").assign(metric="n_selected", value=4)
    table = image_tables.detection_table(pd.concat([metrics, numbers], ignore_index=True)).set_index("method")
    assert set(table.loc["consensus GE", "embeddings"]) == {"4.0"}
    assert set(table.loc["GE", "embeddings"]) == {""}


def real_metrics():
    made = [
        {"method": m, "slice": f"z09{z}", **status, "value": 0.7 + 0.1 * k + 0.02 * z}
        for k, status in enumerate((FIRST, {"dataset": "brainweb_resimulated", "source": "simulated"}))
        for z in (0, 1)
        for m in ("mds", "features")
    ]
    for tissue, value in (("grey matter", 180.0), ("white matter", 150.00004)):
        for metric in ("real_mean", "simulated_mean"):
            made.append({"method": "simulator", "metric": metric, "tissue": tissue, "slice": "z090", "value": value})
    return tidy(made)


def test_tables_of_the_real_slices():
    table = image_tables.real_images_table(real_metrics())
    assert table.to_numpy().tolist() == [["z090", "grey matter", 180, 180], ["z090", "white matter", 150, 150]]
    accuracy = image_tables.real_accuracy_table(real_metrics())
    assert accuracy.to_numpy().tolist() == [["features (F)", 0.71, 0.81], ["MDS", 0.71, 0.81]]


# --- figures


def crossed(repetitions=2, seed=0, **levels):
    """Random shares under all combinations of conditions."""
    rng = np.random.default_rng(seed)
    cells = itertools.product(*levels.values(), map(str, range(repetitions)))
    return tidy([dict(zip([*levels, "repetition"], cell, strict=True)) | {"value": rng.random()} for cell in cells])


READINGS = [method_names.method_of_reading(name) for name in method_names.READINGS]
DIMENSIONS = crossed(space=["pixels", "objects"], noise=[1, 9], inhomogeneity=[0, 40])
STRENGTHS = crossed(
    metric=["strength"], method=["median"], space=["consensus"], error=["independent", "shared"],
    level=[0.4, 0.5, 0.7, 0.8], n_embeddings=[1, 4, 12],
)  # fmt: skip
TOY = crossed(
    graph=["knn", "gaussian"], red_noise=[0.0, 2.0], noise=[0.5, 3.0],
    method=["k_means", "graph_embedding", "consensus", "consensus_all_pairs", "red_green", "green_blue"],
)  # fmt: skip
MONOTONE = crossed(
    metric=["spearman"], method=["strength"], series=["noise", "emphasis", "both", "real"],
    compared_with=["class_triplet_accuracy", "clustering_accuracy", "r_squared_index"],
)  # fmt: skip


def holds(**right):
    """Whether the inequality holds, in 20 repetitions of each kind of error."""
    return tidy(
        [
            {"method": method, "space": space, "error": error, "value": float(r < n), "normalization": normalization}
            for error, n in right.items()
            for r in range(20)
            for method in ("mean", "median")
            for space in ("consensus", "picture")
            for normalization in ("none", "max")
        ],
        metric="holds",
    )


def textures(seed=0, size=36):
    """Image, mask and class of interest: the right half."""
    mask, right = np.zeros((2, size, size), dtype=bool)
    mask[6:-6, 5:-7] = right[:, size // 2 :] = True
    return np.random.default_rng(seed).normal(100, 20, (size, size)), mask, right & mask


def saved_maps(crop=slice(None)):
    """Arrays of the region maps as they are saved, with a margin outside the mask or without."""
    found = {}
    for noise, f in COMBINATIONS:
        image, mask, positive = textures(noise)
        truth = np.where(mask, positive, -1)
        arrays = {"image": image, "truth": truth} | {method: np.where(mask, image > 100, -1) for method in PAPER}
        found.setdefault(f"unit_pn{noise}", {}).update({f"{f}/{key}": a[crop, crop] for key, a in arrays.items()})
    return found


def lesion_maps():
    image, mask, positive = textures()
    pictures = dict.fromkeys(("lesion", "graph_embedding", "consensus", "consensus_strict"), positive)
    pictures = {key: np.where(mask, picture, np.nan) for key, picture in (pictures | {"image": image}).items()}
    names = itertools.product(("0.25", "0.5", "1"), (0, 1), pictures.items())
    return {f"{contrast}/{gland}/{key}": picture for contrast, gland, (key, picture) in names}


def real_slices():
    """Metrics and arrays of two slices, real and simulated."""
    arrays = {}
    for source, z in itertools.product(("original", "simulated"), (90, 91)):
        image, mask, _ = textures(z)
        arrays |= {f"{source}/{z}": image, f"labels/{z}": mask.astype(int)}
    return {
        "metrics": crossed(method=PAPER, source=["original", "simulated"], slice=["z090", "z091"]),
        "slices": arrays,
    }


GIVEN = {
    "brain_grid": {"metrics": grid(), "maps": saved_maps(), "combinations": [(1, 0), (9, 40)]},
    "brain_readings": {"metrics": readings_metrics()},
    "brain_real_slices": real_slices(),
    "brain_runtime": {"metrics": runtime_metrics()},
    "intrinsic_dimension": {"metrics": DIMENSIONS},
    "leave_one_out": {"metrics": detection_metrics(), "maps": lesion_maps()},
    "ml_estimators": {
        "metrics": pd.concat([grid(k, ("median", "mean"), theta=theta) for k, theta in enumerate(THETAS)])
    },
    "theta_sensitivity": {"metrics": sensitivity_metrics().assign(kind="images", inhomogeneity=0)},
    "theory_strength": {"metrics": STRENGTHS},
    "theory_error": {"metrics": holds(gaussian=20, lost_axes=19)},
    "theory_monotone": {"metrics": MONOTONE},
    "toy_rgb": {
        "metrics": TOY,
        "pictures": {"clean": np.ones((5, 5, 3)), "noisy": np.eye(5)[..., None] * [1, 2, 3]}
        | dict.fromkeys(("truth", "k_means", "graph_embedding", "consensus"), np.eye(5)),
    },
}


@pytest.mark.parametrize("experiment", GIVEN)
def test_axes_of_every_figure_are_labelled_and_pictures_have_none(experiment):
    figures = figures_of(experiment, **GIVEN[experiment]).values()
    assert all(figure.axes for figure in figures)
    for figure in figures:
        figure.canvas.draw()
        check_labelled(figure)


@pytest.mark.parametrize(
    ("draw", "metrics", "panel", "label", "conditions", "by"),
    [
        (image_figures.draw_sensitivity, sensitivity_metrics().assign(kind="images"), 0, "noise 1 %",
         {"method": "consensus", "metric": "accuracy"}, ["theta"]),
        (image_figures.draw_dimension, DIMENSIONS, 1, "non-uniformity 0 %",
         {"space": "objects", "inhomogeneity": 0}, ["noise"]),
        (image_figures.draw_detection, detection_metrics(), 1, "consensus GE",
         {"scheme": "slice", "metric": "sensitivity", "method": "consensus"}, ["contrast"]),
        (theory_figures.draw_strength, STRENGTHS, 1, "0.70", {"error": "shared", "level": 0.7}, ["n_embeddings"]),
        (theory_figures.draw_toy_accuracy, TOY, 0, "consensus of R-G and R-B",
         {"graph": "knn", "red_noise": 0.0, "method": "consensus"}, ["noise"]),
        (theory_figures.draw_monotone, MONOTONE, 0, "two clusters",
         {"compared_with": "clustering_accuracy"}, ["series"]),
    ],
)  # fmt: skip
def test_points_are_means_under_their_conditions(draw, metrics, panel, label, conditions, by):
    means = rows(metrics, **conditions).groupby(by, sort=False)["value"].mean()
    np.testing.assert_allclose(errorbar_values(draw(metrics).axes[panel])[label][:, 1], means)


@pytest.mark.parametrize(("panel", "other"), [(0, "features"), (1, "mds"), (2, "graph_embedding")])
def test_trend_shows_paired_differences_with_their_intervals(panel, other):
    values = {
        method: rows(grid(), method=method, inhomogeneity=40).pivot(index="noise", columns="slice", values="value")
        for method in ("consensus", other)
    }
    differences = values["consensus"] - values[other]
    ax = image_figures.draw_trend(grid()).axes[panel]
    np.testing.assert_allclose(errorbar_values(ax)["non-uniformity 40 %"][:, 1], differences.mean(axis=1))
    tested = stats.ttest_1samp(differences, 0, axis=1).confidence_interval(0.95)
    ends = errorbar_ends(ax, "non-uniformity 40 %")
    np.testing.assert_allclose(ends, np.transpose([tested.low, tested.high]))


def test_controls_are_shown_for_each_kind_of_objects():
    metrics = pd.concat([grid(), grid(4, methods=PAPER, objects="k_means"), grid(5, draw=1)])
    drawn = errorbar_values(image_figures.draw_controls(metrics).axes[0])
    assert {name: len(values) for name, values in drawn.items()} == {
        "mean-shift objects": len(method_names.METHODS),
        "k-means objects": len(PAPER),
    }
    means = rows(grid(), method="features")["value"]
    assert drawn["mean-shift objects"][0, 0] == pytest.approx(means.mean())


@pytest.mark.parametrize("crop", [slice(None), slice(6, 29)], ids=["with a margin", "up to the border"])
def test_region_maps_show_all_of_the_mask(crop):
    maps = saved_maps(crop)
    figure = image_figures.draw_region_maps(maps, [(1, 0), (9, 40)])
    axes = np.array(figure.axes).reshape(2, 5)
    for row, (noise, f) in zip(axes, ((1, 0), (9, 40)), strict=True):
        arrays = maps[f"unit_pn{noise}"]
        inside = arrays[f"{f}/truth"] >= 0
        right = np.mean((arrays[f"{f}/mds"] == arrays[f"{f}/truth"])[inside])
        assert row[2].get_xlabel() == f"accuracy {right:.2f}"
        assert np.ma.count(row[2].images[0].get_array()) == inside.sum()


def test_intervals_of_the_estimators_are_those_of_their_table():
    metrics = GIVEN["ml_estimators"]["metrics"]
    table = rows(image_tables.estimators_table(metrics), **{"theta": 0.9, "non-uniformity (%)": 40})
    ax = image_figures.draw_estimators(metrics).axes[1]
    np.testing.assert_allclose(errorbar_values(ax)["non-uniformity 40 %"][:, 1], table["difference"], atol=1e-6)
    np.testing.assert_allclose(errorbar_ends(ax, "non-uniformity 40 %"), table[["CI low", "CI high"]], atol=1e-6)
    # A single slice has no interval, and is drawn without one.
    image_figures.draw_estimators(metrics[metrics["slice"] == 60]).canvas.draw()


def test_runtime_shows_the_steps_and_the_total():
    ax = image_figures.draw_runtime(runtime_metrics()).axes[0]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([2.0, 1.0, 0.5, 0.1, 0.2])
    assert "20000 pixels: 4.00 s (paper: 119 s)" in ax.get_title()


def test_real_slices_and_their_simulation_have_one_scale_of_grey():
    given = real_slices()
    real, simulated, scores = image_figures.draw_real_slices(**given).axes
    np.testing.assert_array_equal(real.images[0].get_array(), given["slices"]["original/90"].T)
    np.testing.assert_array_equal(simulated.images[0].get_array(), given["slices"]["simulated/90"].T)
    assert real.images[0].get_clim() == simulated.images[0].get_clim()
    means = rows(given["metrics"], source="simulated").groupby("method")["value"].mean()
    np.testing.assert_allclose(errorbar_values(scores)["simulated"][:, 0], means[PAPER])


@pytest.mark.parametrize("order", [("0.25", "0.5", "1"), ("0.5", "1", "0.25")])
def test_lesions_of_the_lowest_and_the_highest_contrast_are_shown(order):
    maps = sorted(lesion_maps().items(), key=lambda one: order.index(one[0].split("/")[0]))
    figure = image_figures.draw_detection_maps(dict(maps))
    labels = [ax.get_ylabel() for ax in np.array(figure.axes).reshape(4, 4)[:, 0]]
    assert labels == [f"contrast {contrast}\ngland {gland}" for contrast in ("0.25", "1") for gland in (1, 2)]


@pytest.mark.parametrize("labels", [True, False])
def test_own_regions_show_at_most_six_slices(labels):
    slices, maps = [], []
    for k in range(8):
        image, mask, positive = textures(k)
        slices.append(ImageSlice(f"z{k:03d}", image, mask, positive.astype(int) if labels else None))
        maps.append((np.where(positive, 3, 1 + (image > 100)) * mask).astype(np.uint8))
    figure = image_figures.draw_own_regions(slices, maps)
    axes = np.array(figure.axes).reshape(2, 6)
    assert [ax.get_title() for ax in axes[0]] == ["z000", "z001", "z002", "z004", "z005", "z007"]
    regions = axes[1, 5].images[0]
    np.testing.assert_array_equal(regions.get_array().filled(0), maps[7].T)
    assert regions.get_clim() == (1, 3)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["1", "2", "3"]
    assert all(len(ax.collections) == labels for ax in axes.flat)
    assert len(image_figures.draw_own_regions(slices[:1], maps[:1]).axes) == 2


@pytest.mark.parametrize(("sizes", "aspect"), [((0.5, 1.5), 3.0), ((2.0, 1.0), 0.5), ((0.0, 1.0), 1.0)])
def test_pixels_of_own_regions_are_as_long_as_those_of_the_image(sizes, aspect):
    image, mask, positive = textures(0)
    figure = image_figures.draw_own_regions([ImageSlice("z", image, mask)], [positive.astype(np.uint8)], sizes)
    assert [ax.get_aspect() for ax in figure.axes] == [aspect, aspect]


@pytest.mark.parametrize("n_regions", [2, 6, 7, 10])
def test_each_own_region_has_a_colour_that_is_not_black(n_regions):
    image, mask, _ = textures(0)
    regions = (1 + np.arange(image.size).reshape(image.shape) % n_regions).astype(np.uint8)
    figure = image_figures.draw_own_regions([ImageSlice("z", image, mask)], [regions])
    colours = {patch.get_facecolor() for patch in figure.legends[0].get_patches()}
    assert len(colours) == n_regions
    assert min(max(colour[:3]) for colour in colours) > 0.3


def test_toy_pictures_say_how_many_pixels_are_right():
    pictures = GIVEN["toy_rgb"]["pictures"] | {"k_means": np.zeros((5, 5))}
    axes = theory_figures.draw_toy_pictures(pictures).axes
    assert [ax.get_xlabel() for ax in axes[2:]] == ["accuracy 0.80", "accuracy 1.00", "accuracy 1.00"]


def test_sizes_of_the_noise_on_red_are_not_pooled():
    table = tables_of("toy_rgb", metrics=TOY)["accuracy"]
    expected = rows(TOY, graph="knn", noise=3.0, red_noise=2.0, method="consensus")["value"].mean()
    found = rows(table, graph="knn", noise=3.0, red_noise=2.0, method="consensus")
    assert float(found["accuracy"].item().split()[0]) == pytest.approx(expected, abs=1e-3)


def test_a_share_of_one_has_an_interval_below_it():
    shares = {"gaussian": 20, "lost_axes": 19, "skewed": 0}
    found = errorbar_ends(theory_figures.draw_error(holds(**shares)).axes[0], "mean, distances")
    expected = [stats.binomtest(right, 20).proportion_ci(method="wilson") for right in shares.values()]
    np.testing.assert_allclose(found, [[one.low, one.high] for one in expected], atol=1e-12)
