"""Figures of the calibrations of all papers, which one function draws, from made-up picks."""

import itertools

import numpy as np
import pandas as pd
import pytest
from presented import check_figure, figures_of, rows, through_file
from replication.shared.figures import shown_name

OPTIONS, SHOWN = ["none", "1", "0.5", "half_sample"], ["none", "1", "0.5", "half sample"]
# Data sets, names of methods, and what one is on the axis.
DRAWN = {
    "brain_calibration": (["all"], {"features": "features (F)", "mds": "MDS", "graph_embedding": "GE",
                                    "consensus": "consensus GE"}, 1),
    "gene_calibration": (["all"], {"ssage": "SSAGE", "consensus_ge_s": "consensus GE, S"}, 1),
    "spectra_calibration": (["prostate_mrsi"], {"c_lle": "C-LLE", "pca": "PCA"}, 100),
    "retrieval_calibration": (["swiss_roll", "glands"], {"nm_ge": "NM-GE", "ose_ssl": "OSE-SSL"}, 1),
    "fine_calibration": (["all"], {"gini": "Gini index", "embedding_le": "LE vectors"}, 1),
}  # fmt: skip


def picks(datasets, methods, n_choices):
    """One to four options of each choice, of which the last is picked."""
    rng, made = np.random.default_rng(0), []
    for dataset, k in itertools.product(datasets, range(n_choices)):
        for option in OPTIONS[: 1 + k % 4]:
            scores = dict(zip(methods, rng.uniform(0.5, 0.9, len(methods)), strict=True))
            at = {"dataset": dataset, "choice": f"choice_{k}", "option": option, "picked": option == OPTIONS[k % 4]}
            made.append(at | scores | {"mean": np.mean(list(scores.values()))})
    return pd.DataFrame(made)


@pytest.mark.parametrize("n_choices", [1, 9])
@pytest.mark.parametrize("experiment", DRAWN)
def test_calibration_marks_the_pick_of_every_choice(experiment, n_choices, tmp_path):
    datasets, methods, unit = DRAWN[experiment]
    table = picks(datasets, methods, n_choices)
    metrics = pd.DataFrame({"dataset": datasets, "source": "simulated"})
    figure = figures_of(experiment, picks=through_file(table, tmp_path), metrics=metrics)["calibration"]
    check_figure(figure)
    cases = itertools.product(datasets, range(n_choices))
    for ax, (dataset, k) in zip(figure.axes, cases, strict=True):
        of_set = f"{shown_name(dataset)} (simulated): " if len(datasets) > 1 else ""
        assert ax.get_title(loc="left") == f"{of_set}choice {k}"
        here = rows(table, dataset=dataset, choice=f"choice_{k}")
        assert [label.get_text() for label in ax.get_yticklabels()] == SHOWN[: 1 + k % 4]
        drawn = {line.get_label(): line.get_xdata() for line in ax.lines}
        for column, name in (methods | {"mean": "mean"}).items():
            np.testing.assert_allclose(drawn[name], unit * here[column])
        np.testing.assert_allclose(drawn["mean, picked"], unit * here["mean"][here["picked"]])
