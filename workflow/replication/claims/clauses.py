"""What came out for a paper in plain words: the clauses of its answer that the rows of a ledger carry."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from replication.claims.answers import ANSWERS, ON_SUBSTITUTE, is_hollow, word_of
from replication.claims.judging import NOT_RUN, SUBSTITUTE
from replication.platform.declarations import Answer, Clause

# Verdict, on the paper's data or on a substitute -> its word.
WORDS = ANSWERS | {on_substitute: ANSWERS[verdict] for verdict, on_substitute in SUBSTITUTE.items()}
# The words as answers to a claim of a few words.
YES_OR_NO = {word: word for word in ANSWERS.values()} | {"holds": "yes", "does not hold": "no"}
ROW = re.compile(r"(?P<id>\S+)(?:(?P<new> on new data)|(?P<all> over all choices)| with (?P<choice>CH-\d+))?")


@dataclass(frozen=True)
class Part:
    """Words of an answer, the rows that carry them, what follows the rows, and whether they are its main point."""

    text: str
    rows: tuple[str, ...]
    after: str
    main: bool = False


def words_of(row: str, ledger: Mapping[str, Mapping[str, str]]) -> set[str]:
    """
    What a row of `Clause.rows` says, by the ledger: id of a claim -> its row there.

    One of `WORDS`; several where the levels of a choice differ; none where the claim was not run.
    """
    asked = ROW.fullmatch(row)
    claim = ledger.get(asked["id"])
    if claim is None or claim["reason"].endswith(NOT_RUN):
        return set()
    if asked["all"]:
        return {word_of(claim["answer"])}
    if not asked["choice"]:
        verdicts = [claim["on_new_data" if asked["new"] else "verdict"]]
    else:
        levels = (level.rpartition(": ") for level in claim["other_choices"].split("; "))
        verdicts = [verdict for level, _, verdict in levels if level.startswith(f"{asked['choice']},")]
    return {WORDS.get(verdict, verdict) for verdict in verdicts}


def is_carried(clause: Clause, ledger: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether all rows of a clause, and of what could overturn it, say its word."""
    return all(words_of(row, ledger) == {clause.word} for row in clause.rows) and (
        clause.unless is None or is_carried(clause.unless, ledger)
    )


def short_answers(answer: Answer, ledger: Mapping[str, Mapping[str, str]]) -> list[tuple[str, str, str]]:
    """
    What came out in a few words, of the clauses that have some and that a ledger carries.

    Of each the answer, on the substitute if one of the rows is; what is claimed; and the answer to that, such as "yes".
    """

    def answered(clause: Clause) -> tuple[str, str, str]:
        on_substitute = any(is_hollow(ledger[row.split()[0]]["answer"]) for row in clause.rows)
        return clause.word + ON_SUBSTITUTE * on_substitute, clause.short, YES_OR_NO[clause.word]

    clauses = [one for one in chain(*answer.sentences) if one.short and is_carried(one, ledger)]
    return [answered(said) for one in clauses for said in (one, one.unless) if said]


def answer_parts(answer: Answer, ledger: Mapping[str, Mapping[str, str]] | None = None) -> list[Part]:
    """The parts of an answer: all, or those that a ledger carries."""
    parts = []
    for sentence in answer.sentences:
        clauses = [clause for clause in sentence if ledger is None or is_carried(clause, ledger)]
        for k, clause in enumerate(clauses):
            said = [clause, clause.unless] if clause.unless else [clause]
            ends = [", "] * (len(said) - 1) + [". " if clause is clauses[-1] else "; "]
            texts = [one.text if k or i else one.text[0].upper() + one.text[1:] for i, one in enumerate(said)]
            main = not parts
            parts += [Part(text, one.rows, end, main) for text, one, end in zip(texts, said, ends, strict=True)]
    return parts


def answer_text(parts: Sequence[Part], cite: Callable[[str], str] | None = None) -> str:
    """The sentences of an answer, the main point in bold, each part followed by its rows if `cite` writes them."""

    def written(part: Part) -> str:
        text = f"**{part.text}**" if part.main else part.text
        return f"{text} ({', '.join(map(cite, part.rows))}){part.after}" if cite else f"{text}{part.after}"

    return "".join(map(written, parts)).strip()
