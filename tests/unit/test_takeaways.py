"""What to remember of each paper: its sentences follow the metrics, and are left out where numbers are missing."""

import numpy as np
import pandas as pd
import pytest
from replication.ledger import takeaways
from replication.ledger.papers import PAPERS
from replication.papers.tomo2025.takeaway import takeaway
from replication.shared.values import NotMeasuredError, mean_of, rows_of
from replication.shared.wording import words

FALLS = {1: 30000.0, 10: 9500.0, 20: 8000.0, 100: 3800.0}
KEPT = {("single", "consensus"): 0.5, ("geometric_median", "consensus"): 0.625, ("geometric_median", "picture"): 0.25}


def rows(experiment, metric, cells, columns):
    return pd.DataFrame(
        [
            {"experiment": experiment, "metric": metric, "value": value, **dict(zip(columns, cell, strict=True))}
            for cell, value in cells.items()
        ]
    )


def digits_metrics():
    distances = {
        (m, space): value * factor
        for m, value in FALLS.items()
        for space, factor in (("consensus", 1), ("picture", 1.5))
    }
    return {
        "mce_convergence": rows("mce_convergence", "pairwise_distance", distances, ["n_embeddings", "space"]),
        "consensus_comparison": rows("consensus_comparison", "neighborhood_preservation", KEPT, ["method", "space"]),
        "tsne_equivalence": rows("tsne_equivalence", "size", {("exact",): 110.0, ("barnes_hut",): 100.0}, ["method"]),
    }


def test_the_sentences_hold_the_numbers_of_the_metrics():
    text = words(takeaway(digits_metrics()))
    for told in ("30000 with one", "9500 with ten", "3800 with 100", "45000 with one", "12000 with 20"):
        assert told in text
    assert "50.0% by one run, 62.5% by the consensus distances, 25.0% by their picture" in text
    assert "larger by 10%" in text


def test_a_paper_with_a_number_missing_has_no_sentence():
    metrics = digits_metrics()
    assert list(takeaways.takeaways_table(metrics)["paper"]) == ["tomo2025"]
    del metrics["tsne_equivalence"]
    assert takeaways.takeaways_table(metrics).empty


def test_every_paper_says_what_to_remember():
    assert set(takeaways.takeaways()) == set(PAPERS)


def test_rows_are_found_by_numbers_and_by_names():
    table = pd.DataFrame(
        {"metric": "a", "method": ["x", "x", "y"], "share": [0.5, 0.6, 0.5], "value": [1.0, 2.0, np.pi]}
    )
    assert mean_of({"one": table}, "one", "a", method="x") == 1.5
    assert mean_of({"one": table.astype({"share": str})}, "one", "a", method="y", share=0.5) == np.pi
    for experiment, wanted in (("two", {}), ("one", {"method": "z"}), ("one", {"level": 1})):
        with pytest.raises(NotMeasuredError, match=experiment):
            rows_of({"one": table}, experiment, "a", **wanted)
