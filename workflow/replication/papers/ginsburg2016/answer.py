"""What Ginsburg et al. 2016 asks, and what came out."""

from replication.platform.declarations import Answer

ANSWER = Answer(
    question=(
        "Which features does a nonlinear embedding owe its classes to, and are the chosen features stable and accurate?"
    ),
    text=(
        "On substitutes of the pathology data the features of FINE are stabler than those of simple filters, on "
        "the NIPS 2003 data they are not; on neither do they classify better in most data sets."
    ),
    verdicts={
        "FI-10": "holds on the substitute",
        "FI-12-nips": "does not hold on the substitute",
        "FI-12-pathology": "mixed on the substitute",
    },
    figure="pathology/figures/panels.png",
    paper_scale="resources/readme/pathology_panels.png",
)
