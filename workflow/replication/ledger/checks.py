"""Checks of a configuration against what the papers declare; light, since the rules make them."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from replication.ledger.claim_files import read_rows
from replication.ledger.experiments import EXPERIMENTS, own_methods
from replication.platform.configuration import ConfigurationError, nearest, validate_config
from replication.platform.consistency import check_consistency, check_options, check_reduced
from replication.platform.methods import check_methods


def check_config(config: Mapping[str, Any], schema_path: str | PathLike[str]) -> None:
    """
    Check all of a configuration before anything runs: schema, experiments, options, consistency, claims.

    Parameters
    ----------
    config : mapping
        As Snakemake has merged it.
    schema_path : path-like
        Its schema.

    Raises
    ------
    ConfigurationError
        Of the schema, the experiments, what has to fit one another, or the claims, in this order: with all faults that
        the first of these has, one line each.
    """
    validate_config(config, schema_path)
    check_experiments(config)
    found = []
    for check in (
        lambda: check_options(config, schema_path),
        lambda: check_consistency(config),
        lambda: check_reduced(config, schema_path),
        lambda: check_methods(config["methods"], own_methods() if config["methods"] else ()),
    ):
        try:
            check()
        except ConfigurationError as error:
            found.append(str(error))
        except (TypeError, ValueError):
            # What has to fit one another cannot be compared where an option, named already, is of a wrong type.
            if not found:
                raise
    if found:
        raise ConfigurationError("\n".join(found))
    check_claims(config)


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
        At the first claim that cannot be used: file, claim, what was expected and what was found.
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
