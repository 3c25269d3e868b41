# What the rules of the steps take from their declarations.
import sys

from replication.catalogue.experiments import EXPERIMENTS
from replication.catalogue.steps import steps_of
from replication.catalogue.user_methods import unused_methods
from replication.platform.steps import EXAMPLE_SEED

STEPS = steps_of(STUDIED)
# Jobs that have to be alone.
ALONE = [step.name for step in STEPS.values() if step.threads == "alone"]
# Jobs that take as many cores as the configuration gives to a job.
WIDE = [step.name for step in STEPS.values() if step.threads == "workers"]


def code_of(step):
    """Files of code that a step rests on."""
    imported = behind.imports_of(step.module, step.run.__name__)

    def code(wildcards):
        further = step.behind(STUDIED, wildcards) if step.behind else []
        return sorted(
            {
                behind.path_of(step.module),
                *code_behind("run", *imported, *further),
            }
        )

    if step.behind is None:
        return code(None)

    return code


def seed_of(step):
    """Seed of a job of a step; what all studies share does not depend on theirs."""
    is_example = step.first_output(STUDIED).startswith("results/example/")
    return EXAMPLE_SEED if is_example else config["seed"]


def threads_of(step):
    """Cores of a job of a step."""
    if callable(step.threads):
        return step.threads(WORKERS)
    return {"workers": WORKERS, "alone": ALL_CORES}.get(step.threads, step.threads)


def of_job(given):
    """What a step gives a job of this study, as Snakemake asks for it: by the wildcards."""

    def by_wildcards(wildcards):
        return given(STUDIED, wildcards)

    return by_wildcards


if workflow.is_main_process and (unused := unused_methods(STUDIED)):
    print(unused, file=sys.stderr)

# What the study makes of data of your own.
for step in STEPS.values():
    if step.shows:
        OWN_FILES += step.files(STUDIED)
        OWN_RESULTS |= {
            f"{RESULTS}/{path}": shows for path, shows in step.shows(STUDIED).items()
        }
for experiment in EXPERIMENTS.values():
    if experiment.name in config["experiments"]:
        OWN_RESULTS |= {
            f"{RESULTS}/{path}": shows
            for path, shows in experiment.results_of_own(STUDIED).items()
        }
