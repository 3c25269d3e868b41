"""What the page says of the experiments where they ran on the user's own tables alone."""

from replication.platform.declarations import Own

_VARIANTS = (
    "Jaccard index (above) and AUC (below) of the best five features with one setting changed at a time; first row: "
    "nothing changed. Mean ± SD over rounds. Changed runs have fewer rounds. Dotted: an AUC of 0.5."
)
OWN = {
    "feature_selection": Own(
        text=(
            "Which features separate the two classes of your table? In each round a part of the samples is drawn, "
            "each method ranks the features on it, and classifiers learn from the best features. They are scored on "
            "the test samples of your table, or, if it has none, on the samples that the round left out. FINE ranks "
            "by what a feature adds to the regression of the class on an embedding; the filters (t-test, Fisher "
            "score, Gini index) look at one feature at a time.\n\n"
            "Read the ranking (table features) together with its stability (Jaccard index of the best five features "
            "over all pairs of rounds) and its use (AUC). Compare with “variance alone”, which uses no labels: "
            "where FINE chooses the same features, these may only be the features with the largest units. Intervals "
            "over rounds say what other rounds of the same samples would give, not other samples. The AUC at the "
            "best number of features (table best) is too high, since the number is chosen on the same samples."
        ),
        captions={
            "panels": (
                "AUC on unseen samples against the mean Jaccard index over all pairs of rounds, both with the best "
                "five features: methods at the top right choose useful features, and the same ones in each round. "
                "Colour: method, FINE filled, filters open; marker: classifier (LR: logistic regression, SVM with a "
                "radial basis function, RF: random forest). Bars: ± SD of the AUC over rounds, and the 95 % "
                "jackknife interval of the Jaccard index, whose axis is that of its square root. At the right the "
                "embedding vectors themselves. Dotted: chance."
            ),
            "sweep": (
                "Jaccard index, and AUC of each classifier, against the number of features; a row per data set. FINE"
                " solid, filters dashed and open. Means over rounds; bars at five features: 95 % jackknife interval "
                "of the Jaccard index, ± SD of the AUC over rounds. Dotted: chance."
            ),
            "dimensions": "Number of dimensions h that the residual variance chose, mean and range over rounds.",
            "variants": _VARIANTS,
        },
        finding=True,
    ),
    "survival": Own(
        text=(
            "Do the chosen features separate patients with a good and a bad course? Logistic regression on the five "
            "features that rank highest gives each patient a risk. The log-rank test compares the groups above and "
            "below the median risk. Features and regression come from other patients than those they are used on "
            "(cross-fitted), and the same patients are shown for comparison: there groups differ even where the "
            "features say nothing. One partition into folds can be lucky, so that p-values are shown over many."
        ),
        captions={
            "curves": (
                "Kaplan-Meier estimate of the share of patients without an event in the groups of low and high risk,"
                " by cross-fitted logistic regression on the five features that each FINE ranks highest, first "
                "partition, all patients. Bands: 95 % intervals (log-log); ticks: end of follow-up without an event;"
                " below: number of patients at risk."
            ),
        },
    ),
}
