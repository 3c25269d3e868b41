"""fetch and verify_data, on a registry of one generated file, with no network but loopback."""

import functools
import hashlib
import http.server
import threading

import pytest
import yaml

pytestmark = pytest.mark.slow

CONTENT = b"".join(b"%d,%d\n" % (i, i * i) for i in range(2000))
FETCHED = "resources/data/sample/numbers.data"
# A proxy at a port where nothing listens: whoever tries to reach the internet is refused at once.
NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
NO_NETWORK |= {"no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"}


@pytest.fixture
def sample(new_checkout, tmp_path):
    """A checkout with one data set, of one file, whose public address cannot be reached; a mirror has it."""
    checkout = new_checkout()
    sample_set = {
        "description": "Squares",
        "citation": "nobody",
        "licence": "none",
        "files": [
            {
                "name": "sample/numbers.data",
                "description": "Numbers and their squares",
                "shape": [2000, 2],
                "bytes": len(CONTENT),
                "sha256": hashlib.sha256(CONTENT).hexdigest(),
                "urls": ["http://data.example/numbers.data"],
            }
        ],
    }
    registry = {"sources": {}, "sets": {"sample": sample_set}}
    (checkout / "resources/datasets.yaml").write_text(yaml.safe_dump(registry))
    mirror = tmp_path / "mirror" / "sample"
    mirror.mkdir(parents=True)
    (mirror / "numbers.data").write_bytes(CONTENT)
    checkout.mirror = mirror.parent
    return checkout


def command(checkout, target, **data):
    """Arguments of a target with some settings of data:."""
    return [target, "--configfile", checkout.write_config({"data": {"sets": ["sample"], **data}})]


def test_a_file_comes_from_a_mirror_and_is_then_left_alone(sample):
    fetch = command(sample, "fetch", mirrors=[str(sample.mirror)])
    sample.snakemake(*fetch, **NO_NETWORK)
    assert (sample / FETCHED).read_bytes() == CONTENT
    changed = (sample / FETCHED).stat().st_mtime_ns
    assert "Nothing to be done" in sample.snakemake(*command(sample, "fetch"), **NO_NETWORK)
    assert (sample / FETCHED).stat().st_mtime_ns == changed
    assert "1 of 1 files are intact." in sample.snakemake(*command(sample, "verify_data"), **NO_NETWORK)

    (sample / FETCHED).write_bytes(CONTENT.replace(b"1", b"7"))
    output = sample.snakemake(*command(sample, "verify_data"), fails=True, **NO_NETWORK)
    assert "1 damaged (delete and fetch them again)" in output
    assert f"expected sha256 {hashlib.sha256(CONTENT).hexdigest()}" in output


def test_the_environment_names_a_mirror_on_a_server(sample):
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sample.mirror)
    handler.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        sample.snakemake(*command(sample, "fetch"), CONSENSUS_EMBEDDING_MIRRORS=address, **NO_NETWORK)
    finally:
        server.shutdown()
    assert (sample / FETCHED).read_bytes() == CONTENT


def test_a_file_that_can_be_had_nowhere_is_one_clear_error_and_leaves_nothing(sample, tmp_path):
    fetch = command(sample, "fetch", mirrors=[str(tmp_path)])
    (sample.mirror / "sample" / "numbers.data").write_bytes(b"something else")
    output = sample.snakemake(*fetch, fails=True, **NO_NETWORK)
    assert "sample/numbers.data could not be fetched. Tried:" in output
    assert f"numbers.data: expected {len(CONTENT)} bytes, found 14" in output
    assert "http://data.example/numbers.data: " in output
    assert "Traceback" not in output
    assert [path for path in (sample / "resources/data").rglob("*") if path.is_file()] == []


def test_without_data_sets_there_is_nothing_to_fetch(fresh):
    output = fresh.snakemake("fetch", "--configfile", fresh.write_config({"data": {"sets": []}}), **NO_NETWORK)
    assert "All files of the data sets are in place" in output
    assert not (fresh / "resources/data").exists()


def test_files_that_are_missing_are_not_called_damaged(sample):
    output = sample.snakemake(*command(sample, "verify_data"), **NO_NETWORK)
    assert "0 of 1 files are intact." in output
    assert "sample/numbers.data" in output
