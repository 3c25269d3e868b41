"""Universes: levels from the table of choices, the design, their configurations, and what is judged in them."""

import json
from copy import deepcopy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from replication.catalogue.configuration import check_config, read_configuration
from replication.claims.judging import read_claims
from replication.multiverse import multiverse
from replication.multiverse.multiverse import Factor
from replication.multiverse.sensitivity import claim_scores
from replication.multiverse.universe_families import FAMILIES, reduced_config
from replication.papers.tomo2025 import universe_digits
from replication.platform.configuration import ConfigurationError
from replication.shared.tidy import read_table

ROOT = Path(__file__).parents[2]
CHOICES = read_table(ROOT / "config" / "choices.tsv")
CONFIGS = {"paper": read_configuration(), "quick": read_configuration("quick.yaml")}
FACTORS = [
    Factor("CH-A", ({}, {"tsne.perplexity": 5}, {"tsne.perplexity": 7})),
    Factor("CH-B", ({}, {"digits.n_samples": 40})),
]


def choices(levels, paper="tomo2025"):
    return pd.DataFrame({"id": ["CH-21"], "paper": [paper], "levels": [levels]})


def many(n_levels):
    return [Factor(f"CH-{k}", tuple({} if j == 0 else {"a.b": j} for j in range(n))) for k, n in enumerate(n_levels)]


def test_levels_are_read_by_family():
    table = choices(json.dumps({"digits": [{"median_consensus.mds": "smacof"}]}))
    (factor,) = multiverse.read_levels(table)["digits"]
    assert factor == Factor("CH-21", ({}, {"median_consensus.mds": "smacof"}))
    assert [factor.words(level) for level in (0, 1)] == ["default", "median_consensus.mds = smacof"]
    assert multiverse.read_levels(choices(""))["digits"] == []


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ("{", "not valid JSON"),
        ("[]", "levels by family"),
        ('{"genes": [{"a.b": 1}]}', "family of tomo2025, digits; found genes"),
        ('{"digits": []}', "list of levels"),
        ('{"digits": [{}]}', "list of levels"),
    ],
)
def test_levels_that_cannot_be_read_are_named(levels, words):
    with pytest.raises(ValueError, match=words) as error:
        multiverse.read_levels(choices(levels))
    assert "CH-21" in str(error.value)


@pytest.mark.slow
def test_the_first_universe_has_every_default_and_levels_are_balanced():
    rows = multiverse.design(many([2, 3, 4, 5, 3, 2]), 60, seed=1)
    assert rows.shape[1] == 6
    assert (rows[0] == 0).all()
    assert len(np.unique(rows, axis=0)) == len(rows)
    assert len(rows) in (60, 61)
    for column, n in zip(rows[1:].T, [2, 3, 4, 5, 3, 2], strict=True):
        counts = np.bincount(column, minlength=n)
        assert counts.max() - counts.min() <= 2
    np.testing.assert_array_equal(rows, multiverse.design(many([2, 3, 4, 5, 3, 2]), 60, seed=1))
    assert not np.array_equal(rows, multiverse.design(many([2, 3, 4, 5, 3, 2]), 60, seed=2))


def test_few_combinations_are_all_run_once():
    rows = multiverse.design(many([2, 3]), 64, seed=0)
    assert sorted(map(tuple, rows)) == [(a, b) for a in range(2) for b in range(3)]
    assert (rows[0] == 0).all()
    assert multiverse.design([], 8, seed=0).shape == (1, 0)


def test_a_level_that_repeats_the_default_is_left_out():
    base = {"tsne": {"perplexity": 5}, "digits": {"n_samples": 40}}
    (kept,) = multiverse.active_factors(FACTORS, base)
    assert kept == Factor("CH-A", ({}, {"tsne.perplexity": 7}))
    with pytest.raises(ConfigurationError, match=r"levels of CH-A: .*found tsne.perplexity"):
        multiverse.active_factors(FACTORS, {"tsne": {}, "digits": {"n_samples": 40}})


def test_reduced_keys_are_laid_over_those_of_the_study():
    config = deepcopy(CONFIGS["quick"])
    config["multiverse"]["reduced"]["digits"] = {"tsne": {"max_iter": 260}, "mce_tail": {"n_embeddings": [1, 2]}}
    base = reduced_config(config, "digits")
    assert base["tsne"] == {**config["tsne"], "max_iter": 260}
    assert base["mce_tail"]["n_embeddings"] == [1, 2]
    assert base["mce_convergence"] == config["mce_convergence"]
    assert "brain" not in base


def test_a_universe_that_does_not_fit_the_schema_is_named_with_its_choice():
    base = reduced_config(CONFIGS["quick"], "digits")
    wrong = [Factor("CH-24", ({}, {"median_consensus.mds": "isomap"}))]
    with pytest.raises(
        ConfigurationError, match=r"digits, universe 3 \(CH-24: median_consensus.mds = isomap\)"
    ) as error:
        multiverse.universe_config(base, wrong, [1], "digits, universe 3")
    assert "median_consensus.mds: expected one of classical, smacof" in str(error.value)
    before = deepcopy(base)
    changed = multiverse.universe_config(base, [Factor("CH-24", ({}, {"median_consensus.mds": "smacof"}))], [1])
    assert changed["median_consensus"]["mds"] == "smacof"
    assert base == before


def faults(config, sections):
    """What does not fit together, of the sections that a universe reads as the study does."""
    sections = set(sections) - {"m_sensitivity"}
    try:
        check_config(config)
    except ConfigurationError as error:
        return [line for line in str(error).splitlines() if line.split(":")[0].split(".")[0] in sections]
    return []


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_level_of_the_house_fits_the_schema_and_the_rest_of_its_configuration(name, family):
    config = CONFIGS[name]
    base = reduced_config(config, family)
    factors = multiverse.active_factors(multiverse.read_levels(CHOICES)[family], base)
    assert len(factors) >= 3
    whole = {**config, "experiments": ["multiverse"]}
    for k, factor in enumerate(factors):
        for level in range(len(factor.levels)):
            row = [level if j == k else 0 for j in range(len(factors))]
            changed = multiverse.universe_config(base, factors, row)
            assert not faults({**whole, **changed}, changed)


@pytest.fixture(scope="module")
def tiny():
    config = deepcopy(CONFIGS["quick"])
    config["multiverse"]["reduced"]["digits"] = {
        "digits": {"n_samples": 50},
        "tsne": {"perplexity": 5, "max_iter": 250},
        "mce_convergence": {"reference_runs": 4, "repetitions": 2, "n_embeddings": [1, 2, 3], "band_draws": 3},
        "mce_tail": {"n_embeddings": [1, 2, 3], "draws": 8, "sub_pools": 2},
    }
    return reduced_config(config, "digits")


def run(base, rows, family="digits"):
    return multiverse.run_universes(family, base, CHOICES, {}, n_universes=3, rows=rows, seed=3)


def judge(metrics):
    return claim_scores(read_claims(), metrics)


@pytest.mark.slow
def test_universes_are_judged_from_their_files_and_do_not_depend_on_how_they_are_cut(tiny, tmp_path):
    found = {}
    for name, parts in {"whole": [range(4)], "cut": [range(1), range(1, 3), range(3, 9)]}.items():
        tables = []
        for k, rows in enumerate(parts):
            path = tmp_path / f"{name}_{k}.json.gz"
            multiverse.save_universes(run(tiny, rows), path)
            tables.append(multiverse.judge_universes("digits", path, judge))
        found[name] = pd.concat(tables, ignore_index=True)
    whole = found["whole"]
    pd.testing.assert_frame_equal(whole, found["cut"])
    assert list(whole.columns) == multiverse.COLUMNS
    levels = whole[whole["metric"] == "level"]
    assert (levels[levels["universe"] == 0]["level"] == "default").all()
    assert set(levels["choice"]) == {"CH-21", "CH-23", "CH-24", "CH-45", "CH-74"}
    judged = whole[whole["metric"] == "holds"]
    assert set(judged["claim"]) == {"MC-09", "MC-18"}
    assert set(judged["source"]) == {"public-substitute"}


@pytest.mark.slow
def test_universes_keep_the_metrics_of_the_experiments_that_their_family_declares(tiny, tmp_path):
    (made,) = run(tiny, range(1))
    multiverse.save_universes([made], tmp_path / "one.json.gz")
    (read,) = multiverse.load_universes(tmp_path / "one.json.gz")
    assert set(made.metrics) == set(FAMILIES["digits"].experiments)
    assert (made.row, made.levels) == (read.row, read.levels)
    for name, table in made.metrics.items():
        pd.testing.assert_frame_equal(table, read.metrics[name])
    assert run(tiny, range(90, 99)) == []
    multiverse.save_universes([], tmp_path / "none.json.gz")
    assert multiverse.judge_universes("digits", tmp_path / "none.json.gz", judge).empty


@pytest.mark.slow
def test_a_study_that_fails_names_its_universe(tiny, monkeypatch):
    def broken(config, files, seed):
        raise ArithmeticError("no convergence")

    monkeypatch.setattr(universe_digits, "study", broken)
    with pytest.raises(RuntimeError, match=r"digits, universe 0 \(every default\): no convergence"):
        run(tiny, range(1))


def test_another_metric_takes_the_place_of_one_that_claims_are_judged_on():
    factor = Factor("CH-36", ({}, {"metrics.si": "si_sums"}))
    table = pd.DataFrame({"metric": ["si", "si_sums", "auprc"], "value": [1.0, 2.0, 3.0]})
    other = pd.DataFrame({"metric": ["si"], "value": [4.0]})
    found = multiverse._with_other_metrics({"a": table, "b": other}, [factor], [1])
    assert dict(zip(found["a"]["metric"], found["a"]["value"], strict=True)) == {"si": 2.0, "auprc": 3.0}
    assert found["b"]["value"].tolist() == [4.0]
    assert multiverse._with_other_metrics({"a": table}, [factor], [0])["a"] is table
