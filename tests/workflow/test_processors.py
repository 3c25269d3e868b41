"""On another processor a study gives the same bytes; tests/regression/processors.py does this for the quick study."""

import pytest
from consensus_embedding.utils.arithmetic import why_not_portable
from processors import NEEDS_AVX512, PROCESSORS, WITHOUT_AVX2, comparable, differing
from test_features_workflow import PLANTED
from test_features_workflow import SMALL as FEATURES
from test_genes import SMALL as GENES
from test_retrieval_workflow import SIMULATED as RETRIEVAL
from test_spectra import SIMULATED as STUDIES
from test_spectra import SMALL as SPECTRA

pytestmark = pytest.mark.long_study

# One experiment of each kind: t-SNE, gene expression, spectra, extrapolation, features.
STUDY = {
    **GENES,
    **SPECTRA,
    **STUDIES,
    **{key: RETRIEVAL[key] for key in ("out_of_sample", "swiss_roll")},
    **FEATURES,
    "gene_expression": {"variants": []},
    "features": {"sets": [{"name": "shifted", "planted": PLANTED}]},
    "feature_selection": {**FEATURES["feature_selection"], "sets": ["shifted"], "variants": []},
    "experiments": ["mce_convergence", "gene_expression", "spectra_methods", "swiss_roll", "feature_selection"],
}


# All its numbers; tables, figures and verdicts follow from them.
METRICS = [f"results/quick/{experiment}/metrics.tsv" for experiment in STUDY["experiments"]]


@pytest.mark.skipif(why_not_portable() is not None, reason="this processor has no AVX2")
def test_portable_studies_are_the_same_on_every_processor_and_number_of_cores(new_checkout):
    """The settings of an old processor are set from outside, and those of the study win in every job."""

    def results(cores, variables):
        checkout = new_checkout()
        path = checkout.write_config(STUDY | {"arithmetic": "portable"})
        checkout.snakemake("--cores", str(cores), *METRICS, "--configfile", path, **variables)
        return checkout / "results" / "quick"

    here, there = results(1, {}), results(4, PROCESSORS["x86-64-v2, Nehalem"])
    assert len(list(here.rglob("metrics.tsv"))) == len(STUDY["experiments"])
    assert differing(here, there) == []


def test_every_processor_has_the_same_settings():
    assert set(WITHOUT_AVX2) | set(NEEDS_AVX512) < set(PROCESSORS)
    for variables in PROCESSORS.values():
        assert {"NUMBA_CPU_NAME", "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES"} <= set(variables)


def test_seconds_are_not_compared(tmp_path):
    paths = [tmp_path / f"{k}.tsv" for k in range(3)]
    for path, seconds, value in zip(paths, (1.5, 2.5, 1.5), (0.5, 0.5, 0.6), strict=True):
        path.write_text(f"metric\tvalue\nseconds\t{seconds}\naccuracy\t{value}\n")
    assert comparable(paths[0]) == comparable(paths[1]) != comparable(paths[2])
