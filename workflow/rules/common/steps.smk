# What the rules of the steps take from their declarations.
from replication.ledger.experiments import EXPERIMENTS
from replication.ledger.steps import STEPS
from replication.platform.code_behind import code_behind_modules
from replication.platform.study import Study

STUDIED = Study(config)


def code_of(*modules):
    """Files of code that modules rest on, themselves included."""
    return sorted({*code_behind_modules(*modules), *ARITHMETIC_CODE})


def inputs_of(step):
    """Files that a job of a step reads."""

    def inputs(wildcards):
        return step.inputs(STUDIED, wildcards)

    return inputs


def settings_of(step):
    """Settings that a job of a step reads: a change of another one does not run it again."""

    def settings(wildcards):
        return step.params(STUDIED, wildcards)

    return settings


for experiment in EXPERIMENTS.values():
    if experiment.own_only(STUDIED):
        OWN_ONLY.add(experiment.name)
    if experiment.name in config["experiments"]:
        OWN_RESULTS |= {
            f"{RESULTS}/{path}": shows
            for path, shows in experiment.own_results(STUDIED).items()
        }
