"""Experiments of a configuration that may draw more units than it says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import getitem
from typing import Any

from replication.catalogue.experiments import EXPERIMENTS
from replication.platform.declarations import Stages
from replication.platform.study import Study

STAGES: dict[str, Stages] = {name: experiment.stages for name, experiment in EXPERIMENTS.items() if experiment.stages}


def staged(config: Mapping[str, Any]) -> dict[str, Stages]:
    """Experiment -> its stages, of those of a configuration that may draw more units than it says."""
    study = Study(config)
    found = {
        name: STAGES[name] for name in config["experiments"] if name in STAGES and not EXPERIMENTS[name].own_only(study)
    }
    return {name: stages for name, stages in found.items() if units(config, stages) < stages.units[-1]}


def units(config: Mapping[str, Any], stages: Stages) -> int:
    """How many units a configuration draws."""
    return reduce(getitem, stages.setting.split("."), config)


def with_units(stages: Stages, number: int) -> dict[str, Any]:
    """A configuration that says this number and nothing else."""
    return reduce(lambda inner, key: {key: inner}, reversed(stages.setting.split(".")), number)
