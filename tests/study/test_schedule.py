"""What a study took, and how long it would take on more cores."""

import pytest
from replication.catalogue.schedule import (
    Job,
    experiment_table,
    jobs_of,
    longest_chain,
    processor_times,
    profile_table,
    schedule_table,
    schedule_tables,
    simulate,
    without,
)
from replication.platform.study_settings import cores_of_worker


def study(*jobs):
    """Jobs of (name, seconds, cores, names of those before it)."""
    return {
        name: Job(name=name, rule=f"run_{name}", experiment="", seconds=seconds, cores=cores, after=frozenset(after))
        for name, seconds, cores, after in jobs
    }


FORK = study(("a", 2, 1, ""), ("b", 3, 1, "a"), ("c", 4, 1, "a"), ("d", 1, 1, "bc"))


@pytest.mark.parametrize(("cores", "seconds"), [(1, 10), (2, 7), (3, 7)])
def test_a_fork_of_jobs_by_hand(cores, seconds):
    assert simulate(FORK, cores) == seconds


def test_the_longest_chain_bounds_the_time_where_no_job_gets_more_cores():
    chain = longest_chain(FORK)
    assert [job.name for job in chain] == ["a", "c", "d"]
    assert sum(job.seconds for job in chain) == simulate(FORK, 100) == 7


def test_a_job_of_two_cores_waits_for_both_and_is_twice_as_slow_on_one():
    jobs = study(("a", 5, 1, ""), ("b", 3, 2, ""))
    assert simulate(jobs, 2) == 8
    assert simulate(jobs, 3) == 5
    assert simulate(jobs, 1) == 5 + 6


def test_a_job_that_has_to_be_alone_takes_all_cores_and_becomes_no_faster():
    jobs = study(("a", 5, 2, ""), ("b", 4, 1, ""))
    assert simulate(jobs, 8) == 5
    assert simulate(jobs, 8, alone=["run_a"]) == 5 + 4


def test_a_wide_job_takes_half_of_the_cores():
    jobs = study(("a", 12, 2, ""), ("b", 4, 1, ""))
    assert [simulate(jobs, n, wide=["run_a"]) for n in (1, 2, 4, 8, 12)] == [28, 24, 12, 6, 4]


def test_a_worker_has_half_of_the_cores_of_a_run_where_that_has_a_number_or_as_many_as_asked_for():
    assert [cores_of_worker("auto", cores) for cores in (None, 1, 2, 5, 16)] == [2, 1, 1, 2, 8]
    assert cores_of_worker(3, 16) == cores_of_worker(3, None) == 3


def test_what_waits_for_nothing_starts_while_a_wide_job_waits():
    jobs = study(("a", 5, 1, ""), ("b", 3, 2, ""), ("c", 4, 1, ""))
    assert simulate(jobs, 2) == 5 + 3


def test_the_table_says_how_much_of_the_cores_is_used():
    table = schedule_table(study(*((name, 60, 1, "") for name in "abcd")), [1, 2, 4, 8])
    assert table["minutes"].tolist() == [4, 2, 1, 1]
    assert table["in use (%)"].tolist() == [100, 100, 100, 50]
    # A job that is alone keeps all of them.
    alone = schedule_table(study(("a", 60, 4, ""), ("b", 30, 1, "")), [1, 2, 4], ["run_a"])
    assert alone["in use (%)"].max() == 100


def test_parts_of_an_earlier_configuration_are_no_jobs_of_the_study():
    def record(name, rule, inputs, output=None):
        path = output or f"results/s/x/{name}"
        about = {"record": name, "rule": rule, "threads": 1, "seconds": 1.0, "started": "1"}
        return {path: {**about, "inputs": [f"results/s/x/{part}" for part in inputs]}}

    records = {
        **record("pool 0-9", "pool", []),
        **record("pool 0-4", "pool", []),
        **record("score 0-9", "score", ["pool 0-9"]),
        **record("score 0-4", "score", ["pool 0-4"]),
        **record("join", "join", ["score 0-9"]),
        # Of another target: no job reads any of them.
        **record("map a", "map", []),
        **record("map b", "map", []),
    }
    assert set(jobs_of(records, "results/s")) == {"pool 0-9", "score 0-9", "join", "map a", "map b"}


def test_jobs_of_records_know_what_they_read_and_which_experiment_they_are_of():
    def record(name, outputs, inputs, began, **more):
        about = {"record": name, "rule": f"run_{name}", "threads": 2, "seconds": 1.5, "started": began, **more}
        return {path: {**about, "inputs": dict.fromkeys(inputs)} for path in outputs}

    records = {
        **record("b", ["results/s/y/metrics.tsv"], ["results/s/x/a.npz", "resources/data/d"], "2", seconds=3.0),
        **record("a", ["results/s/x/a.npz", "results/s/x/metrics.tsv"], [], "1"),
        **record("c", ["results/s/claims.tsv"], ["results/s/y/metrics.tsv", "results/s/x/metrics.tsv"], "3"),
    }
    jobs = jobs_of(records, "results/s")
    assert list(jobs) == ["a", "b", "c"]
    assert [sorted(job.after) for job in jobs.values()] == [[], ["a"], ["a", "b"]]
    costs = experiment_table(jobs.values())
    assert list(costs.itertuples(index=False, name=None)) == [
        ("y", 1, 6.0, 3.0),
        ("x", 1, 3.0, 1.5),
        ("verdicts, report, data", 1, 3.0, 1.5),
    ]
    assert [sorted(job.after) for job in without(jobs, ["x"]).values()] == [[], ["b"]]
    table = schedule_tables(jobs, {"all": [], "without x": ["x"]}, [2])
    assert table["study"].tolist() == ["all", "without x"]
    assert (60 * table["minutes"]).tolist() == [6.0, 6.0]
    assert table["longest chain (minutes)"].tolist() == [0.1, 0.1]
    # Nothing is left of a study without all its experiments.
    without_any = schedule_tables(jobs, {"none": ["x", "y", "verdicts, report, data"], "all": []}, [2])
    assert without_any["study"].tolist() == ["all"]


def test_a_profile_by_hand(tmp_path):
    """
    Two cores for 10 s: 8 + 6 of computing, 2 of a figure, 1 of verdicts, half a second for the start of each job.

    A start takes a quarter of a second of the processor.
    """
    began = "2026-11-30T10:00:"
    jobs = {
        name: Job(
            name=name, rule=rule, experiment=of, seconds=seconds, cores=1, before=0.25, started=f"{began}{start}+00:00"
        )
        for name, rule, of, seconds, start in (
            ("logs/run_a.json", "run_a", "a", 8.0, "00"),
            ("logs/parts/1.json", "score_b", "b", 6.0, "00"),
            ("logs/present_a.json", "present_a", "a", 2.0, "07"),
            ("logs/judge.json", "judge_claims", "verdicts, report, data", 1.0, "09"),
        )
    }
    for path, seconds, cpu in (("a/run_a.tsv", 8.5, 7.5), ("b/parts/1.tsv", 6.5, 6.5)):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(f"s\tcpu_time\n{seconds}\t{cpu}\n")
    # Another table of the same folder is no benchmark of a job.
    (tmp_path / "timings.tsv").write_text("experiment\tjobs\n")
    times = processor_times(tmp_path, "logs")
    assert times == {"logs/run_a.json": (8.5, 7.5), "logs/parts/1.json": (6.5, 6.5)}
    table = profile_table(jobs, times)
    assert list(table.itertuples(index=False, name=None)) == [
        ("computing", 2, 14.0, 13.5, 77.1),
        ("tables and figures", 1, 2.0, 2.0, 11.4),
        ("verdicts, report, data", 1, 1.0, 1.0, 5.7),
        ("starting jobs, imports", 4, 2.0, 1.0, 5.7),
        ("Snakemake and waiting", 0, 2.0, 0.0, 0.0),
    ]
