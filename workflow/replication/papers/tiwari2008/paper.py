"""Tiwari et al. 2008: consensus locally linear embedding of MR spectra."""

from replication.papers.tiwari2008.layout import base_files
from replication.platform.declarations import Answer, Clause, Family, Paper
from replication.platform.steps import Seconds

PAPER = Paper(
    title="Tiwari et al. 2008",
    short_title="Tiwari 2008",
    position=3,
    ledger_position=3,
    answer=Answer(
        topic="many locally linear embeddings (LLE) in one, for MR spectra",
        question=(
            "Does the consensus of locally linear embeddings find prostate cancer in MR spectra more reliably than one "
            "embedding?"
        ),
        sentences=(
            (
                Clause(
                    "on simulated spectra it is more accurate than LLE averaged over neighbourhood sizes",
                    "holds",
                    rows=("CL-01", "CL-02", "CL-03"),
                    short="more accurate than LLE on average",
                    unless=Clause(
                        "but not than LLE at its best size",
                        "does not hold",
                        rows=("CL-09 over all choices",),
                        short="more accurate than the best LLE",
                    ),
                ),
            ),
            (
                Clause(
                    "its distances and sensitivity depend a little less on sizes, its specificity not beyond chance",
                    "partly",
                    rows=("CL-05-kappa",),
                    short="depends less on the neighbourhood size",
                ),
                Clause(
                    "it beats PCA, but not peak integration, whose windows fit the simulator's lines",
                    "partly",
                    rows=("CL-04",),
                    short="better than PCA and peak integration",
                    unless=Clause(
                        "and with most sets of training studies it does not beat the z-score in both scores either",
                        "does not hold",
                        rows=("CL-04 with CH-96",),
                        short="better than the z-score learnt on other studies",
                    ),
                ),
            ),
        ),
        figure="spectra_methods/figures/methods.png",
        paper_scale="resources/readme/spectra_methods.png",
    ),
    families={
        "spectra": Family(
            experiments=("spectra_methods", "spectra_dimensions", "spectra_stability", "spectra_components"),
            sections=("spectra", "spectra_embedding", "spectra_dimensions", "spectra_stability"),
            position=3,
            takes=Seconds(3, 4.4, "multiverse.per_job"),
            # The first studies of each kind.
            reduced={
                "spectra": {"n_studies": 6, "n_training": 3},
                "spectra_dimensions": {"n_components": (4,)},
                "spectra_stability": {"kappa_splits": 1},
            },
            needs=("spectra_stability",),
            files=base_files,
        ),
    },
)
