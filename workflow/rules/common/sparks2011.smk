# Retrieval: the substitutes for the paper's glands, and your own items.
OWN_ITEMS = {item["name"]: item for item in config["gland_retrieval"]["own"]}
RETRIEVAL_SETS = [*config["gland_retrieval"]["sets"], *OWN_ITEMS]
FILES["gland_retrieval"] = {
    "pictures": expand(
        f"{RESULTS}/gland_retrieval/parts/{{set}}_pictures.npz", set=RETRIEVAL_SETS
    )
}
RUN_TABLES["gland_retrieval"] = [f"queries_{name}" for name in RETRIEVAL_SETS]
# The configured values of the settings that the calibration picks.
RETRIEVAL_SETTINGS = {"swiss_roll": without("swiss_roll", "variants")} | {
    name: {
        **config["gland_retrieval"][name],
        "size": config["gland_retrieval"]["size"],
    }
    for name in ("glands", "digits")
}


def retrieval_parameters(wildcards):
    """What the section says of a set that is made; nothing of the others."""
    read = {
        "glands": ("glands", "size", "separation", "variants"),
        "digits": ("digits", "variants"),
    }
    return only("gland_retrieval", *read.get(wildcards.set, ()))


def retrieval_simulator(wildcards):
    """The simulator of the glands. The digits read how many there are of each class, your own sets nothing."""
    if wildcards.set == "digits":
        classes = config["glands"]["classes"]
        return {
            "classes": {
                name: {"n_glands": one["n_glands"]} for name, one in classes.items()
            }
        }
    return config["glands"] if wildcards.set == "glands" else {}


def own_items(wildcards):
    """What the configuration says of a set of your own; nothing of the others."""
    return OWN_ITEMS.get(wildcards.set, {})


def items_file(wildcards):
    """The table behind a set of your own; the others are made."""
    item = own_items(wildcards)
    return [item[key] for key in OWN_SET if key in item]


if not config["gland_retrieval"]["sets"]:
    OWN_ONLY.add("gland_retrieval")
if "gland_retrieval" in config["experiments"]:
    OWN_RESULTS |= {
        f"{RESULTS}/gland_retrieval/tables/queries_{name}.tsv": f"the nearest items to each query of {name}"
        for name in OWN_ITEMS
    }
