# MR spectra: the conditions of the simulator, or your own studies in their place.
import re

SPECTRA = f"{RESULTS}/spectra"
OWN_SPECTRA = {item["name"]: item for item in config["spectra"]["own"]}
SPECTRA_BASE = "own" if OWN_SPECTRA else "main"
SPECTRA_DATASET = "own_spectra" if OWN_SPECTRA else "prostate_mrsi"
SPECTRA_SOURCE = "own" if OWN_SPECTRA else "simulated"


def spectra_conditions():
    """Name -> what the simulator multiplies, and the draw of the noise; own spectra have one condition."""
    if OWN_SPECTRA:
        return {"own": {}}
    levels = config["spectra_methods"]
    grid = [
        *[(n, w, 1) for n in levels["noise"] for w in levels["linewidth"]],
        *[(1, 1, c) for c in levels["contrast"]],
    ]
    found = {"main": {"noise": 1, "linewidth": 1, "contrast": 1}}
    found |= {
        f"noise_{n}_linewidth_{w}_contrast_{c}": {
            "noise": n,
            "linewidth": w,
            "contrast": c,
        }
        for n, w, c in grid
        if (n, w, c) != (1, 1, 1)
    }
    return found


def condition_columns(condition):
    """The columns of a condition in the metrics."""
    return {"noise": "", "linewidth": "", "contrast": "", **condition}


SPECTRA_CONDITIONS = spectra_conditions()
FILES["spectra_methods"] = {
    "pictures": f"{RESULTS}/spectra_methods/parts/{SPECTRA_BASE}_pictures.npz"
}
ADDED["spectra_methods"] = {
    name: (
        {
            "evaluation": f"{SPECTRA}/{name}_evaluation.npz",
            "training": f"{SPECTRA}/{name}_training.npz",
        },
        {
            "dataset": SPECTRA_DATASET,
            "source": SPECTRA_SOURCE,
            "settings": config["spectra_embedding"],
            "condition": condition_columns(condition),
        },
    )
    for name, condition in SPECTRA_CONDITIONS.items()
}
# Further draws of the noise, of the first condition.
SPECTRA_DRAWS = {
    f"draw_{draw}": {**SPECTRA_CONDITIONS[SPECTRA_BASE], "draw": draw}
    for draw in range(1, config["spectra_stability"]["noise_draws"])
    if not OWN_SPECTRA
}


def simulated_condition(wildcards):
    """What the simulator is called with."""
    return {**SPECTRA_CONDITIONS, **SPECTRA_DRAWS}[wildcards.condition]


def spectra_condition(wildcards):
    """The columns of a condition in the metrics."""
    return condition_columns(SPECTRA_CONDITIONS[wildcards.condition])


def simulated_studies(wildcards):
    """How many studies are simulated: all under the main condition, the first of them under the others."""
    sizes = config["spectra"]
    main = wildcards.condition == SPECTRA_BASE
    scored = sizes["n_studies"] if main else min(sizes["n_varied"], sizes["n_studies"])
    return {"evaluation": scored, "training": sizes["n_training"]}
