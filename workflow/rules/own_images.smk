# Consensus region maps of the user's own images, named in own_images of the configuration.
OWN_IMAGES = [item["name"] for item in config["own_images"]]


localrules:
    region_maps,


rule region_maps:
    input:
        files=expand(rules.map_regions.output, name=OWN_IMAGES),
    message:
        "Region maps of {OWN_IMAGES}"


OWN_FILES += rules.region_maps.input
for name in OWN_IMAGES:
    OWN_RESULTS |= {
        f"{RESULTS}/region_maps/{name}/regions.png": f"the regions of {name}, drawn",
        f"{RESULTS}/region_maps/{name}/regions.tsv": "their areas and intensities",
        f"{RESULTS}/region_maps/{name}/regions.nii.gz": "the regions as an image",
    }
