# Your own images.
OWN_IMAGES = {item["name"]: item for item in config["own_images"]}


def own_image(wildcards):
    """What the configuration says of an image of your own; nothing of the others."""
    return OWN_IMAGES[wildcards.name]


def own_files(wildcards):
    """Image, mask and, if there are any, labels."""
    item = OWN_IMAGES[wildcards.name]
    return {key: item[key] for key in ("image", "mask", "labels") if key in item}


EXAMPLE = "results/example"
OWN_NAMES = ", ".join(OWN_IMAGES)
for name in OWN_IMAGES:
    OWN_RESULTS |= {
        f"{RESULTS}/region_maps/{name}/regions.png": f"the regions of {name}, drawn",
        f"{RESULTS}/region_maps/{name}/regions.tsv": "their areas and intensities",
        f"{RESULTS}/region_maps/{name}/regions.nii.gz": "the regions as an image",
    }
