"""Claims on MR spectra: both kinds of test, and the claims that ship, on metrics made by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest
from presented import judge, parts, shipped_claims, smallest, through_file
from replication.claims import judging
from replication.papers.tiwari2008 import spectra_components, spectra_dimensions, spectra_methods, spectra_stability
from replication.shared.judgements import NotTestable
from replication.shared.tidy import Metrics
from scipy import stats

SHIPPED = shipped_claims().set_index("id", drop=False)
SPECTRA = SHIPPED[SHIPPED["paper"] == "tiwari2008"]
# Differences over four studies: they do not change a mean, but keep it from being exact.
JITTER = np.array([0.002, -0.001, 0.001, -0.002])
TEST = {"method": "a", "against": ["b"], "cases": [{"metrics": ["sensitivity", "specificity"]}]}


def made(columns=("truth",), **methods):
    """Metrics of four studies: method -> metric -> mean, or the values themselves."""
    rows = []
    for method, metrics in methods.items():
        for metric, values in metrics.items():
            values = values + JITTER * (method == "a") if np.isscalar(values) else values
            rows += [{"study": f"s{k}", "method": method, "metric": metric, "value": v} for k, v in enumerate(values)]
    return pd.DataFrame(rows).assign(
        experiment="made_up", dataset="d", source="simulated", **dict.fromkeys(columns, "")
    )


def two(sensitivity, specificity, **others):
    """Method a above b by some differences."""
    base = {"sensitivity": 0.6, "specificity": 0.7}
    a = {"sensitivity": 0.6 + sensitivity, "specificity": 0.7 + specificity}
    return made(a=a, b=base, **others)


# --- one method ahead in every metric


@pytest.mark.parametrize(
    ("sensitivity", "specificity", "expected", "verdict"),
    [
        (0.1, 0.1, ("reproduced", "reproduced", ""), "reproduced"),
        # One is won by losing the other, whichever of the two it is.
        (0.1, -0.1, ("not reproduced", "not reproduced", ""), "not reproduced"),
        (-0.1, 0.1, ("not reproduced", "not reproduced", ""), "not reproduced"),
        (-0.1, -0.1, ("not reproduced", "not reproduced", ""), "not reproduced"),
        # Beyond chance in one of them alone.
        (0.1, 0.001, ("reproduced", "inconclusive", ""), "inconclusive"),
        (0.1, -0.001, ("not reproduced", "inconclusive", ""), "inconclusive"),
    ],
)
def test_both_metrics_have_to_be_won(sensitivity, specificity, expected, verdict):
    found = judge("compare/studies", two(sensitivity, specificity), TEST)
    assert parts(found) == expected
    assert found.verdict == verdict


def test_the_words_give_means_differences_and_p_values_in_percent():
    found = judge("compare/studies", two(0.1, 0.001), TEST)
    p = [stats.ttest_1samp(JITTER + d, 0, alternative="greater").pvalue for d in (0.1, 0.001)]
    assert found.measured == (
        "sensitivity/specificity (%): a 70.0/70.1, b 60.0/70.0; a - b +10.0/+0.1 "
        f"(p = {p[0]:.2g}/{p[1]:.2g}); 4 studies"
    )


@pytest.mark.parametrize("gap", [0.0, 1e-10], ids=["equal", "equal but for rounding"])
def test_a_tie_is_no_win(gap):
    values = np.array([0.5, 0.6, 0.7, 0.8])
    table = made(a={"sensitivity": 0.9, "specificity": values + gap}, b={"sensitivity": 0.6, "specificity": values})
    assert parts(judge("compare/studies", table, TEST)) == ("not reproduced", "inconclusive", "")
    back = made(a={"sensitivity": 0.9, "specificity": values - gap}, b={"sensitivity": 0.6, "specificity": values})
    assert parts(judge("compare/studies", back, TEST)) == ("not reproduced", "inconclusive", "")


def test_every_other_method_has_to_be_beaten():
    others = {"c": {"sensitivity": 0.5, "specificity": 0.5}, "d": {"sensitivity": 0.2, "specificity": 0.95}}
    table = two(0.1, 0.1, **others)
    against = TEST | {"against": ["b", "c"]}
    found = judge("compare/studies", table, against)
    assert found.verdict == "reproduced"
    assert found.measured.startswith(
        "sensitivity/specificity (%): a 70.0/80.0, b 60.0/70.0, c 50.0/50.0; a - b +10.0/+10.0 (p = "
    )
    assert ", a - c +20.0/+30.0 (p = " in found.measured
    # Beaten by d in specificity alone, which is a loss against d; b and c stay beaten.
    assert judge("compare/studies", table, TEST | {"against": ["d"]}).verdict == "not reproduced"
    assert judge("compare/studies", table, TEST | {"against": ["b", "c", "d"]}).verdict == "mixed"


def test_units_may_be_others_than_studies():
    # Of each study a row per cohort; a blank cohort is none.
    a = {"sensitivity": 0.7 + 10 * JITTER, "specificity": 0.8 + 10 * JITTER}
    table = made(a=a, b={"sensitivity": 0.6, "specificity": 0.7}).rename(columns={"study": "cohort"})
    rest = made(a={"sensitivity": 0.1}, b={"sensitivity": 0.9}).assign(cohort="").assign(metric="other")
    found = judge("compare/studies", pd.concat([table.assign(study=""), rest]), TEST | {"unit": "cohort"})
    assert found.verdict == "reproduced"
    assert found.measured.endswith("; 4 cohorts")


def test_every_case_has_to_hold_and_is_named():
    cases = [
        {"name": f"over {axis}", "metrics": metrics, "where": {"truth": axis}}
        for axis, metrics in itertools.product(("kappa", "noise"), (["sd_sensitivity"], ["distance"]))
    ]
    test = TEST | {"criterion": "below", "cases": cases}

    def table(worst):
        low, high = {"sd_sensitivity": 0.02, "distance": 0.3}, {"sd_sensitivity": 0.05, "distance": 0.5}
        kappa = made(a=low, b=high).assign(truth="kappa")
        return pd.concat([kappa, made(a=low | {"distance": worst}, b=high).assign(truth="noise")])

    found = judge("compare/studies", table(0.3), test)
    assert parts(found) == ("reproduced", "reproduced", "")
    assert found.measured.startswith("over kappa, SD of sensitivity (%): a 2.0, b 5.0; a - b -3.0 (p = ")
    assert "; over kappa, distance: a 0.300, b 0.500; a - b -0.200 (p = " in found.measured
    assert "; over noise, distance: a 0.300" in found.measured
    assert parts(judge("compare/studies", table(0.6), test)) == ("not reproduced", "not reproduced", "")


def test_studies_that_lack_a_method_are_left_out_and_told():
    table = two(0.1, 0.1)
    # Without s3 a is behind: if that study counted, the means would be the other way round.
    values = table["method"].eq("a") & table["metric"].eq("sensitivity")
    table.loc[values, "value"] = [0.55, 0.56, 0.57, 1.0]
    assert judge("compare/studies", table, TEST).direction == "reproduced"
    gone = table["study"].eq("s3") & table["method"].eq("b") & table["metric"].eq("sensitivity")
    for rest in (table[~gone], table.assign(value=table["value"].mask(gone))):
        found = judge("compare/studies", rest, TEST)
        assert found.direction == "not reproduced"
        assert found.measured.startswith("sensitivity/specificity (%): a 56.0/80.0, b 60.0/70.0; a - b -4.0/+10.0 (p =")
        assert found.measured.endswith("), n = 3/4; 4 studies")


def test_a_method_can_have_conditions_of_its_own():
    a = {"sensitivity": 0.7, "specificity": 0.8}
    table = pd.concat(
        [
            made(a=a).assign(naming="rule", noise=1.0),
            made(a={"sensitivity": 0.1, "specificity": 0.1}).assign(naming="oracle", noise=1.0),
            made(b={"sensitivity": 0.6, "specificity": 0.7}).assign(naming="", noise=1.0),
            made(a=a, b={"sensitivity": 0.9, "specificity": 0.9}).assign(naming="rule", noise=2.0),
        ]
    )
    test = TEST | {"where": {"noise": [1, ""]}, "where_of": {"a": {"naming": "rule"}}}
    assert judge("compare/studies", table, test).measured.startswith(
        "sensitivity/specificity (%): a 70.0/80.0, b 60.0/70.0"
    )
    # Own spectra have no noise of a simulator.
    for empty in (np.nan, ""):
        own = table[table["noise"] == 1].assign(noise=empty)
        assert judge("compare/studies", own, test) == judge("compare/studies", table, test)
    with pytest.raises(NotTestable, match="method = a, naming = guess"):
        judge("compare/studies", table, test | {"where_of": {"a": {"naming": "guess"}}})


def test_what_stands_beside_is_told_and_not_judged():
    table = two(0.1, 0.1, c={"sensitivity": 0.9, "specificity": 0.9})
    table = pd.concat([table, made(a={"balanced_accuracy": 0.1}, b={"balanced_accuracy": 0.9})])
    beside = [{"name": "the other", "metrics": ["balanced_accuracy"]}]
    beside += [{"metrics": ["sensitivity"], "where": {"truth": "voxels"}}]
    test = TEST | {"reported": beside, "reported_methods": ["c", "d"]}
    alone, found = judge("compare/studies", table, TEST), judge("compare/studies", table, test)
    assert parts(found) == parts(alone) == ("reproduced", "reproduced", "")
    # Not told is what has no numbers: the method d, and another truth.
    assert ": a 70.0/80.0, b 60.0/70.0, c 90.0/90.0; a - b" in found.measured
    assert found.measured.endswith("; 4 studies; not judged: the other, balanced accuracy (%): a 10.0, b 90.0 (-80.0)")
    assert alone.measured == found.measured.split("; not judged")[0].replace(", c 90.0/90.0", "")


def test_studies_are_counted_whatever_their_names():
    table = two(0.1, 0.1)
    for names, empty in ((table["study"], ""), (table["study"].str[1:].astype(float), np.nan)):
        training = table.iloc[[0]].assign(study=empty, method="training")
        found = judge("compare/studies", pd.concat([table.assign(study=names), training]), TEST)
        assert found.measured.endswith("; 4 studies")


UNTESTABLE = {
    "no method": (two(0.1, 0.1), TEST | {"against": ["c"]}),
    "no metric": (two(0.1, 0.1), TEST | {"cases": [{"metrics": ["distance"]}]}),
    "no condition": (two(0.1, 0.1), TEST | {"where": {"truth": "box"}}),
    "no value among several": (two(0.1, 0.1), TEST | {"where": {"truth": ["box", "voxels"]}}),
    "no values but NaN": (two(0.1, 0.1).assign(value=np.nan), TEST),
    "one study": (two(0.1, 0.1).query("study == 's0'"), TEST),
    "no study with both": (two(0.1, 0.1).query("(study == 's0') == (method == 'a')"), TEST),
}


@pytest.mark.parametrize("name", UNTESTABLE)
def test_what_the_metrics_cannot_tell_is_not_testable(name):
    table, test = UNTESTABLE[name]
    with pytest.raises(NotTestable, match=r"no value of|fewer than 2 units with a, [bc]"):
        judge("compare/studies", table, test)


@pytest.mark.parametrize(
    ("sensitivity", "specificity", "size", "verdict"),
    [
        (0.1, 0.1, {"effect": 0.02}, "reproduced"),
        (0.1, 0.1, {"effect": {"sensitivity": 0.02, "specificity": 0.1}}, "reproduced"),
        # Beyond chance above 0, and below what is asked for, in both or in one: 0.01 with a standard error of 0.0009.
        (0.01, 0.01, {"effect": 0.02}, "no effect"),
        (0.1, 0.01, {"effect": 0.02}, "not reproduced"),
        (0.1, 0.01, {"effect": {"sensitivity": 0.02, "specificity": 0.005}}, "reproduced"),
        (0.01, 0.1, {"effect": {"sensitivity": 0.02, "specificity": 0.005}}, "not reproduced"),
        # Lost beyond chance, whatever of the other.
        (0.1, -0.1, {"effect": 0.02}, "not reproduced"),
        (0.01, -0.1, {"effect": 0.02}, "not reproduced"),
        # A tenth of 0.6 and of 0.7.
        (0.065, 0.075, {"relative": 0.1}, "reproduced"),
        (0.065, 0.065, {"relative": 0.1}, "not reproduced"),
        (0.055, 0.075, {"relative": 0.1}, "not reproduced"),
        (0.055, 0.065, {"relative": 0.1}, "no effect"),
        # Standard deviation 0.00183: 0.001 is undecided between 0 and 0.002.
        (0.1, 0.001, {"effect": 0.002}, "inconclusive"),
    ],
)
def test_each_metric_has_its_smallest_effect(sensitivity, specificity, size, verdict):
    table = two(sensitivity, specificity)
    assert judge("compare/studies", table, TEST | smallest(**size)).verdict == verdict


def test_a_relative_effect_is_of_each_other_method():
    table = two(0.05, 0.05, c={"sensitivity": 0.2, "specificity": 0.2})
    relative = smallest(relative=0.1)
    assert judge("compare/studies", table, TEST | relative).verdict == "no effect"
    assert judge("compare/studies", table, TEST | {"against": ["c"]} | relative).verdict == "reproduced"
    assert judge("compare/studies", table, TEST | {"against": ["c", "b"]} | relative).verdict == "mixed"


def test_what_is_printed_of_the_others_is_told_and_not_judged():
    plain = TEST | {"against": ["b"]}
    told = plain | {"printed": {"b": [0.9, 0.1], "c": [0.45, 0.7662]}}
    for table in (two(0.1, 0.1), two(0.1, -0.1), two(0.1, 0.1).assign(source="original")):
        alone, found = (judge("compare/studies", table, test) for test in (plain, told))
        assert parts(found) == parts(alone)
        words = "b printed 90.0/10.0; c printed 45.0/76.6"
        assert found.measured == alone.measured.replace("; 4 studies", f"; {words}; 4 studies")


def with_controls(truth):
    """C-LLE is ahead by 0.1; the sensitivity of the true cancer voxels, and 0.6 of random ones."""
    case = {"cases": [{"metrics": ["sensitivity"]}], "controls": ["truth", "random"]}
    table = two(0.1, 0.1, truth={"sensitivity": truth + JITTER}, random={"sensitivity": 0.6})
    return judge("compare/studies", table, TEST | case)


def test_a_measure_that_tells_the_truth_from_chance_judges():
    assert with_controls(0.75).verdict == "reproduced"


@pytest.mark.parametrize("truth", [0.601, 0.5])
def test_a_measure_that_does_not_tell_the_truth_from_chance_judges_nothing(truth):
    with pytest.raises(NotTestable, match=r"sensitivity does not tell truth from random by .* \(.* and 60.0\)"):
        with_controls(truth)


# --- a share that is large enough

LEAST = {"metric": "explained_variance", "where": {"method": "pca", "noise": [1, ""]}, "limit": 0.95}


def shares(values, noise=1.0, method="pca"):
    rows = [{"study": f"s{k}", "value": value} for k, value in enumerate(values)]
    return pd.DataFrame(rows).assign(metric="explained_variance", method=method, noise=noise)


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ((0.94, 0.97), "reproduced"),
        ((0.94, 0.96), "reproduced"),
        ((0.94, 0.96 - 1e-10), "reproduced"),
        ((0.94, 0.9599), "not reproduced"),
        ((0.99, 0.90), "not reproduced"),
    ],
)
def test_the_mean_over_studies_reaches_a_limit(values, verdict):
    found = judge("value", shares(values).assign(dataset="own"), LEAST)
    assert parts(found) == ("", "", verdict)


# --- the claims that ship, on metrics in which each of them holds

STUDIES = [f"study {k}" for k in range(1, 7)]
ORIGINAL = {"dataset": "acrin_6659", "source": "original"}
CONTEXT = dict.fromkeys(["CL-05-noise", "CL-06", "CL-08", "CL-10", "CL-11-lead"], "context")
EXPERIMENTS = (spectra_dimensions, spectra_methods, spectra_stability, spectra_components)
CONDITIONS = {one.__name__.split(".")[-1]: one.CONDITIONS for one in EXPERIMENTS}
SCORES = ("sensitivity", "specificity", "balanced_accuracy")
# Sensitivity and specificity; those that the paper prints are near enough.
LEVELS = {
    "c_lle": (0.85, 0.85),
    "lle": (0.82, 0.82),
    "lle_best_kappa": (0.82, 0.82),
    "lle_vote": (0.82, 0.82),
    "pca": (0.67, 0.78),
    "z_score": (0.75, 0.50),
    "peak_integration": (0.45, 0.77),
    "features": (0.95, 0.95),
}


def add_scores(metrics, method, levels, changes, labelled, change=0.0, **at):
    """Scores against both truths by every naming: under all but the main ones the order is the other way round."""
    namings = ("",) if method in ("z_score", "peak_integration", "lle_vote") else ("rule", "oracle")
    all_levels = dict(zip(SCORES, (*levels, np.mean(levels)), strict=True))
    for truth, naming, metric in itertools.product(("box", "voxels") if labelled else (), namings, SCORES):
        main = truth == "voxels" and naming != "oracle"
        value = changes.get((method, metric, at.get("n_components")), all_levels[metric] + change)
        metrics.add(method, metric, value if main else 1 - value, truth=truth, naming=naming, **at)


def dimensions(metrics, changes, labelled):
    for (k, study), m in itertools.product(enumerate(STUDIES), (3, 4, 5, 7)):
        for method, kappa in (("c_lle", ""), ("lle", ""), ("lle_best_kappa", ""), ("lle", 3), ("lle", 4)):
            # A single kappa is as good as the consensus: it is not what the consensus is compared with.
            at = {"study": study, "n_components": m, "kappa": kappa, "change": 0.002 * k * (method != "c_lle")}
            add_scores(metrics, method, LEVELS["c_lle" if kappa else method], changes, labelled, **at)
            metrics.add(method, "seconds", 0.5 if method == "c_lle" else 0.1, study=study, n_components=m)


def methods(metrics, changes, labelled):
    own = metrics.fixed["source"] == "own"
    for noise, contrast in [("", "")] if own else [(1.0, 1.0), (0.25, 1.0), (2.0, 1.0), (1.0, 0.5)]:
        condition = {"noise": noise, "linewidth": "" if own else 1.0, "contrast": contrast}
        for (k, study), (method, levels) in itertools.product(enumerate(STUDIES), LEVELS.items()):
            levels = levels if contrast != 0.5 else 1 - np.array(levels)
            m = {"c_lle": 4, "lle": 4, "pca": 5}.get(method, "")
            change = -0.002 * k * (method != "c_lle")
            if method == "peak_integration" and not own:
                change -= changes.get("fall", 0.1) * (noise - 1)
            at = {"study": study, "n_components": m, "kappa": "", "change": change, **condition}
            add_scores(metrics, method, levels, changes, labelled, **at)
            if method == "pca":
                share = changes.get("share", 0.97) if noise != 2.0 else 0.8
                metrics.add("pca", "explained_variance", share, study=study, n_components=5, **condition)


def stability(metrics, changes, labelled):
    spreads = {"c_lle": 0.02, "c_lle_mean": 0.01, "c_lle_median": 0.01, "lle": 0.06, "pca": 0.001}
    axes = ["kappa", "noise"] if metrics.fixed["source"] != "own" else ["kappa"]
    for (k, study), (method, spread), axis in itertools.product(enumerate(STUDIES), spreads.items(), axes):
        for truth, score in itertools.product(("box", "voxels") if labelled else (), SCORES):
            value = changes.get((method, axis, score), spread)
            at = {"study": study, "axis": axis, "truth": truth}
            metrics.add(method, f"sd_{score}", value * (1 + 0.01 * k), **at)
        # Under noise LLE moves less than over kappa.
        value = changes.get((method, axis, "distance"), 5 * spread * (0.5 if (method, axis) == ("lle", "noise") else 1))
        metrics.add(method, "distance", value * (1 + 0.01 * k), study=study, axis=axis, truth="")


def components(metrics, changes, labelled):
    levels = {"c_lle": 0.95, "pca": 0.85, "features": 0.97, "truth": 0.99, "random": 0.8, "random_as_truth": 0.8}
    for (k, study), (method, level) in itertools.product(enumerate(STUDIES if labelled else ()), levels.items()):
        level = changes.get((method, "correlation"), level)
        metrics.add(
            method, "correlation", level + 0.002 * k * (method in ("pca", "random", "random_as_truth")), study=study
        )
        metrics.add(method, "correlation_mean", 1 - level, study=study)


MAKERS = dict(zip(CONDITIONS, (dimensions, methods, stability, components), strict=True))


@pytest.fixture
def ledger(tmp_path):
    """Function that judges the claims on spectra from metrics as they are read from their files."""

    def judged(changes=(), dataset="prostate_mrsi", source="simulated", labelled=True):
        read = {}
        for name, make in MAKERS.items():
            metrics = Metrics(name, dataset, source, CONDITIONS[name])
            make(metrics, dict(changes), labelled)
            read[name] = through_file(metrics.table(), tmp_path, name)
        return judging.judge_claims(SPECTRA, read).set_index("id")

    return judged


def verdicts(found):
    """Claims that are judged and do not hold, and what is said of them."""
    short = found["verdict"].str.removesuffix(" on the substitute")
    return short[~short.isin(["holds", "reproduced", "context"])].to_dict()


@pytest.mark.slow
def test_every_claim_on_spectra_can_hold_on_the_substitute(ledger):
    found = ledger()
    assert found["verdict"].to_dict() == dict.fromkeys(SPECTRA.index, "holds on the substitute") | CONTEXT
    assert set(found["dataset"]) == {"prostate_mrsi"}
    assert set(found["source"]) == {"simulated"}
    assert set(found["reason"]) == {""}
    ordered = found.drop(list(CONTEXT))
    assert set(ordered["direction"]) == set(ordered["significance"]) == {"reproduced"}
    measured = found["measured"]
    assert measured["CL-01"].startswith("sensitivity/specificity (%): c_lle 85.0/85.0, lle 82.5/82.5; c_lle - lle +2.5")
    assert "; named by the box (oracle), sensitivity/specificity/balanced accuracy (%): c_lle 15.0" in measured["CL-01"]
    assert measured["CL-08"] == "c_lle, 4: 0.5 s; lle, 4: 0.1 s"


@pytest.mark.slow
def test_on_the_spectra_of_the_paper_they_would_be_reproduced(ledger):
    found = ledger(dataset="acrin_6659", source="original")["verdict"]
    assert found.to_dict() == dict.fromkeys(SPECTRA.index, "reproduced") | CONTEXT


def test_own_spectra_without_labels_leave_open_what_needs_them(ledger):
    found = ledger(dataset="own", source="own", labelled=False)
    needing = SPECTRA.index.drop(["CL-06", "CL-08"])
    assert verdicts(found) == dict.fromkeys(needing, "not testable")
    assert (found["reason"][needing] != "").all()


RATES = ("sensitivity", "specificity")
WORLDS = {
    # LLE is ahead at one dimension in one metric; of the methods it is none that C-LLE is compared with.
    **{f"LLE ahead in {metric}, {m}": ({("lle", metric, m): 0.9}, {claim: "not reproduced"}, ORIGINAL)
       for (claim, m), metric in itertools.product((("CL-01", 3), ("CL-02", 4), ("CL-03", 5)), RATES)},
    **{f"{method} ahead in {metric}": ({(method, metric, m): 0.9}, {"CL-04": "mixed"}, ORIGINAL)
       for (method, m), metric in itertools.product((("pca", 5), ("z_score", ""), ("peak_integration", "")), RATES)},
    # The balanced accuracy is judged only next to LLE at its best kappa.
    "balanced accuracy": ({("c_lle", "balanced_accuracy", 4): 0.1}, {"CL-09": "does not hold"}, {}),
    # Stability has to hold in the scores, which can be traded, and apart from them in the distance.
    **{f"unstable {metric}": ({("lle", "kappa", metric): 0.001}, {"CL-05-kappa": "mixed"}, {}) for metric in RATES},
    "unstable distance": (
        {("lle", "kappa", "distance"): 0.001}, {"CL-05-kappa": "mixed", "CL-12": "does not hold"}, {}
    ),
    "unstable": (
        {("lle", "kappa", metric): 0.001 for metric in (*RATES, "distance")},
        dict.fromkeys(("CL-05-kappa", "CL-12"), "does not hold"), {},
    ),
    "mean of C-LLE unstable": ({("c_lle_mean", "kappa", "distance"): 0.5}, {}, {}),
    "unstable over noise": ({("lle", "noise", "sensitivity"): 0.001}, {}, {}),
    # The share is a target of the calibration.
    "little variance": ({"share": 0.94}, {}, {}),
    "LLE as far apart under noise": ({("lle", "noise", "distance"): 0.3}, {"CL-12": "no effect"}, {}),
    "peaks rise": ({"fall": -0.1}, {"CL-11": "does not hold"}, {}),
    "PCA correlates": ({("pca", "correlation"): 0.96}, {"CL-07": "does not hold"}, {}),
    "PCA correlates nearly": ({("pca", "correlation"): 0.9}, {"CL-07": "no effect"}, {}),
    "random voxels correlate": ({("random_as_truth", "correlation"): 0.99}, {"CL-07": "not testable"}, {}),
    # They are not as many as the cancer.
    "random voxels as C-LLE's correlate": ({("random", "correlation"): 0.99}, {}, {}),
    # An order is judged on baselines that miss what is printed of them; printed are 83.4 and 77.9 %.
    "LLE misses its number": ({("lle", "sensitivity", 4): 0.75}, {}, {}),
    "LLE misses its number and leads": ({("lle", "sensitivity", 4): 0.95}, {"CL-02": "does not hold"}, {}),
    "PCA misses its number": ({("pca", "specificity", 5): 0.6}, {}, {}),
    # Ahead beyond chance, by less than half of the printed difference: 6.08 and 3.63 % for PCA.
    "PCA nearly as sensitive": ({("pca", "sensitivity", 5): 0.84}, {"CL-04": "mixed"}, {}),
    "LLE nearly as specific": ({("lle", "specificity", 3): 0.849}, {"CL-01": "does not hold"}, {}),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_claims_stand_or_fall_with_their_numbers(ledger, world):
    changes, expected, of = WORLDS[world]
    assert verdicts(ledger(changes, **of)) == expected
