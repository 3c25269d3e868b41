"""What the multiverse says of claims: planted effects are found, and nothing where there is nothing."""

import numpy as np
import pandas as pd
import pytest
from presented import figures_of
from replication.multiverse.multiverse import COLUMNS
from replication.multiverse.sensitivity import (
    claim_scores,
    sensitivity,
    universes,
    variance,
    variance_share,
)

CHOICES = pd.DataFrame({"id": ["CH-A", "CH-B"], "detail left open": ["the window", "the scaling"]})
CLAIMS = [{"id": f"X-{k}", "statement": word} for k, word in enumerate(("one", "two", "three"), 1)]


def metrics(n=48):
    """X-1 holds where CH-A is at its default; X-2 holds everywhere; X-3 by chance."""
    rng, rows = np.random.default_rng(4), []
    fixed = {"experiment": "multiverse", "dataset": "toy", "source": "simulated", "method": "images"}
    fixed |= {"paper": "viswanath2012", "family": "images", "repetition": ""}
    for universe in range(n):
        levels = {"CH-A": universe % 2, "CH-B": universe // 2 % 3}
        for choice, level in levels.items():
            words = f"image.{choice[-1]} = {level}" if level else "default"
            rows.append({"choice": choice, "level": words, "metric": "level", "value": level, "universe": universe})
        for claim, value in (("X-1", 1 - levels["CH-A"]), ("X-2", 1), ("X-3", rng.integers(2))):
            rows += [
                {"claim": claim, "metric": metric, "value": float(value), "universe": universe}
                for metric in ("holds", "score")
            ]
    table = pd.DataFrame([{**fixed, **row} for row in rows]).reindex(columns=COLUMNS)
    return table.fillna({"claim": "", "choice": "", "level": ""})


@pytest.fixture(scope="module")
def made():
    table = metrics()
    shares = variance(table, CHOICES, seed=1)
    return table, shares, sensitivity(table, CLAIMS, shares)


def test_all_of_the_variance_between_groups_is_found():
    share, p_value = variance_share(
        [0.0, 0.0, 0.0, 1.0, 1.0, 1.0] * 4, [0, 0, 0, 1, 1, 1] * 4, np.random.default_rng(0)
    )
    assert share == pytest.approx(1.0)
    assert p_value == pytest.approx(1 / 2000)


def test_omega_squared_is_that_of_the_formula():
    values, groups = np.array([1.0, 2.0, 3.0, 2.0, 3.0, 7.0]), np.array([0, 0, 0, 1, 1, 1])
    # Means 2 and 4 about 3: between 6, within 2 + 14 = 16 on 4 degrees, total 22.
    share, _ = variance_share(values, groups, np.random.default_rng(0))
    assert share == pytest.approx((6 - 4) / (22 + 4))


def test_without_an_effect_the_share_is_about_zero_and_p_is_uniform():
    rng = np.random.default_rng(7)
    found = np.array([variance_share(rng.integers(2, size=60), np.arange(60) % 3, rng) for _ in range(60)])
    assert found[:, 0].mean() < 0.03
    assert 0.3 < found[:, 1].mean() < 0.75
    assert (found[:, 1] < 0.05).mean() < 0.15


def test_scores_that_are_all_the_same_have_no_share():
    assert variance_share(np.ones(8), np.arange(8) % 2, np.random.default_rng(0)) == (0.0, 1.0)


def test_the_planted_choice_is_named_and_the_others_are_not(made):
    _, shares, found = made
    of = found.set_index("claim")
    assert of.loc["X-1", "choice"] == "CH-A"
    assert of.loc["X-1", "detail"] == "the window"
    assert of.loc["X-1", "share"] == pytest.approx(1.0)
    assert of.loc["X-1", "p (Holm)"] < 0.01
    assert of.loc["X-1", "holds"] == 0.5
    assert of.loc["X-1", "low"] < 0.5 < of.loc["X-1", "high"]
    assert of.loc["X-1", "default"] == 1.0
    assert of.loc["X-2", ["choice", "share", "holds"]].tolist() == ["", 0.0, 1.0]
    assert of.loc["X-2", "low"] == pytest.approx(48 / (48 + 1.959964**2), abs=1e-4)
    assert of.loc["X-3", "p (Holm)"] > 0.05
    assert set(found["source"]) == {"simulated"}
    corrected = shares.set_index(["claim", "choice"])
    assert (corrected["p (Holm)"] >= corrected["p"]).all()


def test_a_universe_is_told_by_its_choices(made):
    table = universes(made[0]).set_index("universe")
    assert table.loc[0, "choices"] == "every default"
    assert table.loc[3, "choices"] == "CH-A: image.A = 1; CH-B: image.B = 1"
    assert table["claims"].eq(3).all()


def test_the_figures_are_drawn_even_where_nothing_moves(made, tmp_path):
    table, shares, found = made
    drawn = figures_of("multiverse", metrics=table, sensitivity_table=found, variance_table=shares)
    assert set(drawn) == {"holds", "variance", "curve"}
    (ax,) = drawn["variance"].axes
    assert [text.get_text() for text in ax.get_yticklabels()] == ["the window (CH-A)"]
    assert [text.get_text() for text in ax.texts] == ["X-1"]
    others, moved = (list(line.get_xdata()) for line in ax.lines)
    of_window = shares[shares["choice"] == "CH-A"].set_index("claim")["share"]
    assert moved == [of_window["X-1"]]
    assert others == [of_window["X-2"], of_window["X-3"]]
    same = table[table["claim"].isin(["", "X-2"])]
    still = variance(same, CHOICES)
    told = sensitivity(same, CLAIMS, still)
    again = figures_of("multiverse", metrics=same, sensitivity_table=told, variance_table=still)
    for name, figure in again.items():
        figure.savefig(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 2000


CLAIM = ["id", "paper", "where", "experiment", "kind", "statement", "paper_value", "margin"]
CLAIM += ["dataset", "test", "reading_of"]


def test_verdicts_become_numbers():
    test = {"metric": "picture_gap", "paper": 0, "margin": 0.1}
    row = ["MC-10", "tomo2025", "", "mce_convergence", "value", "", "", "", "digits", test, ""]
    claims = pd.DataFrame([row, ["MC-11", *row[1:3], "mce_tail", *row[4:]]], columns=CLAIM)
    base = {"dataset": "digits_first_40", "source": "public-substitute", "metric": "picture_gap", "n_embeddings": 2}
    for value, holds in ((0.05, 1.0), (0.5, 0.0)):
        found = claim_scores(claims, {"mce_convergence": pd.DataFrame([{**base, "value": value}])})
        assert set(found["claim"]) == {"MC-10"}
        assert dict(zip(found["metric"], found["value"], strict=True)) == {"holds": holds, "score": holds}
        assert set(found["source"]) == {"public-substitute"}


@pytest.mark.parametrize(("gap", "holds"), [(0.1, 1.0), (-0.1, 0.0)])
def test_a_claim_on_a_sign_alone_holds_where_the_sign_is_right(gap, holds):
    test = {"method": "new", "against": ["old"], "pair": ["slice"], "test": "mean"}
    claims = pd.DataFrame([["X", "viswanath2012", "", "made_up", "compare", "", "", "", "d", test, ""]], columns=CLAIM)
    rows = [("new", z, 0.5 + gap) for z in (1, 2)] + [("old", z, 0.5) for z in (1, 2)]
    table = pd.DataFrame(rows, columns=["method", "slice", "value"])
    table = table.assign(dataset="d", source="original", metric="accuracy", repetition=0)
    found = claim_scores(claims, {"made_up": table}).set_index("metric")["value"]
    assert found["holds"] == holds
