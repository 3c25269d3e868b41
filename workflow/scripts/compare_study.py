"""Compare a study with the committed rows behind the verdicts; fail if one is missing, or a number or verdict moved."""

import sys
from pathlib import Path

from replication.report.comparison import compare_rows, describe, differences, moved_verdicts
from replication.shared.tidy import read_table

params, results = snakemake.params, Path(snakemake.params.results)
paths = {path.name.removesuffix(".tsv.gz"): path for path in sorted(Path(params.rows).glob("*.tsv.gz"))}
made = {name: path for name, path in paths.items() if (results / name / "metrics.tsv").exists()}
if not made:
    sys.exit(f"\nThere is nothing to compare: {results} has no numbers of an experiment with claims; run it first.\n")
if results.name == "quick":
    sys.exit("\nThe quick study has other sizes than the committed study of the papers; compare a paper-scale one.\n")
compared = {
    name: compare_rows(read_table(results / name / "metrics.tsv"), read_table(path)) for name, path in made.items()
}
verdicts = []
if (results / "claims.tsv").exists():
    ledger = read_table(results / "claims.tsv")
    verdicts = moved_verdicts(ledger[ledger["experiment"].isin(made)], read_table(params.ledger))
text = f"The study in {results} and what is committed in resources/paper\n\n{describe(compared, verdicts)}"
differ = differences(compared, verdicts)
text += f"\n\n{differ}; {snakemake.log[0]} has the table." if differ else ""
Path(snakemake.log[0]).write_text(f"{text}\n", encoding="utf-8")
if differ:
    sys.exit(f"\n{text}\n")
print(f"\n{text}\n", flush=True)
