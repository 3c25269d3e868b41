"""What changed since jobs wrote and read it: records against files."""

import hashlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from replication.platform import changes
from replication.platform.changes import bring_up_to_date, compare, describe_changes, describe_future, later_than
from replication.platform.provenance import hash_file, record_path, write_record

FIRST, SECOND = "results/s/first.tsv", "results/s/second.tsv"


def put(path, text, seconds_ago=60):
    """Write a file that was last changed some time ago."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    then = path.stat().st_mtime - seconds_ago
    os.utime(path, (then, then))


def ran(rule, output, *inputs, **params):
    """What a job leaves: an output and a record."""
    put(output, f"made by {rule}")
    record = record_path(Path("results/logs/s", f"{rule}.log"))
    record.parent.mkdir(parents=True, exist_ok=True)
    about = {"rule": rule, "wildcards": {}, "params": params, "seed": 7, "threads": 1}
    write_record(record, about, [output], inputs, ["code.py"], datetime.now(UTC), 1.0)
    return record


# A module with a step and the declaration of its experiment.
DECLARED = """
LIMIT = 3

def run(job):
    return {"metrics": LIMIT}

EXPERIMENT = Experiment(
    "e",
    title="Of one line",
    figures={"f": Figure("m.draw", "A caption.")},
    steps=(
        Step(
            name="run_e",
            run=run,
            settings=("LIMIT",),
            threads=2,
            reads=lambda study, _: {"first": "a.tsv"},
            makes={"metrics": "e/metrics.tsv"},
            takes=Seconds(3),
        ),
    ),
)
NEXT = 4
"""


@pytest.fixture
def jobs(tmp_path, monkeypatch):
    """Two jobs: data -> first -> second."""
    monkeypatch.chdir(tmp_path)
    put("mine.csv", "data")
    put("code.py", "code")
    return {ran("first", FIRST, "mine.csv"): [FIRST], ran("second", SECOND, FIRST): [SECOND]}


def test_of_files_as_they_were_written_none_is_hashed(jobs, monkeypatch):
    hashed = []
    monkeypatch.setattr(changes, "hash_file", lambda path: hashed.append(path) or "")
    for path in jobs:
        record = json.loads(path.read_text())
        path.write_text(json.dumps(record | {"code": {}}))
    assert compare(jobs) == changes.Changes()
    assert hashed == []


@pytest.mark.parametrize(
    ("damage", "state"),
    [
        (lambda path: path.unlink(), "missing"),
        (lambda path: path.write_text(""), "empty"),
        (lambda path: path.write_text("edited"), "changed"),
        # Also with the same size, and an older time stamp.
        (lambda path: put(path, "MADE BY FIRST", 3600), "changed"),
    ],
)
def test_an_output_that_is_not_as_its_job_wrote_it_is_made_again(jobs, damage, state):
    damage(Path(FIRST))
    found = compare(jobs)
    assert found.results == {FIRST: state}
    assert FIRST in found.again
    assert f"{FIRST}: {state}" in describe_changes(found)


def test_an_intermediate_that_is_lost_alone_leaves_what_was_made_from_it_to_snakemake(jobs):
    Path(FIRST).unlink()
    assert compare(jobs).again == {FIRST}


@pytest.mark.parametrize("seconds_ago", [3600, -1])
@pytest.mark.parametrize("text", ["DATA", "", "other data"])
def test_a_replaced_input_is_noticed_whatever_its_time_stamp(jobs, text, seconds_ago):
    put("mine.csv", text, seconds_ago)
    found = compare(jobs)
    assert found.sources == {"mine.csv": "changed" if text else "empty"}
    assert (found.results, found.again) == ({}, {FIRST})


@pytest.mark.parametrize("seconds_ago", [3600, -1])
def test_replaced_code_is_noticed_whatever_its_time_stamp(jobs, seconds_ago):
    put("code.py", "other code", seconds_ago)
    found = compare(jobs)
    assert (found.code, found.again) == ({"code.py": "changed"}, {FIRST, SECOND})
    assert "code.py: changed" in describe_changes(found)


@pytest.mark.parametrize("recorded", ["now", "by an earlier version"])
def test_a_new_caption_makes_again_what_reads_the_declarations_and_no_step(jobs, recorded):
    put("code.py", DECLARED)
    first = ran("first", FIRST, "mine.csv", run="code.run")
    ran("second", SECOND, FIRST)
    if recorded == "by an earlier version":
        # With the hashes of whole files.
        record = json.loads(first.read_text())
        first.write_text(json.dumps(record | {"code": {"code.py": hash_file("code.py")}}))
        assert compare(jobs) == changes.Changes()
    put("code.py", DECLARED.replace("A caption.", "Another caption."))
    assert compare(jobs).again == ({SECOND} if recorded == "now" else {FIRST, SECOND})
    put("code.py", DECLARED.replace("LIMIT = 3", "LIMIT = 4"))
    assert compare(jobs).again == {FIRST, SECOND}


def test_a_job_that_ran_with_other_settings_is_made_again(jobs):
    had = {"seed": 7, "settings": {"sizes": (1, 2), "file": Path("a.csv"), "limit": np.float64(0.1), "none": {}}}
    ran("first", FIRST, "mine.csv", **had)
    now = {next(iter(jobs)): had}
    ran("second", SECOND, FIRST)
    assert compare(jobs, settings=now.get) == changes.Changes()
    now = {next(iter(jobs)): {"seed": 8, "settings": {**had["settings"], "sizes": [1, 3]}}}
    found = compare(jobs, settings=now.get)
    assert (found.again, found.settings) == ({FIRST}, {"seed": "7 -> 8", "settings.sizes": "[1, 2] -> [1, 3]"})
    assert "as the study ran with them; its results are to be made again:\n  seed: 7 -> 8\n" in describe_changes(found)


def test_code_that_is_gone_is_noticed(jobs):
    Path("code.py").unlink()
    found = compare(jobs)
    assert (found.code, found.again) == ({"code.py": "missing"}, {FIRST, SECOND})


def test_what_ran_while_its_code_was_edited_is_made_again(jobs):
    path = next(iter(jobs))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"code": {"code.py": None}}))
    assert compare(jobs).again == {FIRST}


def test_data_that_are_not_the_published_ones_are_named_also_where_they_were_read(jobs):
    put("other.csv", "by hand")
    hashes = {name: hashlib.sha256(b"data").hexdigest() for name in ("mine.csv", "other.csv", "absent.csv")}
    assert set(compare(jobs, published=hashes).foreign) == {"other.csv"}
    # A record knows its hash.
    put("mine.csv", "DATA")
    ran("first", FIRST, "mine.csv")
    changes = compare(jobs, published=hashes)
    assert set(changes.foreign) == {"mine.csv", "other.csv"}
    assert changes.sources == {}


def test_data_deleted_after_a_study_make_nothing_again(jobs):
    Path("mine.csv").unlink()
    assert compare(jobs).again == set()


def test_another_time_stamp_alone_goes_into_the_records(jobs):
    os.utime(FIRST, (1e9, 1e9))
    found = compare(jobs)
    assert (found.results, found.again, set(found.moved)) == ({}, set(), set(jobs))
    bring_up_to_date(found)
    assert compare(jobs) == changes.Changes()


def test_a_record_of_an_earlier_version_has_no_time_stamps_and_is_filled_in(jobs):
    for path in jobs:
        record = json.loads(path.read_text())
        for part in ("outputs", "inputs"):
            for one in record[part].values():
                del one["mtime_ns"]
        path.write_text(json.dumps(record))
    found = compare(jobs)
    assert (found.again, set(found.moved)) == (set(), set(jobs))
    bring_up_to_date(found)
    assert compare(jobs) == changes.Changes()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"outputs": {"a": 1}, "inputs": {}, "code": {}}'])
def test_a_job_whose_record_cannot_be_read_is_run_again(jobs, content):
    path = next(iter(jobs))
    path.write_text(content)
    assert compare(jobs).again == {FIRST}


def test_a_job_without_a_record_is_made_again_only_if_its_code_is_newer(jobs):
    for path in jobs:
        path.unlink()
    Path(FIRST).write_text("")
    assert compare(jobs, lambda path: ["code.py"]) == changes.Changes()
    put("code.py", "code", -60)
    Path(SECOND).unlink()
    found = compare(jobs, lambda path: ["code.py"])
    assert (found.code, found.again) == ({"code.py": "changed"}, {FIRST})


def test_outputs_that_a_job_does_not_make_any_more_are_not_missed(jobs):
    Path(FIRST).unlink()
    assert compare({path: [] for path in jobs}).again == set()


def test_files_from_the_future_are_named_and_absent_ones_are_not(jobs):
    now = Path("mine.csv").stat().st_mtime - 5
    assert set(later_than(now, ["mine.csv", "absent.csv", "code.py"])) == {"mine.csv", "code.py"}
    assert later_than(now + 10, ["mine.csv"]) == {}
    assert "touch 'my data/cells of Ana.csv'" in describe_future({"my data/cells of Ana.csv": now + 99}, now)
