"""Records of jobs, the manifest made from them, and the audit."""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from contextlib import nullcontext, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from replication.platform import provenance
from replication.platform.audit import audit, changed_keys, describe
from replication.platform.job import job
from replication.platform.provenance import (
    TrailError,
    gather,
    hash_file,
    hash_for_step,
    plain,
    read_manifest,
    read_records,
    read_set_aside,
    record_path,
    write_json,
    write_record,
)
from snakemake.iocontainers import InputFiles, Log, OutputFiles, Params, Wildcards
from test_changes import DECLARED, put

CONFIGURATION = {"study": "s", "seed": 7, "a": {"b": 1, "c": [1, 2]}}
FINAL = ["results/s/e/metrics.tsv", "results/s/e/figure.png"]


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def run(rule, outputs, inputs, code=("code.py",), **about):
    """What a job leaves: outputs and a record."""
    for path in outputs:
        put(path, f"{rule} of {', '.join(Path(name).read_text() for name in inputs)}", 0)
    log = Path(f"results/logs/s/{rule}.log")
    log.parent.mkdir(parents=True, exist_ok=True)
    about = {"rule": rule, "wildcards": {}, "params": {}, "seed": 7, "threads": 1, **about}
    return write_record(record_path(log), about, outputs, inputs, code, datetime.now(UTC), 1.5)


def manifest_of_now(results=FINAL, **options):
    return gather(results, read_records("results/logs/s"), "s", "results/s", CONFIGURATION, **options)


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Two data files, one of which goes through a pool; metrics, and a figure of them."""
    monkeypatch.chdir(tmp_path)
    # The modules of the library that this test process has loaded are not those of the study.
    monkeypatch.setattr(provenance, "loaded_modules", lambda: [tmp_path / "module.py"])
    for name in ("data/x.tsv", "data/y.tsv", "code.py", "module.py", "draw.py"):
        put(name, name)
    run("embed", ["results/s/pool.npz"], ["data/x.tsv"])
    run("run_e", ["results/s/e/metrics.tsv"], ["results/s/pool.npz", "data/y.tsv"])
    run("present_e", ["results/s/e/figure.png", "results/s/e/figure.pdf"], ["results/s/e/metrics.tsv"], ["draw.py"])
    return manifest_of_now()


def audited(manifest, configuration=CONFIGURATION):
    return audit(manifest, read_records("results/logs/s"), configuration, read_set_aside("results/logs/s"))


def states(manifest, result=None):
    """State of each file, or of one file with the detail."""
    found = {finding.path: finding for finding in audited(manifest).findings}
    if result:
        return found[result].state, found[result].detail
    return {path: finding.state for path, finding in found.items()}


def test_parameters_become_plain_values():
    found = plain({"a": np.float64(0.5), 1: np.arange(2), "p": Path("x"), "s": {"b", "a"}, "t": (1, None, True)})
    assert found == {"a": 0.5, "1": [0, 1], "p": "x", "s": ["a", "b"], "t": [1, None, True]}
    assert json.loads(json.dumps(found)) == found


def test_a_record_has_the_versions_of_the_direct_dependencies_without_those_of_the_tests():
    versions = provenance.package_versions()
    assert versions["numpy"] == np.__version__
    assert {"h5py", "snakemake"} <= set(versions)
    assert "pytest" not in versions


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        ("A caption.", "Another caption.", False),
        ('"Of one line"', '(\n        "Of "\n        "two lines"\n    )', False),
        ("takes=Seconds(3)", "takes=Seconds(4)", False),
        ("LIMIT = 3", "LIMIT = 4", True),
        ("NEXT = 4", "NEXT = 5", True),
        ("def run(job)", "def run(job, n=1)", True),
        ("\nLIMIT", "\nimport numpy\nLIMIT", True),
        # Half a module.
        ('"A caption."', '"Another cap', True),
        ("run=run", "run=other", True),
        ('"first": "a.tsv"', '"second": "a.tsv"', True),
        ('"metrics": "e', '"scores": "e', True),
        ('("LIMIT",)', '("LIMITS",)', True),
        ("threads=2", "threads=4", True),
        # A constant of this name, as modules of computations have, is code.
        ("LIMIT = 3", 'EXPERIMENT = "e"', True),
    ],
)
def test_of_a_declaration_all_counts_for_a_step_but_what_is_shown(before, after, counts):
    edited = DECLARED.replace(before, after)
    assert edited != DECLARED
    assert (hash_for_step(edited.encode()) != hash_for_step(DECLARED.encode())) == counts


def test_of_the_declaration_of_a_paper_the_answer_does_not_count_for_a_step():
    text = 'PAPER = Paper(\n    answer=Answer("yes"),\n    families={"f": Family(position=1)},\n)\n'
    assert hash_for_step(text.replace("yes", "no").encode()) == hash_for_step(text.encode())
    assert hash_for_step(text.replace("1", "2").encode()) != hash_for_step(text.encode())


def test_the_commit_is_that_of_the_working_folder_and_of_none_around_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run([*git, *words], check=True)
    assert re.fullmatch("[0-9a-f]{40}", provenance.commit())
    (tmp_path / "unpacked").mkdir()
    monkeypatch.chdir(tmp_path / "unpacked")
    assert provenance.commit() is None


def test_loaded_modules_are_those_of_the_library_without_the_bookkeeping():
    import consensus_embedding.utils.seeds  # noqa: F401

    names = {path.name for path in provenance.loaded_modules()}
    assert "seeds.py" in names
    assert not {"provenance.py", "audit.py", "__init__.py"} & names
    assert "replication.platform.provenance" in sys.modules


def described(path, text):
    return {"sha256": sha256(text), "bytes": len(text), "mtime_ns": Path(path).stat().st_mtime_ns}


@pytest.fixture
def script(tmp_path, monkeypatch):
    """What Snakemake gives to a script."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results/logs/s").mkdir(parents=True, exist_ok=True)
    for name in ("data.tsv", "code.py", "script.py"):
        put(name, name)
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(tmp_path / "script.py"), raising=False)
    return SimpleNamespace(
        input=InputFiles(["data.tsv"]),
        output=OutputFiles(fromdict={"metrics": "metrics.tsv"}),
        params=Params(fromdict={"seed": 3, "parameters": {"n": 2}, "code": ["code.py"]}),
        wildcards=Wildcards(fromdict={"set": "one"}),
        log=Log(["results/logs/s/run.log"]),
        config={"study": "s"},
        rule="run",
        threads=2,
    )


def succeed(script):
    """What a script that succeeds leaves next to its log."""
    with job(script, "run") as say:
        say("at work")
        Path("metrics.tsv").write_text("1")
    return json.loads(Path("results/logs/s/run.json").read_text())


def test_a_script_that_succeeds_leaves_a_record_beside_its_log(script):
    record = succeed(script)
    assert (record["rule"], record["wildcards"], record["threads"]) == ("run", {"set": "one"}, 2)
    assert (record["params"], record["seed"]) == ({"seed": 3, "parameters": {"n": 2}}, 3)
    assert record["outputs"] == {"metrics.tsv": described("metrics.tsv", "1")}
    assert list(record["inputs"]) == ["data.tsv"]
    assert list(record["code"]) == ["code.py", "script.py"]
    assert 0 <= record["seconds"] < 10
    assert 0 < record["processor_seconds_before"] <= time.process_time()


@pytest.mark.parametrize(
    ("error", "words"), [(ValueError("no data"), "run failed: no data"), (KeyboardInterrupt(), "interrupted")]
)
def test_a_script_that_fails_leaves_no_record_and_removes_an_older_one(script, error, words):
    succeed(script)
    with pytest.raises(SystemExit, match=words), job(script, "run"):
        raise error
    assert not Path("results/logs/s/run.json").exists()


@pytest.mark.parametrize("how", ["edited", "replaced", "deleted"])
def test_a_script_whose_input_changes_while_it_runs_fails_and_leaves_no_record(script, how):
    def run():
        with job(script, "run"):
            Path("metrics.tsv").write_text(Path("data.tsv").read_text())
            if how == "edited":
                Path("data.tsv").write_text("DATA.TSV")
            elif how == "replaced":
                # With the size and the time stamp of the other one.
                put("other", "DATA.TSV")
                os.utime("other", ns=(0, Path("data.tsv").stat().st_mtime_ns))
                os.replace("other", "data.tsv")
            else:
                Path("data.tsv").unlink()

    with pytest.raises(SystemExit, match=r"data\.tsv changed while the job ran"):
        run()
    assert not Path("results/logs/s/run.json").exists()


def test_a_folder_among_the_inputs_may_get_files(script):
    Path("folder").mkdir()
    script.input = InputFiles(["data.tsv", "folder"])
    with job(script, "run"):
        Path("metrics.tsv").write_text("1")
        put("folder/other", "other")
    assert Path("results/logs/s/run.json").exists()


def test_a_full_disk_is_named_though_the_log_has_no_room_either(script):
    script.output = OutputFiles(fromdict={"metrics": "results/s/metrics.tsv"})

    def run():
        with job(script, "run"), open("/dev/full", "w") as file:
            Path("results/logs/s/run.log").unlink()
            Path("results/logs/s/run.log").symlink_to("/dev/full")
            file.write("1")

    with pytest.raises(SystemExit, match="No space left on device while writing to results/s"):
        run()


def test_absolute_paths_below_the_working_directory_are_recorded_as_relative(study, tmp_path):
    record = run("run_e", ["results/s/e/metrics.tsv"], ["data/x.tsv"], [tmp_path / "code.py", "code.py"])
    assert list(record["code"]) == ["code.py"]


def test_code_that_was_edited_while_a_job_ran_has_no_hash(study):
    put("code.py", "edited", -60)
    record = run("run_e", ["results/s/e/metrics.tsv"], ["data/x.tsv"])
    assert record["code"] == {"code.py": None}
    run("present_e", FINAL[1:], FINAL[:1], ["draw.py"])
    assert states(manifest_of_now(), FINAL[0]) == ("stale", "code.py changed")


def test_the_manifest_follows_the_records_down_to_the_data(study):
    assert list(study["results"]) == [
        "results/s/e/figure.pdf",
        "results/s/e/figure.png",
        "results/s/e/metrics.tsv",
        "results/s/pool.npz",
    ]
    assert study["results"]["results/s/pool.npz"]["data"] == ["data/x.tsv"]
    for name in ("results/s/e/metrics.tsv", "results/s/e/figure.pdf"):
        assert study["results"][name]["data"] == ["data/x.tsv", "data/y.tsv"]
    figure = study["results"]["results/s/e/figure.png"]
    job = study["jobs"][figure["job"]]
    assert (figure["rule"], figure["seed"], job["seconds"]) == ("present_e", 7, 1.5)
    assert figure["sha256"] == hash_file("results/s/e/figure.png")
    assert study["environments"][job["environment"]]["packages"]["numpy"] == np.__version__
    assert study["machines"] == [provenance.machine()]
    assert study["data"] == {name: {"sha256": sha256(name), "bytes": 10} for name in ("data/x.tsv", "data/y.tsv")}
    assert study["configuration"] == CONFIGURATION
    assert study["without_record"] == {}


def test_a_result_without_a_record_is_named_with_the_rule_to_run(study):
    Path("results/logs/s/embed.json").unlink()
    Path("results/logs/s/present_e.json").unlink()
    manifest = manifest_of_now(rules={FINAL[1]: "present_e"})
    assert set(manifest["without_record"]) == {FINAL[1], "results/s/pool.npz"}
    assert "--forcerun present_e" in manifest["without_record"][FINAL[1]]["reason"]
    assert list(manifest["results"]) == [FINAL[0]]
    found = states(manifest)
    assert (found[FINAL[1]], found["results/s/pool.npz"], found[FINAL[0]]) == ("no record", "no record", "intact")
    assert not audited(manifest).is_intact


def test_of_two_records_of_one_file_the_later_counts(study):
    old = json.loads(Path("results/logs/s/run_e.json").read_text())
    earlier = (datetime.now(UTC) - timedelta(days=1)).isoformat(timespec="seconds")
    Path("results/logs/s/zzz.json").write_text(json.dumps({**old, "rule": "renamed", "started": earlier}))
    assert manifest_of_now()["results"]["results/s/e/metrics.tsv"]["rule"] == "run_e"


def test_a_record_that_vanishes_while_others_are_read_is_left_out(study, monkeypatch):
    read_text = Path.read_text

    def read(path, **options):
        if path.name == "present_e.json":
            path.unlink()
        return read_text(path, **options)

    monkeypatch.setattr(Path, "read_text", read)
    assert set(read_records("results/logs/s")) == {"results/s/pool.npz", FINAL[0]}


def test_a_file_that_is_no_record_is_named(study):
    Path("results/logs/s/run_e.json").write_text('{"rule": ')
    with pytest.raises(TrailError, match=r"run_e\.json: expected the record of a job"):
        read_records("results/logs/s")


def test_a_manifest_is_read_as_it_was_written(study):
    write_json(study, "results/s/manifest.json")
    assert read_manifest("results/s/manifest.json") == study
    Path("results/s/manifest.json").write_text("[]")
    with pytest.raises(TrailError, match="expected a manifest of format 1"):
        read_manifest("results/s/manifest.json")
    with pytest.raises(TrailError, match=r"other\.json: no such file.* --configfile"):
        read_manifest("other.json")


def test_an_edited_result_is_named_and_what_was_made_of_it_is_stale(study):
    stat = Path(FINAL[0]).stat()
    text = Path(FINAL[0]).read_text()
    Path(FINAL[0]).write_text(text.replace("run_e", "run_E"))
    os.utime(FINAL[0], ns=(stat.st_atime_ns, stat.st_mtime_ns))  # size and time are no proof
    found = states(study)
    assert found[FINAL[0]] == "edited by hand"
    assert found["results/s/pool.npz"] == "intact"
    assert found[FINAL[1]] == "stale"
    assert FINAL[0] in states(study, FINAL[1])[1]


ALL = ["results/s/pool.npz", FINAL[0], FINAL[1], "results/s/e/figure.pdf"]


@pytest.mark.parametrize(
    ("changed", "stale"),
    [("data/x.tsv", ALL), ("data/y.tsv", ALL[1:]), ("draw.py", ALL[2:]), ("code.py", ALL), ("module.py", ALL)],
)
def test_what_was_made_with_a_changed_file_is_stale(study, changed, stale):
    put(changed, "other")
    assert states(study) == {path: "stale" if path in stale else "intact" for path in ALL}
    assert states(study, stale[0])[1] == f"{changed} changed"
    # No rule names the module: its jobs have to be forced; those after them follow.
    assert audited(study).unnamed == (["embed"] if changed == "module.py" else [])
    assert ("--forcerun embed" in describe(audited(study))) == (changed == "module.py")


def test_a_new_caption_makes_stale_what_reads_the_declarations_and_no_step(study):
    for name in ("code.py", "module.py"):
        put(name, DECLARED)
    run("embed", ALL[:1], ["data/x.tsv"], params={"run": "code.run"})
    run("run_e", FINAL[:1], [ALL[0], "data/y.tsv"], params={"run": "code.run"})
    run("present_e", ALL[2:], FINAL[:1], ["draw.py"])
    manifest = manifest_of_now()
    put("module.py", DECLARED.replace("A caption.", "Another caption."))
    assert states(manifest) == {path: "stale" if path in ALL[2:] else "intact" for path in ALL}
    put("code.py", DECLARED.replace("LIMIT = 3", "LIMIT = 4"))
    assert set(states(manifest).values()) == {"stale"}


def test_deleted_data_and_results_are_named(study):
    Path("results/s/e/figure.pdf").unlink()
    found = states(study)
    assert (found["results/s/e/figure.pdf"], found[FINAL[1]]) == ("missing", "intact")
    Path("data/y.tsv").unlink()
    assert states(study, FINAL[0])[1] == "data/y.tsv is missing"


def test_a_result_made_again_is_not_called_edited(study):
    put("data/y.tsv", "other")
    run("run_e", FINAL[:1], ["results/s/pool.npz", "data/y.tsv"])
    found = states(study)
    assert found[FINAL[0]] == "remade"
    assert found[FINAL[1]] == "stale"
    run("present_e", FINAL[1:], FINAL[:1], ["draw.py"])
    assert states(manifest_of_now())[FINAL[0]] == "intact"


def test_files_that_are_not_in_the_manifest_are_told_apart(study):
    put("results/s/e/mine.tsv", "mine")
    put("results/s/.half.part", "half")
    put("results/s/benchmarks/e/run.tsv", "s\n1\n")
    put("results/s/stages.yaml", "spectra: {n_repeated: 50}\n")
    run("map_regions", ["results/s/maps/regions.tsv"], ["data/x.tsv"])
    found = states(study)
    assert found["results/s/e/mine.tsv"] == "unknown"
    assert found["results/s/maps/regions.tsv"] == "left over"
    assert len(found) == 6
    Path("results/s/e/mine.tsv").unlink()
    assert audited(study).is_intact


def test_what_a_job_does_not_make_any_more_is_left_over_unless_it_was_edited(study, script):
    script.output = OutputFiles(["results/s/e/new.png", "results/s/e/new.pdf", "results/s/e/new.svg"])
    # The last one is that of a configuration before the one before; the job fails twice in between.
    for n, fails in ((3, False), (2, False), (1, True), (1, True), (1, False), (1, False)):
        script.output = OutputFiles(script.output[:n])
        with suppress(SystemExit) if fails else nullcontext(), job(script, "run"):
            for path in script.output:
                Path(path).write_text("drawn")
            assert not fails
        assert "unknown" not in states(study).values()
    assert [path.name for path in sorted(Path("results/logs/s").glob("run.*"))] == ["run.json", "run.log"]
    put("results/s/e/new.svg", "mine")
    found = states(study)
    assert [found[f"results/s/e/new.{kind}"] for kind in ("png", "pdf", "svg")] == ["left over", "left over", "unknown"]
    Path("results/s/e/new.pdf").unlink()
    assert "results/s/e/new.pdf" not in states(study)


def test_an_edited_manifest_is_named(study):
    write_json(study, "results/s/manifest.json")
    log = "results/logs/s/write_manifest.json"
    about = {"rule": "write_manifest", "wildcards": {}, "params": {}, "seed": None, "threads": 1}
    write_record(log, about, ["results/s/manifest.json"], [], [], datetime.now(UTC), 0.1)
    assert states(study)["results/s/manifest.json"] == "intact"
    write_json({**study, "study": "t"}, "results/s/manifest.json")
    assert states(study)["results/s/manifest.json"] == "edited by hand"


def test_changed_keys_are_named_with_both_values():
    new = {"study": "s", "seed": 7, "a": {"c": [1, 3], "d": {"e": "x" * 80}}}
    assert changed_keys(CONFIGURATION, new) == [
        "a.b: 1 -> not there",
        "a.c: [1, 2] -> [1, 3]",
        f"a.d.e: not there -> {'x' * 57}...",
    ]
    assert changed_keys(CONFIGURATION, json.loads(json.dumps(CONFIGURATION))) == []


def test_another_configuration_is_not_intact(study):
    found = audited(study, {**CONFIGURATION, "seed": 1})
    assert not found.is_intact
    assert found.faults == []
    assert "  seed: 7 -> 1" in describe(found)


def test_a_job_of_another_seed_than_the_study_is_stale_unless_all_studies_share_it(study):
    path, job = "results/s/e/metrics.tsv", study["jobs"]["results/logs/s/run_e.json"]
    job["seed"] = 9
    assert states(study, path) == ("stale", "the seed of run_e was 9, that of the study is 7")
    job["outputs"] = {"results/example/plane.npz": described(path, "")}
    assert states(study, path) == ("intact", "")


def test_the_description_counts_and_names(study):
    assert re.search(r"^ +4  intact", describe(audited(study)), re.M)
    put("code.py", "other")
    Path(FINAL[1]).unlink()
    text = describe(audited(study), limit=1)
    assert re.search(r"^ +1  missing", text, re.M)
    assert re.search(r"^ +3  stale", text, re.M)
    assert f"  {FINAL[1]}: made by present_e" in text
    assert "because code.py changed:\n    results/s/e/figure.pdf\n  and 2 more" in text
