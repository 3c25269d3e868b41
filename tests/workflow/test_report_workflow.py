"""The report of a small study: Snakemake's own, and the page with the ledger."""

import html
import json
import re
import shlex

import pytest
from replication.catalogue.experiments import EXPERIMENTS as declared

pytestmark = pytest.mark.long_study

EXPERIMENTS = ["toy_rgb", "theory_error"]
SMALL = {
    "study": "reported",
    "experiments": EXPERIMENTS,
    "toy_rgb": {"noise": [3], "n_draws": 2},
    "theory_error": {"n_embeddings": [3], "repetitions": 2},
}


@pytest.fixture(scope="module")
def reported(fresh):
    """A small study that has run to its end."""
    config = fresh.write_config(SMALL, "config/reported.yaml")
    fresh.arguments = ["--configfile", config]
    fresh.snakemake("--cores", "1", *fresh.arguments)
    yield fresh
    for path in sorted((fresh / "results").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()


def test_the_page_its_picture_and_the_lines_behind_each_verdict_are_there(reported):
    results = reported / "results/reported"
    assert (results / "ledger.png").read_bytes().startswith(b"\x89PNG")
    assert "</svg>" in (results / "ledger.svg").read_text()
    page = (results / "report.html").read_text()
    header, *rows = [line.split("\t") for line in (results / "claim_rows.tsv").read_text().splitlines()]
    assert header == ["claim", "experiment", "rows", "lines"]
    assert {row[1] for row in rows} == set(EXPERIMENTS)
    for claim, experiment, n, lines in rows:
        assert f'id="rows-{claim}"' in page
        first = int(re.match(r"\d+", lines)[0])
        assert f'id="{experiment}-L{first}"' in page
        last = int(re.findall(r"\d+", lines)[-1])
        assert last <= len((results / experiment / "metrics.tsv").read_text().splitlines())
        assert int(n) > 0
    # Both are of the same paper.
    assert '<h3 id="paper-viswanath2012">Viswanath and Madabhushi 2012</h3>' in page


def test_the_command_for_one_experiment_is_of_this_study(reported):
    page = (reported / "results/reported/report.html").read_text()
    for experiment in EXPERIMENTS:
        (command,) = re.findall(rf"Run this alone: <code>(snakemake [^<]* {experiment} [^<]*)</code>", page)
        said = reported.look(*shlex.split(html.unescape(command))[1:], "--dry-run", "--forcerun", f"run_{experiment}")
        assert f"results/reported/{experiment}/metrics.tsv" in said


def test_snakemake_reports_with_captions_under_paper_and_experiment(reported):
    reported.snakemake("--report", "small.html", *reported.arguments)
    page = (reported / "small.html").read_text()
    results, categories = (
        json.JSONDecoder().raw_decode(page, page.index(start) + len(start) - 1)[0]
        for start in ("var results = {", "var categories = {")
    )
    folder = "results/reported"
    assert set(categories["Viswanath 2012"]) == set(EXPERIMENTS)
    verdicts = [path for paths in categories["Verdicts"].values() for path in paths]
    assert {f"{folder}/{name}" for name in ("claims.tsv", "ledger.png", "report.html")} == set(verdicts)
    for experiment in EXPERIMENTS:
        shown = categories["Viswanath 2012"][experiment]
        drawn = {path.name for path in (reported / folder / experiment / "figures").glob("*.png")}
        assert drawn
        assert drawn <= {path.rpartition("/")[2] for path in shown}
        for path in shown:
            assert path.startswith(f"{folder}/{experiment}/")
            name = path.rpartition("/")[2].partition(".")[0]
            figure = declared[experiment].figures[name]
            # Snakemake turns the text into HTML: the first words are the same.
            shown_text = " ".join(re.sub(r"<[^>]+>", "", results[path]["caption"]).split())
            assert f"{name.replace('_', ' ')}: {' '.join(figure.caption.split()[:3])}" in shown_text
