# Methods that the configuration adds by import path.
from replication.ledger.experiments import EXPERIMENTS, adding_function, adding_module
from replication.platform.methods import AddedMethod, code_of_method
from replication.platform.steps import located

METHODS = {AddedMethod.of(item).stem: item for item in config["methods"]}
CHECKED_METHOD = f"{RESULTS}/methods/{{method}}.tsv"
ADDED_SCORES = f"{RESULTS}/{{experiment}}/added/{{method}}/{{part}}.tsv"

for experiment in EXPERIMENTS.values():
    for part, (files, settings) in experiment.added_parts(STUDIED).items():
        ADDED.setdefault(experiment.name, {})[part] = (
            located(STUDIED, files),
            settings,
        )

# Tables and figures of an experiment are made from its own metrics, and from those of the added methods below them.
for name, parts in ADDED.items():
    added = expand(ADDED_SCORES, experiment=name, method=METHODS, part=parts)
    if added:
        FILES.setdefault(name, {})["metrics"] = [
            f"{RESULTS}/{name}/metrics.tsv",
            *added,
        ]


def method_item(wildcards):
    """What the configuration says of an added method."""
    return METHODS[wildcards.method]


def method_files(wildcards):
    """The modules of an added method."""
    return code_of_method(AddedMethod.of(METHODS[wildcards.method]))


def adding_code(wildcards):
    """The code behind what scores an added method."""
    return code_behind("score_added", adding_module(wildcards.experiment))


def function_that_adds(wildcards):
    """The function that scores an added method."""
    return adding_function(wildcards.experiment)


def added_files(wildcards):
    """What a part of an experiment is made from."""
    return ADDED[wildcards.experiment][wildcards.part][0]


def added_settings(wildcards):
    """The settings that a part of an experiment reads."""
    return ADDED[wildcards.experiment][wildcards.part][1]
