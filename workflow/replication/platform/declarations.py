"""
What a paper declares: its answer with the claims behind it, its experiments, and its families of universes.

It imports nothing heavy: the rules read the declarations too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from replication.platform.steps import Files, Seconds, Steps
from replication.platform.study import Study

if TYPE_CHECKING:
    from replication.platform.settings import Settings


def no_settings(study: Any) -> dict[str, Any]:
    """What a declaration gives by default: nothing."""
    return {}


@dataclass(frozen=True)
class Family:
    """A group of experiments whose claims are judged under many choices; its module is ``universe_<name>``."""

    experiments: tuple[str, ...]  # Its study returns their metrics, and their claims are judged in its universes.
    sections: tuple[str, ...]  # The sections of the configuration that its study reads.
    position: int  # Families are run and listed by it.
    # Section -> key -> value that replaces that of the study, to make its experiments small: the default of
    # multiverse.reduced in the configuration.
    reduced: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # Those of the experiments whose settings have to fit also where they are not run: its study reads them.
    needs: tuple[str, ...] = ()
    # Of the study at its reduced size: what it makes for other experiments as well, and the universes read.
    files: Callable[[Study], Files] = no_settings
    takes: Seconds | None = None  # A job of its universes.


@dataclass(frozen=True)
class Figure:
    """A figure of an experiment."""

    function: str  # "module.function" of the package of the paper; it returns a matplotlib Figure.
    caption: str


@dataclass(frozen=True)
class Own:
    """What the report says of an experiment on the user's own data alone, in place of what it says of the paper."""

    text: str  # What it asks of the user's data, and how to read it; paragraphs are parted by an empty line.
    captions: Mapping[str, str] = field(default_factory=dict)  # Of figures whose own caption speaks of the paper.
    # Figures that need data which the user does not have, such as a sweep of a simulator; they are not drawn.
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stages:
    """
    Rising numbers of units that an experiment draws, the next while a claim on it is undecided; the last is the cap.

    Each number is a look at the data: p-values of its claims are multiplied by how many there are (Bonferroni), so that
    looking again costs nothing in error.
    """

    setting: str  # Key of the configuration, such as "pathology.cohorts".
    units: tuple[int, ...]
    claims: tuple[str, ...] = ()  # The claims that these units decide; none: all of the experiment.

    def decide(self, claim: str) -> bool:
        """Whether more of these units would decide a claim of the experiment."""
        return not self.claims or claim in self.claims


@dataclass(frozen=True)
class Experiment:
    """
    Declaration of an experiment: ``EXPERIMENT`` in its module in the folder ``experiments`` of its paper.

    Its metrics come from a rule ``run_<name>``. The rules ``present_<name>`` and ``<name>``, its place in the report
    and the list of experiments that a configuration may name come from here. The functions behind its tables and
    figures ask for what they need by the names of their parameters:

    * ``metrics``: its tidy metrics, a DataFrame;
    * a name in `reads`;
    * ``<table>_table``: a table that comes before it in `tables`, a DataFrame;
    * a setting that `given` names.
    """

    name: str  # That of its module.
    title: str  # What it is about, in a few words.
    text: str  # What it asks, and how; paragraphs are parted by an empty line.
    position: int = 0  # The experiments of a paper are listed by it.
    # Table -> "module.function" of the package of the paper; it returns a DataFrame.
    tables: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    # What the functions ask for besides the metrics: "picks" (tables/picks.tsv), "choices" (config/choices.tsv), or the
    # stem of a file <name>.npz in the folder of the experiment; a mapping of arrays, and where the rules give several
    # files a mapping of these.
    reads: tuple[str, ...] = ()
    # Tables that its steps write, besides what it picks.
    run_tables: Callable[[Study], Iterable[str]] = no_settings
    own: Own | None = None  # If it may run on the user's own data.
    # "module.function" of the package of the paper that scores a method that a configuration adds; it returns Metrics.
    # It asks by the names of its parameters for ``method`` (an AddedMethod), ``seed``, and the files and settings in
    # `added_parts`. Empty: the experiment takes no added methods.
    added: str = ""
    # "module.NAMES" of the package of the paper: names of the project's own methods in it, by what metrics call them.
    method_names: str = ""
    settings: type[Settings] | None = None  # The model of its section of the configuration.
    # Lines about settings of a configuration that do not fit other sections; asked only if the experiment is run.
    check: Callable[[Mapping[str, Any]], Iterable[str]] = no_settings
    steps: Steps = ()  # How it is run; the last one is called ``run_<name>`` and writes ``metrics``.
    # Where the names in `reads` are, if not in the folder of the experiment.
    files: Callable[[Study], Files] = no_settings
    # Settings that the functions behind tables and figures ask for by name.
    given: Callable[[Study], Mapping[str, Any]] = no_settings
    # Part -> the files and the settings that `added` asks for.
    added_parts: Callable[[Study], Mapping[str, tuple[Files, Mapping[str, Any]]]] = no_settings
    stages: Stages | None = None  # Of one that draws more units while its claims are undecided.
    own_only: Callable[[Study], bool] = no_settings  # Whether it reads the user's own data and no others.
    # File that it makes of the user's own data -> what it shows; a mapping if it makes them of own data alone.
    own_results: Callable[[Study], Mapping[str, str]] | Mapping[str, str] = no_settings
    present_seconds: float = 4.2  # Of its tables and figures, on the reference machine of `Seconds`.

    @property
    def calibrates(self) -> bool:
        """Whether it picks settings of the configuration. The target ``calibration`` runs all that do."""
        return "picks" in self.reads

    def results_of_own(self, study: Study) -> Mapping[str, str]:
        """Files that it makes of the user's own data in a study -> what they show."""
        if callable(self.own_results):
            return self.own_results(study)
        return self.own_results if self.own_only(study) else {}

    def tables_of_steps(self, study: Study) -> list[str]:
        """Tables that its steps write."""
        return [*(["picks"] if self.calibrates else []), *self.run_tables(study)]


@dataclass(frozen=True)
class Clause:
    """A part of an answer, and the rows of the ledger that carry it."""

    text: str  # Half a sentence in plain words, without measured numbers; it begins with a small letter.
    word: str  # What all of its rows have to say, as `claims.clauses.WORDS` puts their verdicts.
    # The id of a claim, such as "OS-09"; "OS-09 on new data" and "FI-10 with CH-66" are its other verdicts, and "MC-18
    # over all choices" is its answer.
    rows: tuple[str, ...]
    # What a control says that could overturn it, such as a comparison with a vote. It follows the text, and one is
    # never shown without the other.
    unless: Clause | None = None
    # What is claimed, in two to seven plain words that `word` answers by yes, no, partly or undecided. Empty where the
    # first screen of a page leaves the clause out, and `unless` with it.
    short: str = ""


@dataclass(frozen=True)
class Answer:
    """What a paper asks, and what came out."""

    topic: str  # What the paper is about, in a few plain words.
    question: str  # One plain sentence.
    # What came out at paper scale, a sentence each. The report of a study shows the clauses that the rows of its ledger
    # carry; a test compares all of them with the paper-scale ledger.
    sentences: tuple[tuple[Clause, ...], ...]
    figure: str  # "<experiment>/figures/<name>.png", the main result, below the results of a study.
    paper_scale: str  # The same figure of the paper-scale study, relative to the project.


@dataclass(frozen=True)
class Paper:
    """Declaration of a paper, ``PAPER`` in the module ``paper`` of its package."""

    title: str  # Authors and year, as the report shows them.
    short_title: str  # First author and year.
    position: int  # Papers are listed by it.
    ledger_position: int  # Claims of all papers are listed by it.
    families: Mapping[str, Family]  # Families of universes, by name.
    answer: Answer | None = None
