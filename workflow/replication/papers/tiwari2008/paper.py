"""Tiwari et al. 2008: consensus locally linear embedding of MR spectra."""

from replication.papers.tiwari2008.layout import base_files
from replication.platform.declarations import Answer, Family, Paper
from replication.platform.steps import Seconds

PAPER = Paper(
    title="Tiwari et al. 2008",
    short_title="Tiwari 2008",
    position=3,
    ledger_position=3,
    answer=Answer(
        question=(
            "Does the consensus of locally linear embeddings find prostate cancer in MR spectra more reliably than one "
            "embedding?"
        ),
        text=(
            "Not shown: on simulated spectra it does not beat LLE at its best size of neighbourhood or a vote over the "
            "sizes, and only its specificity depends less on the size."
        ),
        verdicts={
            "CL-05-kappa": "inconclusive",
            "CL-09": "inconclusive",
            "CL-10": "does not hold on the substitute",
        },
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
