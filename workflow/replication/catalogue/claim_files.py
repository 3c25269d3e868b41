"""
The files of claims: read, and refused if anything in them is wrong.

Nothing here looks at numbers or imports what does, so that a workflow can check its claims before anything runs.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import Field, TypeAdapter, ValidationError

from replication import papers
from replication.catalogue.papers import PAPERS, declared_by
from replication.platform.configuration import load_yaml, nearest
from replication.shared.kinds import KINDS as SHARED_KINDS
from replication.shared.kinds import ClaimTest, Model, Text

# The claims of all papers, in the list of files of a configuration.
ALL_PAPERS = "papers"
# The section of claims that name no paper and are in no paper's folder.
OWN = "own claims"
# Of the ledger and of what judges use; a file has `where` as `place`, `margin` as `rule`, and `kind` in its test. In
# the ledger `source` is the origin of the data, and in a test `where` selects rows and `margin` is a number.
COLUMNS = ["id", "reading_of", "paper", "where", "experiment", "kind", "statement", "paper_value", "margin"]
COLUMNS += ["dataset", "test"]

# Also an anchor of the report, where those of experiments and sections begin with a small letter, of choices with CH-.
_ID = r"(?!CH-)[A-Z][\w.-]*"
KINDS: dict[str, type[ClaimTest]] = SHARED_KINDS | declared_by("kinds", "KINDS")


class Claim(Model):
    """A statement that could be wrong, and the test that judges it."""

    id: Text = Field(description="a name that no other claim has, in any of the files, such as MY-01")
    reading_of: str = Field(
        "", description="id of the claim that this is another reading of; it is judged, and not counted apart"
    )
    place: str = Field("", description="where the statement is in the paper, such as a table")
    experiment: Text = Field(description="whose metrics.tsv decides")
    dataset: Text = Field(description="the data of the paper, as the metrics call them; any: it is true of all data")
    statement: Text
    paper_value: str = ""
    rule: str = Field("", description="the test in words, with its margin")
    paper: Text = Field("", description="the section of the report; if not given, that of the file")
    test: Annotated[Union[tuple(KINDS.values())], Field(discriminator="kind")]  # noqa: UP007


_CLAIM = TypeAdapter(Claim)


def claim_files(listed: Iterable[str]) -> list[str]:
    """The files that a configuration lists, with those of the papers in place of "papers"."""
    (folder,) = papers.__path__
    names = sorted(PAPERS, key=lambda name: PAPERS[name].ledger_position)
    of_papers = [Path(folder, name, "claims.yaml") for name in names]
    shipped = [os.path.relpath(path) for path in of_papers if path.is_file()]
    return [path for name in listed for path in (shipped if name == ALL_PAPERS else [name])]


def asks_and_family(kind: str, test: Mapping[str, object]) -> tuple[str, str]:
    """What a claim asks, and over what its p-values are corrected together, or "none"; see `kinds.ClaimTest`."""
    model = KINDS[kind]
    return model.by_criterion.get(test.get("criterion"), (model.asks, model.holm_family))


def read_rows(
    paths: str | Path | Sequence[str | Path] = (ALL_PAPERS,), experiments: Iterable[str] | None = None
) -> list[dict[str, Any]]:
    """Read and check files of claims."""
    known = None if experiments is None else list(experiments)
    rows: list[dict[str, Any]] = []
    seen: dict[str, str] = {}
    for path in claim_files([str(paths)] if isinstance(paths, str | Path) else map(str, paths)):
        for number, raw in enumerate(_claims_in(path), start=1):
            name = raw.get("id") if isinstance(raw, dict) else None
            where = f"{path}: claim {name or f'number {number}'}"
            try:
                claim = _checked(raw, known)
                if not re.fullmatch(_ID, claim.id, re.ASCII):
                    raise ValueError(
                        "expected an id that begins with a capital letter, not with CH-, and has no signs but -, _ and "
                        f"., found {claim.id!r}"
                    )
                if claim.id in seen:
                    raise ValueError(f"expected an id that no other claim has, found that of one in {seen[claim.id]}")
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None
            seen[claim.id] = path
            rows.append(_row(claim, Path(path).parent.name))
    originals = {row["id"] for row in rows if not row["reading_of"]}
    for row in rows:
        if row["reading_of"] and row["reading_of"] not in originals:
            raise ValueError(
                f"{seen[row['id']]}: claim {row['id']}: reading_of: expected the id of a claim that is no reading of "
                f"another, found {row['reading_of']!r}"
            )
    return rows


def _claims_in(path: str) -> list:
    if Path(path).suffix == ".tsv":
        raise ValueError(f"{path}: claims are entries of a YAML file, whose form config/README.md describes.")
    content = load_yaml(path, plain=True)
    if not isinstance(content, list):
        found = "a single mapping" if isinstance(content, dict) else "none"
        raise ValueError(f"{path}: expected a list of claims, each beginning with '- id:', found {found}.")
    return content


def _checked(raw: Any, experiments: list[str] | None) -> Claim:
    """A claim; a ValueError says what is wrong."""
    claim = _valid(raw)
    named = {"experiment": claim.experiment}
    named |= {f"test.choices.{k}.experiment": choice.experiment for k, choice in enumerate(claim.test.choices or [])}
    for name, experiment in named.items() if experiments is not None else ():
        if experiment and experiment not in experiments:
            unknown = _meant(experiment, experiments)
            raise ValueError(f"{name}: expected one of {', '.join(experiments)}; found {unknown}")
    test = raw["test"]
    plain = {key: value for key, value in test.items() if key not in ("new_data", "choices")}
    changed = [("test.new_data", claim.test.new_data)] if "new_data" in test else []
    changed += [(f"test.choices.{k}.with", choice.changes) for k, choice in enumerate(claim.test.choices or [])]
    for name, changes in changed:
        try:
            _valid({**raw, "test": merged(plain, changes)})
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return claim


def _valid(raw: Any) -> Claim:
    try:
        return _CLAIM.validate_python(raw)
    except ValidationError as error:
        raise ValueError(_problem(error, raw)) from None


def _problem(error: ValidationError, raw: Any) -> str:
    """One line on the first thing that is wrong: the field, what was expected, and what was found."""
    # The unknown name is more likely the cause of a missing one than the other way round.
    problems = sorted(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")
    first, kind = problems[0], None
    place = list(first["loc"])
    if place[:1] == ["test"] and len(place) > 1:
        # No file has the kind as a step of its own.
        kind = KINDS[place.pop(1)]
    value = _shown(first["input"])
    if first["type"] == "extra_forbidden":
        model = kind or Claim
        if len(place) > 2:
            model = _model_in(model.model_fields[place[1]].annotation)
        known = [field.alias or key for key, field in model.model_fields.items()]
        return f"{_dotted(place)}: expected one of {', '.join(known)}; found {_meant(str(place[-1]), known)}"
    if first["type"].startswith("union_tag"):
        written = _meant(str(raw["test"]["kind"]), KINDS) if "kind" in raw["test"] else "none"
        return f"test.kind: expected one of {', '.join(KINDS)}; found {written}"
    if first["type"] == "missing":
        missing = [str(problem["loc"][-1]) for problem in problems if problem["type"] == "missing"]
        return f"{_dotted(place[:-1]) or 'claim'}: expected {' and '.join(missing)}, found none in {value}"
    if first["type"] == "value_error":
        return f"{_dotted(place)}: {first['ctx']['error']}"
    wanted = [first["msg"]]
    if kind and get_origin(kind.model_fields[place[1]].annotation) is Union:
        # Each of what the field may be has an error of its own; only those of the whole field are told.
        place = place[:2]
        wanted = [problem["msg"] for problem in problems if problem["loc"][2] == place[1] and len(problem["loc"]) == 4]
    expected = " or ".join(message.removeprefix("Input should be ") for message in wanted)
    return f"{_dotted(place)}: expected {expected}, found {value}"


def _model_in(annotation: Any) -> type[Model] | None:
    """The model inside a type such as list[Model] or Model | None."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


def _dotted(place: Sequence[str | int]) -> str:
    return ".".join(map(str, place))


def _shown(value: object) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]} ..."


def _meant(word: str, known: Iterable[str]) -> str:
    close = nearest(word, list(known))
    return f"{word!r} (did you mean {close}?)" if close else repr(word)


def _row(claim: Claim, folder: str) -> dict[str, Any]:
    test = claim.test.model_dump(exclude_unset=True, exclude={"kind"}, by_alias=True)
    given = {"id": claim.id, "paper": claim.paper or (folder if folder in PAPERS else OWN), "where": claim.place}
    given |= {"margin": claim.rule, "kind": claim.test.kind, "test": test}
    return {column: given[column] if column in given else getattr(claim, column) for column in COLUMNS}


def merged(test: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a claim with some of them changed; inside a section key by key, without those that become null."""
    inner = {
        key: {name: entry for name, entry in {**test[key], **value}.items() if entry is not None}
        for key, value in changes.items()
        if isinstance(value, dict) and isinstance(test.get(key), dict)
    }
    return {**test, **changes, **inner}
