"""
Write the committed numbers of the quick study anew from results/quick, or the committed verdicts of another study.

    make && .venv/bin/python tests/regression/update.py
    .venv/bin/snakemake calibration --configfile config/quick.yaml; .venv/bin/python tests/regression/update.py
    .ci/run; .venv/bin/python tests/regression/update.py --study ci

The second line is for the calibrations that the quick study leaves out.
Of the study of .ci/run the ledger of claims is kept, and what tells its runs of t-SNE from others; see fidelity.py.
Its numbers are compared with those of the paper-scale study. Do this after a change that is meant to move numbers or
verdicts, look at the difference that git shows, and say in the commit why they moved.
"""

import argparse
import shutil
import sys
from pathlib import Path

import pandas as pd
from ledgers import kl_divergences, read
from replication.catalogue.experiments import EXPERIMENTS
from replication.shared.tidy import read_table, write_table

ROOT = Path(__file__).parents[2]

RESULTS = ROOT / "results" / "quick"
REFERENCE = Path(__file__).parent / "quick"


# Columns that the numbers are averaged over, and those that may differ between machines.
# The steps of survival curves, and the names of the most selected features, are hundreds; the mean is enough to see
# that they moved.
AVERAGED = ("repetition", "study", "slice", "pair", "gland", "draw", "months", "feature")
MACHINE = ("threads", "n_objects")
# Metrics that differ from run to run.
COSTS = ("seconds", "peak_mb")


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Number, mean and standard deviation over repetitions, slices and the like of every metric and condition."""
    conditions = [name for name in table.columns if name not in ("experiment", "value", *AVERAGED, *MACHINE)]
    # Another machine takes another time and room; what was measured is all that can be compared.
    table = table.assign(value=table["value"].where(~table["metric"].isin(COSTS)))
    grouped = table.groupby(conditions, sort=False, dropna=False)["value"]
    return grouped.agg(n="size", mean="mean", sd="std").reset_index()


def update_quick() -> None:
    """Write the summaries of all experiments of the quick study."""
    paths = sorted(RESULTS.glob("*/metrics.tsv"))
    if not paths:
        sys.exit(f"No metrics in {RESULTS}; run `make` first.")
    REFERENCE.mkdir(exist_ok=True)
    for old in REFERENCE.glob("*.tsv"):
        if old.stem not in EXPERIMENTS:
            old.unlink()
    for path in paths:
        write_table(summarize(read_table(path)), REFERENCE / f"{path.parent.name}.tsv")
        print(f"wrote {(REFERENCE / path.parent.name).relative_to(ROOT)}.tsv")


def update_ledger(study: Path, reference: Path) -> None:
    """Take over the ledger of a study and the loss of each of its t-SNE runs."""
    ledger, runs = study / "claims.tsv", study / "tsne_equivalence" / "metrics.tsv"
    for path in (ledger, runs):
        if not path.exists():
            sys.exit(f"{path} is not there; run the study first.")
    reference.mkdir(exist_ok=True)
    shutil.copyfile(ledger, reference / "claims.tsv")
    write_table(kl_divergences(read(runs)), reference / "tsne_runs.tsv")
    print(f"wrote claims.tsv and tsne_runs.tsv in {reference.relative_to(ROOT)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--study", choices=["quick", "ci"], default="quick")
    if parser.parse_args().study == "quick":
        update_quick()
    else:
        update_ledger(ROOT / "results" / "ci", Path(__file__).parent / "ci")
