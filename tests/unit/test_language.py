"""Texts that a user meets from the code are in plain English: none of the words that ask to be read twice."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "workflow"
# Pattern -> what to write instead.
WORDS = {
    r"\b(stands?|stood)\b": "is, appears, represents",
    r"\bbeside\b": "next to, in addition to, compared with",
    r"\b(told|tells?)\b": "reported, shows, separates",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bbut for\b": "except",
    r"(?<!there )\b(is|are) no\b(?! (better|larger|longer|more)\b)": "is not a",
    # What is true holds; what has parts contains them.
    r"\b(holds?|held) (NaN|infinity|no|all|only|both|the|an?|one|two|at (most|least)|-?\d)\b": "contains, has",
    r"\bwhole\b(?!-mount| regions)": "complete, intact, full, integer",
    r"\blies\b": "is",
    r"(?<!all )\bof which\b": "whose, or two sentences",
    r"\banew\b": "again",
    r"\bper ?cent points\b": "percentage points",
    r"\bthe like\b": "similar",
}
# A part of the measured text of CE-18, and the name of a variant in committed tables: docs/results reads both by name.
ALLOWED = ("beside it {share", "beside it 9", "genes chosen on the whole set (leaks)")
MODULES = sorted(WORKFLOW.rglob("*.py"))
RULES = [*sorted(WORKFLOW.rglob("*.smk")), *(ROOT / name for name in ("Snakefile", "Makefile", "workflow/install.sh"))]
# Tables whose cells a user reads: claims, choices, and the committed ledgers.
TABLES = [ROOT / name for name in ("config/choices.tsv", "tests/regression/ci/claims.tsv")]
TABLES += sorted((ROOT / "resources" / "paper").glob("*.tsv"))
# Other texts, read line by line: configurations, schemas, templates of the report, and the pages.
PATTERNS = [
    *("config/**/*.yaml", "profiles/**/*.yaml", "resources/*.yaml", "workflow/report/*"),
    "workflow/replication/papers/*/claims.yaml",
    *("*.md", "config/*.md", "docs/*.md", "docs/results/*.md"),
]
LINES = sorted({path for pattern in PATTERNS for path in ROOT.glob(pattern)})
# What is code in a text: placeholders of templates, names in backquotes, and names of parameters in a docstring.
CODE = re.compile(r"\{[^{}]*\}|`[^`]*`|\"\w+\"|^ *\w+ : .*$", flags=re.MULTILINE)


def as_text(node: ast.AST) -> str | None:
    """A string as it is read, with {} for each value; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of all strings of three words or more, docstrings of private functions left out."""
    pending = [tree]
    while pending:
        node = pending.pop()
        text = as_text(node)
        if text is None:
            children = list(ast.iter_child_nodes(node))
            is_private = isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name.startswith("_")
            if is_private and ast.get_docstring(node) is not None:
                children.remove(node.body[0])
            pending += children
        elif len(text.split()) > 2:
            yield node.lineno, text


def faults(text: str) -> list[str]:
    """Words of `WORDS` in a text, each with what to write instead and where it is."""
    for allowed in ALLOWED:
        text = text.replace(allowed, "_")
    text = " ".join(CODE.sub(" _ ", text).split())
    return [
        f"'{found[0]}' (better: {better}) in '...{text[max(found.start() - 50, 0) : found.end() + 40]}...'"
        for pattern, better in WORDS.items()
        for found in re.finditer(pattern, text, flags=re.IGNORECASE)
    ]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(WORKFLOW)))
def test_texts_of_a_module(path):
    found = texts(ast.parse(path.read_text(encoding="utf-8")))
    assert [f"line {line}: {fault}" for line, text in found for fault in faults(text)] == []


@pytest.mark.parametrize("path", TABLES, ids=lambda path: str(path.relative_to(ROOT)))
def test_texts_of_a_table(path):
    rows = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False).to_dict("records")
    cells = [(number, text) for number, row in enumerate(rows, 2) for text in row.values() if not text.startswith("{")]
    assert [f"row {number}: {fault}" for number, text in cells for fault in faults(text)] == []


@pytest.mark.parametrize("path", [*RULES, *LINES], ids=lambda path: str(path.relative_to(ROOT)))
def test_texts_of_rules_configurations_and_pages(path):
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    assert [f"line {line}: {fault}" for line, text in lines for fault in faults(text)] == []


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("A claim needs metrics; mend config/choices.tsv.", 1),
        ("X holds NaN or infinity", 1),
        ("the claim holds on the substitute, and holds in all universes", 0),
        ("there is no test; it is no longer needed", 0),
        ("a cell is no number, 3 percent points beside the whole", 4),
        ("the methods `told` and {told:, }", 0),
    ],
)
def test_what_is_found(text, n):
    assert len(faults(text)) == n


def test_strings_and_public_docstrings_are_read():
    code = 'def seen(x):\n    "It stands here."\n    raise ValueError(f"{x} is no number")\n'
    assert [text for _, text in texts(ast.parse(code))] == ["{} is no number", "It stands here."]
    private = code.replace("seen", "_seen")
    assert [text for _, text in texts(ast.parse(private))] == ["{} is no number"]
