"""
The experiments on MR spectra on few studies, for one universe of choices (CL-01 to CL-06 and, if asked for, CL-07).

CL-05-noise needs further draws of the noise, which are not among the files. The axis "clustering" of spectra_stability,
on which no claim is judged, is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import pandas as pd

from replication.data.readers.spectra import SpectraStudy, load_studies
from replication.papers.tiwari2008 import (
    layout,
    spectra_components,
    spectra_dimensions,
    spectra_methods,
    spectra_stability,
)
from replication.papers.tiwari2008.spectra_metrics import SCORES
from replication.papers.tiwari2008.spectra_studies import Learned, SpectraSettings, TrainingSettings, learn
from replication.platform.settings import settings_of
from replication.platform.steps import Work
from replication.platform.study import Study
from replication.shared.tidy import LEADING, TRAILING


def study(config: Mapping, files: Mapping[str, str | list[str]], seed: int) -> dict[str, pd.DataFrame]:
    """Methods, dimensions and stability over kappa."""
    sizes = config["spectra"]
    settings = settings_of(SpectraSettings, config["spectra_embedding"], "spectra_embedding")
    studies = load_studies(files["evaluation"])[: sizes["n_studies"]]
    training = load_studies(files["training"])[: sizes["n_training"]]
    of_training = TrainingSettings(**settings.only(*TrainingSettings.model_fields))
    learned = _learned(str(files["training"]), sizes["n_training"], of_training, seed)
    how = {"work": Work(seed=seed), **layout.origin(Study(config))}
    condition = dict.fromkeys(layout.columns({}), "" if sizes["own"] else 1)
    methods, _ = spectra_methods.run(studies, training, settings, condition=condition, learned=learned, **how)
    stability = {**config["spectra_stability"], "clustering_repetitions": 0}
    tables = {
        "spectra_methods": methods,
        "spectra_dimensions": _dimensions(
            methods, studies, learned, settings, config["spectra_dimensions"]["n_components"], how
        ),
        "spectra_stability": spectra_stability.run([studies], learned, settings, stability, **how),
    }
    if "spectra_components" in config:
        tables["spectra_components"] = spectra_components.run(
            studies, learned, settings, config["spectra_components"], **how
        )[0]
    return tables


# Most choices touch nothing that is learnt on the training studies, so that it is kept for the next universe.
@lru_cache(maxsize=32)
def _learned(path: str, n_training: int, settings: TrainingSettings, seed: int) -> Learned:
    return learn(load_studies(path)[:n_training], settings, seed)


def _dimensions(
    methods: pd.DataFrame,
    studies: Sequence[SpectraStudy],
    learned: Learned,
    settings: SpectraSettings,
    n_components: Sequence[int],
    how: Mapping[str, str | Work],
) -> pd.DataFrame:
    """Metrics of spectra_dimensions; at the dimension of spectra_methods they are there already."""
    others = [m for m in n_components if m != settings.n_components]
    tables = [spectra_dimensions.run(studies, learned, settings, others, **how)] if others else []
    if len(others) < len(n_components):
        rows = methods[methods["method"].isin(["c_lle", "lle"]) & methods["metric"].isin(SCORES)]
        columns = [*LEADING, *spectra_dimensions.CONDITIONS, *TRAILING]
        tables.append(spectra_dimensions.with_best_kappa(rows[columns].assign(experiment="spectra_dimensions")))
    return pd.concat(tables, ignore_index=True)
