"""The arena: its inputs, its scores on results that are known, and its tables."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from presented import figures_of, mute, tables_of
from replication.arena import consensus_arena
from replication.arena.arena_inputs import offered_inputs
from replication.arena.arena_names import CONTROL, METHOD_NAMES, SINGLE
from replication.arena.consensus_arena import METHODS
from replication.arena.experiment import check
from replication.catalogue.configuration import read_configuration
from replication.data.readers.expression import read_split, save_split
from replication.data.readers.spectra import SpectraStudy, save_studies
from replication.data.readers.volumes import write_nifti
from replication.papers.tiwari2008.arena_inputs import kappas_of_study
from replication.papers.tomo2025.arena_inputs import digits_data, pools_of_runs
from replication.papers.viswanath2012.arena_inputs import gene_subsets, load_genes, slice_subsets
from replication.papers.viswanath2012.settings import PoolSettings, SliceSettings
from replication.platform.configuration import merge
from replication.platform.methods import AddedMethod
from replication.platform.steps import Work
from replication.shared.arena_data import Data, PoolSizes, save_input
from scipy.spatial.distance import pdist
from scipy.stats import pearsonr
from sklearn.base import BaseEstimator

SIZES = PoolSizes(2, 3)
TSNE = {
    "implementation": "barnes_hut", "perplexity": 30, "learning_rate": "auto", "early_exaggeration": 12, "max_iter": 250
}  # fmt: skip


def grouped(seed, name="grouped", n=40):
    """Two groups of points in space, and pools of noisy pictures of them."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    X = rng.normal(size=(n, 5)) + 5 * labels[:, None]
    pools = X[:, :2] + rng.normal(scale=0.5, size=(3, 4, n, 2))
    return Data(name, "simulated", X, labels), pools


@pytest.fixture(scope="module")
def metrics():
    quiet = {"n_neighbors": 5, "seed": 1, "progress": mute}
    names = ["mean", "meta_visualization", "medoid_run", SINGLE, CONTROL]
    methods = {name: METHODS[name] for name in names}
    parts = []
    for k in range(3):
        data, pools = grouped(k, f"data_{k}")
        parts.append(consensus_arena.run(data, "tsne", pools, methods=methods, **quiet).table())
    return pd.concat(parts, ignore_index=True).fillna("")


def value(metrics, **conditions):
    rows = metrics[(metrics[list(conditions)] == pd.Series(conditions)).all(axis=1)]
    return rows["value"].mean()


def test_every_score_of_every_method_is_there(metrics):
    counts = metrics.groupby(["dataset", "method"])["metric"].agg(lambda column: sorted(set(column)))
    expected = ["ari", "continuity", "distance_correlation", "instability", "label_neighbors", "neighbor_recall"]
    expected += ["peak_mb", "seconds", "silhouette", "trustworthiness"]
    assert (counts.map(tuple) == tuple(expected)).all()
    assert np.isfinite(metrics["value"]).all()
    assert set(METHODS) == set(METHOD_NAMES)


def test_a_random_run_is_as_unstable_as_single_runs_and_a_consensus_less(metrics):
    assert value(metrics, method=SINGLE, metric="instability") == pytest.approx(1, abs=0.1)
    assert value(metrics, method="mean", metric="instability") < 0.8
    assert value(metrics, method=CONTROL, metric="instability") > 1.5


def test_a_control_knows_nothing_of_data_and_classes(metrics):
    for space in ("distances", "embedding"):
        given = {"method": CONTROL, "space": space}
        assert value(metrics, metric="trustworthiness", **given) == pytest.approx(0.5, abs=0.1)
        assert value(metrics, metric="distance_correlation", **given) == pytest.approx(0, abs=0.1)
    assert value(metrics, method=CONTROL, metric="ari") == pytest.approx(0, abs=0.1)
    for metric, least in (("label_neighbors", 0.95), ("ari", 0.9), ("silhouette", 0.5)):
        assert value(metrics, method="mean", metric=metric) > least


def test_instability_by_hand():
    """Distances that differ by unit and offset alone are equal; else the norm is sqrt(2 - 2 r), r of Pearson."""
    first, second = np.random.default_rng(0).random((2, 45))
    found = [consensus_arena.standardized(one) for one in (first, second, 7 * first + 3)]
    assert consensus_arena.distance_of_vectors(found[0], found[2]) == pytest.approx(0, abs=1e-7)
    expected = np.sqrt(2 - 2 * pearsonr(first, second).statistic)
    assert consensus_arena.distance_of_vectors(found[0], found[1]) == pytest.approx(expected)
    flat = consensus_arena.standardized(np.full(45, 0.1))
    assert consensus_arena.distance_of_vectors(flat, flat) == pytest.approx(np.sqrt(2))


def test_label_neighbors_by_hand():
    labels = np.array([0, 0, 1])
    assert consensus_arena.label_neighbors(np.array([[1], [2], [0]]), labels) == pytest.approx(1 / 3)


def test_pools_have_no_common_run_and_none_has_all_the_first_ones():
    dealt = SIZES.into_pools(np.arange(8.0).reshape(8, 1, 1))
    assert dealt[..., 0, 0].tolist() == [[0, 2, 4], [1, 3, 5]]


@pytest.mark.parametrize(
    ("class_path", "kind"),
    [("consensus_embedding.PairwiseConsensus", "consensus"), ("sklearn.decomposition.PCA", "embedding")],
)
def test_an_added_method_competes_with_all_scores(tmp_path, metrics, class_path, kind):
    data, pools = grouped(0, "data_0")
    np.savez(tmp_path / "tsne_data_0.npz", **save_input(data, pools))
    method = AddedMethod("mine", class_path, kind)
    found = consensus_arena.score_added(method, Work(seed=1), tmp_path / "tsne_data_0.npz", "tsne", 5).table()
    assert set(found["method"]) == {"added: mine"}
    own = metrics[(metrics["method"] == "mean") & (metrics["dataset"] == "data_0")]
    costs = ["seconds", "peak_mb"]
    expected = own if kind == "consensus" else own[~own["metric"].isin(costs)]
    assert sorted(found["metric"]) == sorted(expected["metric"])
    if kind == "embedding":
        assert value(found, metric="instability") == pytest.approx(0, abs=1e-6)


def test_an_added_embedding_combines_nothing_and_does_not_compete_for_costs(tmp_path, metrics):
    parts = [metrics]
    for k in range(3):
        np.savez(tmp_path / f"tsne_{k}.npz", **save_input(*grouped(k, f"data_{k}")))
        method = AddedMethod("mine", "sklearn.decomposition.PCA", "embedding")
        parts.append(consensus_arena.score_added(method, Work(seed=1), tmp_path / f"tsne_{k}.npz", "tsne", 5).table())
    joined = pd.concat(parts, ignore_index=True).fillna("")
    tables = tables_of("consensus_arena", metrics=joined)
    figures_of("consensus_arena", metrics=joined, advice_table=tables["advice"], ranks_table=tables["ranks"])
    aims = tables["ranks"].groupby("method")["aim"].agg(set)
    assert aims["added: mine"] == aims["mean"] - {"time", "memory"}
    assert "added: mine" in set(tables["scores"]["method"])


class OnlyDistances(BaseEstimator):
    def fit(self, embeddings):
        self.distances_ = np.mean([pdist(one) for one in embeddings], axis=0)
        return self


class OnlyCoordinates(BaseEstimator):
    def fit(self, embeddings):
        self.embedding_ = embeddings[0][:, :2]
        return self


def test_what_a_method_leaves_out_counts_as_its_costs():
    """The mean by the project has both; a random run has distances next to its coordinates."""
    n_pairs, (data, pools) = 150 * 149 // 2, grouped(0, n=150)
    methods = {"distances": OnlyDistances(), "mean": METHODS["mean"], "coordinates": OnlyCoordinates()}
    found = consensus_arena.run(
        data, "tsne", pools, n_neighbors=5, seed=1, methods=methods, progress=mute
    ).table()  # fmt: skip
    seconds = {name: value(found, method=name, metric="seconds") for name in methods}
    assert seconds["distances"] > 0.5 * seconds["mean"]
    assert value(found, method="coordinates", metric="peak_mb") > 8e-6 * n_pairs
    assert value(found, method="distances", metric="peak_mb") > 0.5 * value(found, method="mean", metric="peak_mb")


def test_coordinates_of_other_dimensions_than_the_runs_are_refused():
    data, pools = grouped(0)
    pools = np.concatenate([pools, pools[..., :1] ** 2], axis=-1)
    with pytest.raises(ValueError, match="mine: expected an embedding of 3 columns, as the runs have, found 2; let"):
        consensus_arena.run(
            data, "tsne", pools, n_neighbors=5, seed=1, methods={"mine": OnlyCoordinates()}, progress=mute
        )


def test_digits_by_tsne_perplexity_and_imputation():
    data = digits_data(60)
    assert (data.name, data.source) == ("digits_first_60", "public-substitute")
    options = {"perplexities": [5, 500], "missing_share": 0.05}
    for kind in ("tsne", "perplexity"):
        pools, again = (pools_of_runs(kind, data, TSNE, SIZES, options, seed=3, progress=mute) for _ in range(2))
        assert pools.shape == (2, 3, 60, 2)
        assert np.array_equal(pools, again)
        assert len({run.tobytes() for run in pools.reshape(6, -1)}) == 6


def test_genes_are_chosen_without_their_classes(tmp_path):
    planted = {"n_genes": 60, "n_informative": 10, "effect": 1.5, "training": [10, 10], "test": [8, 6]}
    split = read_split({"name": "planted", "planted": planted}, seed=1)
    section = {key: one for key, one in read_configuration()["gene_embedding"].items()
               if key in PoolSettings.model_fields} | {"n_genes": 30, "subset_size": 10}  # fmt: skip
    save_split(tmp_path / "split.npz", split)
    data = load_genes("planted", "simulated", tmp_path / "split.npz", section)
    assert data.X.shape == (34, 30)
    mixed = replace(
        split,
        training=replace(split.training, classes=split.training.classes[::-1]),
        test=replace(split.test, classes=split.test.classes[::-1]),
    )
    save_split(tmp_path / "mixed.npz", mixed)
    assert np.array_equal(load_genes("planted", "simulated", tmp_path / "mixed.npz", section).X, data.X)
    pools = gene_subsets(data, section, SIZES, seed=1)
    assert pools.shape == (2, 3, 34, section["n_components"])


def test_spectra_take_the_first_numbers_of_neighbours_that_work(tmp_path):
    rng = np.random.default_rng(0)
    section = read_configuration()["spectra_embedding"]
    truth = np.arange(50) < 20
    spectra = rng.normal(size=(50, 12)) + 3 + 2 * truth[:, None]
    grid = np.stack([np.arange(50), np.zeros(50), np.zeros(50)], axis=1)
    study = SpectraStudy("one", spectra, np.linspace(4, 2, 12), grid, truth=truth)
    np.savez(tmp_path / "studies.npz", **save_studies([study]))
    data, pools = kappas_of_study(tmp_path / "studies.npz", 0, "simulated", section, SIZES, (30, 40))
    assert np.array_equal(data.labels, truth)
    assert pools.shape == (2, 3, 50, section["n_components"])
    with pytest.raises(ValueError, match=r"expected 6 numbers of neighbours.* widen consensus_arena\.kappas"):
        kappas_of_study(tmp_path / "studies.npz", 0, "simulated", section, SIZES, (45, 47))


def test_slices_give_objects_and_pools_of_subsets(tmp_path):
    rng = np.random.default_rng(0)
    labels = np.zeros((20, 20), dtype=int)
    labels[2:18, 2:10], labels[2:18, 10:18] = 2, 3
    section = {key: one for key, one in read_configuration()["image_embedding"].items()
               if key in SliceSettings.model_fields}  # fmt: skip
    section |= {"max_objects": 40, "objects": "k_means", "n_neighbors": 10}
    files = {"image": 50.0 * labels + rng.normal(size=labels.shape), "labels": labels}
    for name, values in files.items():
        write_nifti(values[..., None], tmp_path / f"{name}.nii.gz")
    paths = (tmp_path / f"{name}.nii.gz" for name in files)
    data, pools = slice_subsets(*paths, 80, 0, "simulated", section, SIZES, seed=2)
    assert data.name == "slice_80"
    assert pools.shape[:2] == (2, 3)
    assert pools.shape[2] == len(data.labels) <= 40
    assert 0 < data.labels.mean() < 1


@pytest.mark.slow
def test_the_tables_and_the_figure_follow_from_the_metrics(metrics):
    tables = tables_of("consensus_arena", metrics=metrics)
    assert list(tables["advice"]["aim"]) == [
        "stability", "neighbourhoods", "layout", "coordinates", "classes", "time", "memory",
    ]  # fmt: skip
    assert set(tables["scores"]["method"]) == set(metrics["method"])
    ranks = tables["ranks"]
    assert (ranks.groupby("aim")["mean rank"].sum().drop(["time", "memory"]) - 10).abs().max() < 1e-2
    assert set(tables["kinds"]["kind"]) == {"tsne"}
    drawn = figures_of("consensus_arena", metrics=metrics, advice_table=tables["advice"], ranks_table=ranks)
    assert "Mean rank (1 is best)" in [ax.get_xlabel() for ax in drawn["critical_difference"].axes]


def test_an_arena_of_no_data_is_refused():
    config = read_configuration()
    assert not list(check(config))
    nothing = merge(config, {"consensus_arena": {"inputs": {kind: [] for kind in offered_inputs()}}})
    assert any(line.startswith("consensus_arena.inputs: expected data for one kind") for line in check(nothing))
