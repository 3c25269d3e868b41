"""A small sample of each campaign, drawn anew for every commit; `make campaign` does all."""

import random

import campaign
import pytest
from trials import Campaign, Failure, outcome

# Campaign -> how many of its trials. A kill and another way to run take as long as all others together.
SAMPLE = {"kills": 1, "files": 150, "inputs": 150, "settings": 60, "servers": 3}


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_of_the_campaign_passes(name, request):
    """Failures say how to repeat them: the seed is that of `make campaign`."""
    one = campaign.CAMPAIGNS[name]
    draw = random.Random(f"{request.config.getoption('--draw')} campaign {name}")
    failures = {}
    try:
        for k in draw.sample(range(one.tried), SAMPLE[name]):
            reason = outcome(one, name, campaign.SEED, k)
            if reason is not None:
                failures[f"--only {name} --trial {k}"] = reason
    finally:
        campaign.clean_up()
    assert failures == {}


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
    assert "| failures | 5 | 3 |" in said
