"""Tables, texts and figures of the image experiments and of the theory, from small metrics."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FuncFormatter
from presented import figures_of, rows, tables_of
from replication.claims.judging import SUBSTITUTE, judge_claims, read_claims
from replication.data.readers.volumes import ImageSlice
from replication.papers.viswanath2012 import (
    brain_calibration,
    brain_grid,
    brain_readings,
    brain_real_slices,
    brain_runtime,
    image_figures,
    image_tables,
    intrinsic_dimension,
    leave_one_out,
    method_names,
    ml_estimators,
    theory_error,
    theory_figures,
    theory_monotone,
    theory_strength,
    theta_sensitivity,
    toy_rgb,
)
from replication.papers.viswanath2012.image_slices import embed_slice, slice_features
from replication.papers.viswanath2012.settings import ImageSettings
from replication.papers.viswanath2012.universe_images import JUDGED_LEVELS
from replication.shared.statistics import holm, paired_comparison
from replication.shared.tidy import Metrics, read_table, write_table
from scipy import stats

ROOT = Path(__file__).parents[2]
PAPER = list(method_names.PAPER_METHODS)
FIRST = {"dataset": "brainweb", "source": "original"}
SECOND = {"dataset": "icbm152_simulated", "source": "simulated"}


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


def test_main_scores_are_those_of_the_first_unit_and_the_first_kind_of_objects():
    first = grid()
    others = [grid(1, **SECOND), grid(2, draw=1), grid(3, objects="k_means"), kept(consensus=5.0)]
    found = image_tables.main_scores(pd.concat([first, *others]))
    pd.testing.assert_frame_equal(found, first)
    plain = first.drop(columns=["draw", "objects"])
    pd.testing.assert_frame_equal(image_tables.main_scores(plain), plain)
    assert len(image_tables.main_scores(pd.concat([first, kept(consensus=5.0)]), "n_selected")) == 16


def test_accuracy_table_has_the_layout_of_the_paper():
    metrics = grid()
    # At one combination another method is best.
    best = (metrics["method"] == "features") & (metrics["noise"] == 9) & (metrics["inhomogeneity"] == 0)
    metrics.loc[best, "value"] = [0.95, 0.97, 0.96, 0.98]
    table = image_tables.accuracy_table(pd.concat([metrics, grid(5, draw=1)]))
    names = list(method_names.PAPER_METHODS.values())
    assert list(table) == ["noise (%)", "non-uniformity (%)", *names, "highest", "source"]
    assert table.iloc[:, :2].to_numpy().tolist() == [[1, 0], [1, 40], [9, 0], [9, 40]]
    assert table["features (F)"][2] == "0.965 ± 0.013"
    assert table["highest"].tolist() == ["consensus GE", "consensus GE", "features (F)", "consensus GE"]
    assert set(table["source"]) == {"original"}
    values = rows(metrics, method="mds", noise=9, inhomogeneity=40)["value"]
    assert table["MDS"][3] == f"{values.mean():.3f} ± {values.std(ddof=1):.3f}"


def test_grid_tests_are_paired_t_tests_with_the_correction_of_holm():
    metrics = grid()
    # The order of the rows does not matter: values are paired by their slice.
    table = image_tables.grid_tests(pd.concat([metrics.sample(frac=1, random_state=0), grid(7, draw=1)]))
    pairs = [
        *(("consensus", m) for m in ("features", "mds", "graph_embedding")),
        *(("graph_embedding", "features"), ("graph_embedding", "mds"), ("features", "mds")),
        *(("consensus_strict", m) for m in ("features", "mds", "graph_embedding", "best_single")),
    ]
    assert len(table) == len(pairs) * 4
    for first, second in pairs:
        here = rows(table, first=method_names.METHODS[first], second=method_names.METHODS[second])
        assert len(here) == 4
        for row in here.to_dict("records"):
            at = {"noise": row["noise"], "inhomogeneity": row["inhomogeneity"]}
            a, b = (rows(metrics, method=m, **at).sort_values("slice")["value"].to_numpy() for m in (first, second))
            test = stats.ttest_rel(a, b, alternative="greater")
            assert row["t"] == pytest.approx(test.statistic, abs=1e-6)
            assert row["p (first larger)"] == pytest.approx(test.pvalue, abs=1e-6)
            assert row["difference"] == pytest.approx(np.mean(a - b), abs=1e-6)
            low, high = stats.t.interval(0.95, 3, np.mean(a - b), stats.sem(a - b))
            assert (row["CI low"], row["CI high"]) == pytest.approx((low, high), abs=1e-6)
            assert row["effect size d_z"] == pytest.approx(np.mean(a - b) / np.std(a - b, ddof=1), abs=1e-6)
            one_sided = [
                stats.ttest_1samp(a - b, limit, alternative=side).pvalue
                for limit, side in ((-0.02, "greater"), (0.02, "less"))
            ]
            assert row["equivalent (TOST p)"] == pytest.approx(max(one_sided), abs=1e-6)
            assert row["n"] == 4
        p, adjusted = here["p (first larger)"].to_numpy(), here["p (Holm)"].to_numpy()
        np.testing.assert_allclose(adjusted, holm(p), atol=2e-5)
        assert (adjusted >= p).all()
        assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
        assert adjusted.min() == pytest.approx(min(1.0, 4 * p.min()), abs=1e-5)


def test_tests_need_two_slices_and_both_methods():
    assert image_tables.grid_tests(grid(slices=1)).empty
    some = image_tables.grid_tests(grid(methods=("features", "mds")))
    assert some[["first", "second"]].drop_duplicates().to_numpy().tolist() == [["features (F)", "MDS"]]


def controls_metrics():
    first = grid()
    # Above the three others at one combination of four only.
    first.loc[first["method"] == "consensus_strict", "value"] = 0.1
    first.loc[(first["method"] == "consensus_strict") & (first["noise"] == 1) & (first["inhomogeneity"] == 40),
              "value"] = 0.99  # fmt: skip
    return first


def test_controls_count_the_combinations_above_the_baselines():
    first = controls_metrics()
    k_means = grid(4, methods=PAPER, objects="k_means")
    metrics = pd.concat([first, k_means, grid(8, draw=1), kept(consensus=20.0, consensus_strict=3.5)])
    table = image_tables.controls_table(metrics)
    assert table["objects"].unique().tolist() == ["mean shift", "k means"]
    assert rows(table, objects="mean shift")["method"].tolist() == list(method_names.METHODS.values())
    assert len(rows(table, objects="k means")) == 4
    strict = rows(table, objects="mean shift", method=method_names.METHODS["consensus_strict"]).iloc[0]
    assert strict["above F, MDS and GE"] == "1 of 4"
    assert strict["mean accuracy"] == pytest.approx((0.99 + 3 * 0.1) / 4)
    assert strict["embeddings used"] == 3.5
    found = rows(table, objects="mean shift", method="consensus GE").iloc[0]
    assert found["above F, MDS and GE"] == "4 of 4"
    values = rows(first, method="consensus")["value"]
    assert (found["mean accuracy"], found["SD"]) == (round(values.mean(), 4), round(values.std(), 4))
    assert found["embeddings used"] == 20.0
    for method in ("GE", "MDS", "features (F)"):
        assert rows(table, objects="mean shift", method=method)["above F, MDS and GE"].item() == "0 of 4"
    assert pd.isna(rows(table, objects="mean shift", method="GE")["embeddings used"].item())


def test_controls_count_the_embeddings_of_the_same_slices():
    # The accuracies are those of the first draw and data set, so are the numbers of embeddings beside them.
    others = [kept(consensus_strict=9.0).assign(**SECOND), kept(consensus_strict=7.0).assign(draw=1)]
    table = image_tables.controls_table(pd.concat([controls_metrics(), kept(consensus_strict=3.0), *others]))
    assert rows(table, method=method_names.METHODS["consensus_strict"])["embeddings used"].item() == 3.0


def units_metrics():
    tables = [grid(), grid(1, draw=1), grid(2, **SECOND), grid(3, draw=1, **SECOND)]
    extra = grid(4, objects="k_means")
    # Pixels are clustered everywhere but in one unit.
    tables[3] = tables[3][tables[3]["method"] != "intensity"]
    return [*tables, extra]


def test_units_are_subjects_and_draws():
    tables = units_metrics()
    table = image_tables.units_table(pd.concat(tables))
    names = [name for method, name in method_names.METHODS.items() if method != "intensity"]
    assert list(table) == ["dataset", "source", "draw", *names]
    assert table["dataset"].tolist() == [
        *("brainweb", "brainweb", "icbm152_simulated", "icbm152_simulated"),
        *("mean of all units", "difference from GE (95 % interval over units)"),
    ]
    assert table["draw"].tolist()[:4] == [0, 1, 0, 1]
    assert table["source"].tolist()[:4] == ["original", "original", "simulated", "simulated"]
    means = np.array([[rows(t, method=m)["value"].mean() for m in ("consensus", "graph_embedding")] for t in tables])
    np.testing.assert_allclose(table["consensus GE"][:4].astype(float), means[:4, 0], atol=5e-5)
    assert float(table["consensus GE"][4]) == pytest.approx(means[:4, 0].mean(), abs=5e-5)
    difference = means[:4, 0] - means[:4, 1]
    low, high = stats.t.interval(0.95, 3, difference.mean(), stats.sem(difference))
    assert table["consensus GE"][5] == f"{difference.mean():+.3f} ({low:+.3f} to {high:+.3f})"
    assert table["GE"][5] == ""


def test_one_unit_has_no_interval(tmp_path):
    table = image_tables.units_table(grid())
    assert len(table) == 1
    write_table(image_tables.units_table(pd.concat(units_metrics())), tmp_path / "units.tsv")
    assert len(pd.read_csv(tmp_path / "units.tsv", sep="\t")) == 6


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
    assert len(table) == 9
    sample, whole = rows(table, pixels=5589), rows(table, pixels=20000)
    assert sample[["step", "seconds", "paper (8 cores of 2007)"]].to_numpy().tolist() == [
        ["CreateEmbed", 5.0, 121.33],
        ["SelEmbed", 1.0, 12.22],
        ["CalcConsEmbed", 2.0, 35.75],
    ]
    assert set(whole["objects"]) == {290}
    paper = whole.set_index("step")["paper (8 cores of 2007)"].dropna()
    assert paper.to_dict() == {"ConsEmbedMS, texture included": 119.0}
    assert whole.set_index("step")["seconds"]["mean shift"] == 1.0


def detection_metrics(contrasts=(0.25, 1.0)):
    rng = np.random.default_rng(0)
    return tidy(
        {
            "method": method, "metric": metric, "scheme": scheme, "contrast": contrast, "gland": gland, "slice": z,
            "value": 0.5 + 0.02 * k + rng.normal(0, 0.02),
        }
        for contrast in contrasts
        for scheme in ("slice", "gland")
        for k, method in enumerate(method_names.DETECTORS)
        for gland in (0, 1)
        for z in range(3)
        for metric in ("accuracy", "sensitivity", "specificity", "balanced_accuracy")
    )  # fmt: skip


def test_detection_table_and_tests():
    metrics = detection_metrics()
    table = image_tables.detection_table(metrics)
    assert len(table) == 2 * 2 * len(method_names.DETECTORS)
    row = rows(table, **{"contrast": 1.0, "method": "consensus GE", "left out": "gland"}).iloc[0]
    at = {"contrast": 1.0, "scheme": "gland", "method": "consensus"}
    for metric in ("accuracy", "sensitivity", "specificity", "balanced_accuracy"):
        values = rows(metrics, metric=metric, **at)["value"]
        assert row[metric.replace("_", " ")] == f"{values.mean():.3f} ± {values.std():.3f}"

    tests = image_tables.detection_tests(metrics)
    assert len(tests) == 3 * 3 * 2 * 2
    here = rows(tests, first="consensus GE", second="GE", metric="specificity", contrast=0.25)
    found = here[here["left out"] == "slice"].iloc[0]
    a, b = (
        rows(metrics, method=m, metric="specificity", contrast=0.25, scheme="slice")["value"].to_numpy()
        for m in ("consensus", "graph_embedding")
    )
    assert found["p (first larger)"] == pytest.approx(stats.ttest_rel(a, b, alternative="greater").pvalue, abs=1e-6)
    assert found["n"] == 6


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
    assert list(table) == ["slice", "tissue", "real_mean", "simulated_mean"]
    assert table.to_numpy().tolist() == [["z090", "grey matter", 180, 180], ["z090", "white matter", 150, 150]]
    accuracy = image_tables.real_accuracy_table(real_metrics())
    assert accuracy.to_numpy().tolist() == [["features (F)", 0.71, 0.81], ["MDS", 0.71, 0.81]]
    assert list(accuracy) == ["method", "original", "simulated"]


def told(shift=0.0):
    """Accuracies that are the same in all slices, so that every number of the text is known."""
    means = {
        "features": 0.70, "mds": 0.71, "graph_embedding": 0.72, "consensus": 0.75 + shift, "consensus_strict": 0.78,
        "consensus_strict_unlabelled": 0.66, "consensus_strict_learnt": 0.74, "best_single": 0.80,
        "best_single_learnt": 0.73, "intensity": 0.9,
    }  # fmt: skip
    metrics = grid()
    metrics = metrics[metrics["method"].isin(means)]
    return metrics.assign(value=metrics["method"].map(means)), means


# --- small runs of the experiments, for the figures and the claims

SETTINGS = ImageSettings.model_validate({
    "features": "haralick14", "implementation": "fast", "window": 5, "levels": 32, "outside": "zero",
    "scaling": "zscore", "objects": "mean_shift", "max_objects": 30, "kernel": "knn", "n_neighbors": 8,
    "sigma": 1.0, "self_affinity": 1.0, "eigenvectors": "rows", "n_components": 3, "n_embeddings": 6,
    "subset_size": 4, "normalization": "max", "mds": "classical", "kmeans_starts": 3, "theta": 0.15,
    "exploratory_theta": 0.9,
})  # fmt: skip
GRAPH = {"kernel": "knn", "n_neighbors": 8, "scaling": "none"}
TOY = toy_rgb.ToyStudy.model_validate({
    "size": 12, "noise": [0.5, 3.0], "red_noise": [0.0], "n_draws": 2, "n_components": 2, "graphs": {"knn": GRAPH},
    "picture": {"noise": 3.0, "red_noise": 0.0, "draw": 0, "graph": "knn"},
})  # fmt: skip
STRENGTH = theory_strength.StrengthStudy.model_validate({
    "n_objects": 14, "n_components": 2, "n_embeddings": [1, 4, 12], "levels": [0.4, 0.5, 0.7, 0.8], "theta": 0.6,
    "errors": ["independent", "shared"], "repetitions": 3,
})  # fmt: skip
ERROR = theory_error.ErrorStudy.model_validate({
    "n_objects": 10, "n_components": 2, "n_embeddings": [3, 6], "error_size": 0.5,
    "errors": ["gaussian", "lost_axes"], "repetitions": 3,
})  # fmt: skip
MONOTONE = theory_monotone.MonotoneStudy.model_validate({
    "n_objects": 20, "n_components": 2, "separation": 3.0, "n_levels": 6, "largest_error": 10.0, "largest_stretch": 8.0,
    "series": ["noise", "emphasis", "both"], "repetitions": 3, "n_resamples": 100,
    "noise": 3, "inhomogeneity": 0,
})  # fmt: skip
COMBINATIONS = [(noise, f) for noise in (1, 9) for f in (0, 40)]
SLICES = (60, 61, 62)


def mute(_):
    pass


def textures(seed, size=36):
    """Image, mask and class of interest: the right half is rougher."""
    rng = np.random.default_rng(seed)
    mask = np.zeros((size, size), dtype=bool)
    mask[6:-6, 5:-7] = True
    right = np.zeros((size, size), dtype=bool)
    right[:, size // 2 :] = True
    return 100 + rng.normal(size=(size, size)) * np.where(right, 20, 4), mask, right & mask


@pytest.fixture(scope="module")
def embedded():
    """Combination -> slice -> embedded slice."""
    return {
        (noise, f): {z: embed_slice(*textures(100 * noise + f + z), SETTINGS, seed=1) for z in SLICES}
        for noise, f in COMBINATIONS
    }


@pytest.fixture(scope="module")
def runs(embedded, tmp_path_factory):
    """Metrics of every experiment, as they are read from their files."""

    def started(experiment, module, **change):
        fixed = {"experiment": experiment, "dataset": "brainweb", "source": "original"} | change
        return Metrics(fixed["experiment"], fixed["dataset"], fixed["source"], module.CONDITIONS)

    made = {
        "brain_grid": started("brain_grid", brain_grid),
        "brain_readings": started("brain_readings", brain_readings),
        "ml_estimators": started("ml_estimators", ml_estimators),
        "theta_sensitivity": started("theta_sensitivity", theta_sensitivity),
        "intrinsic_dimension": started("intrinsic_dimension", intrinsic_dimension),
    }
    sensitivity = {"thetas": [0.15, 0.9], "n_selected": [1, 2, 6], "repetitions": 2}
    for (noise, f), slices in embedded.items():
        at = {"noise": noise, "inhomogeneity": f}
        learnt = brain_grid.learnt_strengths(list(slices.values()))
        features = {z: slice_features(*textures(100 * noise + f + z)[:2], SETTINGS) for z in SLICES}
        for kind in ("mean_shift", "k_means"):
            brain_grid.score_combination(
                made["brain_grid"], slices, learnt, SETTINGS, features=features if kind == "mean_shift" else None,
                seed=1, objects=kind, draw=0, **at,
            )  # fmt: skip
        brain_readings.score_combination(
            made["brain_readings"], slices, SETTINGS, ["literal", "within", "strongest", "chance_corrected"],
            levels=JUDGED_LEVELS, **at,
        )  # fmt: skip
        ml_estimators.score_combination(made["ml_estimators"], slices, SETTINGS, ["median", "mean"], draw=0, **at)
        theta_sensitivity.score_combination(
            made["theta_sensitivity"], slices, SETTINGS, **sensitivity, seed=1, draw=0, **at
        )
        for z, one in slices.items():
            image = textures(100 * noise + f + z)[0]
            intrinsic_dimension.score_slice(
                made["intrinsic_dimension"], image, one, SETTINGS, [5, 12], seed=1, slice=z, **at
            )
    detection = started("leave_one_out", leave_one_out, dataset="prostate_phantom", source="simulated")
    for contrast, slices in zip((0.5, 1.0), embedded.values(), strict=False):
        leave_one_out.score_slices(
            detection, {(z % 2, z): one for z, one in slices.items()}, SETTINGS, contrast=contrast
        )  # fmt: skip
    tables = {name: metrics.table() for name, metrics in made.items()} | {"leave_one_out": detection.table()}
    parameters = {"n_pixels": 40, "repetitions": 2}
    tables["brain_runtime"] = brain_runtime.run(
        *textures(0), SETTINGS, **parameters, seed=1, progress=mute, **FIRST
    )  # fmt: skip
    tables["brain_real_slices"] = real_slices()[0]
    tables["theory_strength"] = theory_strength.run(parameters=STRENGTH, seed=1, progress=mute)
    tables["theory_error"] = theory_error.run(parameters=ERROR, seed=1, progress=mute)
    monotone = [theory_monotone.run(parameters=MONOTONE, seed=1, progress=mute)]
    for z, one in embedded[1, 0].items():
        share = one.positive / one.objects.sizes
        monotone.append(
            theory_monotone.run_on_embeddings(
                one.objects.features, one.embeddings, share, sizes=one.objects.sizes, n_resamples=100, seed=1,
                repetition=z, others={"consensus": one.embeddings[0], "graph_embedding": one.embeddings[1]}, **FIRST,
            )
        )  # fmt: skip
    tables["theory_monotone"] = pd.concat(monotone, ignore_index=True)
    tables["toy_rgb"], _ = toy_rgb.run(parameters=TOY, seed=1, progress=mute)
    folder = tmp_path_factory.mktemp("metrics")
    for name, table in tables.items():
        write_table(table, folder / f"{name}.tsv")
    return {name: read_table(folder / f"{name}.tsv") for name in tables}


def real_slices():
    """Metrics of two slices, real and simulated, and the arrays that the figure shows."""
    slices, arrays = {}, {}
    for source, first in (("original", 0), ("simulated", 10)):
        slices[source] = []
        for z in (90, 91):
            image, mask, positive = textures(first + z)
            labels = np.where(positive, 3, np.where(mask, 2, 0))
            slices[source].append(ImageSlice(f"z{z:03d}", image, mask, labels))
            arrays |= {f"{source}/{z}": image, f"labels/{z}": labels}
    blank = dict.fromkeys(brain_real_slices.IMAGE_METRICS, 1.0)
    comparison = [blank | {"slice": z, "tissue": "grey matter"} for z in (90, 91)]
    return brain_real_slices.run(slices, comparison, SETTINGS, seed=1), arrays


# --- figures


def labelled(ax, axis):
    """Whether an axis has a label, names at its ticks, or shares one that has a label."""
    if getattr(ax, f"get_{axis}label")():
        return True
    ticks = getattr(ax, f"{axis}axis")
    if isinstance(ticks.get_major_formatter(), FixedFormatter | FuncFormatter) and len(ticks.get_major_locator()()):
        return True
    siblings = getattr(ax, f"get_shared_{axis}_axes")().get_siblings(ax)
    return any(getattr(other, f"get_{axis}label")() for other in siblings)


def check_figure(figure):
    assert isinstance(figure, Figure)
    shown = [ax for ax in figure.axes if ax.get_visible()]
    assert shown
    for ax in shown:
        if ax.images:
            # Pictures have no coordinates to read.
            assert not ax.axison or not (len(ax.get_xticks()) or len(ax.get_yticks()))
            assert ax.get_title() or ax is not shown[0]
        else:
            assert labelled(ax, "x"), ax
            assert labelled(ax, "y"), ax
            assert ax.has_data()
    figure.canvas.draw()


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def errorbar_values(ax):
    """x, y of each series of error bars."""
    return {container.get_label(): container[0].get_xydata() for container in ax.containers}


def errorbar_ends(ax, label):
    """Lower and upper end of each error bar of a series."""
    (container,) = [one for one in ax.containers if one.get_label() == label]
    return np.array([bar[:, 1] for bar in container.lines[2][0].get_segments()])


PICTURES = {"leave_one_out": ["detection", "maps"], "brain_grid": ["trend", "maps", "controls"]}


@pytest.mark.parametrize(
    ("experiment", "names"),
    [
        ("brain_readings", ["readings"]),
        ("ml_estimators", ["estimators"]),
        ("theta_sensitivity", ["sensitivity"]),
        ("intrinsic_dimension", ["dimension"]),
        ("brain_runtime", ["runtime"]),
    ],
)
@pytest.mark.slow
def test_figures_of_image_experiments(runs, experiment, names):
    found = figures_of(experiment, metrics=runs[experiment])
    if experiment == "theta_sensitivity":
        assert "no gene expression" in found.pop("genes").axes[0].texts[0].get_text()
    assert list(found) == names
    for figure in found.values():
        check_figure(figure)


@pytest.mark.parametrize(
    ("experiment", "names"),
    [("theory_strength", ["strength"]), ("theory_error", ["error"]), ("theory_monotone", ["monotone"])],
)
@pytest.mark.slow
def test_figures_of_the_theory(runs, experiment, names):
    found = figures_of(experiment, metrics=runs[experiment])
    assert list(found) == names
    for figure in found.values():
        check_figure(figure)


@pytest.mark.slow
def test_figures_of_the_toy_image(runs):
    _, pictures = toy_rgb.run(parameters=TOY, seed=1, progress=mute)
    found = figures_of("toy_rgb", metrics=runs["toy_rgb"], pictures=pictures)
    assert list(found) == ["pictures", "accuracy"]
    for figure in found.values():
        check_figure(figure)
    panels = found["pictures"].axes
    assert [ax.get_title() for ax in panels][:2] == ["clean image", "noisy image"]
    for ax, method in zip(panels[2:], ("k_means", "graph_embedding", "consensus"), strict=True):
        np.testing.assert_array_equal(ax.images[0].get_array(), pictures[method])
        assert ax.get_xlabel() == f"accuracy {np.mean(pictures[method] == pictures['truth']):.2f}"
    drawn = errorbar_values(found["accuracy"].axes[0])
    assert len(drawn) == 6
    means = rows(runs["toy_rgb"], metric="accuracy", method="consensus").groupby("noise")["value"].mean()
    np.testing.assert_allclose(drawn["consensus of R-G and R-B"], means.reset_index().to_numpy())


def test_sizes_of_the_noise_on_red_are_not_pooled(runs):
    alone = runs["toy_rgb"]
    noisy = alone.assign(red_noise=2.0, value=alone["value"] / 2)
    both = pd.concat([alone, noisy], ignore_index=True)
    table = tables_of("toy_rgb", metrics=both)["accuracy"]
    assert len(table) == 2 * len(tables_of("toy_rgb", metrics=alone)["accuracy"])
    assert set(table["red_noise"]) == {0.0, 2.0}
    drawn = [errorbar_values(theory_figures.draw_toy_accuracy(metrics).axes[0]) for metrics in (alone, both)]
    for name, values in drawn[0].items():
        np.testing.assert_array_equal(drawn[1][name], values)


def test_trend_shows_the_means_of_the_main_scores(runs):
    metrics = runs["brain_grid"]
    figure = image_figures.draw_trend(metrics)
    check_figure(figure)
    ax = figure.axes[0]
    assert "Noise (%)" in ax.get_xlabel()
    assert "accuracy" in ax.get_ylabel()
    assert "BrainWeb, original" in ax.get_title()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1\n0", "1\n40", "9\n0", "9\n40"]
    drawn = errorbar_values(ax)
    assert len(drawn) == 5
    means = rows(metrics, metric="accuracy", method="consensus", objects="mean_shift")
    means = means.groupby(["noise", "inhomogeneity"])["value"].mean()
    np.testing.assert_allclose(drawn["consensus GE"][:, 1], means)


def test_controls_show_every_method_once_for_each_kind_of_objects(runs):
    figure = image_figures.draw_controls(runs["brain_grid"])
    check_figure(figure)
    ax = figure.axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == list(method_names.METHODS.values())
    drawn = errorbar_values(ax)
    assert {name: len(values) for name, values in drawn.items()} == {
        "mean-shift objects": len(method_names.METHODS),
        "k-means objects": len(method_names.METHODS) - 2,
    }
    means = rows(runs["brain_grid"], metric="accuracy", method="features", objects="mean_shift")["value"]
    assert drawn["mean-shift objects"][0, 0] == pytest.approx(means.mean())


def saved_maps(embedded, crop=slice(None)):
    """Arrays of the region maps as they are saved, with a margin outside the mask or without."""
    found = {}
    for noise, f in ((1, 0), (9, 40)):
        one = embedded[noise, f][60]
        clusters, _ = brain_grid.score_slice(one, SETTINGS, seed=1)
        truth = np.where(one.mask, 0, -1)
        truth[one.mask] = one.positive_pixels
        arrays = {"image": textures(100 * noise + f + 60)[0], "truth": truth}
        arrays |= {m: brain_grid.region_map(one, clusters[m]) for m in method_names.PAPER_METHODS}
        found[f"unit_pn{noise}"] = {f"{f}/{key}": array[crop, crop] for key, array in arrays.items()}
    return found


def test_region_maps_have_a_row_a_combination_and_a_column_a_method(embedded, runs):
    maps = saved_maps(embedded)
    found = figures_of("brain_grid", metrics=runs["brain_grid"], maps=maps, combinations=[(1, 0), (9, 40)])
    assert list(found) == PICTURES["brain_grid"]
    check_figure(found["maps"])
    axes = np.array(found["maps"].axes).reshape(2, 5)
    assert [ax.get_title() for ax in axes[0]] == ["image, true outline", *method_names.PAPER_METHODS.values()]
    assert axes[1, 0].get_ylabel() == "noise 9 %\nnon-uniformity 40 %"
    metrics = rows(runs["brain_grid"], metric="accuracy", objects="mean_shift", slice=60, noise=9, inhomogeneity=40)
    for ax, method in zip(axes[1, 1:], method_names.PAPER_METHODS, strict=True):
        assert ax.get_xlabel() == f"accuracy {rows(metrics, method=method)['value'].item():.2f}"
        drawn = ax.images[0].get_array()
        assert np.ma.count(drawn) == embedded[9, 40][60].mask.sum()


def test_region_maps_of_a_mask_at_the_border_are_whole(embedded):
    maps = saved_maps(embedded, slice(5, 30))
    figure = image_figures.draw_region_maps(maps, [(1, 0), (9, 40)])
    check_figure(figure)
    ax = figure.axes[2]
    assert np.ma.count(ax.images[0].get_array()) == (maps["unit_pn1"]["0/truth"] >= 0).sum()


@pytest.fixture(scope="module")
def picks():
    options = {"window": [5, 3], "scaling": ["zscore", "minmax"], "mds": ["classical", "smacof"], "kernel": ["knn"]}
    parameters = brain_calibration.BrainCalibration(n_embeddings=4, options=options | {"sigma": [1.0, 0.3]})
    images = {(3, 0, 75): textures(1)}
    return brain_calibration.run(images, SETTINGS, parameters, seed=1, progress=mute, **FIRST)[1]


def test_calibration_shows_every_choice_and_marks_the_pick(picks, tmp_path):
    write_table(picks, tmp_path / "picks.tsv")
    found = figures_of("brain_calibration", picks=read_table(tmp_path / "picks.tsv"))
    assert list(found) == ["calibration"]
    check_figure(found["calibration"])
    shown = [ax for ax in found["calibration"].axes if ax.get_visible()]
    assert [ax.get_title() for ax in shown] == ["window", "scaling", "mds", "kernel", "sigma"]
    for ax in shown:
        here = picks[picks["choice"] == ax.get_title()]
        stars = [line for line in ax.lines if line.get_marker() == "*"]
        assert len(stars) == 1
        assert stars[0].get_ydata().tolist() == pytest.approx(here["mean"][here["picked"]].tolist())
        assert [label.get_text() for label in ax.get_xticklabels()] == here["option"].tolist()


def test_estimators_show_the_difference_at_each_combination(runs):
    figure = image_figures.draw_estimators(runs["ml_estimators"])
    assert [ax.get_title() for ax in figure.axes] == ["θ = 0.15 × max", "θ = 0.9 × max"]
    here = rows(runs["ml_estimators"], theta=0.9, inhomogeneity=40).groupby(["method", "noise"])["value"].mean()
    drawn = errorbar_values(figure.axes[1])["non-uniformity 40 %"]
    np.testing.assert_allclose(drawn[:, 1], here["median"] - here["mean"], atol=1e-12)


def test_intervals_of_the_estimators_are_those_of_their_table():
    metrics = pd.concat([grid(methods=("median", "mean"), theta=theta) for theta in (0.15, 0.9)], ignore_index=True)
    table = image_tables.estimators_table(metrics)
    table = table[(table["theta"] == 0.9) & (table["non-uniformity (%)"] == 40)]
    ax = image_figures.draw_estimators(metrics).axes[1]
    np.testing.assert_allclose(errorbar_ends(ax, "non-uniformity 40 %"), table[["CI low", "CI high"]], atol=1e-6)
    # A single slice has no interval, and is drawn without one.
    check_figure(image_figures.draw_estimators(metrics[metrics["slice"] == metrics["slice"].iloc[0]]))


def test_sensitivity_shows_graph_embedding_beside_the_consensus(runs):
    assert set(runs["theta_sensitivity"]["kind"]) == {"images"}
    figure = image_figures.draw_sensitivity(runs["theta_sensitivity"])
    left, right = figure.axes
    assert [label.get_text() for label in right.get_xticklabels()] == ["1", "2", "6"]
    here = rows(runs["theta_sensitivity"], metric="accuracy", noise=9)
    drawn = errorbar_values(left)["noise 9 %"]
    np.testing.assert_allclose(drawn[:, 1], rows(here, method="consensus").groupby("theta")["value"].mean())
    alone = rows(here, method="graph_embedding")["value"].mean()
    assert any(np.allclose(line.get_ydata(), alone) for line in left.lines if line.get_linestyle() == ":")


def test_dimension_shows_pixels_and_objects(runs):
    figure = image_figures.draw_dimension(runs["intrinsic_dimension"])
    for ax, space in zip(figure.axes, ("pixels", "objects"), strict=True):
        assert space in ax.get_title()
        means = rows(runs["intrinsic_dimension"], space=space, inhomogeneity=0).groupby("noise")["value"].mean()
        np.testing.assert_allclose(errorbar_values(ax)["non-uniformity 0 %"], means.reset_index().to_numpy())


def test_runtime_shows_the_steps_and_the_total():
    ax = image_figures.draw_runtime(runtime_metrics()).axes[0]
    names = ["texture", "mean shift", "CreateEmbed", "SelEmbed", "CalcConsEmbed"]
    assert [label.get_text() for label in ax.get_yticklabels()] == names
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([2.0, 1.0, 0.5, 0.1, 0.2])
    assert ax.get_title() == "ConsEmbedMS on 20000 pixels: 4.00 s (paper: 119 s)"


def test_real_slices_are_shown_beside_their_simulation(runs):
    arrays = real_slices()[1]
    found = figures_of("brain_real_slices", metrics=runs["brain_real_slices"], slices=arrays)
    assert list(found) == ["real_slices"]
    check_figure(found["real_slices"])
    real, simulated, scores = found["real_slices"].axes
    np.testing.assert_array_equal(real.images[0].get_array(), arrays["original/90"].T)
    np.testing.assert_array_equal(simulated.images[0].get_array(), arrays["simulated/90"].T)
    assert real.images[0].get_clim() == simulated.images[0].get_clim()
    assert set(errorbar_values(scores)) == {"real", "simulated"}


@pytest.mark.slow
def test_detection_shows_every_score_against_the_contrast(runs, embedded):
    metrics = Metrics("leave_one_out", "prostate_phantom", "simulated", leave_one_out.CONDITIONS)
    slices = {(z % 2, z): one for z, one in embedded[1, 0].items()}
    found = leave_one_out.score_slices(metrics, slices, SETTINGS, contrast=0.5)
    maps = {}
    for contrast in ("0.25", "0.5", "1"):
        for gland, z in ((0, 60), (1, 61)):
            maps |= leave_one_out.pictures(slices[gland, z], found[gland, z], f"{contrast}/{gland}")
    figures = figures_of("leave_one_out", metrics=runs["leave_one_out"], maps=maps)
    assert list(figures) == PICTURES["leave_one_out"]
    for figure in figures.values():
        check_figure(figure)
    titles = [ax.get_title() for ax in figures["detection"].axes]
    assert titles == ["accuracy", "sensitivity", "specificity", "balanced accuracy"]
    here = rows(runs["leave_one_out"], scheme="slice", metric="sensitivity", method="consensus")
    drawn = errorbar_values(figures["detection"].axes[1])["consensus GE"]
    np.testing.assert_allclose(drawn, here.groupby("contrast")["value"].mean().reset_index().to_numpy())
    # The lowest and the highest contrast, two glands, four pictures each.
    axes = np.array(figures["maps"].axes).reshape(4, 4)
    assert [row[0].get_ylabel() for row in axes] == [
        f"contrast {contrast}\ngland {gland}" for contrast in ("0.25", "1") for gland in (1, 2)
    ]
    assert axes[0, 2].get_title() == "consensus GE"
    np.testing.assert_array_equal(axes[1, 2].images[0].get_array().filled(np.nan), maps["0.25/1/consensus"])


@pytest.mark.slow
@pytest.mark.parametrize("labels", [True, False])
def test_own_regions_show_at_most_six_slices(labels):
    slices, maps = [], []
    for k in range(8):
        image, mask, positive = textures(k)
        slices.append(ImageSlice(f"z{k:03d}", image, mask, positive.astype(int) if labels else None))
        maps.append((np.where(positive, 3, 1 + (image > 100)) * mask).astype(np.uint8))
    figure = image_figures.draw_own_regions(slices, maps)
    assert isinstance(figure, Figure)
    axes = np.array(figure.axes).reshape(2, 6)
    assert [ax.get_title() for ax in axes[0]] == ["z000", "z001", "z002", "z004", "z005", "z007"]
    assert not any(ax.axison for ax in axes.flat)
    regions = axes[1, 5].images[0]
    np.testing.assert_array_equal(regions.get_array().filled(0), maps[7].T)
    assert regions.get_clim() == (1, 3)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["1", "2", "3"]
    assert all(len(ax.collections) == labels for ax in axes.flat)
    figure.canvas.draw()


def test_own_regions_of_one_slice():
    image, mask, positive = textures(0)
    one = ImageSlice("z000", image, mask, None)
    figure = image_figures.draw_own_regions([one], [(mask * (1 + positive)).astype(np.uint8)])
    assert len(figure.axes) == 2
    figure.canvas.draw()


def test_strength_has_a_panel_a_kind_of_error_and_a_line_a_level(runs):
    figure = theory_figures.draw_strength(runs["theory_strength"])
    assert [ax.get_title() for ax in figure.axes] == ["errors: independent", "errors: shared"]
    here = rows(runs["theory_strength"], metric="strength", method="median", space="consensus", error="shared")
    for ax in figure.axes:
        assert list(errorbar_values(ax)) == ["0.40", "0.50", "0.70", "0.80"]
    means = rows(here, level=0.7).groupby("n_embeddings")["value"].mean()
    np.testing.assert_allclose(errorbar_values(figure.axes[1])["0.70"], means.reset_index().to_numpy())


def test_error_shows_how_often_the_inequality_holds(runs):
    figure = theory_figures.draw_error(runs["theory_error"])
    for ax in figure.axes:
        drawn = errorbar_values(ax)
        assert set(drawn) == {f"{m}, {s}" for m in ("mean", "median") for s in ("distances", "after scaling")}
        # By Jensen's inequality always, for the mean of the distances as they are.
        if ax.get_title() == "distances as they are":
            assert drawn["mean, distances"][:, 1].tolist() == [1.0, 1.0]
        assert [label.get_text() for label in ax.get_xticklabels()] == ["gaussian", "lost axes"]


def test_a_share_of_one_has_an_interval_below_it():
    shares = {"gaussian": 20, "lost_axes": 19, "skewed": 0}
    values = [(error, float(r < right)) for error, right in shares.items() for r in range(20)]
    metrics = tidy(
        [
            {"method": method, "space": space, "error": error, "value": value}
            for error, value in values
            for method in ("mean", "median")
            for space in ("consensus", "picture")
        ],
        metric="holds",
        normalization="none",
    )
    found = errorbar_ends(theory_figures.draw_error(metrics).axes[0], "mean, distances")
    expected = [stats.binomtest(right, 20).proportion_ci(method="wilson") for right in shares.values()]
    np.testing.assert_allclose(found, [[one.low, one.high] for one in expected], atol=1e-12)


def test_monotone_shows_simulated_and_real_series(runs):
    ax = theory_figures.draw_monotone(runs["theory_monotone"]).axes[0]
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert names == ["growing\nerror", "class axis\nstretched", "both", "brain\nslices"]
    drawn = errorbar_values(ax)
    assert list(drawn) == ["class triplets", "two clusters", "R² index"]
    here = rows(runs["theory_monotone"], metric="spearman", method="strength", compared_with="clustering_accuracy")
    assert drawn["two clusters"][3, 1] == pytest.approx(rows(here, series="real")["value"].mean())


# --- from the metrics of the experiments to the ledger


@pytest.mark.slow
def test_every_claim_of_the_paper_can_be_judged_from_the_metrics_of_its_experiment(runs):
    claims = read_claims()
    # Those on gene expression have tests of their own.
    claims = claims[claims["experiment"].isin(runs) & ~claims["id"].str.endswith("-genes")]
    ledger = judge_claims(claims, runs).set_index("id")
    assert len(ledger) >= 18
    open_claims = ledger[ledger["verdict"] == "not testable"]
    # The run times are looked up at the paper's number of pixels, which the small run has not.
    assert open_claims.index.tolist() == ["CE-16"]
    assert "n_pixels = 5589" in open_claims["reason"].item()
    assert (ledger["measured"][ledger["verdict"] != "not testable"] != "").all()
    # On simulated glands in place of the private images a claim can only hold, or not, on the substitute,
    # or be inconclusive.
    assert ledger.loc["CE-08", "verdict"] in SUBSTITUTE.values()
    assert ledger.loc["CE-18", "verdict"] == "trivially true"
    sources = ledger["source"].to_dict()
    assert (sources["CE-02"], sources["CE-08"], sources["CE-22-brain"]) == ("original", "simulated", "original")


def test_claims_on_a_substitute_are_not_called_reproduced(runs):
    claims = read_claims()
    other = {
        name: runs[name].assign(dataset="icbm152_simulated", source="simulated")
        for name in ("brain_grid", "brain_readings", "ml_estimators")
    }
    ledger = judge_claims(claims[claims["experiment"].isin(other)], other)
    assert len(ledger) == 15
    assert set(ledger["source"]) == {"simulated"}
    assert not set(ledger["verdict"]) & {"reproduced", "direction only", "mixed", "not reproduced"}


@pytest.mark.slow
def test_tables_can_be_made_from_the_metrics_of_every_experiment(runs, tmp_path):
    makers = {
        "brain_grid": ["accuracy_table", "grid_tests", "controls_table", "units_table"],
        "brain_readings": ["readings_table"],
        "ml_estimators": ["estimators_table"],
        "theta_sensitivity": ["sensitivity_table"],
        "brain_real_slices": ["real_images_table", "real_accuracy_table"],
        "brain_runtime": ["runtime_table"],
        "leave_one_out": ["detection_table", "detection_tests"],
    }
    for experiment, names in makers.items():
        for name in names:
            table = getattr(image_tables, name)(runs[experiment])
            assert len(table), name
            write_table(table, tmp_path / f"{name}.tsv")
            assert list(read_table(tmp_path / f"{name}.tsv")) == list(map(str, table.columns))
