"""What Tiwari et al. 2008 asks, and what came out."""

from replication.platform.declarations import Answer

ANSWER = Answer(
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
)
