"""On another processor a study gives the same bytes; tests/regression/processors.py does this for the quick study."""

import pytest
from consensus_embedding.utils.arithmetic import why_not_portable
from processors import NEEDS_AVX512, PROCESSORS, WITHOUT_AVX2, comparable, differing
from test_features_workflow import PLANTED
from test_features_workflow import SMALL as FEATURES
from test_genes import EXPERIMENTS as OF_GENES
from test_genes import SMALL as GENES
from test_retrieval_workflow import SMALL as RETRIEVAL
from test_spectra import EXPERIMENTS as OF_SPECTRA
from test_spectra import SMALL as SPECTRA

pytestmark = pytest.mark.long_study

FEW = {"n_glands": 8, "n_regions": 3}
TIMES = {"baseline": 60, "hazard_ratio": 4, "follow_up": 120}
# Every kind of work but that on images, whose study is made on one core and on two in test_images.py.
STUDY = {
    **GENES,
    **SPECTRA,
    **RETRIEVAL,
    **FEATURES,
    "experiments": [
        "mce_convergence",
        *OF_GENES,
        *OF_SPECTRA,
        "swiss_roll",
        "gland_retrieval",
        "feature_selection",
        "survival",
    ],
    "gene_expression": {"variants": []},
    "spectra": {"n_studies": 2, "n_training": 2},
    "swiss_roll": {"n_samples": 150},
    "glands": {"n_points": 64, "classes": {"benign": FEW, "grade_3": {**FEW, "n_glands": 30}, "grade_4": FEW}},
    "gland_retrieval": {"sets": ["glands"], "separation": [0, 0.25]},
    "features": {
        "sets": [
            {"name": "shifted", "planted": PLANTED},
            {"name": "patients", "planted": {**PLANTED, "n_samples": 80, "n_validation": 0, "months": TIMES}},
        ]
    },
    "feature_selection": {**FEATURES["feature_selection"], "sets": ["shifted"], "variants": []},
    "survival": {**FEATURES["survival"], "features": ["patients"]},
}


# All its numbers; tables, figures and verdicts follow from them.
METRICS = [f"results/quick/{experiment}/metrics.tsv" for experiment in STUDY["experiments"]]


def test_portable_studies_are_the_same_on_every_processor_and_number_of_cores(new_checkout):
    """The settings of an old processor are set from outside, and those of the study win in every job."""

    def results(cores, variables):
        checkout = new_checkout()
        path = checkout.write_config(STUDY | {"arithmetic": "portable"})
        checkout.snakemake("--cores", str(cores), *METRICS, "--configfile", path, **variables)
        return checkout / "results" / "quick"

    # Not the C library of an old one: with AVX2, which portable arithmetic asks for, it uses FMA.
    of_library = {"GLIBC_TUNABLES": PROCESSORS["x86-64-v3, Haswell"]["GLIBC_TUNABLES"]}
    old = PROCESSORS["x86-64-v2, Nehalem"] | of_library if why_not_portable() is None else {}
    here, there = results(1, {}), results(4, old)
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
