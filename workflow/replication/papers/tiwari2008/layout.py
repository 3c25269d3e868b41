"""Where the MR spectra lie, and what they are made from. Light: the rules read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from replication.platform.study import Study


def number_of_studies(spectra: Mapping[str, Any], key: str) -> int:
    """How many studies a key of the section counts; of the user's own, those of the role that it counts."""
    roles = [item["role"] for item in spectra["own"]]
    return roles.count("training" if key == "n_training" else "evaluation") if roles else spectra[key]


def only_own(study: Study) -> bool:
    """Whether all spectra are the user's own, which take the place of the simulated ones."""
    return bool(study["spectra"]["own"])


def base(study: Study) -> str:
    """The condition that claims are judged under."""
    return "own" if only_own(study) else "main"


def origin(study: Study) -> dict[str, str]:
    """Data set and source of the spectra."""
    if only_own(study):
        return {"dataset": "own_spectra", "source": "own"}
    return {"dataset": "prostate_mrsi", "source": "simulated"}


def spectra(condition: str) -> dict[str, str]:
    """Studies under a condition: those that are scored, and those that methods learn on."""
    return {part: f"spectra/{condition}_{part}.npz" for part in ("evaluation", "training")}


def conditions(study: Study) -> dict[str, dict]:
    """Name -> what the simulator multiplies; own spectra have one condition."""
    if only_own(study):
        return {"own": {}}
    levels = study["spectra_methods"]
    grid = [(1, 1, 1)]
    grid += [(noise, width, 1) for noise in levels["noise"] for width in levels["linewidth"]]
    grid += [(1, 1, contrast) for contrast in levels["contrast"]]
    named = {f"noise_{n}_linewidth_{w}_contrast_{c}": (n, w, c) for n, w, c in grid if (n, w, c) != (1, 1, 1)}
    keys = ("noise", "linewidth", "contrast")
    return {name: dict(zip(keys, factors, strict=True)) for name, factors in {"main": (1, 1, 1), **named}.items()}


def varies_noise(study: Study, condition: str) -> bool:
    """Whether a condition is of simulated spectra that differ from the first in their noise at most."""
    return not only_own(study) and {**conditions(study)[condition], "noise": 1} == conditions(study)["main"]


def base_files(study: Study) -> dict[str, str]:
    """The studies under the condition that claims are judged under."""
    return spectra(base(study))


def columns(condition: dict) -> dict[str, Any]:
    """The columns of a condition in the metrics."""
    return {"noise": "", "linewidth": "", "contrast": "", **condition}


def noise_draws(study: Study) -> dict[str, dict]:
    """Further draws of the noise, of the first condition."""
    if only_own(study):
        return {}
    first = conditions(study)["main"]
    return {f"draw_{draw}": {**first, "draw": draw} for draw in range(1, study["spectra_stability"]["noise_draws"])}
