# What presents an experiment, by its declaration.
from replication.platform.steps import located
from replication.catalogue.user_methods import added_scores
from replication.catalogue.experiments import (
    EXPERIMENTS,
    category,
    functions,
    presenting_modules,
)


def files_behind(experiment):
    """What tables and figures are made from, by the names that their functions ask for."""
    folder = f"{RESULTS}/{experiment.name}"
    # The scores of added methods come below those of the experiment.
    added = [f"{RESULTS}/{path}" for path in added_scores(STUDIED, experiment.name)]
    named = {
        "metrics": (
            [f"{folder}/metrics.tsv", *added] if added else f"{folder}/metrics.tsv"
        ),
        "picks": f"{folder}/tables/picks.tsv",
        "choices": "config/choices.tsv",
        **located(STUDIED, experiment.files(STUDIED)),
    }
    wanted = ["metrics", *experiment.reads]
    return {name: named.get(name, f"{folder}/{name}.npz") for name in wanted}


def tables_of(experiment):
    """Table -> its file."""
    folder = f"{RESULTS}/{experiment.name}/tables"
    return {f"{name}_table": f"{folder}/{name}.tsv" for name in experiment.tables}


def drawn_figures(experiment):
    """Figures of an experiment: without those that own data have nothing for."""
    without_own = experiment.own and experiment.own_only(STUDIED)
    left_out = experiment.own.left_out if without_own else ()
    return {
        name: figure
        for name, figure in experiment.figures.items()
        if name not in left_out
    }


def figures_of(experiment):
    """Figure -> its files, with what the report of Snakemake says of them."""
    folder = f"{RESULTS}/{experiment.name}/figures"
    return {
        name: report(
            STUDIED.figure_files(f"{folder}/{name}"),
            caption="../report/figures.rst",
            category=category(experiment.name),
            subcategory=experiment.name,
            labels={"figure": name.replace("_", " ")},
        )
        for name in drawn_figures(experiment)
    }


def experiment_files(name):
    """All files of the jobs that end an experiment."""
    return [getattr(rules, f"{step}_{name}").output for step in ("run", "present")]


def own_results_of_experiments():
    """What experiments make of data of your own: the page opens with it."""
    folders = tuple(f"{RESULTS}/{name}/" for name in config["experiments"])
    return {
        path: shown for path, shown in OWN_RESULTS.items() if path.startswith(folders)
    }


def run_tables_of(experiment):
    """Tables that come with the metrics."""
    folder = f"{RESULTS}/{experiment.name}/tables"
    return [f"{folder}/{name}.tsv" for name in experiment.tables_of_steps(STUDIED)]
