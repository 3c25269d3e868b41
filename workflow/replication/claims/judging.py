"""
The claims ledger: from tidy metrics to a verdict on each published claim.

A claim has up to three parts, judged apart. Direction: is the effect of the stated sign? Significance: does the sign
hold beyond chance (in 95 % of redraws, or by a 95 % interval)? Magnitude: does the stated size, or form, lie inside the
margin of the claim? The verdict follows from the parts (`Judgement.verdict`), and the answer from the verdict.

On data other than the paper's a claim can only hold, be mixed and so on "on the substitute"; one about the paper's own
data alone is "not testable" there. So is a claim whose experiment or numbers are missing. A claim may be judged more
than once, by the same rule: on new data, where the paper measured a method on what it was chosen by, and with other
choices of what the paper leaves open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from replication.catalogue.claim_files import (
    ALL_PAPERS,
    COLUMNS,
    KINDS,
    asks_and_family,
    merged,
    read_rows,
)
from replication.catalogue.papers import declared_by
from replication.claims.answers import answer_to, is_hollow, with_choices
from replication.platform.declarations import Stages
from replication.shared.judgements import (
    CONTEXT,
    DIRECTION_ONLY,
    IN_PART,
    INCONCLUSIVE,
    MIXED,
    NO_EFFECT,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    TRIVIALLY_TRUE,
    Judgement,
    NotTestable,
    has_value,
    is_open,
    recorded_rows,
)
from replication.shared.judges import JUDGES as SHARED_JUDGES
from replication.shared.judges import Judge
from replication.shared.wording import joined

JUDGES: dict[str, Judge] = SHARED_JUDGES | declared_by("judges", "JUDGES")

SUBSTITUTE = {
    REPRODUCED: "holds on the substitute",
    DIRECTION_ONLY: "direction only on the substitute",
    MIXED: "mixed on the substitute",
    NOT_REPRODUCED: "does not hold on the substitute",
    NO_EFFECT: "no effect on the substitute",
    IN_PART: "in part on the substitute",
    TRIVIALLY_TRUE: TRIVIALLY_TRUE,
    INCONCLUSIVE: INCONCLUSIVE,
    CONTEXT: CONTEXT,
}
# The data of a claim that is true, or not, of any data: an identity.
ANY_DATA = "any"
# What the ledger repeats of a claim.
_OF_CLAIM = [name for name in COLUMNS if name not in ("kind", "dataset", "test")]
# Further verdicts on a claim, by the same rule.
EXTRA_COLUMNS = ("on_new_data", "measured_on_new_data", "other_choices", "decided_by")
# How the reason of a claim ends whose experiment is not of the study.
NOT_RUN = "was not run in this study"


def read_claims(paths: str | Path | Sequence[str | Path] = (ALL_PAPERS,)) -> pd.DataFrame:
    """Claims of one or several files, a row each, as `claim_files.read_rows` reads them; without files, all papers'."""
    return pd.DataFrame(read_rows(paths), columns=COLUMNS)


def judge_claims(
    claims: pd.DataFrame,
    metrics: Mapping[str, pd.DataFrame],
    rows_used: dict[str, set[int]] | None = None,
    rows_behind: dict[str, set[int]] | None = None,
    *,
    stages: Mapping[str, Stages] = MappingProxyType({}),
) -> pd.DataFrame:
    """
    Judge every claim from the metrics alone; the claims on an experiment pay for the looks at the data of its stages.

    `rows_used` takes the rows behind the verdict on each claim, and `rows_behind` those of each experiment behind any
    verdict, on new data and with other choices too.
    """
    rows = []

    def judged_by(claim: tuple, test: Mapping, experiment: str) -> dict[str, str]:
        claim = claim._replace(experiment=experiment)
        row, used = _judge(claim, test, metrics)
        _note(rows_behind, claim.experiment, used)
        return row

    for claim in claims.itertuples():
        row = {name: getattr(claim, name) for name in _OF_CLAIM}
        row["test"], row["holm_family"] = asks_and_family(claim.kind, claim.test)
        staged = None if _is_own(metrics.get(claim.experiment)) else stages.get(claim.experiment)
        test = {**claim.test, "looks": len(staged.units) if staged and staged.decide(claim.id) else 1}
        judged, used = _judge(claim, test, metrics)
        row |= judged
        _note(rows_used, claim.id, used)
        _note(rows_behind, claim.experiment, used)
        if "new_data" in claim.test:
            on_new_data = judged_by(claim, merged(test, test["new_data"]), claim.experiment)
            row |= {
                "on_new_data": on_new_data["verdict"],
                "measured_on_new_data": on_new_data["measured"] or on_new_data["reason"],
            }
        others = []
        for other in claim.test.get("choices", []):
            with_other = judged_by(claim, merged(test, other["with"]), other.get("experiment", claim.experiment))
            if with_other["verdict"] != NOT_TESTABLE:
                others.append((other, with_other))
        row["other_choices"] = "; ".join(f"{_choice_words(other)}: {found['verdict']}" for other, found in others)
        # What the paper prints rules some levels out: they are shown, and decide nothing.
        open_ones = [(other["choice"], found) for other, found in others if "ruled_out" not in other]
        row["decided_by"] = ", ".join(
            dict.fromkeys(choice for choice, found in open_ones if found["verdict"] != row["verdict"])
        )
        verdicts = [found["on_the_paper"] for _, found in open_ones]
        if row["answer"] == answer_to(NOT_TESTABLE, True) and any(is_hollow(found["answer"]) for _, found in open_ones):
            row["answer"] = answer_to(NOT_TESTABLE, False)
        row["answer"] = with_choices(row["answer"], verdicts, identity=test.get("identity", False))
        if row["verdict"] == NOT_TESTABLE:
            # What would decide it is said of the readings that can be tested.
            row["reason"] = joined(
                [row["reason"], *(f"{_choice_words(o)}: {f['reason']}" for o, f in others if f["reason"])]
            )
        rows.append(row)
    order = [*_OF_CLAIM, "test", "holm_family", "dataset", "source", "measured"]
    columns = [*order, "direction", "significance", "magnitude", "verdict", "answer", "reason", *EXTRA_COLUMNS]
    return pd.DataFrame([{column: row.get(column, "") for column in columns} for row in rows])


def _is_own(metrics: pd.DataFrame | None) -> bool:
    """Whether all data are the user's own, of which no more units can be drawn."""
    return metrics is not None and "source" in metrics and set(metrics["source"]) == {"own"}


def _choice_words(choice: Mapping[str, str]) -> str:
    """A level of a choice: "CH-34, the pictures (ruled out: at m = 100 they are three times as far)"."""
    ruled_out = f" (ruled out: {choice['ruled_out']})" if "ruled_out" in choice else ""
    return f"{choice['choice']}, {choice['level']}{ruled_out}"


def _note(record: dict[str, set[int]] | None, name: str, rows: pd.Index | None) -> None:
    if record is not None and rows is not None:
        record.setdefault(name, set()).update(rows)


def _judge(claim: tuple, test: Mapping, metrics: Mapping[str, pd.DataFrame]) -> tuple[dict[str, str], pd.Index | None]:
    """One verdict on a claim, by a test: columns of the ledger, and the rows of the metrics that it is made from."""
    row = dict.fromkeys(("measured", "direction", "significance", "magnitude", "reason"), "")
    used, of_the_paper, selected = None, True, []
    try:
        if claim.experiment not in metrics:
            raise NotTestable(f"the experiment {claim.experiment} {NOT_RUN}")
        table = metrics[claim.experiment]
        for column, value in test.get("subset", {}).items():
            table = table[has_value(table[column], value)]
        for metric, other in test.get("measured_by", {}).items():
            measured = table.loc[table["metric"] == other, "method"].unique()
            if not len(measured):
                raise NotTestable(f"no value of {other} in this study")
            table = table[(table["metric"] != metric) | ~table["method"].isin(measured)]
            table = table.assign(metric=table["metric"].replace(other, metric))
        if table.empty:
            raise NotTestable("this study has no such rows")
        table, dataset, source, of_the_paper = _judged_rows(table, claim.dataset, test.get("across", []))
        row |= {"dataset": dataset, "source": source}
        if KINDS[claim.kind].own_data and not of_the_paper:
            raise NotTestable(f"the paper's value is for {claim.dataset}, this study ran {dataset}")
        with recorded_rows() as selected:
            judgement = JUDGES[claim.kind](table, test)
        if test.get("identity"):
            judgement = replace(judgement, trivial=True)
        used = pd.Index(sorted(set().union(*selected))) if selected else table.index
        if not of_the_paper:
            rows = table[table.index.isin(used)]
            row |= {name: ", ".join(map(str, rows[name].unique())) for name in ("dataset", "source")}
        row |= {part: getattr(judgement, part) for part in ("measured", "direction", "significance", "magnitude")}
        verdict = judgement.verdict
        if "smallest" in test:
            counted = test.get("looks", 1) > 1 and judgement.significance
            looks = f"; p-values are of one look at the data, and count {test['looks']} times" if counted else ""
            row["measured"] += f"; smallest effect of interest {_sizes(test)}{looks}"
        if is_open(verdict, judgement.significance, judgement.magnitude):
            row["reason"] = _units_needed(judgement, test.get("pair", []))
        row["verdict"] = verdict if of_the_paper else SUBSTITUTE[verdict]
    except NotTestable as reason:
        row |= {"verdict": (verdict := NOT_TESTABLE), "reason": str(reason)}
        used = pd.Index(sorted(set().union(*selected))) if selected else None
    except KeyError as missing:
        columns = ", ".join(map(str, metrics[claim.experiment].columns))
        raise ValueError(
            f"Claim {claim.id} cannot be judged: expected names of columns of the metrics of {claim.experiment} "
            f"({columns}) and known names in its test, found {missing}; fix the test in the file of claims."
        ) from missing
    except (IndexError, TypeError, ValueError) as wrong:
        raise ValueError(f"Claim {claim.id} cannot be judged: {wrong}") from wrong
    row["on_the_paper"] = verdict
    # A measurement is no claim, whether or not this study has its numbers.
    row["answer"] = answer_to(CONTEXT if KINDS[claim.kind].asks == CONTEXT else verdict, of_the_paper)
    return row, used


def _sizes(test: Mapping) -> str:
    smallest = test["smallest"]
    if "relative" in smallest:
        return f"{smallest['relative']:.0%} of the {'first' if 'on' in test or 'sizes' in test else 'other'}'s mean"
    effect = smallest["effect"]
    if not isinstance(effect, Mapping):
        return f"{effect:.6g}"
    return joined((f"{name.replace('_', ' ')} {size:.6g}" for name, size in effect.items()), ", ")


def _units_needed(judgement: Judgement, pair: Sequence[str]) -> str:
    """What would decide an undecided claim, whose units are named by the columns `pair`."""
    if math.isinf(judgement.units):
        return "with draws that overlap so much, no number of them would surely decide; data of more samples would"
    unit = f" ({joined(pair, ', ')})" if pair else ""
    return f"about {judgement.units:.0f} units{unit} would decide (power 80 %)" if judgement.units else ""


def _judged_rows(table: pd.DataFrame, wanted: str, across: list[str]) -> tuple[pd.DataFrame, str, str, bool]:
    """
    Rows that a claim is judged on, what to call their data and source, and whether they are the data of the paper.

    A claim across several data sets is judged on all that are there, or by its judge on those that it names; it is of
    the paper's data if these are the ones that it names, all from their original source. Any other claim is judged on
    one data set: the one that it names as its only one, if there, else the first. Further data sets of an experiment
    are shown next to it. An identity is judged on all data sets, and any data are as good as the paper's.
    """
    names = table["dataset"].unique()
    if len(across) < 2 and wanted != ANY_DATA:
        chosen = across[0] if across and across[0] in names else names[0]
        table = table[table["dataset"] == chosen]
    datasets, sources = list(table["dataset"].unique()), list(table["source"].unique())
    if across and set(datasets) == set(across) and sources == ["original"]:
        return table, wanted, "original", True
    dataset, source = (", ".join(map(str, listed)) for listed in (datasets, sources))
    return table, dataset, source, not across and wanted in (dataset, ANY_DATA)
