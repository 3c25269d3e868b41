"""What Tiwari et al. 2008 asks, and what came out."""

from replication.platform.declarations import Answer

ANSWER = Answer(
    question=(
        "Does the consensus of locally linear embeddings find prostate cancer in MR spectra more reliably than one "
        "embedding?"
    ),
    text=(
        "Steadier, but not shown to be better: on simulated spectra C-LLE depends less on the size of the "
        "neighbourhood than LLE, but it does not beat LLE at its best size or a plain vote over the sizes."
    ),
    verdicts={
        "CL-05-kappa": "holds on the substitute",
        "CL-09": "inconclusive",
        "CL-10": "does not hold on the substitute",
    },
    figure="spectra_methods/figures/methods.png",
    paper_scale="resources/readme/spectra_methods.png",
)
