"""The comparison of ledgers that fidelity.py makes finds what moved, and says which claim."""

from pathlib import Path

import fidelity
import pandas as pd
import pytest
from ledgers import claims_on, kl_divergences, moved_claims, read, same_runs
from replication.claims.judging import read_claims

ROOT = Path(__file__).parents[2]
OLD = read(ROOT / "resources" / "paper" / "claims.tsv")


def changed(claim, **cells):
    new = OLD.copy()
    for name, value in cells.items():
        new.loc[new["id"] == claim, name] = value
    return new


@pytest.mark.parametrize("same", [True, False])
def test_a_ledger_is_itself(same):
    assert moved_claims(OLD, OLD, same=same) == []


@pytest.mark.parametrize("same", [True, False])
def test_a_moved_verdict_is_told(same):
    before = OLD.set_index("id").loc["CE-02"]
    (line,) = moved_claims(OLD, changed("CE-02", verdict="other", measured="0.5"), same=same)
    assert line.startswith(f"CE-02 ({before['experiment']}): {before['statement']}\n")
    assert f"  verdict: was {before['verdict']!r}, is 'other'" in line
    assert f"  measured: was {before['measured']!r}, is '0.5'" in line


def test_a_moved_part_or_source_is_told():
    for name in ("direction", "significance", "magnitude", "source"):
        (line,) = moved_claims(OLD, changed("CE-02", **{name: "other"}), same=False)
        assert f"  {name}: was {OLD.set_index('id').loc['CE-02', name]!r}, is 'other'" in line


def test_a_moved_number_is_told_where_the_runs_are_the_same():
    new = changed("CE-02", measured="1 of 18 conditions")
    (line,) = moved_claims(OLD, new, same=True)
    assert "is '1 of 18 conditions'" in line
    assert moved_claims(OLD, new, same=False) == []


def test_times_may_move():
    times = OLD.loc[OLD["verdict"] == "context", "id"].iloc[0]
    assert moved_claims(OLD, changed(times, measured="another machine"), same=True) == []


def test_claims_that_are_gone_or_new_are_told():
    assert moved_claims(OLD, OLD[OLD["id"] != "FI-01"], same=True) == ["FI-01: is gone"]
    assert moved_claims(OLD[OLD["id"] != "FI-01"], OLD, same=True) == ["FI-01: is new"]


@pytest.mark.parametrize(
    ("part", "told"),
    [("mixed", False), ("inconclusive", False), ("not reproduced", True), ("", True), ("reproduced", False)],
)
def test_claims_on_other_runs_of_tsne_may_move_to_a_neighbour(part, told):
    old = changed("MC-04", significance="reproduced")
    new = changed("MC-04", significance=part, verdict="other", measured="other")
    assert bool(moved_claims(old, new, same=False)) == told
    assert len(moved_claims(old, new, same=True)) == 1


def test_runs_are_the_same_up_to_nine_digits():
    metrics = pd.DataFrame(
        {"dataset": "digits", "method": ["exact", "scikit-learn", "exact"], "repetition": ["0", "0", "0"],
         "metric": ["kl_divergence", "kl_divergence", "size"], "value": ["0.7400000000", "0.76", "9"]}
    )  # fmt: skip
    runs = kl_divergences(metrics)
    assert len(runs) == 2
    for value, same in (("0.7400000001", True), ("0.74000001", False)):
        other = runs.assign(value=[value, "0.76"])
        assert same_runs(runs, other) == same
    assert not same_runs(runs, runs[:1])


def test_claims_on_an_experiment():
    claims = read_claims()
    assert claims_on("ml_estimators", claims) == "claims that rest on it: CE-06, CE-07"
    assert claims_on("tsne_equivalence", claims) == "no claim rests on it"


@pytest.mark.parametrize(("change", "moved"), [(0.0, 0), (0.5e-6, 0), (0.01, 1)])
def test_a_moved_score_is_told(change, moved):
    keys = ["dataset", "method", "metric", "repetition"]
    scores = read(fidelity.PAPER / "gene_draws.tsv").astype({"value": float})
    scores.loc[3, "value"] += change
    both, found, told = fidelity.moved_scores(scores, "gene_draws.tsv", keys, Path("results/ci"))
    assert (len(both), len(found)) == (len(scores), moved)
    assert told.startswith(f"{moved} of {len(scores)} scores moved")
    if moved:
        assert f"{scores.loc[3, 'value']:.6f}"[:6] in told


def test_a_missing_score_is_told():
    keys = ["dataset", "method", "metric", "repetition"]
    scores = read(fidelity.PAPER / "gene_draws.tsv").astype({"value": float})
    with pytest.raises(AssertionError, match="gone or new"):
        fidelity.moved_scores(scores[1:], "gene_draws.tsv", keys, Path("results/paper_resimulated"))
    with pytest.raises(AssertionError, match="gone or new"):
        fidelity.moved_scores(
            scores.assign(method=scores["method"] + "_other"), "gene_draws.tsv", keys, Path("results/ci")
        )
