"""
What each kind of claim that tests an order or a trend says of pure chance, and of a clear effect and its contrary.

A test at 5 % finds an effect in 5 % of the studies without one, and its contrary in 2.5 %: at least nine tenths have to
be inconclusive. `NOT_TESTED` lists the kinds, and cells, that are left out, and why. Units are as many as in the study:
10 or 16 slices, 18 studies, 10 draws, 5 cohorts. Claims are those that ship, where one has that kind.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from presented import shipped_claims
from replication.claims import judging
from replication.papers.ginsburg2016.fine_metrics import EMBEDDINGS, FILTERS, FINE
from replication.shared.judgements import Judgement
from replication.shared.substitutes import rank_settings
from scipy import stats

CLAIMS = shipped_claims().set_index("id")
N_STUDIES = 200
# Of the noise of a value, each: beyond doubt with 5 units or more.
CLEAR = 12.0


@dataclass(frozen=True)
class Study:
    """
    Metrics without an effect.

    Attributes
    ----------
    kind : str
    test : dict
    rows : DataFrame
        Metrics: `value` without chance, `spread` the standard deviation of chance, `rise` what an effect of 1 adds.
    shared : float
        Part of the variance that all cohorts share, since they hold so much of the same patients.
    finish : callable, optional
        Makes the metrics that are judged from values with chance.
    """

    kind: str
    test: dict
    rows: pd.DataFrame
    shared: float = 0.0
    finish: Callable[[pd.DataFrame], pd.DataFrame] | None = None

    def verdict(self, rng: np.random.Generator, effect: float = 0.0) -> str:
        """The verdict on one study."""
        return self.judgement(rng, effect).verdict

    def judgement(self, rng: np.random.Generator, effect: float = 0.0) -> Judgement:
        """What is said of one study."""
        chance = rng.normal(size=len(self.rows))
        if self.shared:
            codes = self.rows.groupby(["dataset", "method", "classifier", "n_features"]).ngroup()
            common = rng.normal(size=codes.max() + 1)[codes]
            chance = np.sqrt(1 - self.shared) * chance + np.sqrt(self.shared) * common
        value = self.rows["value"] + self.rows["spread"] * chance + effect * self.rows["rise"]
        table = self.rows.assign(value=value)
        return judging.JUDGES[self.kind](table if self.finish is None else self.finish(table), self.test)


def grid(**columns):
    """A row a combination, with chance and without effect."""
    common = {"dataset": "made_up", "source": "simulated", "repetition": "0", "metric": "accuracy"}
    common |= {"value": 0.5, "spread": 0.01, "rise": 0.0}
    values = {name: list(one) if isinstance(one, list | tuple | range) else [one] for name, one in columns.items()}
    rows = pd.MultiIndex.from_product(values.values(), names=values).to_frame(index=False)
    return rows.assign(**{name: value for name, value in common.items() if name not in columns})


def stacked(tables):
    return pd.concat(tables, ignore_index=True)


def better(rows, **factors):
    """An effect on methods, each with its factor, in standard deviations."""
    return rows.assign(rise=rows["spread"] * rows["method"].map(factors).fillna(0.0))


def standard(values):
    return (values - np.mean(values)) / np.std(values)


def shipped(name, rows, changes=(), **options):
    """A study of a claim that ships, without what it tells and does not judge, and without a smallest effect."""
    kind, test = CLAIMS.loc[name, "kind"], {**CLAIMS.loc[name, "test"], **dict(changes)}
    told = {
        key
        for key, value in test.items()
        if key.startswith("reported_") or (key == "reported" and isinstance(value, list))
    }
    # Correlations can be above zero beyond chance and below a size that is asked for too.
    left_out = told | {"smallest", "above"} if kind == "trend/correlations" else told | {"smallest"}
    return Study(kind, {key: value for key, value in test.items() if key not in left_out}, rows, **options)


def detection(name):
    """16 pairs of glands, a slice of each."""
    test = CLAIMS.loc[name, "test"]
    rows = grid(method=["consensus", "graph_embedding"], pair=range(16), slice=0, metric=test["metric"])
    return better(rows.assign(**test["where"]), consensus=1)


def spectra(name, source="original"):
    """18 studies; on simulated ones the gate asks for what is printed of the baselines."""
    test, tables = CLAIMS.loc[name, "test"], []
    for case in test["cases"]:
        for method in [test["method"], *test["against"]]:
            where = test["where"] | case.get("where", {}) | test.get("where_of", {}).get(method, {})
            where = {column: value[0] if isinstance(value, list) else value for column, value in where.items()}
            rows = grid(method=method, metric=case["metrics"], study=[f"s{k}" for k in range(18)])
            tables.append(rows.assign(**where, source=source))
    sign = -1 if test.get("criterion") == "below" else 1
    return better(stacked(tables).astype(object).fillna("").infer_objects(), **{test["method"]: sign})


def estimators():
    """10 slices at 18 combinations."""
    at = {"noise": [0, 1, 3, 5, 7, 9], "inhomogeneity": [0, 20, 40], "slice": range(10), "draw": 0, "theta": 0.15}
    rows = grid(method=["median", "mean"], **at)
    return rows.assign(
        rise=0.01 * (rows["method"] == "median") * (standard(rows["noise"]) + standard(rows["inhomogeneity"]))
    )


def numbers_combined():
    """10 slices under 4 conditions, with a gain at every number."""
    at = {"slice": range(10), "noise": [1, 9], "inhomogeneity": [0, 40]}
    many = grid(method="consensus_of_k", n_selected=[1, 2, 5, 10, 20, 50, 100], **at)
    many = many.assign(value=many["value"] + 1, rise=0.01 * standard(np.log(many["n_selected"])))
    return stacked([grid(method="graph_embedding", n_selected=np.nan, **at), many])


def noise_levels(n_slices=10):
    """Slices at 6 levels."""
    rows = grid(method="consensus", noise=[0, 1, 3, 5, 7, 9], slice=range(n_slices))
    return rows.assign(rise=0.01 * standard(rows["noise"]))


def rank_correlations(name, **units):
    rows = grid(metric="spearman", **units, **CLAIMS.loc[name, "test"]["where"][0])
    return rows.assign(value=0.0, spread=0.1, rise=0.1)


def retrieval(name, training, objects=("all", "extrapolated"), against=None):
    """10 draws of each data set."""
    test, tables = CLAIMS.loc[name, "test"], []
    test = {"against": against, "metrics": [case["metric"] for case in test.get("cases", [])]} | test
    sizes = {"common": 748, "rare": 47} if "queries" in test else {"": 888}
    for dataset in test.get("across", ["swiss_roll"]):
        at = {"variant": "", "split": "objects", "separation": "", "dataset": dataset}
        for method, labelled in ((test["method"], 0.6), (test["against"], "")):
            cells = {"training": training, "labelled": labelled, "objects": objects, "label": list(sizes)}
            tables.append(grid(method=method, metric=test["metrics"], repetition=range(10), **cells, **at))
        for label, size in sizes.items():
            cells = {"training": "", "labelled": "", "objects": "", "label": label}
            tables.append(grid(method="all", metric="n_label", value=size, spread=0.0, **cells, **at))
    return better(stacked(tables), ose_ssl=1)


def over_shares():
    """10 draws at 5 training shares."""
    rows = retrieval("OS-17", [0.1, 0.3, 0.5, 0.7, 0.9], ["all"], against="nm_ge")
    return rows.assign(rise=0.01 * pd.to_numeric(rows["training"]).fillna(0))


def features(metric, names, methods, units, n_cohorts=5):
    """AUC or Jaccard index of methods over 10 rounds, or 5 cohorts, of which each holds half of the rarer class."""
    of = {"rounds": {"repetition": range(10), "cohort": ""}, "cohorts": {"cohort": range(n_cohorts)}}[units]
    classifiers = ["logistic_regression", "svm", "random_forest"] if metric == "auc" else ""
    tables = [
        grid(
            method=method,
            classifier=classifiers,
            n_features="" if method in EMBEDDINGS else [5, 20] if metric == "auc" else 5,
            **{"metric": metric, "dataset": names, "variant": "", **of},
        )
        for method in methods
    ]
    at = {"classifier": "", "n_features": "", "dataset": names, "variant": "", "cohort": ""}
    shared = {"rounds": 0.0, "cohorts": 0.5}[units]
    return stacked([*tables, grid(method="all", metric="shared", value=shared, spread=0.0, **at)])


def selections():
    """50 rounds; what each adds to the mean Jaccard index of a method."""
    rows = grid(method=[*FINE, *FILTERS], variant="", cohort="", n_features=5, repetition=range(50))
    return better(rows, **dict.fromkeys(FINE, 1) | {"fine_lle": 2})


def left_out(table):
    """The means over the rounds, and the means without one of them."""
    mean, n = table.groupby("method")["value"].transform("mean"), table["repetition"].nunique()
    without = table.assign(metric="jaccard_left_out", value=(n * mean - table["value"]) / (n - 1))
    whole = table.assign(metric="jaccard", value=mean, repetition="").drop_duplicates("method")
    return stacked([whole, without])


def partitions():
    """20 partitions of the same patients, whose log-rank statistics share half of their variance."""
    rows = grid(
        method=[*FINE], cohort=["all", "44"], repetition=range(20), fit="same patients", classifier="", n_features=0
    )
    return rows.assign(value=0.0, spread=1.0, rise=0.5)


def log_ranks(table):
    p = table.assign(metric="log_rank_p", value=2 * stats.norm.sf(table["value"].abs()))
    return stacked([p, table.assign(metric="risk_difference", value=0.1 * table["value"])])


def tails():
    """5 sub-pools; the exponential and the power law fit as well as each other on average."""
    slopes = grid(metric="exponential_slope", level="primary", repetition=range(5)).assign(value=0.0, rise=-0.01)
    fits = grid(metric=["exponential_aic", "power_aic"], level="primary", repetition=range(5))
    fits = fits.assign(value=0.0, rise=np.where(fits["metric"] == "power_aic", 1.0, -1.0))
    return stacked([slopes, fits])


def ranks_of_methods():
    """Heights of five methods on four data sets, and scores that rank the methods alike on all of them."""
    rows = grid(dataset=SETS, method=LADDER, metric=["height", "score"])
    steps, height = rows["method"].map(LADDER.index), rows["metric"] == "height"
    return rows.assign(value=np.where(height, 0.5, steps), rise=0.01 * steps * height)


SETS, LADDER = ["s1", "s2", "s3", "s4"], list("abcde")
RANKS = {"metric": "accuracy", "on": "noise", "pair": ["slice"], "where": {"method": "consensus"}}
ORDER = CLAIMS.loc["FI-17", "test"]["methods"]
STUDIES = {
    "compare": shipped("CE-08", detection("CE-08")),
    "compare, sign test": shipped("CE-08", detection("CE-08"), {"test": "sign"}),
    "compare/studies, 2 cells": shipped("CL-01", spectra("CL-01")),
    "compare/studies, 6 cells": shipped("CL-04", spectra("CL-04")),
    "compare/studies, below": shipped("CL-05-kappa", spectra("CL-05-kappa")),
    "trend/differences": shipped("CE-07", estimators()),
    "trend/differences, of one combined": shipped("CE-24-brain", numbers_combined()),
    "trend/correlations, 10 slices": shipped("CE-22-brain", rank_correlations("CE-22-brain", repetition=range(10))),
    "trend/correlations, 10 draws": shipped(
        "CE-22-genes",
        rank_correlations("CE-22-genes", dataset=SETS[:1], repetition=["graph_embedding", "pca"], draw=range(10)),
    ),
    "trend": Study("trend", RANKS, noise_levels()),
    "trend/methods": Study(
        "trend/methods",
        {"metrics": [{"metric": name, "methods": LADDER} for name in ("height", "score")]},
        ranks_of_methods(),
    ),
    "compare/grid, 2 cases": shipped("OS-11", retrieval("OS-11", [0.8], ["extrapolated"])),
    "compare/grid, 4 cases": shipped("OS-12-swiss", retrieval("OS-12-swiss", [0.2, 0.5, 0.8])),
    "compare/grid, 8 cases": shipped("OS-12-glands", retrieval("OS-12-glands", [0.2, 0.8])),
    "trend/shares": shipped("OS-17", over_shares()),
    "compare/vectors, rounds": shipped(
        "FI-03",
        better(features("auc", "madelon", [*FINE, *EMBEDDINGS], "rounds"), **dict.fromkeys(FINE, 1)),
    ),
    "compare/vectors, cohorts": shipped(
        "FI-16",
        better(features("auc", "s1", [*FINE, *EMBEDDINGS], "cohorts"), **dict.fromkeys(FINE, 1)),
        shared=0.5,
    ),
    "count/cohorts": shipped(
        "FI-10",
        better(features("jaccard", SETS, [*FINE, *FILTERS], "cohorts"), **dict.fromkeys(FINE, 1)),
        shared=0.5,
    ),
    "compare/accuracies": Study(
        "compare/accuracies",
        {"across": ["s2"], "above": {"s2": ["fine"]}, "on_par": {}, "margin": 0.05},
        better(features("auc", "s2", [*FINE, *FILTERS], "cohorts"), **dict.fromkeys(FINE, 1)),
        shared=0.5,
    ),
    "compare/steps": shipped(
        "FI-17",
        better(features("jaccard", "s2", ORDER, "cohorts"), **dict(zip(ORDER, (3, 2, 1, 0), strict=True))),
        shared=0.5,
    ),
    "ranking/stability": shipped("FI-01", selections(), finish=left_out),
    "risk_groups": shipped("FI-11", partitions(), shared=0.5, finish=log_ranks),
    "decay": shipped("MC-09", tails()),
}
NOT_TESTED = {
    "a size or a count, which pure chance contradicts": {
        "count", "share", "trend/redraws", "value", "value/errors", "value/needed",
        "value/redraws", "value/range", "value/shares", "comparable", "no_winner", "robust",
        "dimensions",
    },
    "an order without a test": {"count/sets", "ranking/accuracy"},
    "an order of shares that suffice, each by bounds": {"compare/needed"},
    "nothing is judged": {"context"},
}  # fmt: skip
# The share of inconclusive verdicts by the rule of the kind; where cases share values, as measured over 5000 studies.
SHARES = {
    # 5 % one way and 2.5 % the other.
    "compare": 0.925,
    "compare/accuracies": 0.925,
    # Exact: at least 12 of 16 units, or 13 the other way.
    "compare, sign test": 1 - stats.binom.sf(11, 16, 0.5) - stats.binom.sf(12, 16, 0.5),
    # All comparisons have to reject; any may contradict, by Holm's correction.
    "compare/studies, 2 cells": 0.975 - 0.05**2,
    "compare/studies, 6 cells": 0.967,
    # Two cases: both scores, or the distance alone, may be ahead, by Holm's correction; any of the three behind, 2.5 %.
    "compare/studies, below": 0.95,
    # Two conditions: ahead in 2.5 % in all, by Holm's correction; behind in 2.5 % each.
    "trend/differences": 0.925,
    "trend/differences, of one combined": 0.95,
    "trend/correlations, 10 slices": 0.95,
    "trend/correlations, 10 draws": 0.95,
    # Exact: 6 of 120 orders one way, 3 the other.
    "trend/methods": 0.925,
    # Exact: at least 9 of 10 units.
    "trend": 1 - 2 * stats.binom.sf(8, 10, 0.5),
    # All shares have to be ahead, any may be behind, by Holm's correction; one of two ahead and the other not behind is
    # the direction alone.
    "compare/grid, 2 cases": 0.975 - 0.05**2 - 0.045,
    "compare/grid, 4 cases": 0.975,
    "compare/grid, 8 cases": 0.925,
    "trend/shares": 0.95,
    "ranking/stability": 0.98,
    # The two laws fit alike, or one of them by chance.
    "decay": 0.93,
    # Any cell may be ahead or behind, by Holm's correction over all of them.
    "compare/vectors, rounds": 0.925,
    "compare/vectors, cohorts": 0.98,
    "count/cohorts": 1.0,
    "compare/steps": 0.975,
    "risk_groups": 0.954,
}
QUICK = ("compare", "trend/correlations, 10 slices", "decay")


def of(names):
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.long_study) for name in names]


def share_inconclusive(name):
    rng = np.random.default_rng(sum(map(ord, name)))
    return sum(STUDIES[name].verdict(rng) == "inconclusive" for _ in range(N_STUDIES)) / N_STUDIES


@pytest.mark.slow
def test_a_substitute_that_is_set_by_the_baseline_does_not_favour_the_method():
    rng = np.random.default_rng(1)
    test = {"method": "new", "against": ["old"], "cases": [{"metrics": ["accuracy"]}]}
    test |= {"where": {}, "printed": {"old": [0.8]}}
    truth = np.linspace(0.6, 0.9, 7)
    found = []
    for _ in range(N_STUDIES):
        calibrated = rng.normal(truth, 0.1, size=(24, 7)).mean(axis=0)
        picks = rank_settings([{"setting": k} for k in range(7)], [{"old": one} for one in calibrated], {"old": 0.8})
        rows = grid(method=["new", "old"], study=[f"s{k}" for k in range(18)])
        rows = rows.assign(value=truth[picks["picked"].argmax()], spread=0.05)
        found.append(Study("compare/studies", test, rows).verdict(rng))
    # 5 % are ahead by chance; three standard errors.
    favoured = np.mean([verdict not in ("inconclusive", "not reproduced") for verdict in found])
    assert favoured <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / N_STUDIES)
    assert found.count("inconclusive") >= N_STUDIES / 2


@pytest.mark.parametrize("name", of(STUDIES))
def test_pure_chance_is_as_inconclusive_as_the_rule_of_the_kind_says(name):
    expected = SHARES[name]
    error = np.sqrt(expected * (1 - expected) / N_STUDIES)
    assert share_inconclusive(name) == pytest.approx(expected, abs=3 * error + 0.01)


def test_every_kind_is_here_or_left_out_for_a_reason():
    left_out = set().union(*NOT_TESTED.values())
    assert {study.kind for study in STUDIES.values()} | left_out == set(judging.JUDGES)
    assert not {study.kind for study in STUDIES.values()} & left_out


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_the_contrary_of_the_data_is_the_contrary_of_the_verdict(name):
    rng = np.random.default_rng(1)
    assert [STUDIES[name].verdict(rng, effect) for effect in (CLEAR, -CLEAR)] == ["reproduced", "not reproduced"]
