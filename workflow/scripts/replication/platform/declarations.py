"""
What a paper declares: its experiments, kinds of claims, judges, findings and families of universes.

It needs the standard library alone: every job imports the declarations of its paper, and so does the workflow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TESTS = ("value", "order", "count", "trend", "equivalence", "no difference", "context")


@dataclass(frozen=True)
class Kind:
    """
    Declaration of a kind of test.

    Attributes
    ----------
    test : str
        Which test of a claim it makes, of `TESTS`.
    holm_family : str
        Over what its p-values are corrected by Holm's method; "none": a single test, no p-value, or tests of which all
        have to reject, which needs no correction.
    required, optional : mapping
        Parameter -> what it is: "text", "number" and so on, see `replication.ledger.claim_kinds`, or words separated
        by "|".
    one_of : tuple of str
        Optional parameters of which a claim needs at least one.
    needed_with : mapping
        Optional parameter -> further parameters that a claim needs if it has this one.
    """

    test: str
    holm_family: str = "none"
    required: Mapping[str, str] = field(default_factory=dict)
    optional: Mapping[str, str] = field(default_factory=dict)
    one_of: tuple[str, ...] = ()
    needed_with: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """
    A group of experiments whose claims are judged under many choices; its module is ``universe_<name>``.

    Attributes
    ----------
    sections : tuple of str
        The sections of the configuration that its study reads.
    position : int
        Families are run and listed by it.
    """

    sections: tuple[str, ...]
    position: int


@dataclass(frozen=True)
class Paper:
    """
    Declaration of a paper, ``PAPER`` in the ``__init__`` of its package.

    Attributes
    ----------
    title : str
        Authors and year, as the report shows them.
    position : int
        Papers are listed by it.
    experiments : tuple of str
        Each has a module and a rule of its name.
    kinds : mapping of str to Kind
        Kinds of claims that the paper has judges for.
    judges, findings : tuple of str
        Names of dicts in modules of the package, such as "spectra_judges.SPECTRA_KINDS": kind of claim -> judge, and
        experiment -> function that writes its finding.
    families : mapping of str to Family
        Families of universes.
    """

    title: str
    position: int
    experiments: tuple[str, ...]
    kinds: Mapping[str, Kind]
    judges: tuple[str, ...]
    findings: tuple[str, ...]
    families: Mapping[str, Family]
