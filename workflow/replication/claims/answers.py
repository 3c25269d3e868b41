"""The five words that a reader meets first: the verdicts that each stands for, its sign, its colours, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

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
)

# A number that is shown next to the paper's and not judged: it is no claim.
MEASUREMENT = "measurement"
# Verdict on the paper's data -> word; on a substitute the word is the same, with this ending.
ANSWERS = {
    REPRODUCED: "holds",
    DIRECTION_ONLY: "partly",
    IN_PART: "partly",
    MIXED: "partly",
    NO_EFFECT: "does not hold",
    NOT_REPRODUCED: "does not hold",
    INCONCLUSIVE: "undecided",
    TRIVIALLY_TRUE: "nothing to test",
    NOT_TESTABLE: "nothing to test",
    CONTEXT: MEASUREMENT,
}
ON_SUBSTITUTE = " on the substitute"


@dataclass(frozen=True)
class Mark:
    """How a word is shown: a sign, a colour that can be read on white, and a fill on which `ink` can be read."""

    sign: str
    colour: str
    fill: str
    ink: str = "#FFFFFF"


# Blue, amber, rust and greys: colour-blind readers tell them apart, and the fills differ without colour too.
MARKS = {
    "holds": Mark("✓", "#005F96", "#005F96"),
    "partly": Mark("◐", "#855400", "#F2C14E", ink="#3D2900"),
    "does not hold": Mark("✗", "#A83C00", "#A83C00"),
    "undecided": Mark("?", "#5A5A5A", "#5A5A5A"),
    "nothing to test": Mark("–", "#5A5A5A", "#E2E2E2", ink="#333333"),
}


def answer_to(verdict: str, of_the_paper: bool) -> str:
    """The word for a verdict, as it is named on the paper's data."""
    word = ANSWERS[verdict]
    return word if of_the_paper or word == MEASUREMENT else word + ON_SUBSTITUTE


def with_choices(answer: str, others: Iterable[str], *, identity: bool = False) -> str:
    """
    The answer to a claim, given the verdicts with other choices of what its paper leaves open, as on the paper's data.

    Where one choice confirms the claim and another contradicts it, the paper does not say enough: "partly". So it is
    where the default is undecided and another choice confirms. A default that leaves nothing to test yields to the
    choices that leave something, unless the claim is an `identity`, true by its formulas.
    """
    word, verdicts = word_of(answer), set(others)
    words = {ANSWERS[verdict] for verdict in verdicts}
    if word == "nothing to test" and not identity:
        said = words & {"holds", "partly", "does not hold"} or words & {"undecided"} or {word}
        return answer.replace(word, said.pop() if len(said) == 1 else "partly")
    confirmed = bool(verdicts & {REPRODUCED, DIRECTION_ONLY, IN_PART})
    turned = "does not hold" in words if word == "holds" else confirmed and word in ("does not hold", "undecided")
    return answer.replace(word, "partly") if turned else answer


def word_of(answer: str) -> str:
    """An answer without its data: one of the five words, or "measurement"."""
    return answer.removesuffix(ON_SUBSTITUTE)


def is_hollow(answer: str) -> bool:
    """Whether an answer is of a substitute for the paper's data."""
    return answer.endswith(ON_SUBSTITUTE)


def data_of(row: Mapping[str, str]) -> str:
    """On whose data a row of a ledger was judged: "the paper's" or "a substitute"; "" for a measurement."""
    if row["answer"] == MEASUREMENT or not row["source"]:
        return ""
    return "a substitute" if is_hollow(row["answer"]) else "the paper's"


def counted(rows: pd.DataFrame | Iterable[Mapping[str, str]]) -> list[str]:
    """The answers of rows of a ledger, without those that are another reading of a claim."""
    if isinstance(rows, pd.DataFrame):
        rows = rows[["reading_of", "answer"]].to_dict("records")
    return [row["answer"] for row in rows if not row["reading_of"]]


def count_answers(answers: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Word -> number of claims, and how many of these are judged on a substitute; measurements are left out."""
    counts = Counter(answers)
    found = {word: (counts[word] + counts[word + ON_SUBSTITUTE], counts[word + ON_SUBSTITUTE]) for word in MARKS}
    return {word: numbers for word, numbers in found.items() if numbers[0]}


def how_many(answers: Iterable[str]) -> str:
    """The numbers of claims and of measurements in words, such as "10 claims and 3 measurements"."""
    measurements = [answer == MEASUREMENT for answer in answers]
    numbers = {"claim": measurements.count(False), MEASUREMENT: measurements.count(True)}
    return " and ".join(f"{n} {name}{'' if n == 1 else 's'}" for name, n in numbers.items() if n)


def counts_line(answers: Iterable[str]) -> str:
    """How many claims have which word: "holds 6 (4 on a substitute), does not hold 4 (1)"."""
    words, hint = [], " on a substitute"
    for word, (n, hollow) in count_answers(answers).items():
        words.append(f"{word} {n} ({hollow}{hint})" if hollow else f"{word} {n}")
        hint = "" if hollow else hint
    return ", ".join(words)


def summary_line(answers: Iterable[str]) -> str:
    """Counts in one line: "10 claims and 3 measurements: holds 6 (4 on a substitute), does not hold 4 (1)"."""
    answers = list(answers)
    return ": ".join(filter(None, [how_many(answers), counts_line(answers)]))
