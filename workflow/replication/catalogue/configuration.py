"""The configuration of a study: the models of its sections, its defaults, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from os import PathLike
from typing import Any

from pydantic import ValidationError, create_model

from replication.catalogue.claim_files import read_rows
from replication.catalogue.experiments import EXPERIMENTS, own_methods
from replication.catalogue.papers import modules_of
from replication.data import settings as simulators
from replication.platform.configuration import (
    DEFAULT_FILES,
    FOLDER,
    ConfigurationError,
    merge,
    nearest,
    read_yaml,
)
from replication.platform.methods import check_methods
from replication.platform.refusals import refusals
from replication.platform.settings import Settings, defaults
from replication.platform.study_settings import StudySettings

# Of the sections that the experiments of a paper share.
_SHARED = [import_module(name) for name in modules_of("settings")]
# Section -> its model; keys without a section are those of `StudySettings` and of the `KEYS` of a paper.
SECTIONS: dict[str, type[Settings]] = {
    **{name: model for module in _SHARED for name, model in module.SECTIONS.items()},
    **{name: experiment.settings for name, experiment in EXPERIMENTS.items() if experiment.settings},
    **simulators.SECTIONS,
}
_KEYS = {key: field for module in _SHARED for key, field in getattr(module, "KEYS", {}).items()}
CONFIGURATION = create_model(
    "Configuration", __base__=StudySettings, **_KEYS, **{name: (model, ...) for name, model in SECTIONS.items()}
)


def read_configuration(*overlays: str | PathLike[str]) -> dict[str, Any]:
    """Read the configuration of a study: the defaults, and files laid over them, in the order of the defaults."""
    config: dict[str, Any] = {}
    for path in (*DEFAULT_FILES, *overlays):
        config = merge(config, read_yaml(FOLDER / path))
    complete = merge(defaults(CONFIGURATION), config)
    return {key: complete[key] for key in (*CONFIGURATION.model_fields, *complete) if key in complete}


def check_config(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Check all of a configuration before anything runs."""
    problems, fit_by_themselves = _problems(CONFIGURATION, config)
    if not fit_by_themselves:
        _refuse(problems)
    problems += _unknown_experiments(config)
    problems += [line for check in _checks(config) for line in check(config)]
    try:
        check_methods(config["methods"], own_methods() if config["methods"] else ())
    except ConfigurationError as error:
        problems += str(error).splitlines()
    _refuse(problems)
    return check_claims(config)


def check_claims(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Read the claims; refuse them at the first that cannot be used, with what was expected and what was found."""
    try:
        return read_rows(config["claims"], EXPERIMENTS)
    except ValueError as error:
        raise ConfigurationError(f"claims: {error}") from None


def section_problems(config: Mapping[str, Any], sections: Iterable[str]) -> list[str]:
    """Lines about sections that do not fit their models."""
    return [line for name in sections for line in _problems(SECTIONS[name], config[name], name)[0]]


def _problems(model: type[Settings], values: Any, name: str = "") -> tuple[list[str], bool]:
    """What is wrong, and whether all of it is about values that could be used by themselves."""
    try:
        model.model_validate(values)
    except ValidationError as error:
        return refusals(error, model, values, name), {problem["type"] for problem in error.errors()} == {"unfit"}
    return [], True


def _refuse(lines: Iterable[str]) -> None:
    problems = dict.fromkeys(lines)
    if problems:
        raise ConfigurationError("\n".join(problems))


def _checks(config: Mapping[str, Any]) -> Iterator[Any]:
    """What finds settings that do not fit between sections; constraints of experiments that are not run are ignored."""
    yield from (module.check for module in _SHARED if hasattr(module, "check"))
    yield from (EXPERIMENTS[name].check for name in config["experiments"] if name in EXPERIMENTS)


def _unknown_experiments(config: Mapping[str, Any]) -> Iterator[str]:
    for k, name in enumerate(config["experiments"]):
        if name not in EXPERIMENTS:
            meant = nearest(name, list(EXPERIMENTS))
            hint = f"; did you mean '{meant}'?" if meant else ""
            yield f"experiments[{k}]: expected one of {', '.join(EXPERIMENTS)}, found the text '{name}'{hint}"
