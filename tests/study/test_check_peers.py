"""The comparison of the embedding check with its peers: its truth, its arithmetic, and the figures on its page."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from consensus_embedding import check_embedding
from scipy.spatial.distance import cdist

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from bench_peers import PAGE, SEEDS, auroc, lowest
from planted_runs import N_GROUPS, N_SWAPPING, SHARES, share_elsewhere, simulate_runs


@pytest.mark.parametrize("kind", ["places", "noisy"])
def test_planted_points_are_elsewhere_as_often_as_planted(kind):
    """Within four standard errors of the 64 shares; members keep their group in every run."""
    case = simulate_runs(kind, 7, n_runs=400)
    found = share_elsewhere(case.runs, case.group)
    for share in SHARES:
        # At one half the less usual of two groups counts, which is a little less often.
        error = np.sqrt(share * (1 - share) / 400)
        assert found[case.elsewhere == share] == pytest.approx(np.full(8, share), abs=4 * error)
    assert found[case.elsewhere == 0].max() < 0.01


def test_groups_that_swap_change_their_distances_and_keep_their_points():
    case = simulate_runs("swap", 7, n_runs=50)
    assert share_elsewhere(case.runs, case.group).max() < 0.05
    middles = np.array([[run[case.group == k].mean(axis=0) for k in range(N_GROUPS)] for run in case.runs])
    spread = np.array([cdist(middle, middle) for middle in middles]).std(axis=0)
    fixed = np.arange(N_GROUPS) >= N_SWAPPING
    assert spread[fixed][:, fixed].max() < 0.5 < np.median(spread[case.pairs_change & ~np.eye(N_GROUPS, dtype=bool)])


def test_random_runs_put_a_point_by_any_group():
    """The far point is not judged."""
    case = simulate_runs("random", 7, n_runs=200)
    found = share_elsewhere(case.runs, case.group)
    assert np.isnan(case.elsewhere).tolist() == [True] + [False] * 319
    assert found[1:].min() > 0.6
    assert (case.moves == 1).sum() == 319


def test_a_base_rate_calls_the_lowest_scores_stable():
    assert lowest([3.0, 1.0, 2.0, 1.0], 2).tolist() == [False, True, False, True]


@pytest.mark.slow
def test_the_page_has_the_figures_of_the_check():
    """Areas and calls on the simulated runs, computed again; a neighbour may change with the arithmetic."""
    page = PAGE.read_text(encoding="utf-8")
    table = page.split("<!-- Points of simulated runs -->")[1].split("<!-- end")[0]
    row = re.search(r"^\| `check_embedding` \|(.*)$", table, flags=re.MULTILINE)[1].split("|")
    for kind, area, members in (("places", row[0], row[6]), ("noisy", row[1], row[7])):
        areas, stable = [], []
        for seed in SEEDS:
            case = simulate_runs(kind, seed)
            points = check_embedding(embeddings=case.runs, random_state=0).points
            areas.append(auroc(case.moves, points.instability))
            stable.append((points.category == "stable")[case.moves == 0].mean())
        assert float(area.split("±")[0]) == pytest.approx(np.mean(areas), abs=0.002)
        assert float(members.split("%")[0]) == pytest.approx(100 * np.mean(stable), abs=1)
