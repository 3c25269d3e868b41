"""Checks of a configuration against what the papers declare; light, since the rules make them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from replication.ledger.claim_kinds import read_rows
from replication.ledger.papers import EXPERIMENTS
from replication.platform.configuration import ConfigurationError, nearest


def check_claims(config: Mapping[str, Any]) -> None:
    """
    Check the files of claims that a configuration names.

    Parameters
    ----------
    config : mapping
        A configuration that fits its schema.

    Raises
    ------
    ConfigurationError
        At the first row that cannot be used: file, line, claim, what was expected and what was found.
    """
    try:
        read_rows(config["claims"], EXPERIMENTS)
    except ValueError as error:
        raise ConfigurationError(f"claims: {error}") from None


def check_experiments(config: Mapping[str, Any]) -> None:
    """
    Check that the experiments of a configuration are declared.

    Parameters
    ----------
    config : mapping
        A configuration that fits its schema.

    Raises
    ------
    ConfigurationError
        With all unknown experiments, one line each.
    """
    lines = []
    for k, name in enumerate(config["experiments"]):
        if name not in EXPERIMENTS:
            meant = nearest(name, list(EXPERIMENTS))
            hint = f"; did you mean '{meant}'?" if meant else ""
            known = ", ".join(EXPERIMENTS)
            lines.append(f"experiments[{k}]: expected one of {known}, found the text '{name}'{hint}")
    if lines:
        raise ConfigurationError("\n".join(lines))
