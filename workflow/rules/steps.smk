# Of each step a rule, by its declaration.
for step in STEPS.values():

    rule:
        name:
            step.name
        input:
            unpack(of_job(step.inputs)),
        output:
            **step.outputs(STUDIED),
        log:
            f"results/logs/{STUDY}/{step.job_name(STUDIED)}.log",
        benchmark:
            f"{RESULTS}/benchmarks/{step.folder(STUDIED)}/{step.job_name(STUDIED)}.tsv"
        wildcard_constraints:
            **step.constraints(STUDIED),
        priority: 100 if step.first else LONG if step.soon else 0
        group:
            step.group or None
        conda:
            "../../environment.yml"
        threads: threads_of(step)
        resources:
            mem_mb=step.memory_mb,
            runtime=step.minutes,
        params:
            run=f"{step.module}.{step.run.__name__}",
            title=step.called(STUDIED),
            seed=seed_of(step),
            code=code_of(step),
            # A change of another setting does not run it again.
            settings=of_job(step.params),
        message:
            step.does
        script:
            "../scripts/run.py"


# Targets for all jobs of a step.
for step in STEPS.values():
    if step.target:

        rule:
            name:
                step.target
            input:
                step.files(STUDIED),
            localrule: True
            message:
                f"Make {step.target}"
