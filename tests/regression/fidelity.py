"""
Are data, numbers and verdicts of a study on real data those that were committed?

    .venv/bin/python -m pytest -q tests/regression/fidelity.py --study results/ci
    .venv/bin/python -m pytest -q tests/regression/fidelity.py --study results/paper_resimulated

Not collected with the other tests, as it needs a study that takes long: .ci/run makes results/ci. Its draws and rounds
are the first of the paper-scale study, number for number, and are held against resources/paper; its verdicts
against tests/regression/ci, those of the paper-scale study against resources/paper. With --without-data what
needs real data is left out.

Another processor rounds in another way, which may move a sample on the border of two clusters or a feature at the end
of a list; each test says how much of that it takes. The runs of t-SNE are then others altogether, see test_drift.py:
claims on them may move to a neighbouring part, and measured numbers are not compared.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ledgers import kl_divergences, moved_claims, read, same_runs
from replication.data.feature_set import load_feature_set
from replication.data.readers.expression import load_split

PAPER = Path(__file__).parents[2] / "resources" / "paper"
REFERENCES = {"ci": Path(__file__).parent / "ci", "paper_resimulated": PAPER}
UPDATE = {
    "ci": ".venv/bin/python tests/regression/update.py --study ci",
    "paper_resimulated": ".venv/bin/python tests/regression/update_readme.py",
}
WITHOUT_DATA = {"tsne_equivalence", "mce_convergence", "spectra_methods", "swiss_roll", "gland_retrieval"}
MOVED = 1e-6  # from here on a score has moved; the tables hold ten digits


@pytest.fixture(scope="module")
def study(request):
    folder = request.config.getoption("--study", default=None)
    if folder is None or Path(folder).name not in REFERENCES or not Path(folder).is_dir():
        pytest.exit(
            f"Expected --study results/ci or --study results/paper_resimulated, made before; found {folder}.", 2
        )
    return Path(folder)


@pytest.fixture
def real_data():
    """Tests that ask for it need real data; --without-data leaves them out, see conftest.py."""


@pytest.fixture(scope="module")
def metrics(study):
    """Reader of the metrics of an experiment of the study, as text but for the values."""

    def read_metrics(*experiments):
        tables = [read(study / experiment / "metrics.tsv") for experiment in experiments]
        return pd.concat(tables, ignore_index=True).fillna("").astype({"value": float})

    return read_metrics


def sources(table):
    return {dataset: set(rows["source"]) for dataset, rows in table.groupby("dataset")}


def moved_scores(scores, name, keys, study):
    """Committed scores beside those of the study, and those that moved; none may be missing or new."""
    committed = read(PAPER / name)
    both = scores.merge(committed.astype({"value": float}), on=keys, suffixes=("", "_committed"), validate="1:1")
    # The smaller study runs a part of what is committed, the larger one more.
    wanted = committed if study.name == "paper_resimulated" else scores
    assert len(both) == len(wanted), f"{len(both)} of {len(wanted)} scores are in both; the others are gone or new"
    both["moved"] = (both["value"] - both["value_committed"]).abs()
    moved = both[both["moved"] > MOVED]
    print(f"{len(both) - len(moved)} of {len(both)} scores are the committed ones of the paper-scale study")
    told = moved[[*keys, "value_committed", "value"]].to_string(index=False)
    return both, moved, f"{len(moved)} of {len(both)} scores moved:\n{told}"


def mean_of(table, **conditions):
    for column, value in conditions.items():
        table = table[table[column] == str(value)]
    assert len(table), f"no rows with {conditions}"
    return table["value"].mean()


def test_digits(metrics):
    runs, convergence = metrics("tsne_equivalence"), metrics("mce_convergence")
    assert sources(runs) == sources(convergence) == {"digits": {"original"}}
    exact, barnes_hut = (mean_of(runs, method=name, metric="kl_divergence") for name in ("exact", "scikit-learn"))
    assert exact <= barnes_hut
    for metric in ("distance_to_reference", "pairwise_distance"):
        one, ten = (mean_of(convergence, metric=metric, space="consensus", n_embeddings=m) for m in (1, 10))
        assert ten < one


@pytest.mark.usefixtures("real_data")
def test_simulated_slices_are_like_the_real_ones(metrics):
    real = metrics("brain_real_slices")
    assert set(real["source"]) == {"original", "simulated"}
    tissues = real[real["method"] == "simulator"]
    for metric, low, high, tissue in (
        ("mean_ratio", 0.98, 1.02, ["GM", "WM", "CSF"]),
        ("noise_ratio", 0.95, 1.05, ["GM", "WM"]),
        ("correlation", 0.88, 1.0, ["brain"]),
    ):
        values = tissues[(tissues["metric"] == metric) & tissues["tissue"].isin(tissue)]["value"]
        assert len(values) == 3 * len(tissue)
        assert values.between(low, high).all(), f"{metric}: {values.min():.3f} to {values.max():.3f}"


@pytest.mark.usefixtures("real_data")
def test_brain_images(metrics, study):
    grid = metrics("brain_grid")
    if study.name == "ci":
        assert sources(grid) == {"brainweb_resimulated": {"simulated"}}
    grid = grid[grid["dataset"] == "brainweb_resimulated"]
    assert set(grid["source"]) == {"simulated"}
    accuracy = grid[(grid["metric"] == "accuracy") & (grid["objects"] == "mean_shift")]
    by_method = accuracy.groupby("method")["value"].mean()
    assert by_method.between(0.5, 1.0).all(), by_method
    assert by_method["best_single"] >= by_method["consensus_strict"] - 0.1
    kept = grid[(grid["metric"] == "n_selected") & (grid["method"] == "consensus")]["value"]
    assert (kept == 100).all(), "theta = 0.15 x max excludes nothing"


# Samples, genes and classes of each split, as the sources of the data count them.
SPLITS = {
    "leukemia": ((38, 7129, {"ALL": 27, "AML": 11}), (34, 7129, {"ALL": 20, "AML": 14})),
    "lung": ((32, 12533, {"Mesothelioma": 16, "ADCA": 16}), (149, 12533, {"Mesothelioma": 15, "ADCA": 134})),
    "breast": ((78, 24481, {"relapse": 34, "non-relapse": 44}), (19, 24481, {"relapse": 12, "non-relapse": 7})),
    "prostate": ((102, 12600, {"Tumor": 52, "Normal": 50}), (34, 12600, {"Tumor": 25, "Normal": 9})),
}


@pytest.mark.usefixtures("real_data")
@pytest.mark.parametrize("name", SPLITS)
def test_samples_and_genes(study, name):
    split = load_split(study / "genes" / f"{name}.npz")
    for table, (samples, genes, classes) in zip((split.training, split.test), SPLITS[name], strict=True):
        assert table.values.shape == (samples, genes) == (len(table.classes), len(table.genes))
        assert dict(zip(*np.unique(table.classes, return_counts=True), strict=True)) == classes
    if name == "breast":
        missing = np.isnan(split.training.values)
        assert missing.all(axis=0).sum() == 293
        assert missing.sum(axis=1).max() == 10896


@pytest.mark.usefixtures("real_data")
def test_gene_expression(metrics, study):
    table = metrics("gene_expression")
    assert set(table["source"]) == {"original"}
    scores = table[(table["variant"] == "main") & table["metric"].isin(["accuracy", "balanced_accuracy"])]
    both, moved, told = moved_scores(scores, "gene_draws.tsv", ["dataset", "method", "metric", "repetition"], study)
    if study.name == "ci":
        assert len(both) == len(read(PAPER / "gene_draws.tsv"))
    assert len(moved) <= 0.05 * len(both), told
    assert (moved["moved"] < 0.12).all(), told


def test_spectra(metrics, study):
    table = metrics("spectra_methods")
    assert set(table["source"]) == {"simulated"}
    scores = table[table["metric"].isin(["sensitivity", "specificity"]) & (table["kappa"] == "")]
    conditions = scores[["noise", "linewidth", "contrast"]].astype(float)
    scores = scores[(conditions == 1).all(axis=1)]
    both, moved, told = moved_scores(
        scores, "spectra_scores.tsv", ["study", "method", "truth", "naming", "metric"], study
    )
    assert len(both) == len(read(PAPER / "spectra_scores.tsv")) > 500
    assert len(moved) <= 0.05 * len(both), told
    assert (both.groupby(["method", "truth", "metric"])["moved"].mean() < 0.02).all(), told


def test_retrieval(metrics, study):
    table = metrics("swiss_roll", "gland_retrieval")
    found = sources(table)
    assert found == {"swiss_roll": {"simulated"}, "glands": {"simulated"}, "digits": {"public-substitute"}}
    scores = table[table["metric"].isin(["si", "auprc"]) & (table["label"] == "") & (table["variant"] == "")]
    scores = scores[scores["separation"] == ""]
    keys = ["dataset", "method", "training", "labelled", "objects", "split", "repetition", "metric"]
    both, moved, told = moved_scores(scores, "retrieval_scores.tsv", keys, study)
    assert len(both) > 300
    # Eigenvectors and ranks have nothing that a last digit could tip.
    assert moved.empty, told


# Training and validation samples, features, and samples of the class 1 in either, as the challenge and the studies
# count them.
FEATURES = {
    "madelon": (2000, 600, 500, 1000, 300),
    "arcene": (100, 100, 10000, 44, 44),
    "dexter": (300, 300, 20000, 150, 150),
    "gisette": (500, 500, 5000, 250, 250),
    "diagnostic": (569, 0, 30, 212, 0),
    "prognostic": (198, 0, 30, 47, 0),
    "relapse": (97, 0, 2343, 46, 0),
}


@pytest.mark.usefixtures("real_data")
@pytest.mark.parametrize("name", FEATURES)
def test_samples_and_features(study, name):
    table = load_feature_set(study / "features" / f"{name}.npz")
    training = np.ones(len(table.labels), bool) if table.validation is None else ~table.validation
    positive = table.labels == 1
    of_class = ((positive & training).sum(), (positive & ~training).sum())
    assert (training.sum(), (~training).sum(), len(table.features), *of_class) == FEATURES[name]


@pytest.mark.usefixtures("real_data")
def test_selected_features(metrics, study):
    table = metrics("feature_selection", "pathology", "survival")
    assert sources(table) == {
        **{name: {"original"} for name in ("madelon", "arcene", "dexter")},
        "gisette": {"original with validation set halved"},
        **{
            name: {"public-substitute"}
            for name in ("s1", "s1_metastasis", "s2", "s3", "s4", "prognostic", "metastasis")
        },
    }
    scores = table[table["metric"].isin(["auc", "log_rank_p"]) & (table["fit"] != "same patients")]
    scores = scores[(scores["variant"] == "") & scores["n_features"].isin(["", "5", "5.0"])]
    keys = ["experiment", "dataset", "cohort", "method", "classifier", "repetition", "metric"]
    both, moved, told = moved_scores(scores, "feature_scores.tsv", keys, study)
    assert len(both) > 400
    assert len(moved) <= 0.05 * len(both), told


# Claims that the studies hold all data for.
TESTABLE = {
    "tsne_equivalence": ["MC-01", "MC-02", "MC-10"],
    "brain_grid": ["CE-04", "CE-06"],
    "brain_readings": ["CE-02", "CE-03", "CE-05"],
    "gene_expression": ["CE-10-s", "CE-10-us", "CE-11", "CE-12", "CE-13-ge", "CE-13-pca", "CE-14", "CE-20-genes",
                        "CE-21-genes", "CE-25"],
    "spectra_methods": ["CL-06", "CL-10"],
    "swiss_roll": ["OS-01", "OS-09", "OS-11", "OS-13"],
    "feature_selection": [*(f"FI-{k:02}" for k in range(1, 12)), "FI-12-nips", "FI-12-pathology", "FI-13",
                          "FI-15", "FI-16", "FI-18"],
}  # fmt: skip


def left_untested(study, experiment):
    ledger = read(study / "claims.tsv").set_index("id").loc[TESTABLE[experiment]]
    return ledger.loc[ledger["verdict"] == "not testable", "reason"].to_dict()


@pytest.mark.parametrize("experiment", [name for name in TESTABLE if name in WITHOUT_DATA])
def test_claims_can_be_judged(study, experiment):
    assert left_untested(study, experiment) == {}


@pytest.mark.usefixtures("real_data")
@pytest.mark.parametrize("experiment", [name for name in TESTABLE if name not in WITHOUT_DATA])
def test_claims_on_real_data_can_be_judged(study, experiment):
    assert left_untested(study, experiment) == {}


def test_verdicts(study, request):
    reference = REFERENCES[study.name]
    files = [reference / "claims.tsv", reference / "tsne_runs.tsv"]
    missing = [str(path.relative_to(reference.parents[2])) for path in files if not path.exists()]
    assert not missing, f"not there: {', '.join(missing)}; take over the results with {UPDATE[study.name]}"
    old, new = read(files[0]), read(study / "claims.tsv")
    if request.config.getoption("--without-data", default=False):
        old, new = (table[table["experiment"].isin(WITHOUT_DATA)] for table in (old, new))
    same = same_runs(read(files[1]), kl_divergences(read(study / "tsne_equivalence" / "metrics.tsv")))
    lines = moved_claims(old, new, same=same)
    runs = "the same t-SNE runs" if same else "other t-SNE runs than those of the committed ledger"
    print(f"{len(new) - len(lines)} of {len(new)} claims are judged as in {files[0].relative_to(reference.parents[2])}")
    head = f"{len(lines)} claims moved ({files[0].relative_to(reference.parents[2])}, {runs}):"
    assert not lines, "\n".join([head, *lines, f"If they were meant to move: {UPDATE[study.name]}"])
