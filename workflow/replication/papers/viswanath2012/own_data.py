"""What the page says of the experiments on gene expression where they ran on the user's own tables alone."""

from replication.platform.declarations import Own

OWN = {
    "gene_calibration": Own(
        text=(
            "Settings picked on random halvings of the training samples of your tables; no test sample is seen. "
            "Options are scored by the balanced accuracy averaged over all methods, tables and halvings, and a start"
            " value stays unless another option is better by more than the margin."
        ),
        captions={
            "calibration": (
                "Balanced accuracy on the held-out halves of the training samples for each option of each setting: "
                "every method, averaged over tables and halvings, their mean (bar), and the option picked (star)."
            ),
        },
    ),
    "gene_expression": Own(
        text=(
            "How well do two clusters in an embedding agree with the two classes of your table? The consensus "
            "combines embeddings of random subsets of the columns, selected with labels (S) or without (US) on the "
            "training samples; the test samples are embedded, combined and clustered. Rivals are single embeddings "
            "of all chosen columns, SSAGE and the kNN ensemble.\n\n"
            "Clusters are named by the labels of the test samples in the better way, so that accuracy is never below"
            " one half: compare with the share of the majority class, with columns at random and with points at "
            "random (figure controls). Bars are SD over draws of the subsets and say nothing of other samples; the "
            "95 % interval over test samples is Wilson's for the mean accuracy and rather too narrow."
        ),
        captions={
            "accuracy": (
                "Accuracy (filled) and balanced accuracy (open) of the consensus embeddings and their rivals. Bars: "
                "SD over draws of the subsets; methods without subsets have none. Dotted: share of the majority "
                "class of the test samples."
            ),
            "controls": (
                "The same with controls: GE and PCA of all chosen columns, selection at a strict threshold, the best"
                " single embedding by training labels and by test labels, the same subsets combined without "
                "reduction, the columns clustered as they are, columns at random, points at random, and the majority"
                " class of the test samples (also dotted). Bars: SD over draws."
            ),
            "variants": (
                "Accuracy under other preparations of the same tables. A variant with “leaks” in its name chooses "
                "columns on all samples, so the test labels leak into the choice: it is not a result. Variants may"
                " have fewer draws. Bars: SD over draws; dotted: majority class of the test samples."
            ),
            "views": (
                "Your samples in the first three dimensions of SSAGE and of the consensus embeddings, first draw of "
                "the subsets, test samples only. Colour: true class; marker: class that the cluster is called; a "
                "dark edge marks samples called wrongly."
            ),
        },
    ),
    "m_sensitivity": Own(
        text=(
            "Does the number M of base embeddings matter? Accuracy of consensus PCA and consensus GE on the test "
            "samples of your tables. In a draw the embeddings of a smaller M are the first of those of a larger one."
        ),
        captions={
            "m_sensitivity": (
                "Accuracy on the test samples against the number of base embeddings M; mean and SD over draws of the"
                " subsets. Filled: selected with labels; open: without."
            ),
        },
    ),
}
