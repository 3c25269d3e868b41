"""A small sample of each campaign, drawn anew for every commit; `make campaign` does all."""

import random
from datetime import date

import campaign
import consensus_embedding
import estimators
import outputs
import pytest
import studies
from trials import Campaign, Failure, outcome

# Those that run a study, of which one is drawn for a commit.
OF_RUNS = ("kills", "signals", "disks", "outputs", "replaced", "ways")
# Campaign -> how many of its trials.
SAMPLE = {**dict.fromkeys(OF_RUNS, 1), "files": 150, "inputs": 150, "settings": 300}
# What the shortest study, which all of them share here, can be made in: it has one experiment.
WAYS_OF_ONE_EXPERIMENT = [k for k, (runs, _) in enumerate(studies.WAYS.values()) if "mce_tail" not in str(runs)]
# Of the shortest study on own data alone, of which each output and input has a trial.
OF_IMAGES = {
    "outputs": range(0, campaign.CAMPAIGNS["outputs"].tried, len(outputs.STUDIES)),
    "replaced": [k for k, (study, *_) in enumerate(outputs.REPLACED) if study == "own_images"],
}


@pytest.fixture(scope="module", autouse=True)
def study():
    """One study of seconds for all campaigns that disturb one."""
    yield
    campaign.clean_up()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in OF_RUNS else name for name in SAMPLE]
)
def test_a_sample_of_the_campaign_passes(name, request, monkeypatch):
    """Failures say how to repeat them: the seed is that of `make campaign`."""
    one = campaign.CAMPAIGNS[name]
    if not one.possible():
        pytest.skip("only root may make a small disk")
    monkeypatch.setattr(studies, "longer_study", studies.study)
    draw = random.Random(f"{request.config.getoption('--draw')} campaign {name}")
    failures = {}
    some = {"ways": WAYS_OF_ONE_EXPERIMENT, **OF_IMAGES}
    for k in draw.sample(some.get(name, range(one.tried)), SAMPLE[name]):
        reason = outcome(one, name, campaign.SEED, k)
        if reason is not None:
            failures[f"--only {name} --trial {k}"] = reason
    assert failures == {}


def test_every_campaign_has_a_sample():
    assert set(SAMPLE) == set(campaign.CAMPAIGNS)
    assert campaign.CAMPAIGNS["outputs"].tried == len(outputs.STUDIES) * outputs.SHARES
    assert campaign.CAMPAIGNS["replaced"].tried == len(outputs.REPLACED)


def test_every_public_name_of_the_library_is_tried():
    tried = {*estimators.NAMES, *estimators.OF_READERS, *estimators.WITHOUT_INPUT}
    public = {name for name in consensus_embedding.__all__ if not name.startswith("__")}
    assert public <= tried
    # By as many trials as there are names, at the least.
    assert campaign.CAMPAIGNS["inputs"].tried >= 5 * len(estimators.NAMES)
    # A reader that the campaign says to damage is one that it calls.
    called = (campaign.ROOT / "tests/campaign/damage.py").read_text()
    assert [name for name in estimators.OF_READERS - {"SpectraStudy"} if f"{name}(" not in called] == []


@pytest.mark.parametrize("name", estimators.NAMES)
def test_no_unusable_array_is_accepted_or_refused_in_foreign_words(name):
    """All arrays in all ways, and as they are; the tests of a function have what is a rule of its own."""
    estimators.expected(name)
    for which in estimators.inputs_of(name):
        for way in estimators.BAD:
            estimators.damage_array(name, which, "bad", way, random.Random(way))


def test_no_plain_argument_of_a_function_is_refused_in_foreign_words():
    """All of them, each with all values; those of estimators are in the sample."""
    tried, failures = 0, []
    for name in estimators.FUNCTIONS:
        for which in estimators.parameters_of(name):
            for value in estimators.PARAMETERS:
                tried += 1
                try:
                    estimators.damage_parameter(name, which, value)
                except Failure as failure:
                    failures.append(str(failure))
    assert tried > 700
    assert failures == []


def test_a_failed_trial_makes_the_campaign_fail_and_says_how_to_repeat_it(monkeypatch, capsys):
    def fail(k, rng):
        if k == 3:
            raise Failure("no good")
        assert k != 4, "a foreign error"

    one = Campaign("failures", 5, fail)
    assert [outcome(one, "x", 1, k) for k in range(4)] == [None, None, None, "no good"]
    assert "AssertionError: a foreign error" in outcome(one, "x", 1, 4)
    reasons = ((k, outcome(one, "x", 1, k)) for k in range(5))
    monkeypatch.setattr(campaign, "CAMPAIGNS", {"x": one})
    monkeypatch.setattr(campaign, "outcomes", lambda *_: reasons)
    monkeypatch.setattr("sys.argv", ["campaign.py"])
    assert campaign.main() == 1
    said = capsys.readouterr().out
    assert "FAILED x 3: no good\n  again: .venv/bin/python tests/campaign/campaign.py --only x --trial 3" in said
    assert "| failures | 5 | 3 | 0 |" in said
    assert f" | {date.today()} |" in said
