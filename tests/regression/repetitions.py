"""
From how many repetitions on does every claim have the verdict that the whole paper-scale study gives it?

    .venv/bin/python tests/regression/repetitions.py    ten minutes

Reads the committed rows behind the verdicts, judges their claims again on the first repetitions alone, and writes
resources/paper/repetitions.tsv: claim, what is repeated, how often, from which number on the verdict stays, and
which other verdict came last before it. Left out are claims that cannot be judged on fewer repetitions, and experiments
that repeat nothing of ours: times, slices, the redraws of `mce_convergence` and `mce_tail`.
"""

import gc
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from replication.catalogue.stages import STAGES
from replication.claims.judging import judge_claims, read_claims
from replication.shared.judgements import NOT_TESTABLE
from replication.shared.tidy import write_table
from update_readme import committed_rows

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "resources" / "paper" / "repetitions.tsv"

# What each experiment repeats: name of the column, and what one of its values is.
REPEATED = {
    "mce_extensions": ("repetition", "pools of runs"),
    "theta_sensitivity": ("repetition", "halves of the embeddings, draws of subsets"),
    "toy_rgb": ("repetition", "images"),
    "theory_strength": ("repetition", "simulations"),
    "theory_error": ("repetition", "simulations"),
    "theory_monotone": ("repetition", "simulations and slices"),
    "gene_expression": ("repetition", "draws of subsets"),
    "m_sensitivity": ("repetition", "draws of subsets"),
    "spectra_methods": ("study", "studies"),
    "spectra_dimensions": ("study", "studies"),
    "spectra_stability": ("study", "studies"),
    "spectra_components": ("study", "studies"),
    "swiss_roll": ("repetition", "rolls, each with its training samples"),
    "gland_retrieval": ("repetition", "sets of objects, each with its training objects"),
    "feature_selection": ("repetition", "rounds"),
    "pathology": ("cohort", "cohorts"),
    "survival": ("repetition", "partitions"),
}
COLUMNS = ["id", "experiment", "repeated", "repetitions", "verdict", "settled from", "other verdict"]
FEW = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 100)
# Above those, each number is so many times the one before.
STEP = 1.1


def numbers_tried(n: int) -> list[int]:
    """How many of n repetitions are judged, up to all."""
    numbers = list(FEW)
    while numbers[-1] < n:
        numbers.append(round(STEP * numbers[-1]))
    return [*(number for number in numbers if number < n), n]


def settled_from(verdicts: Mapping[int, str]) -> tuple[int, str]:
    """
    The smallest number of repetitions tried from which on the verdict is that of the largest one.

    Parameters
    ----------
    verdicts : mapping
        Number of repetitions -> verdict.

    Returns
    -------
    number : int
    other : str
        The verdict at the number before, empty if there is none.
    """
    numbers = sorted(verdicts, reverse=True)
    last = next((place for place, n in enumerate(numbers) if verdicts[n] != verdicts[numbers[0]]), len(numbers))
    return numbers[last - 1], verdicts[numbers[last]] if last < len(numbers) else ""


def first_repetitions(table: pd.DataFrame, column: str) -> tuple[pd.Series, int]:
    """
    Place of each row's repetition among all, from 0.

    Parameters
    ----------
    table : DataFrame
        Metrics of an experiment.
    column : str
        Its column of repetitions: numbers, or names that end in one.

    Returns
    -------
    places : Series
        NaN where a row is of no repetition, or of all.
    n : int
        How many repetitions there are.
    """
    # A column of numbers alone is read as such.
    numbers = pd.to_numeric(table[column].astype(str).str.extract(r"(\d+)(?:\.0)?$")[0])
    places, found = pd.factorize(numbers, sort=True)
    return pd.Series(places, index=table.index).where(places >= 0), len(found)


def repetitions_of(claims: pd.DataFrame, experiment: str, table: pd.DataFrame) -> pd.DataFrame:
    """
    Rows of the committed table, of the claims on one experiment.

    Parameters
    ----------
    claims : DataFrame
        Of `read_claims`.
    experiment : str
    table : DataFrame
        Its metrics.

    Returns
    -------
    DataFrame
        id, experiment, repeated, repetitions, verdict, settled from, other verdict.
    """
    column, name = REPEATED[experiment]
    places, n = first_repetitions(table, column)
    mine, verdicts = claims[claims["experiment"] == experiment], {}
    for number in numbers_tried(n):
        judged = judge_claims(mine, {experiment: table[places.isna() | (places < number)]}, stages=STAGES)
        for claim, verdict in zip(judged["id"], judged["verdict"], strict=True):
            if verdict != NOT_TESTABLE:
                verdicts.setdefault(claim, {})[number] = verdict
    rows = [
        (claim, experiment, name, n, found[n], *settled_from(found))
        for claim, found in verdicts.items()
        if n in found and len(found) > 1
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


if __name__ == "__main__":
    claims, rows, parts = read_claims(), committed_rows(), []
    for experiment in REPEATED:
        print(experiment, flush=True)
        gc.freeze()
        parts.append(repetitions_of(claims, experiment, rows[experiment]))
    write_table(pd.concat(parts, ignore_index=True), TARGET)
    print(f"Written: {TARGET.relative_to(ROOT)}")
