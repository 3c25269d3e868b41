"""The experiments on MR spectra at their smallest: on the example, on studies of one's own, and on simulated ones."""

from concurrent.futures import ThreadPoolExecutor

import nibabel
import numpy as np
import pandas as pd
import pytest
import yaml
from nifti_mrs.create_nmrs import gen_nifti_mrs
from replication.data.readers.spectra import load_studies
from replication.platform.configuration import merge
from replication.shared.tidy import read_table

pytestmark = pytest.mark.long_study

EXPERIMENTS = [f"spectra_{name}" for name in ("calibration", "methods", "dimensions", "stability", "components")]
SCORES = {"sensitivity", "specificity", "balanced_accuracy"}
OPTIONS = {"normalization": ["none", "norm"], "kappas": [[5, 8]], "mode": ["half_sample"], "kmeans_runs": [6]}
OPTIONS |= {"ica_components": [3], "baseline": ["none"]}
ENDS = {"write_report", "write_manifest", "all"}
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
SIMULATED = {"experiments": EXPERIMENTS, "spectra": {"n_studies": 2, "n_training": 2}}

# Spectra of one's own: 512 points of 1250 Hz at 63.87 MHz.
N_POINTS, DWELL, LARMOR = 512, 1 / 1250, 63.87
PPM = 4.65 + np.fft.fftshift(np.fft.fftfreq(N_POINTS, DWELL)) / LARMOR
INSIDE = (PPM >= 1.8) & (PPM <= 4.2)
GRID = (6, 5, 2)


def signals(n, seed):
    """Signals over time of n voxels, and which of them are cancer: choline high, citrate low."""
    rng, time = np.random.default_rng(seed), np.arange(N_POINTS) * DWELL
    cancer = np.arange(n) % 4 == 0
    choline, citrate = np.where(cancer, 1.5, 0.6), np.where(cancer, 0.4, 1.5)
    choline, citrate = choline + rng.normal(0, 0.3, n), citrate + rng.normal(0, 0.3, n)
    lines = {3.2: choline, 3.0: 0.5 * choline, 2.6: citrate}
    data = sum(
        height[:, None] * np.exp(2j * np.pi * (shift - 4.65) * LARMOR * time - 20 * time)
        for shift, height in lines.items()
    )
    return data + rng.normal(size=(n, N_POINTS, 2)) @ [0.02, 0.02j], cancer


def spectra_of(data):
    return np.fft.fftshift(np.fft.fft(data), axes=-1).real


def own_table(seed, n=40, labels=("box", "truth")):
    """A study as a table; the box reaches beyond the cancer."""
    data, cancer = signals(n, seed)
    table = pd.DataFrame(np.argwhere(np.ones((n // 8, 4, 2))), columns=["x", "y", "z"])
    truths = {"box": cancer | (np.arange(n) % 8 == 1), "truth": cancer}
    table = table.assign(**{label: truths[label].astype(int) for label in labels})
    return table.join(pd.DataFrame(spectra_of(data)[:, INSIDE], columns=[f"{ppm:.6f}" for ppm in PPM[INSIDE]]))


def write_table(checkout, name, table):
    """Write a table in the form that its suffix says; return its path as a configuration names it."""
    path = checkout / "own" / name
    path.parent.mkdir(exist_ok=True)
    table.to_csv(path, sep="\t" if name.endswith(".tsv") else ",", index=False)
    return f"own/{name}"


def write_nifti(checkout, data, mask):
    """A study as NIfTI-MRS with a mask; return what a configuration says of it."""
    (checkout / "own").mkdir(exist_ok=True)
    affine = np.diag([-6.9, -6.9, -6.9, 1.0])
    file = gen_nifti_mrs(data.reshape(*GRID, N_POINTS).astype(np.complex64), DWELL, LARMOR, affine=affine)
    file.save(str(checkout / "own/spectra.nii.gz"))
    nibabel.save(nibabel.Nifti1Image(mask.astype(np.uint8), affine), checkout / "own/mask.nii.gz")
    return {"nifti": "own/spectra.nii.gz", "mask": "own/mask.nii.gz", "ppm": [1.8, 4.2]}


def write_changes(checkout, name, changes):
    """A file with what a user changes, to be read after config/own_spectra.yaml; return the options that read both."""
    path = f"config/{name}.yaml"
    (checkout / path).write_text(yaml.safe_dump(merge(SMALL, changes), sort_keys=False))
    return ["--configfile", "config/own_spectra.yaml", path]


@pytest.fixture(scope="module")
def studied(new_checkout):
    """A checkout in which the study of the example has run on one core."""
    checkout = new_checkout()
    checkout.arguments = write_changes(checkout, "small", {})
    checkout.output = checkout.snakemake("--cores", "1", *checkout.arguments)
    checkout.results = checkout / "results/own_spectra"
    return checkout


def test_the_example_ends_with_report_tables_figures_and_verdicts(studied):
    assert "Report:   results/own_spectra/report.html" in studied.output
    for experiment in EXPERIMENTS:
        for part, kinds in {"tables": {".tsv"}, "figures": {".png", ".pdf"}}.items():
            assert {path.suffix for path in (studied.results / experiment / part).iterdir()} == kinds
        metrics = read_table(studied.results / experiment / "metrics.tsv")
        assert set(metrics["source"]) == {"own"}
        assert set(metrics["dataset"]) == {"own_spectra"}
        assert np.isfinite(metrics["value"]).all()
        assert metrics["value"][metrics["metric"].isin(SCORES)].between(0, 1).all()
    ledger = read_table(studied.results / "claims.tsv").set_index("id")
    judged = ledger[ledger["verdict"] != "not testable"]
    assert set(judged["source"]) == {"own"}
    assert "CL-06" in judged.index
    assert all(index.startswith("CL-") for index in judged.index)


def test_the_tables_of_the_example_are_read_as_they_are(studied):
    roles = {"evaluation": ["third", "fourth"], "training": ["first", "second"]}
    counts = read_table(studied.results / "spectra_methods/tables/studies.tsv").set_index("study")
    for role, names in roles.items():
        found = load_studies(studied.results / f"spectra/own_{role}.npz")
        assert [study.name for study in found] == names
        for study in found:
            table = pd.read_csv(studied / f"results/example/spectra_{study.name}.tsv", sep="\t")
            np.testing.assert_array_equal(study.positions, table[["x", "y", "z"]])
            np.testing.assert_array_equal(study.box, table["box"] == 1)
            np.testing.assert_array_equal(study.truth, table["truth"] == 1)
            np.testing.assert_array_equal(study.spectra, table.iloc[:, 5:])
            np.testing.assert_array_equal(study.ppm, table.columns[5:].astype(float))
            if role == "evaluation":
                expected = [len(table), table["box"].sum(), table["truth"].sum()]
                assert counts.loc[study.name, ["voxels", "in the box", "cancer"]].tolist() == expected


def test_a_change_reruns_what_depends_on_it(studied):
    changed = write_changes(studied, "changed", {"spectra_dimensions": {"n_components": [3, 5]}})
    counts = studied.job_counts(*changed[1:])
    jobs = {"run_spectra_dimensions", "present_spectra_dimensions", "judge_claims", "draw_ledger"}
    assert set(counts) == jobs | ENDS


def without_seconds(path):
    """Lines of a file but for run times, which CL-08 is about."""
    return [
        line for line in path.read_text().splitlines() if "\tseconds\t" not in line and not line.startswith("CL-08")
    ]


def test_the_numbers_on_spectra_do_not_depend_on_the_number_of_cores(studied):
    numbers = [f"{name}/metrics.tsv" for name in EXPERIMENTS]
    numbers += ["spectra_calibration/tables/picks.tsv", "spectra_methods/parts/main.tsv", "claims.tsv"]
    for cores in ("1", "2"):
        study = f"cores_{cores}"
        config = studied.write_config(merge(merge(SMALL, SIMULATED), {"study": study}), f"config/{study}.yaml")
        targets = [f"results/{study}/{name}" for name in numbers]
        studied.snakemake("--cores", cores, *targets, "--configfile", config)
    for name in numbers:
        one, two = (studied / f"results/cores_{cores}" / name for cores in ("1", "2"))
        assert without_seconds(one) == without_seconds(two), name
    stability = read_table(studied / "results/cores_1/spectra_stability/metrics.tsv")
    assert set(stability["axis"]) == {"values", "kappa", "kappa_random", "noise", "clustering"}
    assert set(stability["study"]) == {"judged-1", "judged-2"}
    assert set(stability["source"]) == {"simulated"}


# --- studies without labels


@pytest.fixture(scope="module")
def unlabelled(studied):
    """A table and a NIfTI-MRS file that no truth is known of, studied: results, and what was written."""
    mask = np.zeros(GRID, dtype=bool)
    mask[1:, :4] = True
    data, _ = signals(mask.size, 1)
    table = own_table(0, labels=())
    own = [
        {"name": "patient", "role": "evaluation", "table": write_table(studied, "patient.csv", table)},
        {"name": "volume", "role": "evaluation", **write_nifti(studied, data, mask)},
    ]
    changes = {"study": "unlabelled", "experiments": EXPERIMENTS[1:], "spectra": {"own": own}}
    changes["spectra_methods"] = {"map_study": 1}
    output = studied.snakemake("--cores", "1", *write_changes(studied, "unlabelled", changes))
    assert "Report:   results/unlabelled/report.html" in output
    return studied / "results/unlabelled", table, spectra_of(data.reshape(*GRID, N_POINTS)[mask])[:, INSIDE]


def test_a_table_and_nifti_mrs_are_read_together(unlabelled):
    results, table, spectra = unlabelled
    patient, volume = load_studies(results / "spectra/own_evaluation.npz")
    assert load_studies(results / "spectra/own_training.npz") == []
    assert [patient.name, volume.name] == ["patient", "volume"]
    np.testing.assert_allclose(patient.spectra[:, ::-1], table.iloc[:, 3:])
    # The signals were written in single precision.
    np.testing.assert_allclose(volume.spectra[:, ::-1], spectra, atol=1e-4 * np.abs(spectra).max())
    assert len(volume.spectra) == 5 * 4 * 2
    for study in (patient, volume):
        np.testing.assert_allclose(study.ppm[::-1], PPM[INSIDE], atol=1e-5)
        assert study.box is None
        assert study.truth is None


def test_without_labels_there_are_maps_and_no_scores(unlabelled):
    results, _, _ = unlabelled
    assert (results / "spectra_methods/figures/maps.png").stat().st_size > 10_000
    with np.load(results / "spectra_methods/parts/own_pictures.npz") as pictures:
        assert str(pictures["study"]) == "volume"
        for method in ("c_lle", "pca", "features"):
            assert set(pictures[f"clusters_{method}"]) == {0, 1, 2}
            assert len(pictures[f"calls_{method}"]) == 40
        # By windows and threshold of the literature; all other thresholds are learnt.
        assert len(pictures["calls_peak_integration_literature"]) == 40
        assert not {"calls_z_score", "calls_peak_integration", "label_box", "label_voxels"} & set(pictures)
    for experiment in EXPERIMENTS[1:]:
        metrics = read_table(results / experiment / "metrics.tsv")
        assert not any(score in metric for score in SCORES for metric in metrics["metric"])
        assert np.isfinite(metrics["value"].astype(float)).all()


def test_without_labels_no_claim_that_needs_them_is_judged(unlabelled):
    results, _, _ = unlabelled
    verdicts = read_table(results / "claims.tsv").set_index("id")["verdict"]
    # The variance of the principal components and the run time need no labels.
    assert set(verdicts.index[verdicts != "not testable"]) <= {"CL-06", "CL-08"}
    report = (results / "report.html").read_text()
    assert ">nan<" not in report.lower()
    for experiment in EXPERIMENTS[1:]:
        assert f'href="{experiment}/metrics.tsv"' in report


# --- studies that cannot be used


def faulty_studies(checkout):
    """Studies of one fault each: name -> (changes, title of the job that fails, the words that name the fault)."""
    good = own_table(2)
    nan = good.astype(object)
    nan.iloc[2, 7] = "nan"
    tables = {"good": good, "nan": nan, "unboxed": good.drop(columns="box")}
    paths = {name: write_table(checkout, f"{name}.tsv", table) for name, table in tables.items()}

    def own(**roles):
        studies = [{"name": name, "table": paths[name], "role": role} for name, role in roles.items()]
        return {"experiments": ["spectra_methods"], "spectra": {"own": studies}}

    evaluation = {"good": "evaluation"}
    cropped = own(**evaluation)
    cropped["spectra"]["own"][0]["ppm"] = [2.7, 4.2]
    reading, scoring = "read_spectra", "spectra, own"
    column = good.columns[7]
    return {
        "nan": (own(nan="evaluation"), reading, f"own/nan.tsv, line 4, column '{column}': expected a finite number"),
        "unboxed": (
            own(**evaluation, unboxed="training"),
            scoring,
            "unboxed: a training study needs a column or image",
        ),
        "cropped": (cropped, reading, "study good, ppm: expected spectra that cover choline, creatine and citrate"),
        "kappa": (own(**evaluation) | {"spectra_embedding": {"kappas": [5, 40]}}, scoring, "between 1 and 39"),
    }


def test_a_study_that_cannot_be_used_is_one_clear_message_and_leaves_nothing(studied):
    faulty = faulty_studies(studied)

    def run(name):
        study = f"faulty_{name}"
        arguments = write_changes(studied, study, {"study": study, **faulty[name][0]})
        # Several at a time in one folder, which is no trouble where each makes files of its own.
        target = f"results/{study}/spectra_methods/parts/own.tsv"
        return studied.snakemake("--cores", "1", "--nolock", target, *arguments, fails=True)

    with ThreadPoolExecutor(2) as pool:
        outputs = dict(zip(faulty, pool.map(run, faulty), strict=True))
    for name, (_, job, words) in faulty.items():
        (said,) = {line for line in outputs[name].splitlines() if " failed: " in line}
        assert said.startswith(f"{job} failed: ")
        assert words in said, said
        files = (path for path in (studied / f"results/faulty_{name}").rglob("*") if path.is_file())
        left = {path.name for path in files if "benchmarks" not in path.parts}
        # What was read stays where the reading did not fail.
        assert left == (set() if job == "read_spectra" else {"own_evaluation.npz", "own_training.npz"})


def test_a_file_that_is_not_there_is_named_before_anything_runs(studied):
    """Also where the study has run: its results would otherwise stand for a file that is gone."""
    before = {path: path.stat().st_mtime_ns for path in studied.results.rglob("*")}
    gone = {"name": "gone", "role": "evaluation", "nifti": "own/absent.nii.gz"}
    arguments = write_changes(studied, "absent", {"experiments": EXPERIMENTS[1:], "spectra": {"own": [gone]}})
    output = studied.snakemake("--cores", "1", *arguments, fails=True)
    assert "spectra.own, nifti of gone: own/absent.nii.gz does not exist" in output
    assert "Traceback" not in output
    assert {path: path.stat().st_mtime_ns for path in studied.results.rglob("*")} == before
