# What in your own embeddings can be trusted. Of each item a rule: which files it makes depends on what the item names.
localrules:
    embedding_check,


for item in OWN_EMBEDDINGS.values():

    rule:
        name:
            f"check_embedding_{item['name']}"
        input:
            **checked_files(item),
            template="workflow/report/check.html.j2",
            style="workflow/report/check.css",
            code=code_behind("write_embedding_check"),
        output:
            **check_tables(item),
            **{
                f"figure_{figure}": multiext(
                    f"{RESULTS}/embedding_check/{item['name']}/figures/{figure}",
                    *FIGURE_TYPES,
                )
                for figure in check_figures(item)
            },
        log:
            f"results/logs/{STUDY}/check_embedding/{item['name']}.log",
        benchmark:
            f"{RESULTS}/benchmarks/embedding_check/{item['name']}.tsv"
        conda:
            "../../environment.yml"
        threads: WORKERS
        resources:
            mem_mb=6000,
            runtime=240,
        params:
            seed=config["seed"],
            item=item,
            figures=check_figures(item),
        message:
            f"Check what can be trusted in the embedding of {item['name']}"
        script:
            "../scripts/write_embedding_check.py"

    OWN_FILES += getattr(rules, f"check_embedding_{item['name']}").output


rule embedding_check:
    input:
        files=[
            getattr(rules, f"check_embedding_{name}").output for name in OWN_EMBEDDINGS
        ],
    message:
        "Check what can be trusted in the embeddings of {OWN_EMBEDDINGS}"


rule write_example_embedding:
    output:
        table=f"{EXAMPLE}/embedding.tsv",
    log:
        "results/logs/example_embedding.log",
    conda:
        "../../environment.yml"
    params:
        n_samples=700,
    message:
        "Write a table of digits to try the check of an embedding"
    script:
        "../scripts/write_example_embedding.py"
