# The multiverse: what the universes of a family read, and the modules behind them.
from itertools import chain

from replication.multiverse.universe_families import (
    FAMILIES,
    reduced_config,
    universe_module,
)

MULTIVERSE = f"{RESULTS}/multiverse"
# Universe 0, with every default, and the others.
UNIVERSE_CHUNKS = chunks(
    config["multiverse"]["n_universes"] + 1, config["multiverse"]["per_job"]
)


# The claims that are judged in universes: a change to other claims or experiments does not rerun it.
UNIVERSE_CLAIMS = claims_of({*chain(*(one.experiments for one in FAMILIES.values()))})


SETTINGS["multiverse"] = {"seed": config["seed"], "claims": UNIVERSE_CLAIMS}


def universe_base(wildcards):
    """The sections that a family reads, at the reduced size: a change elsewhere does not rerun it."""
    return reduced_config(config, wildcards.family)


def universe_code(wildcards):
    """Library modules behind the universes of a family."""
    return code_behind("run_universes", universe_module(wildcards.family))


def universe_files(wildcards):
    """What the study makes for other experiments as well and a family reads."""
    base = reduced_config(config, wildcards.family)
    if wildcards.family == "images":
        folder = f"{IMAGES}/{MAIN_UNIT}"
        pattern = f"{folder}/pn{{noise}}_rf{{inhomogeneity}}.nii.gz"
        levels = {key: base["brain"][key] for key in ("noise", "inhomogeneity")}
        return {
            "labels": f"{folder}/labels.nii.gz",
            "images": expand(pattern, **levels),
        }
    if wildcards.family == "genes":
        names = [item["name"] for item in base["genes"]["sets"]]
        return {"splits": expand(f"{GENES}/{{set}}.npz", set=names)}
    if wildcards.family == "spectra":
        stem = f"{SPECTRA}/{SPECTRA_BASE}"
        return {part: f"{stem}_{part}.npz" for part in ("evaluation", "training")}
    if wildcards.family == "features":
        names = base["feature_selection"]["sets"]
        return {"tables": expand(f"{FEATURES}/{{set}}.npz", set=names)}
    return {}
