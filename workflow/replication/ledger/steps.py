"""All steps of the study: ``STEPS`` in the module ``steps`` of a paper, and those of the experiments."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from replication.ledger.experiments import EXPERIMENTS
from replication.ledger.papers import PAPERS
from replication.platform.steps import Step


def _declared() -> dict[str, Step]:
    modules = (f"replication.papers.{paper}.steps" for paper in PAPERS)
    shared = [step for module in modules if find_spec(module) for step in import_module(module).STEPS]
    found: dict[str, Step] = {}
    for step in [*shared, *(step for experiment in EXPERIMENTS.values() for step in experiment.steps)]:
        if step.name in found:
            other = found[step.name].module
            raise ValueError(f"{step.module} and {other} both declare a step {step.name}; rename one.")
        found[step.name] = step
    return found


STEPS = _declared()
