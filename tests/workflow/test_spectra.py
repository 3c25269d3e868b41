"""The experiments on MR spectra at their smallest, on the example and on studies of one's own."""

import nibabel
import numpy as np
import pandas as pd
import pytest
from nifti_mrs.create_nmrs import gen_nifti_mrs
from replication.data.readers.spectra import load_studies
from replication.papers.tiwari2008.spectra_maps import maps_of
from replication.platform.configuration import merge
from replication.shared.tidy import read_table

pytestmark = pytest.mark.long_study

EXPERIMENTS = [f"spectra_{name}" for name in ("calibration", "methods", "dimensions", "stability", "components")]
SCORES = {"sensitivity", "specificity", "balanced_accuracy"}
OPTIONS = {"normalization": ["none", "norm"], "kappas": [[5, 8]], "mode": ["half_sample"], "kmeans_runs": [6]}
OPTIONS |= {"ica_components": [3], "baseline": ["none"]}
# Enough for every table and figure; the numbers say little.
SMALL = {
    # As of a user who wants the claims of the papers judged on own tables.
    "claims": ["papers"],
    "spectra_embedding": {"kappas": [5, 8], "kmeans_runs": 6},
    "spectra_calibration": {"options": OPTIONS},
    "spectra_methods": {"noise": [1], "linewidth": [1], "contrast": [1]},
    "spectra_dimensions": {"n_components": [3, 4]},
    "spectra_stability": {"noise_draws": 2, "kappa_groups": 2, "kappa_splits": 2, "clustering_repetitions": 2},
    "spectra_components": {"starts": 2, "random_draws": 2},
}

# Spectra of one's own: 512 points of 1250 Hz at 63.87 MHz.
N_POINTS, DWELL, LARMOR = 512, 1 / 1250, 63.87
PPM = 4.65 + np.fft.fftshift(np.fft.fftfreq(N_POINTS, DWELL)) / LARMOR
INSIDE = (PPM >= 1.8) & (PPM <= 4.2)
GRID = (6, 5, 2)


def signals(n, seed):
    """Signals over time of n voxels, of which every fourth is cancer: choline high, citrate low."""
    rng, time = np.random.default_rng(seed), np.arange(N_POINTS) * DWELL
    cancer = np.arange(n) % 4 == 0
    choline, citrate = np.where(cancer, 1.5, 0.6), np.where(cancer, 0.4, 1.5)
    choline, citrate = choline + rng.normal(0, 0.3, n), citrate + rng.normal(0, 0.3, n)
    lines = {3.2: choline, 3.0: 0.5 * choline, 2.6: citrate}
    data = sum(
        height[:, None] * np.exp(2j * np.pi * (shift - 4.65) * LARMOR * time - 20 * time)
        for shift, height in lines.items()
    )
    return data + rng.normal(size=(n, N_POINTS, 2)) @ [0.02, 0.02j]


def spectra_of(data):
    return np.fft.fftshift(np.fft.fft(data), axes=-1).real


def own_table(n=40):
    """A study as a table, without labels."""
    table = pd.DataFrame(np.argwhere(np.ones((n // 8, 4, 2))), columns=["x", "y", "z"])
    spectra = spectra_of(signals(n, 0))[:, INSIDE]
    return table.join(pd.DataFrame(spectra, columns=[f"{ppm:.6f}" for ppm in PPM[INSIDE]]))


def write_nifti(checkout, data, mask):
    """A study as NIfTI-MRS with a mask; return what a configuration says of it."""
    (checkout / "own").mkdir(exist_ok=True)
    affine = np.diag([-6.9, -6.9, -6.9, 1.0])
    file = gen_nifti_mrs(data.reshape(*GRID, N_POINTS).astype(np.complex64), DWELL, LARMOR, affine=affine)
    file.save(str(checkout / "own/spectra.nii.gz"))
    nibabel.save(nibabel.Nifti1Image(mask.astype(np.uint8), affine), checkout / "own/mask.nii.gz")
    return {"nifti": "own/spectra.nii.gz", "mask": "own/mask.nii.gz", "ppm": [1.8, 4.2]}


@pytest.fixture(scope="module")
def studied(new_checkout):
    """A checkout in which the study of the example has run on one core."""
    checkout = new_checkout()
    checkout.study("own_spectra", SMALL)
    return checkout


def test_the_example_ends_with_report_tables_figures_and_verdicts(studied):
    studied.check_complete(EXPERIMENTS)
    for experiment in EXPERIMENTS:
        metrics = read_table(studied.results / experiment / "metrics.tsv")
        assert set(metrics["dataset"]) == {"own_spectra"}
        assert metrics["value"][metrics["metric"].isin(SCORES)].between(0, 1).all()
    ledger = read_table(studied.results / "claims.tsv").set_index("id")
    judged = ledger[ledger["verdict"] != "not testable"]
    assert set(judged["source"]) == {"own"}
    assert "CL-06" in judged.index
    assert all(index.startswith("CL-") for index in judged.index)


def test_the_tables_of_the_example_are_read_with_their_labels(studied):
    counts = read_table(studied.results / "spectra_methods/tables/studies.tsv").set_index("study")
    assert counts.index.tolist() == ["third", "fourth"]
    for name, found in counts.iterrows():
        table = pd.read_csv(studied / f"results/example/spectra_{name}.tsv", sep="\t")
        expected = [len(table), table["box"].sum(), table["truth"].sum()]
        assert found[["voxels", "in the box", "cancer"]].tolist() == expected
    training = load_studies(studied.results / "spectra/own_training.npz")
    assert [study.name for study in training] == ["first", "second"]


# --- studies without labels


@pytest.fixture(scope="module")
def unlabelled(studied):
    """A table and a NIfTI-MRS file that no truth is known of, studied: results, and what was written."""
    mask = np.zeros(GRID, dtype=bool)
    mask[1:, :4] = True
    data = signals(mask.size, 1)
    table = own_table()
    own = [
        {"name": "patient", "role": "evaluation", "table": studied.write_table("patient.csv", table)},
        {"name": "volume", "role": "evaluation", **write_nifti(studied, data, mask)},
    ]
    changes = {"study": "unlabelled", "experiments": EXPERIMENTS[1:], "spectra": {"own": own}}
    arguments = studied.write_changes("own_spectra", merge(SMALL, changes), "unlabelled")
    output = studied.snakemake("--cores", "1", *arguments)
    assert "Report:   results/unlabelled/report.html" in output
    return studied / "results/unlabelled", table


def test_a_table_and_nifti_mrs_are_read_together(unlabelled):
    results, table = unlabelled
    studies = load_studies(results / "spectra/own_evaluation.npz")
    shapes = {study.name: study.spectra.shape for study in studies}
    assert shapes == {"patient": (len(table), INSIDE.sum()), "volume": (5 * 4 * 2, INSIDE.sum())}
    assert all(study.box is None and study.truth is None for study in studies)
    assert load_studies(results / "spectra/own_training.npz") == []


def test_without_labels_there_are_maps_and_no_scores(unlabelled):
    results, patient = unlabelled
    assert (results / "spectra_methods/figures/maps.png").stat().st_size > 10_000
    with np.load(results / "spectra_methods/parts/own_pictures.npz") as arrays:
        pictures = maps_of(arrays)["volume"]
        for method in ("c_lle", "pca", "features"):
            assert set(pictures[f"clusters_{method}"]) == {0, 1, 2}
            assert len(pictures[f"calls_{method}"]) == 40
        # By windows and threshold of the literature; all other thresholds are learnt.
        assert len(pictures["calls_peak_integration_literature"]) == 40
        assert not {"calls_z_score", "calls_peak_integration", "label_box", "label_voxels"} & set(pictures)
    calls = read_table(results / "spectra_methods/tables/calls_own.tsv")
    assert calls["study"].value_counts().to_dict() == {"patient": len(patient), "volume": 40}
    np.testing.assert_array_equal(calls["c_lle"].tail(40), pictures["calls_c_lle"])
    for experiment in EXPERIMENTS[1:]:
        metrics = read_table(results / experiment / "metrics.tsv")
        assert not any(score in metric for score in SCORES for metric in metrics["metric"])
        assert np.isfinite(metrics["value"].astype(float)).all()


def test_without_labels_no_claim_that_needs_them_is_judged(unlabelled):
    results, _ = unlabelled
    verdicts = read_table(results / "claims.tsv").set_index("id")["verdict"]
    # The variance of the principal components and the run time need no labels.
    assert set(verdicts.index[verdicts != "not testable"]) <= {"CL-06", "CL-08"}
    report = (results / "report.html").read_text()
    assert ">nan<" not in report.lower()
    for experiment in EXPERIMENTS[1:]:
        assert f'href="{experiment}/metrics.tsv"' in report
