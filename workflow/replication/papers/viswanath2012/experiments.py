"""Experiments of Viswanath and Madabhushi 2012: what each asks, its tables, and its figures with their captions."""

from replication.papers.viswanath2012.own_data import OWN
from replication.platform.declarations import Experiment, Figure

EXPERIMENTS = (
    Experiment(
        "brain_calibration",
        title="Defaults picked on calibration slices",
        text=(
            "Details that Viswanath and Madabhushi 2012 leave open, picked on calibration slices that are not "
            "among the evaluation slices. The rule was fixed beforehand and favours no method: options are scored "
            "by the accuracy averaged over the paper's four methods, and a start value stays unless another "
            "option is better by more than the margin."
        ),
        reads=("picks",),
        run_tables=("picks",),
        figures={
            "calibration": Figure(
                "image_figures.draw_calibration",
                (
                    "White matter accuracy on the calibration slices for each option of each choice: the four "
                    "methods of the paper at theta = 0.15 x max, their mean (line), and the option picked (star)."
                ),
            ),
        },
        calibrates=True,
    ),
    Experiment(
        "brain_grid",
        title="White against grey matter over noise and non-uniformity",
        added="added_methods.score_brain",
        method_names="method_names.METHODS",
        text=(
            "Experiment 1 of Viswanath and Madabhushi 2012: white against grey matter on proton density slices of "
            "a brain phantom, over 18 combinations of noise and intensity non-uniformity. Features, MDS, graph "
            "embedding and consensus graph embedding are clustered on the same mean-shift objects; the verdicts "
            "are taken at the paper's own threshold theta = 0.15 x max. Controls show what the gain comes from. "
            "The table units has every subject and draw of the noise; subjects share the feature subsets of a "
            "draw, so an interval over units leaves out what another draw of subsets does to all of them."
        ),
        reads=("maps",),
        tables={
            "accuracy": "image_tables.accuracy_table",
            "tests": "image_tables.grid_tests",
            "controls": "image_tables.controls_table",
            "units": "image_tables.units_table",
        },
        figures={
            "trend": Figure(
                "image_figures.draw_trend",
                (
                    "Fig. 3 of the paper: white matter accuracy against the combinations of noise and "
                    "non-uniformity, mean and standard deviation over the slices. The dotted line is exploratory: "
                    "a threshold that does select embeddings, with labels."
                ),
            ),
            "maps": Figure(
                "image_figures.draw_region_maps",
                (
                    "Fig. 2 of the paper: the slice with the true outline of white matter, and the regions that "
                    "each method finds, for three combinations of noise and non-uniformity. The line in each map is "
                    "the true outline."
                ),
            ),
            "controls": Figure(
                "image_figures.draw_controls",
                (
                    "Accuracy of the paper's methods and of the controls, averaged over the combinations, for "
                    "mean-shift objects and k-means objects. Above the dashed line the paper's methods; below it "
                    "selection by labels at a strict threshold, the same without labels, the same learnt on other "
                    "slices, the same subsets without graph embedding, the best single embedding, and what needs "
                    "no texture at all. Bars: standard deviation over the combinations."
                ),
            ),
        },
    ),
    Experiment(
        "brain_readings",
        title="Grey levels and readings of theta",
        text=(
            "Experiment 1 of Viswanath and Madabhushi 2012 again, over two details that the paper leaves open: the "
            "grey levels of the texture features, and what its threshold theta = 0.15 x max means. As printed it "
            "excludes nothing, since two clusters of two classes are never less accurate than one half. The other "
            "readings select: embeddings within 15 % of the best, the strongest 15 % of the embeddings, and those "
            "whose strength above chance (0.5) is more than 15 % of the best one's. All readings share the base "
            "embeddings."
        ),
        tables={"readings": "image_tables.readings_table"},
        figures={
            "readings": Figure(
                "image_figures.draw_readings",
                (
                    "Left: combinations of noise and non-uniformity in which consensus GE has the highest mean "
                    "accuracy of F, MDS, GE and consensus GE, by the number of grey levels and by what theta is "
                    "taken to mean; lines are shifted sideways, since two are equal. Right: mean "
                    "accuracies over all combinations and slices; bars: 95 % intervals over the slices."
                ),
            ),
        },
    ),
    Experiment(
        "ml_estimators",
        title="Median against mean",
        text=(
            "Experiment 2 of Viswanath and Madabhushi 2012: the median against the mean as estimator of the "
            "consensus distances, on the same selected embeddings."
        ),
        tables={"estimators": "image_tables.estimators_table"},
        figures={
            "estimators": Figure(
                "image_figures.draw_estimators",
                (
                    "Difference of the accuracy with median and mean, against noise and non-uniformity, at the "
                    "paper's threshold and at a strict one. Intervals are 95 % t intervals over slices, which "
                    "share one anatomy; the dashed lines are the margin of equivalence."
                ),
            ),
        },
    ),
    Experiment(
        "theta_sensitivity",
        title="Threshold of embedding strength",
        text=(
            "Does the threshold of embedding strength matter, and the number of embeddings that are combined? On "
            "images each repetition takes a random half of the base embeddings, which shows what another draw of "
            "the feature subsets would do; on gene expression each repetition is another draw of the subsets."
        ),
        tables={"sensitivity": "image_tables.sensitivity_table", "genes": "gene_tables.sensitivity_table"},
        figures={
            "sensitivity": Figure(
                "image_figures.draw_sensitivity",
                (
                    "Left: accuracy against the threshold; two clusters of two classes are never less accurate "
                    "than one half, so that thresholds up to half of the largest strength exclude nothing. Right: "
                    "accuracy against the number of random embeddings combined without selection. Dotted: graph "
                    "embedding of all features."
                ),
            ),
            "genes": Figure(
                "gene_panels.draw_sensitivity",
                (
                    "Gene expression; the title of a panel says whether its data are the paper's originals, the "
                    "user's own or simulated. Above: accuracy on the test samples against the threshold, with "
                    "embeddings selected on the training split with labels (S, filled) or without (US, open). "
                    "Below: accuracy against the number of random embeddings combined without selection. Dotted: "
                    "one embedding of all chosen genes. Bars: SD over draws."
                ),
            ),
        },
    ),
    Experiment(
        "intrinsic_dimension",
        title="Dimension of the texture space and of the gene space",
        text=(
            "The paper sets n = 3 for images and n = 4 for gene expression by the maximum-likelihood estimate of "
            "intrinsic dimension (Levina and Bickel 2005). The same estimate here on the texture features, and on "
            "the chosen genes of the training splits."
        ),
        tables={"dimension": "image_tables.dimension_table"},
        figures={
            "dimension": Figure(
                "image_figures.draw_dimension",
                (
                    "Estimated dimension of the texture space against noise, on the pixels and on their "
                    "mean-shift objects, and of the space of the chosen genes of each data set (training split); "
                    "the dashed lines are the paper's n."
                ),
            ),
        },
    ),
    Experiment(
        "brain_real_slices",
        title="Real and simulated slices",
        text=(
            "Three real slices of the official volume with 3 % noise and 20 % non-uniformity are public. The "
            "tissue values and the blur of the simulator were fitted to these slices, so their agreement "
            "shows what the model can describe, not how well it generalises; noise and field were not fitted. "
            "Experiment 1 runs on them as on their re-simulation."
        ),
        reads=("slices",),
        tables={"images": "image_tables.real_images_table", "accuracy": "image_tables.real_accuracy_table"},
        figures={
            "real_slices": Figure(
                "image_figures.draw_real_slices",
                (
                    "A real BrainWeb slice, its re-simulation from labels, tissue fractions and field, and the "
                    "accuracy of every method on the real and on the simulated slices."
                ),
            ),
        },
    ),
    Experiment(
        "brain_runtime",
        title="Run times compared with the paper's",
        text=(
            "Run times of the steps of consensus embedding and those of the paper, which were measured in "
            "MATLAB on two quad-core processors of 2007. The image has noise: without it identical pixels make "
            "the graphs dense, and CreateEmbed on 5589 pixels took 164 s where it takes 14 s here. Equal subsets of "
            "features are embedded once: 94 of the 100 differ."
        ),
        tables={"runtime": "image_tables.runtime_table"},
        figures={
            "runtime": Figure(
                "image_figures.draw_runtime",
                "Seconds per step of ConsEmbedMS on one complete slice, texture features included.",
            ),
        },
    ),
    Experiment(
        "leave_one_out",
        title="Selection on training slices",
        text=(
            "Experiment 3 of Viswanath and Madabhushi 2012 on a simulated prostate, because the paper's images "
            "are private: two glands of eight slices, lesions of known place and contrast. Embeddings are selected "
            "on the training slices and combined on the slice left out; a second run leaves out a gland."
        ),
        reads=("maps",),
        tables={"detection": "image_tables.detection_table", "tests": "image_tables.detection_tests"},
        figures={
            "detection": Figure(
                "image_figures.draw_detection",
                (
                    "Fig. 5 of the paper on the simulated prostate: scores against the contrast of the lesions, "
                    "leaving out one slice at a time. Lesions cover a small part of the gland, so finding "
                    "nothing is already accurate (no pixel is cancer)."
                ),
            ),
            "maps": Figure(
                "image_figures.draw_detection_maps",
                (
                    "Fig. 4 of the paper on the simulated prostate: a slice of each gland at the lowest and the "
                    "highest contrast, the true lesion outlined, and the pixels detected."
                ),
            ),
        },
    ),
    Experiment(
        "toy_rgb",
        title="The toy image of Fig. 1",
        text=(
            "Fig. 1 of Viswanath and Madabhushi 2012: a colour image whose two regions differ in red only, with "
            "noise on green and blue."
        ),
        reads=("pictures",),
        tables={"accuracy": "theory_tables.toy_table"},
        figures={
            "pictures": Figure(
                "theory_figures.draw_toy_pictures",
                (
                    "The clean and the noisy image, and the regions that two clusters find in the colours, in one "
                    "graph embedding of the three colours, and in the consensus of two one-dimensional graph "
                    "embeddings."
                ),
            ),
            "accuracy": Figure(
                "theory_figures.draw_toy_accuracy",
                (
                    "Accuracy of foreground against background over draws of the noise, against the size of the "
                    "noise on green and blue. Of several graphs and sizes of the noise on red the first of each "
                    "is shown; the table has all."
                ),
            ),
        },
    ),
    Experiment(
        "theory_strength",
        title="Strength of the consensus",
        text=(
            "Proposition 1 and Lemma 1 of Viswanath and Madabhushi 2012: does the strength of the consensus tend "
            "to 1 as strong, independent embeddings are added, and stay low if they are weak?"
        ),
        tables={"strength": "theory_tables.strength_table"},
        figures={
            "strength": Figure(
                "theory_figures.draw_strength",
                (
                    "Strength of the consensus against the number of embeddings combined, for embeddings of "
                    "several strengths and kinds of error."
                ),
            ),
        },
    ),
    Experiment(
        "theory_error",
        title="Error of the consensus distances",
        text=(
            "Proposition 2 of Viswanath and Madabhushi 2012: the error of the consensus distances against the "
            "mean error of the embeddings that are combined."
        ),
        tables={"error": "theory_tables.error_table"},
        figures={
            "error": Figure(
                "theory_figures.draw_error",
                (
                    "Share of the repetitions in which the error of the consensus is at most the mean error of "
                    "its embeddings, for the mean and the median, before and after scaling, by kind of error, "
                    "with 95 % intervals by Wilson's formula."
                ),
            ),
        },
    ),
    Experiment(
        "theory_monotone",
        title="Strength against class accuracy",
        text=(
            "Theorem 1 and Appendix C of Viswanath and Madabhushi 2012: does embedding strength grow with the "
            "accuracy of classes, and can the accuracy of two clusters replace it? On simulated embeddings, "
            "on brain slices and on gene expression."
        ),
        tables={"monotone": "theory_tables.monotone_table"},
        figures={
            "monotone": Figure(
                "theory_figures.draw_monotone",
                (
                    "Rank correlations of embedding strength with class-triplet accuracy, with the accuracy of "
                    "two clusters and with the R-squared index: over simulated embeddings, over the base "
                    "embeddings of brain slices, and over those of the training splits of gene expression, by GE "
                    "and by PCA. Mean and standard deviation over repetitions, slices or data sets."
                ),
            ),
        },
    ),
    Experiment(
        "gene_calibration",
        title="Choices for gene expression",
        text=(
            "Details that Viswanath and Madabhushi 2012 leave open for gene expression, picked on random halvings "
            "of the training splits alone: no test sample is seen. The rule was fixed beforehand and weighs all "
            "methods alike: options are scored by the balanced accuracy averaged over all methods, data sets and "
            "halvings, and a start value stays unless another option is better by more than the margin. The "
            "source column says whether the data are the paper's originals, the user's own or simulated."
        ),
        reads=("picks",),
        run_tables=("picks",),
        figures={
            "calibration": Figure(
                "gene_figures.draw_calibration",
                (
                    "Balanced accuracy on the held-out halves of the training splits for each option of each "
                    "choice: every method, averaged over the data sets and halvings, their mean (bar), and the "
                    "option picked (star). Consensus at theta = 0.15 x max."
                ),
            ),
        },
        own=OWN["gene_calibration"],
        calibrates=True,
    ),
    Experiment(
        "gene_expression",
        title="Gene expression",
        added="added_methods.score_genes",
        method_names="method_names.GENE_METHODS",
        text=(
            "Experiment 4 of Viswanath and Madabhushi 2012: two classes of samples separated by gene expression "
            "(leukemia, lung, breast and prostate in the paper, with their official splits). The source column, "
            "and the title of each panel, says whether data are the paper's originals, the user's own or "
            "simulated with planted classes. Genes are chosen, and embeddings selected with labels (S) or without "
            "(US), on the training split; the test split is embedded, combined and clustered.\n\n"
            "Draws of the gene subsets repeat what uses subsets: the consensus, the best single embeddings, the "
            "kNN ensemble, and the random controls with a draw of their own. The choice of genes, GE and PCA of "
            "all chosen genes, SSAGE and the clustered features have no draws and no SD; the paper "
            "reports one draw.\n\n"
            "Clusters are named by the test labels in the better way: those of the test samples in a consensus "
            "and in single embeddings, so that accuracy is never below one half, and those of the complete cohort "
            "(training and test samples) in SSAGE. The kNN ensemble names the classes itself.\n\n"
            "SSAGE and the kNN ensemble carry over from the training to the test split; scaling each split by "
            "itself shifts the splits against each other where the shares of the classes differ, so both are also "
            "shown with the two splits scaled by the training split.\n\n"
            "Accuracy is shown with the balanced accuracy and the share of the majority class of the test split, "
            "which is known from the test labels alone. The best single embedding by training labels is the mean "
            "over all that are tied for it; the column of embeddings kept says how many.\n\n"
            "Draws say nothing about other patients: the 95 % interval over test samples is Wilson's for the mean "
            "accuracy, as if every test sample were called independently and clusters came with names, so it is "
            "rather too narrow. Tests over draws are about other subsets of the same genes and samples, the test "
            "over data sets about other data; differences that are the same throughout have no variance and are "
            "not tested, nor do they count in Holm's correction."
        ),
        reads=("pictures",),
        tables={
            "accuracy": "gene_tables.accuracy_table",
            "scores": "gene_tables.scores_table",
            "tests": "gene_tables.tests_table",
            "variants": "gene_tables.variants_table",
        },
        figures={
            "accuracy": Figure(
                "gene_figures.draw_accuracy",
                (
                    "Table 5 of the paper as a figure: accuracy (filled) and balanced accuracy (open). S: embeddings "
                    "selected with labels; US: without. From above: the paper's six methods; its two baselines that "
                    "carry over from training to test, with both splits scaled by the training split; one GE or PCA of "
                    "all chosen genes. Bars: SD over draws of the gene subsets; methods without subsets have none. "
                    "Dotted: share of the majority class of the test split, known from the test labels alone. The "
                    "title of a panel says whether its data are the paper's originals, the user's own or simulated."
                ),
            ),
            "controls": Figure(
                "gene_figures.draw_controls",
                (
                    "Accuracy (filled) and balanced accuracy (open) of the paper's methods, of its baselines "
                    "scaled by the training split (between the dashed lines), and of single embeddings and "
                    "controls: GE and PCA of all chosen genes, selection at a strict threshold, the best single "
                    "embedding by training labels (mean over those tied for it) and by test labels, the same "
                    "subsets combined without reduction, the genes clustered as they are, SSAGE with the test "
                    "samples clustered alone (not the complete cohort), genes at random, points at random, and the "
                    "majority class of the test split (also dotted), known from the test labels alone. Bars: SD "
                    "over draws. The title of a panel says whether its data are the paper's originals, the user's "
                    "own or simulated."
                ),
            ),
            "variants": Figure(
                "gene_figures.draw_variants",
                (
                    "Accuracy under other preparations of the same data, each next to the main one. A variant with "
                    "“leaks” in its name chooses genes on the complete set, so the test labels leak into the "
                    "choice; it shows what that is worth and is not a result. Variants may have fewer draws. Bars: "
                    "SD over draws; dotted: majority class of the test split, known from the test labels alone. "
                    "The title of a panel says whether its data are the paper's originals, the user's own or "
                    "simulated."
                ),
            ),
            "views": Figure(
                "gene_figures.draw_views",
                (
                    "Fig. 6 of the paper: one data set (in the paper lung) in the first three dimensions of SSAGE "
                    "and of the consensus embeddings, first draw of the subsets. The paper plots all samples of "
                    "the lung set, this figure the test samples only. Colour: true class; marker: class that the "
                    "cluster is called; a dark edge marks samples called wrongly. Silhouette of the true classes "
                    "in all dimensions, mean of the two classes."
                ),
            ),
            "pairs": Figure(
                "gene_figures.draw_pairs",
                (
                    "The same representations as in the 3-D views, two dimensions at a time. Colour: true class; "
                    "marker: called class; a dark edge marks samples called wrongly."
                ),
            ),
        },
        own=OWN["gene_expression"],
    ),
    Experiment(
        "m_sensitivity",
        title="Number of base embeddings",
        text=(
            "Tables 6 and 7 of Viswanath and Madabhushi 2012: does the number M of base embeddings matter? "
            "Consensus PCA and consensus GE on the data of Experiment 4, with embeddings selected with labels (S) "
            "or without (US) at the paper's threshold (theta = 0.15 x max unless configured otherwise). In a draw "
            "the embeddings of a smaller M are the first of those of a larger one. The title of each panel says "
            "whether data are the paper's originals, the user's own or simulated."
        ),
        tables={"consensus_pca": "gene_tables.consensus_pca_table", "consensus_ge": "gene_tables.consensus_ge_table"},
        figures={
            "m_sensitivity": Figure(
                "gene_figures.draw_m_sensitivity",
                (
                    "Accuracy on the test samples against the number of base embeddings M; mean and SD over draws "
                    "of the gene subsets. Filled: selected with labels; open: without. The title of a panel says "
                    "whether its data are the paper's originals, the user's own or simulated."
                ),
            ),
        },
        own=OWN["m_sensitivity"],
    ),
)
