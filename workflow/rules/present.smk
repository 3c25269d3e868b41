# Of each experiment two rules, by its declaration: `present_<name>` makes its tables and figures, and the target
# `<name>` asks for them and for the metrics.
for experiment in EXPERIMENTS.values():

    rule:
        name:
            f"present_{experiment.name}"
        input:
            **files_behind(experiment),
        output:
            **tables_of(experiment),
            **figures_of(experiment),
        log:
            f"results/logs/{STUDY}/present_{experiment.name}.log",
        group:
            "present"
        conda:
            "../../environment.yml"
        resources:
            runtime=10,
        params:
            experiment=experiment.name,
            # The declaration alone: what it imports is of the computation.
            code=code_behind("present", *presenting_modules(experiment.name))
            + [behind.path_of(experiments.declaration(experiment.name))],
            tables=functions(experiment.name)[0],
            figures={
                name: functions(experiment.name)[1][name]
                for name in drawn_figures(experiment)
            },
            settings=experiment.given(STUDIED),
            captions={
                name: figure.caption
                for name, figure in drawn_figures(experiment).items()
            },
        message:
            f"Tables and figures of {experiment.name}"
        script:
            "../scripts/present.py"

    # A list of files: nothing to send to a cluster.
    rule:
        name:
            experiment.name
        input:
            metrics=f"{RESULTS}/{experiment.name}/metrics.tsv",
            figure=expand(
                f"{RESULTS}/{experiment.name}/figures/{{name}}.png",
                name=drawn_figures(experiment),
            ),
            table=[*run_tables_of(experiment), *tables_of(experiment).values()],
            # Also what no other job reads: arrays, and figures in other formats.
            files=experiment_files(experiment.name),
        localrule: True
        message:
            f"{experiment.title}: done; look at {RESULTS}/{experiment.name}"


CALIBRATIONS = [
    experiment.name for experiment in EXPERIMENTS.values() if experiment.calibrates
]


# They pick settings of config.yaml; to check one, run its experiment again.
rule calibration:
    input:
        tables=[getattr(rules, name).input.table for name in CALIBRATIONS],
        figures=[getattr(rules, name).input.figure for name in CALIBRATIONS],
    localrule: True
    message:
        f"Calibrations: done. Picks: {RESULTS}/<experiment>/tables/picks.tsv"
