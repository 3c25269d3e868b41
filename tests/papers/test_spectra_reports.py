"""Tables and texts of the experiments on prostate spectra, from made-up metrics."""

import itertools

import numpy as np
import pytest
from presented import rows, through_file
from replication.papers.tiwari2008 import spectra_methods, spectra_metrics, spectra_tables
from replication.papers.tiwari2008.spectra_metrics import CONTROLS, LABELS, METHODS, PAPER_METHODS, SCORES
from replication.shared.tidy import Metrics
from scipy import stats
from spectra_metrics import (
    CONDITIONS,
    STUDIES,
    THRESHOLDS,
    components_metrics,
    dimensions_metrics,
    methods_metrics,
    stability_metrics,
)

MAIN = {"noise": 1, "linewidth": 1, "contrast": 1}
OWN = [("", "", "")]


@pytest.fixture(scope="module")
def metrics(tmp_path_factory):
    return through_file(methods_metrics(), tmp_path_factory.mktemp("spectra"))


def values_of(metrics, method, metric, truth, naming="rule", **at):
    """Values of a method by study, kappas left out."""
    found = rows(metrics, method=method, metric=metric, truth=truth, **at)
    found = found[found["kappa"].isna() | (found["kappa"] == "")]
    naming = "" if method in (*THRESHOLDS, "box") else naming
    return rows(found, naming=naming).set_index("study")["value"]


def shown(values):
    return f"{100 * np.mean(values):.1f} ± {100 * np.std(values, ddof=1):.1f}"


def replaced(metrics, change, **conditions):
    """The table with the values of some rows changed by a function of the values."""
    chosen = rows(metrics, **conditions).index
    metrics = metrics.copy()
    metrics.loc[chosen, "value"] = change(metrics.loc[chosen, "value"])
    return metrics


# --- tables


@pytest.mark.slow
def test_table_1a_holds_both_truths_both_namings_and_the_paper(metrics):
    table = spectra_tables.table_1a(metrics)
    assert table["method"].tolist() == [*METHODS.values(), *LABELS.values()]
    # A label says nothing of itself.
    box, cancer = (rows(table, method=LABELS[name]).iloc[0] for name in ("box", "truth"))
    assert box["sensitivity (%), box"] == cancer["sensitivity (%), voxels"] == ""
    assert "" not in (box["sensitivity (%), voxels"], cancer["sensitivity (%), box"])
    for (method, name), truth, score in itertools.product(METHODS.items(), ("box", "voxels"), SCORES[:2]):
        row = rows(table, method=name).iloc[0]
        assert row[f"{score} (%), {truth}"] == shown(values_of(metrics, method, score, truth, **MAIN))
        oracle = row[f"{score} (%), {truth}, oracle"]
        if method in THRESHOLDS:
            assert oracle == ""
        else:
            assert oracle == shown(values_of(metrics, method, score, truth, "oracle", **MAIN))
    box = rows(table, method="the box as a call").iloc[0]
    assert box["sensitivity (%), voxels"] == shown(values_of(metrics, "box", "sensitivity", "voxels", **MAIN))
    assert box["sensitivity (%), box"] == ""
    paper = table.set_index("method")[["sensitivity (%), paper", "specificity (%), paper"]].dropna()
    assert paper.to_numpy().tolist() == [[86.9, 85.14], [83.38, 81.77], [45.29, 76.62], [66.95, 77.89], [74.74, 49.75]]
    assert paper.index.tolist() == list(PAPER_METHODS.values())
    assert set(table["studies"]) == {8}
    assert set(table["source"]) == {"simulated"}
    name = "balanced accuracy minus C-LLE (% points)"
    assert table.set_index("method")[name].dropna().index.tolist() == list(CONTROLS.values())
    for method in CONTROLS:
        row = rows(table, method=METHODS[method]).iloc[0]
        both = [values_of(metrics, of, "balanced_accuracy", "voxels", **MAIN) for of in (method, "c_lle")]
        found = stats.ttest_rel(*both).confidence_interval()
        assert (row["CI low"], row["CI high"]) == pytest.approx(100 * np.array(found), abs=1e-5)


def test_a_study_without_cancer_has_no_sensitivity(metrics):
    empty = {"study": STUDIES[0], "metric": "sensitivity", "truth": "voxels", **MAIN}
    table = spectra_tables.table_1a(replaced(metrics, lambda value: np.nan, **empty))
    kept = values_of(metrics, "pca", "sensitivity", "voxels", **MAIN).drop(STUDIES[0])
    row = rows(table, method="PCA").iloc[0]
    assert row["sensitivity (%), voxels"] == shown(kept)
    # The box of that study is known.
    assert row["studies"] == "7 to 8"


@pytest.mark.slow
def test_sweep_ranks_the_methods_of_every_condition(metrics):
    table = spectra_tables.sweep(metrics)
    assert len(table) == len(CONDITIONS)
    assert set(table["truth"]) == {"voxels"}
    for row in table.to_dict("records"):
        at = {name: row[name] for name in MAIN}
        found = {method: values_of(metrics, method, "balanced_accuracy", "voxels", **at) for method in METHODS}
        for method, name in METHODS.items():
            assert row[name] == shown(found[method])
        ranked = sorted(PAPER_METHODS, key=lambda method: -found[method].mean())
        assert (row["highest of the paper's"], row["second"]) == (METHODS[ranked[0]], METHODS[ranked[1]])
        test = stats.ttest_rel(*(found[method] for method in ranked[:2]))
        low, high = 100 * np.array(test.confidence_interval())
        assert (row["CI low"], row["CI high"]) == pytest.approx((low, high), abs=1e-5)
        assert row["difference (% points)"] == pytest.approx((low + high) / 2, abs=1e-5)
        assert row["lead"] == ("beyond the spread" if low > 0 else "within the spread")
        assert row["highest, controls included"] == METHODS[max(METHODS, key=lambda method: found[method].mean())]
    assert set(table["lead"]) == {"beyond the spread", "within the spread"}


def test_a_tie_is_within_the_spread_and_a_constant_lead_is_not_tested(metrics):
    main = spectra_metrics.at_conditions(metrics)
    tied = replaced(main, lambda value: 0.9, metric="balanced_accuracy")
    row = spectra_tables.sweep(tied).iloc[0]
    assert (row["difference (% points)"], row["lead"]) == (0, "within the spread")
    ahead = replaced(tied, lambda value: 0.95, metric="balanced_accuracy", method="pca")
    row = spectra_tables.sweep(ahead).iloc[0]
    assert (row["highest of the paper's"], row["difference (% points)"], row["lead"]) == ("PCA", 5, "")
    assert np.isnan(row["CI low"])


def test_studies_tell_their_size_and_their_kappas(metrics):
    broken = metrics["study"].eq("study_2") & metrics["metric"].eq("connected") & metrics["kappa"].isin([3, 4, 6])
    changed = metrics.assign(value=metrics["value"].mask(broken, (metrics["kappa"] == 3).astype(float)))
    table = spectra_tables.studies(changed)
    assert table["study"].tolist() == STUDIES
    assert table["κ, connected"].tolist() == ["5 to 8", "3, 5, 7 to 8", *["5 to 8"] * 6]
    assert set(table["κ, several closed groups"]) == {"3"}
    assert table.loc[0, ["voxels", "in the box", "cancer"]].tolist() == [300, 60, 60]
    assert table.loc[0, "variance of the principal components (%)"] == 97


def test_table_1b_pairs_the_studies_and_corrects_over_m(tmp_path):
    metrics = through_file(dimensions_metrics(), tmp_path)
    table = spectra_tables.table_1b(metrics)
    assert len(table) == 2 * 3 * 4
    for (truth, score), group in table.groupby(["truth", "score"]):
        p_values = []
        for row in group.to_dict("records"):
            at = {"metric": score.replace(" ", "_"), "truth": truth, "n_components": row["m"]}
            both = [values_of(metrics, method, **at) for method in ("c_lle", "lle")]
            assert [row["C-LLE (%)"], row["LLE (%)"]] == [shown(values) for values in both]
            test = stats.ttest_rel(*both, alternative="greater")
            assert row["p (C-LLE higher)"] == pytest.approx(test.pvalue, abs=1e-6)
            assert row["difference (% points)"] == pytest.approx(100 * (both[0] - both[1]).mean(), abs=1e-5)
            p_values.append(test.pvalue)
        ranks = np.argsort(p_values)
        expected = np.maximum.accumulate([p_values[k] * (4 - at) for at, k in enumerate(ranks)]).clip(max=1)
        np.testing.assert_allclose(group["p (Holm)"].to_numpy()[ranks], expected, atol=1e-5)
    paper = table[table["C-LLE (%), paper"].notna()]
    assert set(paper["truth"]) == {"box"}
    paper = paper[["m", "score", "C-LLE (%), paper", "LLE (%), paper"]]
    assert paper.to_numpy().tolist() == [
        [3, "sensitivity", 83.2, 82.07], [4, "sensitivity", 86.9, 83.38], [5, "sensitivity", 84.88, 82.1],
        [3, "specificity", 84.81, 81.89], [4, "specificity", 85.14, 81.77], [5, "specificity", 85.6, 81.7],
    ]  # fmt: skip


def test_stability_compares_every_method_with_lle(tmp_path):
    metrics = through_file(stability_metrics(), tmp_path)
    table = spectra_tables.stability(metrics)
    # PCA has no kappa; the clustering has no distance.
    assert len(table) == 2 * 4 * (2 * 3 + 1) + 5 * (2 * 3 + 1) + 5 * 2 * 3
    assert rows(table, method="LLE, single κ")["difference from LLE"].isna().all()
    for axis, metric, truth, unit in (("kappa", "sd_specificity", "box", 100), ("noise", "distance", "", 1)):
        here = rows(metrics, axis=axis, metric=metric, truth=truth).pivot(
            index="study", columns="method", values="value"
        )
        measured = spectra_metrics.SPREADS.get(metric, spectra_metrics.DISTANCE)
        at = {"varied": spectra_metrics.AXES[axis], "measured": measured, "truth": truth}
        row = rows(table, method="C-LLE", **at).iloc[0]
        assert row["mean"] == pytest.approx(unit * here["c_lle"].mean(), abs=1e-4)
        assert row["SD over studies"] == pytest.approx(unit * here["c_lle"].std(), abs=1e-4)
        low, high = stats.ttest_rel(here["c_lle"], here["lle"]).confidence_interval()
        assert (row["CI low"], row["CI high"]) == pytest.approx((unit * low, unit * high), abs=1e-5)


def test_correlations_are_paired_with_the_cluster_of_c_lle(tmp_path):
    metrics = through_file(components_metrics(), tmp_path)
    table = spectra_tables.correlations(metrics)
    assert table["voxels"].tolist() == list(spectra_metrics.VOXELS.values())
    wide = rows(metrics, metric="correlation").pivot(index="study", columns="method", values="value")
    for method, name in spectra_metrics.VOXELS.items():
        row = rows(table, voxels=name).iloc[0]
        assert row["correlation of the component"] == f"{wide[method].mean():.2f} ± {wide[method].std():.2f}"
        if method == "c_lle":
            assert np.isnan(row["C-LLE minus these"])
        else:
            test = stats.ttest_rel(wide["c_lle"], wide[method], alternative="greater")
            assert row["p (C-LLE higher)"] == pytest.approx(test.pvalue, abs=1e-6)
    assert set(table["number of voxels"]) == {"60"}
    without_truth = spectra_tables.correlations(components_metrics(truth=False))
    assert without_truth["voxels"].tolist() == list(spectra_metrics.VOXELS.values())[1:-1]


TABLES = {
    spectra_tables.table_1a: methods_metrics,
    spectra_tables.sweep: methods_metrics,
    spectra_tables.table_1b: dimensions_metrics,
    spectra_tables.stability: stability_metrics,
    spectra_tables.correlations: components_metrics,
}


@pytest.mark.slow
@pytest.mark.parametrize("make", TABLES)
def test_one_study_has_no_spread_and_no_interval(make, tmp_path):
    table = make(through_file(TABLES[make](studies=STUDIES[:1]), tmp_path))
    assert len(table)
    assert not table.map(lambda cell: "±" in str(cell)).any(axis=None)
    blank = [name for name in table if name.startswith(("CI ", "p (", "SD over")) or name == "lead"]
    assert table[blank].replace("", np.nan).isna().all(axis=None)
    assert set(table["studies"]) == {1}


@pytest.mark.slow
def test_without_labels_tables_are_empty_with_their_columns(tmp_path):
    # Own spectra without labels, as each experiment writes them.
    unlabelled = {
        "methods": methods_metrics(STUDIES[:2], OWN, labels=(), source="own"),
        "dimensions": dimensions_metrics(labels=()),
        "stability": stability_metrics(STUDIES[:2], labels=(), axes=("kappa",)),
        "components": components_metrics(studies=()),
    }
    found = {name: through_file(table, tmp_path, name) for name, table in unlabelled.items()}
    for make, made in TABLES.items():
        table = make(found[made.__name__.removesuffix("_metrics")])
        if make is not spectra_tables.stability:
            assert table.empty
        again = through_file(table, tmp_path, "table")
        assert list(again) == list(make(made()))
    # What needs no labels is told.
    assert set(spectra_tables.stability(found["stability"])["measured"]) == {spectra_metrics.DISTANCE}
    table = spectra_tables.studies(found["methods"])
    assert table["voxels"].tolist() == [300, 300]
    assert table["cancer"].isna().all()
    assert set(table["source"]) == {"own"}


def test_ratios_of_the_simulator_stand_beside_those_measured():
    measured = {"mean": 2.1, "sd": 1.3}
    simulated = {"mean": 1.721, "sd": 1.254, "mean_with_polyamines": 1.86, "n_voxels": 90}
    metrics = Metrics("spectra_methods", "prostate_mrsi", "simulated", spectra_methods.CONDITIONS)
    for name, value in simulated.items():
        metrics.add("simulator", f"ratio_{name}", value, truth="cancer")
    for name, value in measured.items():
        metrics.add("simulator", f"ratio_measured_{name}", value, truth="cancer")
    assert spectra_tables.ratios(metrics.table()).to_dict("records") == [
        {"tissue": "cancer", "voxels": 90, "simulated": "1.72 ± 1.25", "measured in vivo": "2.10 ± 1.30",
         "simulated, polyamines added": "1.86", "source": "simulated"}
    ]  # fmt: skip
    assert spectra_tables.ratios(methods_metrics()).empty


# --- the power to see a small difference


def test_the_power_is_that_of_the_noncentral_t_distribution():
    metrics = dimensions_metrics(sizes=(4,))
    both = [values_of(metrics, method, "specificity", "voxels") for method in ("c_lle", "lle")]
    spread = (both[0] - both[1]).std(ddof=1)
    table = spectra_tables.power(metrics)
    for row in rows(table, score="specificity").to_dict("records"):
        n = row["studies"]
        shift = 0.03 / spread * np.sqrt(n)
        assert row["power"] == pytest.approx(stats.nct.sf(stats.t.ppf(0.95, n - 1), n - 1, shift), abs=1e-3)
    assert set(table["measured on"]) == {len(STUDIES)}
    assert spectra_tables.power(dimensions_metrics(STUDIES[:1])).empty
    assert spectra_tables.power(dimensions_metrics(labels=())).empty
