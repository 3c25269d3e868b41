# One claim under many choices of what the papers leave open. One target, over all papers.
from replication.ledger.universe_families import FAMILIES

MULTIVERSE = f"{RESULTS}/multiverse"
# Universe 0, with every default, and the others.
UNIVERSE_CHUNKS = chunks(
    config["multiverse"]["n_universes"] + 1, config["multiverse"]["per_job"]
)


localrules:
    multiverse,


rule multiverse:
    input:
        metrics=f"{MULTIVERSE}/metrics.tsv",
        figure=expand(
            f"{MULTIVERSE}/figures/{{name}}.png",
            name=["holds", "variance", "curve"],
        ),
        table=expand(
            f"{MULTIVERSE}/tables/{{name}}.tsv",
            name=["sensitivity", "variance", "universes"],
        ),
    message:
        "Claims under other choices: done"


rule score_universes:
    input:
        unpack(universe_files),
        claims=config["claims"],
        choices="config/choices.tsv",
        schema="workflow/schemas/config.schema.yaml",
        code=universe_code,
    output:
        scores=f"{MULTIVERSE}/parts/{{family}}_{{start}}-{{stop}}.tsv",
    log:
        f"results/logs/{STUDY}/score_universes/{{family}}_{{start}}-{{stop}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/multiverse/{{family}}_{{start}}-{{stop}}.tsv"
    wildcard_constraints:
        family="|".join(FAMILIES),
        start=r"\d+",
        stop=r"\d+",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        seed=config["seed"],
        base=universe_base,
        n_universes=config["multiverse"]["n_universes"],
    message:
        "Universes {wildcards.start} to {wildcards.stop} of {wildcards.family}"
    script:
        "../scripts/score_universes.py"


rule run_multiverse:
    input:
        parts=expand(
            f"{MULTIVERSE}/parts/{{family}}_{{chunk}}.tsv",
            family=FAMILIES,
            chunk=UNIVERSE_CHUNKS,
        ),
        code=code_behind("run_multiverse"),
    output:
        metrics=f"{MULTIVERSE}/metrics.tsv",
    log:
        f"results/logs/{STUDY}/run_multiverse.log",
    conda:
        "../../environment.yml"
    message:
        "Gather the universes of all families"
    script:
        "../scripts/run_multiverse.py"


rule present_multiverse:
    input:
        metrics=f"{MULTIVERSE}/metrics.tsv",
        claims=config["claims"],
        choices="config/choices.tsv",
        code=code_behind("present_multiverse"),
    output:
        sensitivity_table=f"{MULTIVERSE}/tables/sensitivity.tsv",
        variance_table=f"{MULTIVERSE}/tables/variance.tsv",
        universes_table=f"{MULTIVERSE}/tables/universes.tsv",
        holds=report(
            multiext(f"{MULTIVERSE}/figures/holds", *FIGURE_TYPES),
            caption="../report/multiverse_holds.rst",
            category="Sensitivity",
        ),
        variance=report(
            multiext(f"{MULTIVERSE}/figures/variance", *FIGURE_TYPES),
            caption="../report/multiverse_variance.rst",
            category="Sensitivity",
        ),
        curve=report(
            multiext(f"{MULTIVERSE}/figures/curve", *FIGURE_TYPES),
            caption="../report/multiverse_curve.rst",
            category="Sensitivity",
        ),
    log:
        f"results/logs/{STUDY}/present_multiverse.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
    message:
        "Tables and figures of multiverse"
    script:
        "../scripts/present_multiverse.py"
