"""
All steps of the study: ``STEPS`` in the module ``steps`` of a paper, those of the experiments, and those of no paper.

Both are steps, or a function of the study that returns them, for steps that depend on what the configuration lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from replication.catalogue import user_methods
from replication.catalogue.experiments import EXPERIMENTS
from replication.catalogue.papers import modules_of
from replication.own_data import steps as own_data
from replication.platform.steps import Step, Steps
from replication.platform.study import Study


def steps_of(study: Study) -> dict[str, Step]:
    """Name -> step, of all that a study can run."""
    steps: dict[str, Step] = {}
    for declared in _declared():
        for step in declared(study) if callable(declared) else declared:
            if step.name in steps:
                other = steps[step.name].module
                raise ValueError(f"{step.module} and {other} both declare a step {step.name}; rename one.")
            steps[step.name] = step
    return steps


def _declared() -> Iterator[Steps]:
    yield own_data.STEPS
    yield user_methods.STEPS
    yield from (import_module(name).STEPS for name in modules_of("steps"))
    yield from (experiment.steps for experiment in EXPERIMENTS.values())
