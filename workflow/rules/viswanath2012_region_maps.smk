# Consensus region maps of the user's own images, named in own_images of the configuration.
localrules:
    region_maps,


rule map_regions:
    input:
        unpack(own_files),
        code=code_behind("map_regions"),
    output:
        regions=f"{RESULTS}/region_maps/{{name}}/regions.nii.gz",
        table=f"{RESULTS}/region_maps/{{name}}/regions.tsv",
        metrics=f"{RESULTS}/region_maps/{{name}}/metrics.tsv",
        figure=multiext(f"{RESULTS}/region_maps/{{name}}/regions", *FIGURE_TYPES),
    log:
        f"results/logs/{STUDY}/map_regions/{{name}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/region_maps/{{name}}.tsv"
    conda:
        "../../environment.yml"
    threads: WORKERS
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        seed=config["seed"],
        settings=without("image_embedding", "exploratory_theta"),
        item=own_image,
    message:
        "Region map of {wildcards.name}"
    script:
        "../scripts/map_regions.py"


rule region_maps:
    input:
        files=expand(rules.map_regions.output, name=OWN_IMAGES),
    message:
        "Region maps of {OWN_NAMES}"


OWN_FILES += rules.region_maps.input


rule write_example_image:
    output:
        image=f"{EXAMPLE}/image.nii.gz",
        mask=f"{EXAMPLE}/mask.nii.gz",
        labels=f"{EXAMPLE}/labels.nii.gz",
    log:
        "results/logs/example.log",
    conda:
        "../../environment.yml"
    params:
        seed=config["seed"],
    message:
        "Write an image to try region maps on"
    script:
        "../scripts/write_example_image.py"
