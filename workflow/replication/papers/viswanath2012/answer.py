"""What Viswanath and Madabhushi 2012 asks, and what came out."""

from replication.platform.declarations import Answer

ANSWER = Answer(
    question="Does a consensus of many weak embeddings separate classes better than one embedding of all features?",
    text=(
        "It depends on which embeddings are kept: with the threshold as printed the consensus is not better than "
        "one graph embedding of all features; with two other readings of the threshold it is the best on images."
    ),
    verdicts={
        "CE-20-brain": "does not hold on the substitute",
        "CE-20-genes": "not reproduced",
        "CE-02-within": "holds on the substitute",
        "CE-02-strongest": "holds on the substitute",
    },
    figure="brain_readings/figures/readings.png",
    paper_scale="resources/readme/brain_readings.png",
)
