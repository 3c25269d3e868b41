"""Experiments of Ginsburg et al. 2016: what each asks, its tables, and its figures with their captions."""

from replication.papers.ginsburg2016.own_data import OWN
from replication.platform.declarations import Experiment, Figure

EXPERIMENTS = (
    Experiment(
        "fine_calibration",
        title="Choices for FINE",
        text=(
            "Details that Ginsburg et al. 2016 leave open, picked on training samples alone: a calibration round "
            "draws its samples as the experiment does and is scored on the training samples that it leaves out. "
            "No validation sample on which a claim is judged is seen, and no stability. The rule weighs all "
            "methods that are compared alike: an option scores by the AUC at five features, averaged over the "
            "data sets, rounds, classifiers, the four FINE, the four embeddings and the three filters; a start "
            "value stays unless another option is better by more than the margin."
        ),
        reads=("picks",),
        run_tables=("picks",),
        figures={
            "calibration": Figure(
                "fine_figures.draw_calibration",
                (
                    "AUC at five features, or of the embedding vectors, for each option of each choice, averaged "
                    "over the data sets named above, their rounds and the classifiers; the mean of all methods "
                    "(bar), and the option picked (star). The first option is the start value, which stays unless "
                    "another is better by more than the margin."
                ),
            ),
        },
        calibrates=True,
    ),
    Experiment(
        "feature_selection",
        title="Feature selection",
        text=(
            "Table IV and Fig. 3 of Ginsburg et al. 2016 on the data sets of the NIPS 2003 feature selection "
            "challenge. In each round a part of the training samples is drawn, each method ranks the features on "
            "it, and classifiers learn from it with the best features and are scored on the validation samples of "
            "the challenge. FINE ranks by what a feature adds to the regression of the class on an embedding "
            "(PCA, Isomap, LE, LLE as kernel PCA; dimensions, neighbours and alpha by residual variance). It "
            "is compared with the paper's filters (t-test, Fisher score, Gini index) and with the embedding vectors "
            "as features.\n\n"
            "The Jaccard index of the best five features over all pairs of rounds measures stability. It says "
            "nothing about usefulness: a ranking by variance alone, which uses no labels, can be as stable, so it "
            "is shown with the methods, as are random features. Rounds share most of their samples where "
            "there are few. Then every method looks stable, and if a round contains all samples the index is 1 by "
            "construction (table variants). Intervals over rounds show what other rounds of the same samples "
            "would give, not other samples.\n\n"
            "The paper reports the number of features with the highest AUC. It is chosen on the samples that "
            "give the AUC (table best), so this AUC is too high; the AUC at five has no such choice. Where the "
            "source says that the validation set was halved, one half replaces the training set, which was "
            "not available."
        ),
        tables={
            "dimensions": "fine_tables.dimensions",
            "methods": "fine_tables.methods",
            "best": "fine_tables.best",
            "sweep": "fine_tables.sweep",
            "features": "fine_tables.features",
            "agreement": "fine_tables.agreement",
            "variants": "fine_tables.variants",
        },
        figures={
            "panels": Figure(
                "fine_figures.draw_panels",
                (
                    "Fig. 3 of the paper: AUC on the validation samples against the mean Jaccard index over all "
                    "pairs of rounds, both with the best five features. Colour: method, FINE filled, filters "
                    "open; marker: classifier (LR: logistic regression, SVM with a radial basis function, RF: "
                    "random forest). Bars: ± SD of the AUC over rounds, and the 95 % jackknife interval of the "
                    "Jaccard index. The axis of the Jaccard index is that of its square root. Where classes are "
                    "of equal size, the t-test ranks as the Fisher score does: their points coincide, the larger "
                    "is the t-test. At the right the embedding vectors themselves in the colour of their "
                    "reduction; they are not a subset of features and have no Jaccard index. Dotted: chance, the "
                    "Jaccard index of random subsets and an AUC of 0.5."
                ),
            ),
            "sweep": Figure(
                "fine_figures.draw_sweep",
                (
                    "Jaccard index, and AUC of each classifier (LR: logistic regression, SVM, RF: random forest) "
                    "on the validation samples, against the number of features; a row per data set. FINE solid, "
                    "filters dashed and open. Means over rounds; bars at five features (grey): 95 % jackknife "
                    "interval of the Jaccard index, ± SD of the AUC over rounds. Dotted: chance. The Jaccard "
                    "index of random subsets rises with the number of features; Kuncheva's index, which corrects "
                    "for that, is in the table sweep."
                ),
            ),
            "dimensions": Figure(
                "fine_figures.draw_dimensions",
                (
                    "Table IV of the paper: number of dimensions h that the residual variance chose, mean and "
                    "range over rounds. Stars: the paper's mean, of its own data sets alone. Neighbours, alpha "
                    "and the residual variance are in the table dimensions."
                ),
            ),
            "variants": Figure(
                "fine_figures.draw_variants",
                (
                    "Jaccard index (above) and AUC (below) of the best five features with one detail changed at a "
                    "time; first row: nothing changed. The AUC is the mean over the classifiers that the changed "
                    "runs have, ± SD over rounds. Changed runs have fewer rounds; in the table variants changes "
                    "of AUC are paired with the same rounds, while the Jaccard index of few rounds is less sure. "
                    "Dotted: an AUC of 0.5."
                ),
            ),
        },
        own=OWN["feature_selection"],
    ),
    Experiment(
        "pathology_substitute",
        title="How hard the private pathology studies are",
        text=(
            "The pathology studies of Ginsburg et al. 2016 are private. Their substitutes should be as hard as "
            "they are: public sets are tried, with noise added to their features, until the filters that the paper "
            "compares FINE with have the area under the ROC curve that it prints for them (S1, S3 and S4; none is "
            "printed for S2). FINE is not run, and no other experiment sees these cohorts and rounds. The table "
            "targets has the printed values and those of the chosen setting; a number is within the margin if it is "
            "at most 0.03 away."
        ),
        tables={"targets": "fine_tables.targets"},
        reads=("picks",),
        run_tables=("picks",),
        figures={
            "substitute": Figure(
                "fine_figures.draw_substitute",
                (
                    "Area under the ROC curve of logistic regression with the best five features of a filter, mean "
                    "over the three filters, against the noise; one line per public set, bars: SD over cohorts. "
                    "Dashed: the middle of the printed range; star: the set and noise picked."
                ),
            ),
        },
        calibrates=True,
    ),
    Experiment(
        "pathology",
        title="Pathology",
        text=(
            "Fig. 4 and Table V of Ginsburg et al. 2016. The paper's four sets of pathology images are private. "
            "They are replaced by public sets, subsampled to the paper's numbers of samples as far as they "
            "reach: nuclear features of breast cancer with as much noise as makes the filters score what the paper "
            "prints of them (Wisconsin diagnostic for S1, S3 and S4, see pathology_substitute), expression of 76 genes "
            "with distant metastases without noise as a second set for S1 (s1_metastasis), and, where there are far "
            "more features than samples (S2), expression of genes with relapse of breast "
            "cancer; or, if the source says so, your own table. The paper's numbers and names of features "
            "cannot be expected to return; directions can.\n\n"
            "A cohort of the paper's size, with equal classes, is drawn several times. In each round of a cohort "
            "its training samples are drawn again, with equal classes, and classifiers are scored on the others. "
            "Values are means over cohorts, ± SD over cohorts. Cohorts of a small set share patients (those of S2 "
            "are nearly the same), which the tests of the claims allow for. Rounds with as many of either class "
            "make the t-test and the Fisher score one ranking."
        ),
        tables={
            "dimensions": "fine_tables.dimensions",
            "methods": "fine_tables.methods",
            "best": "fine_tables.best",
            "features": "fine_tables.features",
            "agreement": "fine_tables.agreement",
            "variants": "fine_tables.variants",
        },
        figures={
            "panels": Figure(
                "fine_figures.draw_panels",
                (
                    "Fig. 4 of the paper on its substitutes: AUC on the samples left out of a round against the "
                    "mean Jaccard index over all pairs of rounds of a cohort, both with the best five features. "
                    "Means ± SD over cohorts. Colour: method, FINE filled, filters open; marker: classifier (LR: "
                    "logistic regression, SVM with a radial basis function, RF: random forest). The axis of the "
                    "Jaccard index is that of its square root. Where classes are of equal size, the t-test ranks "
                    "as the Fisher score does: their points coincide, the larger is the t-test. At the right the "
                    "embedding vectors themselves in the colour of their reduction. Dotted: chance."
                ),
            ),
            "variants": Figure(
                "fine_figures.draw_variants",
                (
                    "Jaccard index (above) and AUC (below) of the best five features with one detail changed at a "
                    "time; first row: nothing changed. Means ± SD over cohorts; the AUC is the mean over the "
                    "classifiers that the changed runs have. Changed runs have fewer rounds. Dotted: an AUC of "
                    "0.5."
                ),
            ),
        },
    ),
    Experiment(
        "survival",
        title="Survival",
        text=(
            "Fig. 6 of Ginsburg et al. 2016: logistic regression on the five features that rank highest divides the "
            "patients into two groups, risk above and below the median, and the log-rank test compares their "
            "survival without recurrence. The paper's patients are private; they are replaced by the prognostic "
            "Wisconsin set with months to recurrence or end of follow-up, and GSE7390 with months to distant "
            "metastasis, each with all patients and with cohorts drawn to the paper's 44; or, if the source "
            "says so, other data.\n\n"
            "As the paper reads, features were ranked, the regression fitted and the groups compared on the same "
            "patients. Then groups differ even where the features say nothing: random features show how far. Here "
            "features and regression come from other patients than those they are used on (cross-fitted), and the "
            "same patients are shown too. One partition into folds can be lucky: p-values are shown over many."
        ),
        tables={"log_rank": "fine_tables.log_rank"},
        figures={
            "curves": Figure(
                "survival_figures.draw_curves",
                (
                    "Fig. 6 of the paper: Kaplan-Meier estimate of the share of patients without the event in "
                    "the groups of low and high risk, by cross-fitted logistic regression on the five features "
                    "that each FINE ranks highest, first partition, all patients. The event is a recurrence, on the "
                    "set “metastasis” a distant metastasis. Bands: 95 % intervals "
                    "(log-log); ticks: end of follow-up without the event; below: number of patients at risk. "
                    "The paper has p = 0.02 for its own 44 patients."
                ),
            ),
            "p_values": Figure(
                "survival_figures.draw_p_values",
                (
                    "p-value of the log-rank test between the two risk groups, a dot per partition (of the "
                    "smaller cohorts also a new draw of patients); bar: median. Left: cross-fitted, right: "
                    "features, regression and groups from the same patients. Dashed: 0.05. For groups that have "
                    "nothing to do with recurrence one dot in twenty should be left of it;  in simulations "
                    "without any signal cross-fitted ones did so about two to three times as often, since the "
                    "risk of each patient depends on what became of the others."
                ),
            ),
        },
        own=OWN["survival"],
    ),
    Experiment(
        "planted_features",
        title="Planted features",
        text=(
            "Simulated features with known ground truth. Classes differ by a shift of "
            "means, by the parity of signs, as in Madelon, or by the position along a curve; other features share a "
            "strong factor that has nothing to do with the classes (nuisance). Every ranking is scored by the AUC "
            "of its scores against the truth, and compared with permutation importance of a random forest on "
            "held-out samples, which thus sees more labelled samples than the other rankings. FINE sees labels "
            "only through the embedding: what the embedding does not contain, it cannot rank."
        ),
        tables={"ranking": "fine_tables.ranking"},
        figures={
            "ranking": Figure(
                "fine_figures.draw_ranking",
                (
                    "AUC of the ranking of features against which of them are planted, against the size of the "
                    "effect, in standard deviations. A row per structure: the classes differ by a shift of means, by "
                    "the parity of signs, or by the position along a curve. A column per standard deviation of the "
                    "nuisance features, which do not depend on the classes. FINE "
                    "solid, filters dashed and open, ranking by variance alone and at random dotted, permutation "
                    "importance dash-dotted. Means ± SD over draws, set apart sideways. Simulated data; 0.5 is "
                    "chance."
                ),
            ),
        },
    ),
)
