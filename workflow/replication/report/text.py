"""Text of the report: numbers that link to their rows, terms that link to the glossary, names as classes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import pandas as pd
from markupsafe import Markup, escape

from replication.claims.answers import MARKS, MEASUREMENT, is_hollow, word_of
from replication.shared.tables import format_number

_NUMBER = re.compile(r"(?<![\w.\-])[+\-−]?\d+(?:[.,]\d+)*(?:e[+\-]?\d+)?(?:\s?%)?(?![\w.])")

# Names of methods and metrics as they are in the metrics, and a difference of two of them.
_CODE_NAME = re.compile(r"(?<![\w.-])[a-z]+(?:_[a-z0-9]+)*(?![\w])")
_MINUS = re.compile(r"(?<=[A-Za-z)]) - (?=[A-Za-z])")
_NAMES = {
    "c_lle": "C-LLE",
    "ge": "GE",
    "knn": "kNN",
    "k_means": "k-means",
    "lle": "LLE",
    "mce": "MCE",
    "mds": "MDS",
    "nm_ge": "NM-GE",
    "pca": "PCA",
    "r_squared": "R²",
    "ssage": "SSAGE",
}
_PART = re.compile(rf"(?<![a-z0-9])(?:{'|'.join(name for name in _NAMES if '_' in name)})(?![a-z0-9])|[a-z0-9]+")
# Parts of names that are words, or parts of others, by themselves.
_MARKS = {"fine": "FINE", "le": "LE", "isomap": "Isomap", "n": "number of", "s": "S", "us": "US"}


def link_numbers(text: str, target: str) -> Markup:
    """A text whose numbers link to an anchor; with no target, as it is."""
    if not target:
        return escape(text)
    return _replaced(_NUMBER, text, lambda match: _number_link(match[0], target))


def link_terms(text: str, terms: Sequence[Mapping[str, str]]) -> Markup:
    """A text in which the first occurrence of each abbreviation links to its entry in the glossary."""
    abbreviations = [entry for entry in terms if re.fullmatch(r"\S*[A-Z]\S*", entry["term"])]
    names = {entry["term"]: entry["name"] or entry["text"] for entry in abbreviations}
    if not names:
        return escape(text)
    seen: set[str] = set()

    def link(match: re.Match[str]) -> Markup:
        if match[0] in seen:
            return escape(match[0])
        seen.add(match[0])
        form = Markup('<a class="term" href="#term-{}" title="{}">{}</a>')
        return form.format(slug(match[0]), names[match[0]], match[0])

    return _replaced(_any_of(tuple(names)), text, link)


def depends_on(sensitivity: Mapping[str, object]) -> Markup:
    """How a verdict depends on what the paper leaves open, in words."""
    holds, low, high = (f"{100 * float(sensitivity[name]):.0f}" for name in ("holds", "low", "high"))
    text = Markup("holds in <strong>{} %</strong> of {} universes (95 % interval {} to {} %)").format(
        holds, f"{float(sensitivity['universes']):.0f}", low, high
    )
    choice, share = sensitivity["choice"], sensitivity["share"]
    if choice and not pd.isna(choice) and not pd.isna(share):
        words = "; most moved by <a href='#{}'>{}</a>, {} ({:.0f} % of the variance of its score, p = {:.2g})"
        text += Markup(words).format(
            choice, choice, sensitivity["detail"], 100 * float(share), float(sensitivity["p (Holm)"])
        )
    return text


def chip(answer: str) -> Markup:
    """An answer in its colour, with its sign; its value is its place among the words."""
    word = word_of(answer)
    sign = Markup('<span aria-hidden="true">{}</span> ').format(MARKS[word].sign) if word in MARKS else ""
    look = slug(word) + (" hollow" if is_hollow(answer) else "")
    place = [*MARKS, MEASUREMENT].index(word)
    return Markup('<data class="v {}" value="{}">{}{}</data>').format(look, place, sign, word)


def slug(text: object) -> str:
    """A text as the name of a class or an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", str(text).lower()).strip("-")


def in_words(name: str) -> str:
    """Name of a file or of a source as words: "first_five" is "First five"."""
    words = name.replace("_", " ").replace("-", " ")
    return words[:1].upper() + words[1:]


def measured_words(text: str) -> str:
    """What was measured for a claim, with the names of the metrics as words: "mce - single" is "MCE minus single"."""
    return _CODE_NAME.sub(_name_in_words, _MINUS.sub(" minus ", text))


def _name_in_words(match: re.Match[str]) -> str:
    name = match[0]
    if name in _NAMES:
        return _NAMES[name]
    if "_" not in name:
        return name
    return " ".join(_NAMES.get(part) or _MARKS.get(part, part) for part in _PART.findall(name))


def cell_text(value: object) -> str:
    """A cell of a table."""
    return format_number(value) if isinstance(value, int | float) else str(value)


def exact_text(value: object) -> str:
    """A value of the metrics with six digits; nothing where a condition does not apply."""
    if not isinstance(value, int | float):
        return str(value)
    return "" if value != value else f"{value:.6g}"


def _number_link(number: str, target: str) -> Markup:
    return Markup('<a href="#{}">{}</a>').format(target, number)


@lru_cache
def _any_of(terms: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(terms, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])")


def _replaced(pattern: re.Pattern[str], text: str, replace: object) -> Markup:
    parts, end = [], 0
    for match in pattern.finditer(text):
        parts += [escape(text[end : match.start()]), replace(match)]
        end = match.end()
    return Markup("").join([*parts, escape(text[end:])])
