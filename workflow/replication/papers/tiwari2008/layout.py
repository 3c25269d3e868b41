"""Where the spectra lie: the conditions of the simulator, or the user's own studies in their place. Light."""

from __future__ import annotations

from replication.platform.steps import Files
from replication.platform.study import Study

SPECTRA = "spectra"


def base(study: Study) -> str:
    """The condition that the claims are judged on."""
    return "own" if study["spectra"]["own"] else "main"


def source(study: Study) -> str:
    """Where the spectra come from, as the metrics say it."""
    return "own" if study["spectra"]["own"] else "simulated"


def base_files(study: Study) -> Files:
    """The studies under that condition."""
    return {part: f"{SPECTRA}/{base(study)}_{part}.npz" for part in ("evaluation", "training")}
