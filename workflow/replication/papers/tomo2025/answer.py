"""What Tomo and Yoneoka 2025 asks, and what came out."""

from replication.platform.declarations import Answer

ANSWER = Answer(
    question="Does the median consensus of several t-SNE runs give a picture that changes less from run to run?",
    text=(
        "Its distances do, on the digits: the more runs, the less two results differ. Its picture changes "
        "less than one run; more runs do not always help."
    ),
    verdicts={"MC-07": "reproduced", "MC-08": "reproduced"},
    figure="mce_convergence/figures/distances.png",
    paper_scale="resources/readme/distances.png",
)
