"""Experiments that draw more units while a claim on them is undecided, and what looking again costs."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import yaml
from replication.catalogue.configuration import read_configuration
from replication.catalogue.estimates import seconds_of_caps
from replication.catalogue.experiments import EXPERIMENTS
from replication.catalogue.stages import units, with_units
from replication.claims import stages
from replication.claims.stages import next_stages
from replication.platform.configuration import merge
from replication.shared.tidy import write_table

CONFIG = merge(read_configuration(), with_units(EXPERIMENTS["spectra_stability"].stages, 18))


def ledger(claim="CL-05", **verdicts):
    """A row for each experiment: a verdict, or a verdict and its significance."""
    rows = [(name, *(given if isinstance(given, tuple) else (given, ""))) for name, given in verdicts.items()]
    table = pd.DataFrame(rows, columns=["experiment", "verdict", "significance"])
    return table.assign(id=claim, magnitude="")


@pytest.mark.parametrize(
    ("drawn", "verdict", "expected"),
    [
        (18, "inconclusive", {"spectra": {"n_repeated": 50}}),
        (50, "inconclusive", {"spectra": {"n_repeated": 150}}),
        (18, "in part on the substitute", {"spectra": {"n_repeated": 50}}),
        # A number of one's own is raised to the stage above it.
        (20, "inconclusive", {"spectra": {"n_repeated": 50}}),
        # The cap.
        (150, "inconclusive", {}),
        (18, "no effect on the substitute", {}),
        (18, "holds on the substitute", {}),
        (18, "not testable", {}),
        # The sign is right, and beyond chance in some cases only.
        (18, ("direction only on the substitute", "in part"), {"spectra": {"n_repeated": 50}}),
        (18, ("direction only", "reproduced"), {}),
    ],
)
def test_what_is_undecided_gets_its_next_stage(drawn, verdict, expected):
    config = merge(CONFIG, {"spectra": {"n_repeated": drawn}})
    assert next_stages(ledger(spectra_stability=verdict, toy_rgb="inconclusive"), config) == expected


@pytest.mark.parametrize(("claim", "expected"), [("OS-11", {"gland_retrieval": {"query_draws": 900}}), ("OS-05", {})])
def test_units_that_decide_one_claim_are_drawn_for_that_one(claim, expected):
    config = merge(CONFIG, {"gland_retrieval": {"query_draws": 10}})
    assert next_stages(ledger(claim, gland_retrieval="inconclusive"), config) == expected


def test_an_experiment_that_is_not_run_draws_nothing():
    config = {**CONFIG, "experiments": ["toy_rgb"]}
    assert next_stages(ledger(spectra_stability="inconclusive"), config) == {}


@pytest.mark.parametrize("name", [name for name, experiment in EXPERIMENTS.items() if experiment.stages])
def test_stages_rise_and_name_a_setting(name):
    stages = EXPERIMENTS[name].stages
    assert list(stages.units) == sorted(set(stages.units))
    assert isinstance(units(read_configuration(), stages), int)


def test_the_cap_costs_what_the_steps_say():
    config = {**CONFIG, "pathology": {**CONFIG["pathology"], "cohorts": 5}, "experiments": ["pathology"]}
    files = [
        ("score_pathology", f"results/paper/pathology/parts/{item['name']}.tsv") for item in config["pathology"]["sets"]
    ]
    ((setting, most, more),) = seconds_of_caps(files, config)
    assert (setting, most) == ("pathology.cohorts", 10)
    # 0.27 s a round of each of five studies, 5 cohorts of 50 rounds more.
    assert more == pytest.approx(0.27 * 5 * 5 * 50)


MINE = {"study": "made_up", "spectra": {"n_repeated": 18}, "experiments": ["spectra_stability"]}


@pytest.fixture
def settled(tmp_path, monkeypatch):
    """A function that settles a study of 18 with options; its end, and what is in the files of each run."""
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(yaml.safe_dump(MINE))

    def settle(*options, verdicts=("holds",), study="made_up"):
        runs, left = [], iter(verdicts)

        def run(command):
            files = [word for word in command if word.endswith(".yaml")]
            settings = options[options.index("--config") :] if "--config" in options else ()
            assert command[len(command) - len(settings) :] == [*settings]
            runs.append([yaml.safe_load(Path(path).read_text()) for path in files])
            if verdicts:
                write_table(ledger(spectra_stability=next(left)), Path("results", study, "claims.tsv"))
            return SimpleNamespace(returncode=0)

        monkeypatch.setattr("replication.claims.stages.subprocess.run", run)
        monkeypatch.setattr("sys.argv", ["stages", *options])
        return stages.main(), runs

    return settle


def test_a_study_is_run_until_its_claims_are_decided(settled, capsys):
    """Two stages leave it undecided, the third decides; each run has the settings of its stage."""
    verdicts = ["inconclusive", "inconclusive", "holds on the substitute"]
    end, runs = settled("--configfile", "mine.yaml", "--config", "arithmetic=native", verdicts=verdicts)
    assert end == 0
    assert runs == [[MINE], [MINE, {"spectra": {"n_repeated": 50}}], [MINE, {"spectra": {"n_repeated": 150}}]]
    assert "All claims are decided" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ({"spectra": {"n_repeated": 50}}, [{"spectra": {"n_repeated": 50}}]),
        # No stages of this configuration: what it draws already, a number of another version, another experiment's.
        ({"spectra": {"n_repeated": 18}}, []),
        ({"spectra": {"n_repeated": 70}}, []),
        ({"pathology": {"cohorts": 10}}, []),
    ],
)
def test_a_study_that_was_interrupted_goes_on_from_the_stages_it_had_reached(settled, before, expected):
    Path("results/made_up").mkdir(parents=True)
    Path("results/made_up/stages.yaml").write_text(yaml.safe_dump(before))
    assert settled("--configfile", "mine.yaml") == (0, [[MINE, *expected]])


def test_a_configuration_that_cannot_be_used_runs_nothing(settled):
    with pytest.raises(SystemExit, match="The configuration cannot be used:\nseed: "):
        settled("--config", "seed=none")


def test_the_study_may_have_its_name_from_the_options(settled):
    options = ("--config", "study=another", "experiments=[spectra_stability]")
    assert settled(*options, study="another")[0] == 0


def test_a_study_that_judges_no_claims_ends_with_a_sentence(settled):
    Path("mine.yaml").write_text("study: made_up\nclaims: []\n")
    with pytest.raises(SystemExit, match="The study made_up judges no claims"):
        settled("--configfile", "mine.yaml", verdicts=())


def test_a_run_that_fails_ends_it(monkeypatch):
    monkeypatch.setattr("replication.claims.stages.subprocess.run", lambda command: SimpleNamespace(returncode=3))
    monkeypatch.setattr("sys.argv", ["stages"])
    assert stages.main() == 3
