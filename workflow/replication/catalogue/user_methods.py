"""
The steps of the methods that a configuration adds: first their contract, then their scores in each experiment.

Nothing else depends on these but the tables and figures that show them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from replication.catalogue.experiments import EXPERIMENTS, adding_function
from replication.platform.methods import AddedMethod, code_of_method
from replication.platform.steps import Files, Seconds, Step
from replication.platform.study import Study
from replication.shared.user_method_jobs import score, verify


def added_scores(study: Study, experiment: str) -> list[str]:
    """Files with the scores of the added methods in an experiment."""
    parts = EXPERIMENTS[experiment].added_parts(study)
    return [f"{experiment}/added/{method}/{part}.tsv" for method in _items(study) for part in parts]


def unused_methods(study: Study) -> str:
    """A sentence about added methods that none of the experiments to run takes; empty where one does."""
    taking = [name for name, experiment in EXPERIMENTS.items() if experiment.added_parts(study)]
    if not study["methods"] or set(taking) & set(study["experiments"]):
        return ""
    return (
        f"methods: none of the experiments of this study takes any, so that they are not used; {', '.join(taking)} do."
    )


def _items(study: Study) -> dict[str, Mapping[str, Any]]:
    """Method, as names of files call it -> what the configuration says of it."""
    return {AddedMethod.from_item(item).stem: item for item in study["methods"]}


def _part(study: Study, wildcards: Any) -> tuple[Files, Mapping[str, Any]]:
    """The files and the settings of a part of an experiment."""
    return EXPERIMENTS[wildcards.experiment].added_parts(study)[wildcards.part]


def _modules(study: Study, wildcards: Any) -> Files:
    method = AddedMethod.from_item(_items(study)[wildcards.method])
    return {"method": [PurePath(path) for path in code_of_method(method)]}


def _words(study: Study) -> dict[str, Any]:
    taking = [name for name, experiment in EXPERIMENTS.items() if experiment.added_parts(study)]
    return {"experiment": taking, "method": list(_items(study)), "part": "[^/]+"}


STEPS = (
    Step(
        name="verify_method",
        title="contract of {method}",
        run=verify,
        does="Check the contract of the added method {wildcards.method}",
        reads=_modules,
        makes={"checked": "methods/{method}.tsv"},
        settings=lambda study, wildcards: {"method": _items(study)[wildcards.method]},
        wildcards=lambda study: {"method": list(_items(study))},
        minutes=10,
        first=True,
        takes=Seconds(3),
    ),
    Step(
        name="score_added",
        title="{experiment}, added: {method}, {part}",
        run=score,
        does="Score the added method {wildcards.method} in {wildcards.experiment}, {wildcards.part}",
        reads=lambda study, wildcards: {
            **_part(study, wildcards)[0],
            **_modules(study, wildcards),
            "checked": f"methods/{wildcards.method}.tsv",
        },
        makes={"scores": "{experiment}/added/{method}/{part}.tsv"},
        settings=lambda study, wildcards: {
            "function": adding_function(wildcards.experiment),
            "method": _items(study)[wildcards.method],
            "settings": _part(study, wildcards)[1],
        },
        wildcards=_words,
        behind=lambda study, wildcards: [adding_function(wildcards.experiment).rpartition(".")[0]],
        memory_mb=4000,
        minutes=120,
        takes=Seconds(3),
    ),
)
