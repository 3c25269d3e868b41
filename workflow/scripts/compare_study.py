"""Compare a study with the committed rows behind the verdicts; fail if one is missing, or a number or verdict moved."""

import sys
from pathlib import Path

from replication.platform.readable import show
from replication.report.comparison import compare_rows, describe, differences, moved_verdicts
from replication.shared.tidy import read_table

params, results, log = snakemake.params, Path(snakemake.params.results), Path(snakemake.log[0])


def fail(text):
    log.write_text(f"{text}\n", encoding="utf-8")
    sys.exit(f"\n{text}\n")


if params.sizes == "quick":
    fail("A quick study has other sizes than the committed study of the papers; compare a paper-scale one.")
paths = {path.name.removesuffix(".tsv.gz"): path for path in sorted(Path(params.rows).glob("*.tsv.gz"))}
paths = {name: path for name, path in paths.items() if name in params.experiments}
made = {name: results / name / "metrics.tsv" for name in paths if (results / name / "metrics.tsv").exists()}
if not made:
    fail(f"There is nothing to compare: {results} has no numbers of an experiment with claims; run it first.")
compared = {}
for name, path in paths.items():
    committed = read_table(path)
    # Of an experiment without numbers all are missing.
    compared[name] = compare_rows(read_table(made[name]) if name in made else committed.iloc[:0], committed)
verdicts = None
if params.judged:
    committed, ledger = read_table(params.ledger), results / "claims.tsv"
    # Where the study was not judged, all are missing.
    verdicts = moved_verdicts(read_table(ledger) if ledger.exists() else committed.iloc[:0], committed, set(paths))
text = f"The study in {results} and what is committed in resources/paper\n\n{describe(compared, verdicts)}"
differ = differences(compared, verdicts)
if differ:
    fail(f"{text}\n\n{differ}; {log} has the table.")
log.write_text(f"{text}\n", encoding="utf-8")
show(f"\n{text}\n")
