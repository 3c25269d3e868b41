"""What the page says of the experiments where they ran on the user's own MR spectra alone."""

from replication.platform.declarations import Own

OWN = {
    "spectra_calibration": Own(
        text=(
            "Settings picked on your training studies alone. A start value stays unless another option is better by "
            "more than the margin."
        ),
    ),
    "spectra_methods": Own(
        text=(
            "Voxels of your studies called cancer by C-LLE, by LLE at single κ (mean over κ), by PCA, by the z-score"
            " and by peak integration. Windows, reference voxels and thresholds are learnt on your training studies."
            " The cluster with the largest ratio of choline + creatine to citrate in its mean spectrum is called "
            "cancer (the rule). The columns “oracle” let the truth name the cluster: they say what the rule costs "
            "and are not a result. Intervals are paired t intervals over studies; with few studies they are wide. The "
            "row “the box as a call” says how well the boxes agree with the voxels. Controls are clusters without "
            "any reduction, and C-LLE with the mean or the median in place of the mode."
        ),
        captions={
            "methods": (
                "Sensitivity (circles) and specificity (squares) by method, mean ± SD over studies, against the "
                "boxes or the cancer voxels, as far as you named them. Below the dashed line: controls."
            ),
            "maps": (
                "One study, the axial plane with most cancer voxels. Red: called cancer; other colours: the other "
                "two clusters, or not called by a method with a threshold. Black outline: box; dots: cancer voxels, "
                "if they are known. A panel “no call”: at that κ the neighbourhood graph falls apart, or there were "
                "no training studies to learn a threshold on."
            ),
            "typical": (
                "Spectra of your training studies by tissue: mean and SD over all voxels of a kind, and one voxel. "
                "The real part of the phased spectrum in arbitrary units."
            ),
        },
        left_out=("sweep",),
    ),
    "spectra_dimensions": Own(
        text=(
            "C-LLE against LLE (mean over κ) over the number of dimensions m. Differences are paired over studies; "
            "p-values are one-sided (C-LLE higher) and corrected by Holm's method over the m of a truth and score. "
            "The power says how many studies it takes to see a difference of 3 percentage points."
        ),
        captions={
            "dimensions": (
                "Sensitivity and specificity of C-LLE and LLE over the number of dimensions (mean ± SD over "
                "studies). Right: paired differences with their 95 % intervals over studies."
            ),
            "power": (
                "Power of the paired one-sided t-test (level 0.05) to see that C-LLE is 3 percentage points above "
                "LLE, over the number of studies, with the standard deviation of the paired differences of your "
                "studies. Dotted: your studies; dashed: a power of 0.8."
            ),
        },
    ),
    "spectra_stability": Own(
        text=(
            "How much LLE and C-LLE move with what should not matter: the choice of κ and the starts of k-means. Per"
            " study the SD of each score, and the distance between embeddings (0: the same; at most √2). The table "
            "has the mean over studies and the paired difference from LLE with its 95 % interval; below 0 a method "
            "is steadier than LLE."
        ),
    ),
    "spectra_components": Own(
        text=(
            "Does the spectrum of the cluster called cancer look like the spectrum of cancer? The independent "
            "component that is most like the mean spectrum of the training studies' cancer voxels is correlated with"
            " it. The best of several components is taken, which alone raises the number: as many voxels at random "
            "show by how much."
        ),
    ),
}
