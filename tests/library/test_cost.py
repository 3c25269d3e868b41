"""What work takes is said before it starts, and refused if the memory will not do; then how far it is."""

import io
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from consensus_embedding import MedianConsensusEmbedding, check_embedding, median_consensus
from consensus_embedding.consensus import cost
from consensus_embedding.consensus.cost import check_cost, consensus_cost
from consensus_embedding.io import memory
from consensus_embedding.utils import progress
from consensus_embedding.utils.progress import Bar
from sklearn.base import BaseEstimator

X = np.random.default_rng(0).normal(size=(60, 4))
RUNS = np.random.default_rng(1).normal(size=(4, 60, 2))


class Counting(BaseEstimator):
    """Projects at random, and counts its runs."""

    n_runs = 0

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit_transform(self, X):
        Counting.n_runs += 1
        return X @ np.random.RandomState(self.random_state).normal(size=(X.shape[1], 2))


def sizes(**changed):
    return {"n": 8000, "n_runs": 10, "n_features": 20, "n_neighbors": 15, "embedder": "BarnesHutTSNE", **changed}


@pytest.mark.parametrize("n", [700, 20_000])
@pytest.mark.parametrize("more", ["n", "n_runs"])
def test_more_of_anything_takes_more_time_and_memory(n, more):
    few = sizes(n=n, embedder=None)
    many = {**few, more: 2 * few[more]}
    assert check_cost(**many).total > check_cost(**few).total
    assert check_cost(**many).memory > check_cost(**few).memory
    assert check_cost(**{**few, "n_neighbors": 200}).memory > check_cost(**few).memory


@pytest.mark.parametrize("name", ["ExactTSNE", "BarnesHutTSNE", "FourierTSNE"])
def test_runs_take_time_by_their_number_and_points(name):
    seconds = [
        check_cost(**sizes(embedder=name, **some)).seconds["runs"] for some in ({}, {"n_runs": 20}, {"n": 16_000})
    ]
    assert 1.8 * seconds[0] < seconds[1] <= 2 * seconds[0]
    assert seconds[2] > seconds[0]


@pytest.mark.parametrize("wrong", [{"n": 0}, {"n_runs": "ten"}, {"n_jobs": -2}, {"n_neighbors": 1.5}])
def test_numbers_that_are_none_are_refused_by_name(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} of check_cost must be"):
        check_cost(**sizes(**wrong))


def test_more_cores_take_less_time():
    one, two = (check_cost(**sizes(n_jobs=n)) for n in (1, 2))
    assert one.total / 2 <= two.total < one.total
    cluster = check_cost(**sizes(n_at_a_time=10))
    assert cluster.seconds["runs"] < one.seconds["runs"] / 5
    assert cluster.seconds["consensus"] == one.seconds["consensus"]


def test_a_check_takes_its_consensus_and_more():
    """The two estimates count the same steps alike."""
    check, consensus = check_cost(**sizes()), consensus_cost(8000, 10, embedder="BarnesHutTSNE")
    assert check.seconds["consensus"] == consensus.seconds["inner products"] + consensus.seconds["picture"]
    assert check.seconds["runs"] == consensus.seconds["runs"]
    assert check.total > consensus.total


@pytest.mark.slow
@pytest.mark.parametrize("n", [700, 1500])
def test_memory_is_about_what_a_check_takes(n):
    import tracemalloc

    runs = np.random.default_rng(0).normal(size=(12, n, 2))
    check_embedding(embeddings=runs[:, :100])
    tracemalloc.start()
    check_embedding(embeddings=runs)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most / 2 < check_cost(n, 12).memory < 2 * most


def test_work_of_a_minute_is_announced_if_asked_for(capsys):
    short, long = check_cost(60, 4), check_cost(50_000, 10, n_features=50, embedder="FourierTSNE", n_jobs=2)
    for verbose in (True, False):
        short._announce(verbose=verbose)
    long._announce(verbose=False)
    assert capsys.readouterr() == ("", "")
    long._announce(verbose=True)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("10 runs of FourierTSNE on 50,000 points x 50: about ")
    assert "GB on 2 cores" in said.err


def test_more_than_five_minutes_draw_a_warning_where_nothing_is_said(capsys):
    with pytest.warns(progress.LongRunWarning, match=r"200,000 points x 50: about \d+ minutes and .* GB on 1 core\."):
        check_cost(200_000, 20, n_features=50, embedder="FourierTSNE")._announce(verbose=False)
    assert capsys.readouterr() == ("", "")


def test_a_notebook_shows_how_far_a_check_is_that_may_take_long(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    check_embedding(X, Counting, 3, random_state=0)
    assert "1 of 3 runs" in capsys.readouterr().err
    check_embedding(embeddings=RUNS)
    assert capsys.readouterr() == ("", "")


def test_of_an_unknown_embedder_the_first_run_shows_the_time(capsys):
    expected = check_cost(60, 4, embedder="UMAP")
    assert expected.seconds["runs"] is None
    expected._announce(verbose=True)
    assert "first run" in capsys.readouterr().err
    check_embedding(X, Counting, 3, random_state=0, verbose=True)
    said = capsys.readouterr()
    assert "1 of 3 runs" in said.err
    assert said.out == ""


@pytest.mark.parametrize(
    "work",
    [
        lambda: check_embedding(X, Counting, 4),
        lambda: check_embedding(embeddings=RUNS),
        lambda: check_embedding(embeddings={str(k): run for k, run in enumerate(RUNS)}),
        lambda: MedianConsensusEmbedding(Counting(), n_embeddings=4).fit(X),
        lambda: median_consensus(RUNS),
    ],
)
def test_what_does_not_fit_is_refused_before_the_first_run(monkeypatch, work):
    Counting.n_runs = 0
    work()
    made = Counting.n_runs
    monkeypatch.setattr(memory, "free_memory", lambda: 1000.0)
    with pytest.raises(
        ValueError, match=r"9.31e-07 GiB of free memory, found 4 .* 60 points x \d that need .*more memory"
    ):
        work()
    assert Counting.n_runs == made


def test_of_more_points_than_fit_landmarks_are_few():
    """The memory for all pairs ends where landmarks begin."""
    assert check_cost(cost.EXACT_POINTS + 1, 3).memory < 2 * check_cost(cost.N_LANDMARKS, 3).memory + 1e8


@pytest.mark.parametrize("n", [3000, 8000])
def test_a_picture_by_landmarks_needs_no_table_and_each_distance_once_if_they_are_kept(n):
    kept, lost = (consensus_cost(n, 10, by_landmarks=True, kept=kept).memory for kept in (True, False))
    assert kept - lost == 2 * n**2


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(progress.time, "monotonic", lambda: now.seconds)
    monkeypatch.setattr(progress, "compiling", 0.0)
    return now


def test_the_time_left_is_by_the_share_of_the_step_and_then_by_what_was_expected(clock):
    bar = Bar("task", {"one": 10.0, "two": 5.0, "three": None}, verbose=False)
    bar.begin("one")
    assert bar.left(4.0) == 11.0
    clock.seconds = 4.0
    bar.update(0.2)
    assert bar.left(4.0) == 16.0 + 5.0
    clock.seconds = 20.0
    # It took twice as long as expected, so that the next will, too.
    bar.begin("two")
    assert bar.left(20.0) == 10.0
    assert bar.line(25.0) == "task: two, 25 s, about 5 s left"
    clock.seconds = 30.0
    bar.begin("three")
    assert bar.line(30.0) == "task: three, 30 s"


def test_compiling_says_nothing_about_the_time_left(clock, monkeypatch):
    bar = Bar("task", {"one": 10.0, "two": 5.0}, verbose=False)
    bar.begin("one")
    clock.seconds = 24.0
    monkeypatch.setattr(progress, "compiling", 20.0)
    bar.update(0.5)
    assert bar.left(24.0) == 4.0 + 5.0
    clock.seconds = 28.0
    bar.begin("two")
    assert bar.left(28.0) == 0.8 * 5.0


def test_a_step_of_which_nothing_is_heard_is_not_silent(clock, capsys):
    bar = Bar("task", {"one": 90.0})
    bar.begin("one")

    def wait(seconds):
        clock.seconds += 1.0
        return clock.seconds > 20

    bar._over.wait = wait
    bar._keep_saying()
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"task: one, {max(s, 1)} s, about {90 - s} s left" for s in (0, 4, 8, 12, 16, 20)]


def test_on_a_terminal_one_line_changes_in_place(clock, monkeypatch):
    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", screen)
    with Bar("task", {"one": 10.0}) as bar:
        bar.begin("one")
        clock.seconds = 5.0
        bar.update(0.5, "half")
    assert screen.getvalue().count("\n") == 1
    assert "\r[##########..........] task: half, 5 s, about 5 s left" in screen.getvalue()


def test_nothing_is_said_unless_asked_for(capsys):
    check_embedding(X, Counting, 4, random_state=0)
    MedianConsensusEmbedding(Counting(), n_embeddings=3, random_state=0).fit(X)
    assert capsys.readouterr() == ("", "")
