"""
What the pages of results show in addition to `committed_numbers`: numbers of a claim, settings, tables of verdicts.

Importing this module gives the pages these functions. A number that is not where a page expects it is an error, so that
a page never shows an old one.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import Any

import committed_numbers
import pandas as pd
import yaml
from committed_numbers import COMMITTED, ROOT, as_number, committed, known_columns, rows, several, value
from replication.arena.arena_names import METHOD_NAMES
from replication.catalogue.configuration import read_configuration
from replication.catalogue.experiments import EXPERIMENTS, PAPER_OF
from replication.catalogue.papers import PAPERS
from replication.claims.answers import MARKS, ON_SUBSTITUTE, data_of, word_of
from replication.claims.clauses import answer_parts, answer_text, short_answers
from replication.report.text import chip, measured_words, slug
from replication.shared.tables import to_markdown
from replication.shared.tidy import read_table

TEMPLATES = ROOT / "docs" / "templates" / "results"
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
SOURCES = {
    "original": "the paper's data",
    "simulated": "simulated",
    "public-substitute": "public substitute",
}


@cache
def _configuration(name: str) -> dict[str, Any]:
    return yaml.safe_load((ROOT / "config" / f"{name}.yaml").read_text(encoding="utf-8"))


def config(path: str, name: str = "config") -> Any:
    """A default setting, such as "spectra.n_studies", or one of a file of config."""
    setting = read_configuration() if name == "config" else _configuration(name)
    for key in path.split("."):
        if key not in setting:
            raise ValueError(f"config/{name}.yaml has no {path}.")
        setting = setting[key]
    return setting


def num(name: str, column: str, *keys: object, **where: object) -> float:
    """The number that the one cell under the keys of `rows` begins with."""
    return as_number(value(name, column, *keys, **where), name, column)


def nums(name: str, columns: str | list[str], *keys: object, **where: object) -> list[float]:
    """The numbers of one or several columns, in all rows under the keys of `rows`."""
    table = rows(name, *keys, **where)
    known_columns(name, several(columns))
    return [as_number(cell, name, column) for column in several(columns) for cell in table[column]]


def claim_row(claim: str) -> pd.Series:
    """The row of a claim in the committed ledger."""
    return rows("claims", id=claim).iloc[0]


def measured(claim: str, pattern: str, place: int = 0, column: str = "measured") -> str:
    """
    A number of what was measured for a claim, as the ledger has it; a ValueError if its sentence has none.

    In the pattern "#" is the number, "..." is any words, and everything else is itself; `place` counts the matches from
    0; `column` is "measured" or "measured_on_new_data".
    """
    sentence = claim_row(claim)[column]
    before, _, after = (re.escape(pattern).replace(r"\.\.\.", ".*?").replace(r"\#", "#")).partition("#")
    numbers = re.findall(rf"{before}(?<![\d.])({NUMBER.pattern}){after}", sentence)
    if len(numbers) <= place:
        raise ValueError(f"{claim}, {column}: {pattern!r} is not in {sentence!r}.")
    return numbers[place]


def printed(claim: str, place: int = 0) -> str:
    """A number that the paper prints for a claim: the first (0), second (1), ... of the column paper_value."""
    return NUMBER.findall(re.sub(r"(?<=\d)-(?=\d)", " ", claim_row(claim)["paper_value"]))[place]


def claim(name: str, folder: str = "") -> str:
    """A link to the row of a claim in the table of verdicts of its page; `folder` leads to docs/results."""
    return f"[{name}]({folder}{claim_row(name)['paper']}.md#{name.lower()})"


def choice(name: str, folder: str = "../") -> str:
    """A link to the row of a choice; `folder` leads to docs."""
    return f"[{name}]({folder}choices.md#{name.lower()})"


def _choices(words: str, folder: str) -> str:
    """Words of a cell in which each choice is a link."""
    return re.sub(r"\bCH-\d+", lambda m: choice(m[0], folder), _cell(words))


def _table(head: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """A table whose cells are Markdown."""
    head = list(head)
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *lines])


def verdict_table(paper: str) -> str:
    """The claims of a paper as a table, with an anchor each; what was measured is folded."""
    lines = []
    for row in rows("claims", paper=paper).itertuples():
        mark = f'<span id="{row.id.lower()}"></span>**{row.id}**<br>{row.answer}'
        folded = "".join(f"<b>{name}</b>: {_choices(words, '../')}<br>" for name, words in _more(row) if words)
        folded += f"<b>Rows</b>: {_link_to_rows(row.experiment, '../../')}"
        says = f"{_cell(row.statement)}<br>Printed: {_cell(row.paper_value)}"
        lines.append([mark, f"{says} <details><summary>Measured, and why</summary>{folded}</details>"])
    return _table(["claim and answer", "what the paper says, and what it prints"], lines)


def _link_to_rows(experiment: str, root: str) -> str:
    """A link to the rows of the metrics behind the verdicts on an experiment."""
    return f"[{experiment}]({root}resources/paper/rows/{experiment}.tsv.gz)"


def _more(row: Any) -> Iterable[tuple[str, str]]:
    """What is folded under a claim: name -> words."""
    source = ", ".join(SOURCES.get(source, source) for source in row.source.split(", "))
    return {
        "Verdict": row.verdict,
        "Measured": measured_words(row.measured),
        "Reason": row.reason,
        "On new data": " – ".join(filter(None, [row.on_new_data, measured_words(row.measured_on_new_data)])),
        "With other choices": row.other_choices,
        "Rule": row.margin,
        "In the paper": row.where,
        "Data": f"{row.dataset} ({source})",
    }.items()


def _cell(words: str) -> str:
    """Words as they are in a cell of a Markdown table: nothing in them is markup."""
    escaped = html.escape(words, quote=False).replace("|", "\\|")
    return re.sub(r"([*_`\[\]#~$])", r"\\\1", escaped)


def ledger_table() -> str:
    """All claims, each linked to its row on the page of its paper and to the rows of the metrics behind its verdict."""
    columns = ["claim", "paper", "what the paper says", "answer", "data", "verdict", "decided by", "rows"]
    lines = []
    for row in committed("claims").to_dict("records"):
        paper = f"[{PAPERS[row['paper']].short_title}](results/{row['paper']}.md)"
        reading = f"<br>Another reading of {row['reading_of']}" if row["reading_of"] else ""
        cells = [claim(row["id"], "results/"), paper, _cell(row["statement"]) + reading]
        cells += [chip(row["answer"]), data_of(row)]
        lines.append([*cells, row["verdict"], _choices(row["decided_by"], ""), _link_to_rows(row["experiment"], "../")])
    return _table(columns, lines)


def markdown(table: pd.DataFrame) -> str:
    """A table of text in Markdown."""
    return _table(map(_cell, table.columns), (map(_cell, line) for line in table.astype(str).to_numpy()))


def show(
    name: str | list[str],
    columns: dict[str, str] | list[str] | None = None,
    decimals: int | None = None,
    as_committed: tuple[str, ...] | list[str] = (),
    **where: object,
) -> str:
    """
    Rows of one or several committed tables in Markdown, one below the other; p-values have two digits.

    `columns` are those shown, by default all, or column -> name on the page. `decimals` is of entries that are plain
    numbers, by default as committed, apart from the columns in `as_committed`, such as means of counts. `where` as for
    `rows`.
    """
    table = pd.concat([rows(table_name, **where) for table_name in several(name)])
    if columns is not None:
        table = table[list(columns)]
    if isinstance(columns, dict):
        table = table.rename(columns=columns)
    for column in table.columns.difference(as_committed):
        if column.startswith("p (") or column.endswith("p value"):
            table[column] = table[column].map(lambda cell: f"{float(cell):.2g}" if cell else cell)
        elif decimals is not None:
            table[column] = table[column].map(
                lambda cell: f"{float(cell):.{decimals}f}" if re.fullmatch(r"-?\d+\.\d+", cell) else cell
            )
    return markdown(table)


def sensitivity_table() -> str:
    """For each claim the share of universes in which it holds, and the choice that moves it most."""
    full = committed("claims").set_index("id")["verdict"]
    head = ["claim", "holds in (%), 95 %", "with every default", "at full size", "moved most by"]
    head += ["share of the variance", "p (Holm)"]
    lines = []
    for row in committed("sensitivity").to_dict("records"):
        share, low, high = (f"{100 * float(row[name]):.0f}" for name in ("holds", "low", "high"))
        lines.append(
            [
                claim(row["claim"], "results/"),
                f"{share} ({low} to {high})",
                {"1": "holds", "0": "does not"}.get(row["default"], ""),
                full[row["claim"]],
                _choices(f"{row['choice']}, {row['detail']}", "") if float(row["share"]) > 0 else "nothing",
                _fixed(row["share"]),
                f"{float(row['p (Holm)']):.3g}",
            ]
        )
    return _table(head, lines)


def repetitions_table() -> str:
    """For each experiment how often it repeats what, and which verdicts other numbers of repetitions would change."""
    repetitions = committed("repetitions").astype({"repetitions": int, "settled from": int})
    head = ["experiment", "repetitions", "claims", "settled by half of the repetitions", "settled later"]
    lines = []
    for experiment, claims in repetitions.groupby("experiment", sort=False):
        first = claims.iloc[0]
        late = claims[claims["settled from"] > first["repetitions"] / 2]
        changes = "; ".join(
            f"{claim(row['id'], 'results/')} at {row['settled from']}, "
            + (f"before that {row['other verdict']}" if row["other verdict"] else "not testable on fewer")
            for row in late.to_dict("records")
        )
        repeats = f"{first['repetitions']} {first['repeated']}"
        lines.append([experiment, repeats, str(len(claims)), str(len(claims) - len(late)), changes])
    return _table(head, lines)


def choices_table(paper: str) -> str:
    """What a paper leaves open, what was chosen, why, and what else could have been."""
    table = pd.read_csv(ROOT / "config" / "choices.tsv", sep="\t", dtype=str, keep_default_na=False, quoting=3)
    lines = []
    for row in table[table["paper"] == paper].itertuples():
        more = {"Set in": row[5], "Alternatives": row[7]}
        folded = "<br>".join(f"<b>{name}</b>: {_cell(words)}" for name, words in more.items() if words)
        details = f" <details><summary>More</summary>{folded}</details>" if folded else ""
        mark = f'<span id="{row.id.lower()}"></span>**{row.id}**'
        lines.append([mark, _cell(row[3]), f"{_cell(row[4])}<br>**Why:** {_cell(row[6])}{details}"])
    return _table(["choice", "what is open", "chosen, and why"], lines)


def arena_advice() -> str:
    """What to use for which aim, with the intervals in one cell each."""
    table = read_table(COMMITTED / "arena_advice.tsv")

    def interval(value: str, low: str, high: str, form: str) -> pd.Series:
        cells = zip(table[value], table[low], table[high], strict=True)
        return pd.Series(["" if pd.isna(x) else f"{x:{form}} ({a:{form}} to {b:{form}})" for x, a, b in cells])

    gain = interval("gain over a random run", "gain low", "gain high", "+.3f")
    measure = table["measure"].map(_on_the_page)
    return to_markdown(
        pd.DataFrame(
            {
                "if you care about": table["if you care about"],
                "use": table["use"].map(_as_in_the_figure),
                "not shown to be worse, or why not": table["not shown to be worse"].map(_as_in_the_figure),
                "lowest mean rank (95 %)": table["lowest mean rank"].map(_as_in_the_figure)
                + ": "
                + interval("mean rank", "rank low", "rank high", ".1f"),
                "gain over a random run (95 %)": (measure + ": " + gain).where(gain != "", ""),
                "data sets": table["data sets"],
            }
        )
    )


def arena_scores() -> str:
    """Mean scores of every method, without those that another machine changes."""
    table = read_table(COMMITTED / "arena_scores.tsv").drop(columns=["seconds"])
    table["method"] = table["method"].map(_as_in_the_figure)
    return to_markdown(table.set_index("method").round(3).rename(columns=_on_the_page).reset_index())


def _as_in_the_figure(methods: str) -> str:
    """Methods, divided by commas, by their names in the figure; other words stay."""
    return ", ".join(METHOD_NAMES.get(method, method) for method in methods.split(", ")) if methods else methods


def _on_the_page(score: str) -> str:
    """The name of a score of the arena, as the text of its page writes it."""
    written = {"neighbor": "neighbour", "ari": "ARI", "peak mb": "peak MB"}
    return re.sub(r"neighbor|\bari\b|peak mb", lambda m: written[m[0]], score.replace("_", " "))


def papers() -> list[str]:
    """The papers in the order of the ledger."""
    return list(dict.fromkeys(committed("claims")["paper"]))


def question(paper: str) -> str:
    """The question of a paper, as the report has it."""
    return PAPERS[paper].answer.question


def answer(paper: str, *, cited: bool = True) -> str:
    """What came out for a paper in plain words, with links to the rows behind it on its own page."""

    def link(row: str) -> str:
        name, _, more = row.partition(" ")
        return f"{claim(name)} {more}".strip()

    return answer_text(answer_parts(PAPERS[paper].answer), link if cited else None)


def sign(answer: str, root: str = "../") -> str:
    """The sign of an answer as a picture; `root` leads to the project."""
    return f"![{answer}]({root}resources/signs/{slug(answer)}.svg)"


def short_table(root: str = "../") -> str:
    """A key of the signs; what each paper is about, and what came out in a few words."""
    ledger = {row["id"]: row for row in committed("claims").to_dict("records")}
    short = {paper: short_answers(PAPERS[paper].answer, ledger) for paper in papers()}
    shown = {word_of(answer) for answers in short.values() for answer, *_ in answers}
    key = [f"{sign(word, root)} {word}" for word in MARKS if word in shown]
    key.append(f"{sign('holds' + ON_SUBSTITUTE, root)} hollow: at least in part on a substitute for the paper's data")
    readings = "Where a claim turns on a detail that its paper leaves open, each reading has a line of its own here."
    lines = []
    for paper, answers in short.items():
        declared = PAPERS[paper]
        link = f"[{declared.short_title}]({root}docs/results/{paper}.md)"
        found = "<br>".join(f"{sign(answer, root)}&nbsp;{words}: **{word}**" for answer, words, word in answers)
        lines.append([f"**{link}**<br>{declared.answer.topic}", found])
    return f"Signs: {', '.join(key)}. {readings}\n\n{_table(['paper', 'claim and answer'], lines)}"


def experiments_table() -> str:
    """Every experiment by its name, a target of Snakemake, with its paper, what it is about, and its claims."""
    decided = committed("claims").groupby("experiment")["id"]
    lines = []
    for name, experiment in EXPERIMENTS.items():
        paper = PAPERS[PAPER_OF[name]].short_title if PAPER_OF[name] else "all"
        claims = ", ".join(map(claim, decided.get_group(name))) if name in decided.groups else ""
        lines.append([f"`{name}`", paper, experiment.title, claims])
    return _table(["experiment", "paper", "about", "decides"], lines)


def title(paper: str) -> str:
    """The title of the page of a paper."""
    return (TEMPLATES / f"{paper}.md").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def caption(experiment: str, figure: str) -> str:
    """The caption of a figure, as the report has it; for the line below the picture, set in italics."""
    return _cell(EXPERIMENTS[experiment].figures[figure].caption)


def references() -> str:
    """References of the software and of the papers, as CITATION.cff has them."""
    citation = _citation()
    software = f"{citation['authors'][0]['name']}. {citation['title']}, version {citation['version']}."
    return "\n".join(f"- {line}" for line in (software, *map(_reference, citation["references"])))


def reference(paper: str) -> str:
    """The reference of one paper."""
    works = _citation()["references"]
    return next(
        _reference(work) for work in works if f"{work['authors'][0]['family-names']}{work['year']}".lower() == paper
    )


def bibtex() -> str:
    """The software as an entry of BibTeX; an organisation in braces is one name."""
    citation = _citation()
    fields = {
        "author": f"{{{citation['authors'][0]['name']}}}",
        "title": f"{{{citation['title']}}}",
        "version": citation["version"],
        "year": citation["date-released"].year,
    } | {name: citation[key] for name, key in (("doi", "doi"), ("url", "repository-code")) if key in citation}
    lines = (f"  {name} = {{{value}}}," for name, value in fields.items())
    return "\n".join(["```bibtex", "@software{consensus_embedding,", *lines, "}", "```"])


def _citation() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def _reference(work: dict[str, Any]) -> str:
    names = [(author["family-names"], author["given-names"].split()) for author in work["authors"]]
    authors = ", ".join(f"{family} {''.join(name[0] for name in given)}" for family, given in names)
    pages = "-".join(work[key] for key in ("start", "end") if key in work)
    journal = f" *{work['journal']}* {work['volume']}:{pages}." if "journal" in work else ""
    address = f"https://doi.org/{work['doi']}" if "doi" in work else work.get("url", "")
    return f"{authors} ({work['year']}). {work['title']}.{journal}" + (f" <{address}>" if address else "")


def _mean(values: Iterable[float]) -> float:
    values = list(values)
    return sum(values) / len(values)


def _fixed(value: float | str, decimals: int = 2) -> str:
    """A number with so many decimals, a half rounded up; never -0."""
    exact = Decimal(str(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return f"{exact:f}".lstrip("-") if exact == 0 else f"{exact:f}"


def _signed(value: float | str, decimals: int = 2) -> str:
    shown = _fixed(value, decimals)
    return shown if shown.startswith("-") else f"+{shown}"


def _percent(value: float | str, decimals: int = 0) -> str:
    return _fixed(100 * Decimal(str(value)), decimals)


def _span(values: Iterable[float], decimals: int = 2) -> str:
    """The least and the most of several numbers: "0.55 to 0.65"."""
    numbers = list(values)
    low, high = _fixed(min(numbers), decimals), _fixed(max(numbers), decimals)
    return low if low == high else f"{low} to {high}"


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        answer, arena_advice, arena_scores, bibtex, caption, choice, choices_table, claim, config, experiments_table,
        ledger_table, measured, num, nums, papers, printed, question, reference, references, repetitions_table,
        sensitivity_table, short_table, show, sign, title, verdict_table,
    )
}  # fmt: skip
FILTERS: dict[str, Callable[..., Any]] = {
    "mean": _mean,
    "fixed": _fixed,
    "signed": _signed,
    "percent": _percent,
    "span": _span,
}
committed_numbers.FUNCTIONS.update(FUNCTIONS)
committed_numbers.FILTERS.update(FILTERS)
