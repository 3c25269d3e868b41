"""Experiments of Tiwari et al. 2008: what each asks, its tables, and its figures with their captions."""

from replication.papers.tiwari2008.own_data import OWN
from replication.platform.declarations import Experiment, Figure

EXPERIMENTS = (
    Experiment(
        "spectra_substitute",
        title="How hard the private spectra are",
        text=(
            "The spectra of Tiwari, Rosen and Madabhushi 2008 are private, and simulated ones may be harder or easier. "
            "So contrast, noise and normalisation are set by what the paper prints for the methods that it compares "
            "C-LLE with, on studies that no other experiment sees; C-LLE itself is not run. The contrast is the one "
            "whose ratio of choline + creatine to citrate in cancer is nearest to that measured in vivo. At every "
            "noise LLE, PCA and the z-score each take the normalisation that brings them nearest to their own printed "
            "numbers, for PCA with the variance that five components explain; the noise is the one at which all "
            "together are nearest. Peak integration is scored but does not count: the simulator's lines are where its "
            "windows are learnt, so no noise makes it as insensitive as printed. The table of targets shows what "
            "is still missing."
        ),
        reads=("picks",),
        run_tables=("picks",),
        tables={"targets": "spectra_tables.substitute_targets"},
        figures={
            "substitute": Figure(
                "spectra_figures.draw_substitute",
                (
                    "Sensitivity (circles) and specificity (squares) of each baseline against the signal-to-noise "
                    "ratio of the simulator, one line per normalisation, mean over the studies; pale line: the printed "
                    "number; star: the setting picked. Last panel: root mean square difference from all printed "
                    "numbers but those of peak integration, each method with the normalisation picked at that noise."
                ),
            ),
        },
        calibrates=True,
    ),
    Experiment(
        "spectra_calibration",
        title="Choices for spectra",
        text=(
            "Details that Tiwari, Rosen and Madabhushi 2008 leave open, picked on the training studies alone: no "
            "study of the other experiments is seen. The rule was fixed beforehand and weighs all methods alike: "
            "an option scores by the balanced accuracy against the boxes of each training study, with windows, "
            "thresholds and reference voxels learnt on the other training studies, averaged over the studies and "
            "over C-LLE, LLE, PCA, z-score and peak integration; a start value stays unless another option is "
            "better by more than the margin. The source says whether the spectra are simulated or your own."
        ),
        reads=("picks",),
        run_tables=("picks",),
        figures={
            "calibration": Figure(
                "spectra_figures.draw_calibration",
                (
                    "Balanced accuracy against the boxes of the training studies for each option of each choice: "
                    "every method, averaged over the studies, their mean (bar), and the option picked (star)."
                ),
            ),
        },
        own=OWN["spectra_calibration"],
        calibrates=True,
    ),
    Experiment(
        "spectra_methods",
        title="Methods on spectra",
        added="added_methods.score_spectra",
        method_names="spectra_values.METHODS",
        text=(
            "Table 1(a) and Fig. 2 of Tiwari, Rosen and Madabhushi 2008: voxels of prostate MR spectra called "
            "cancer by C-LLE, by LLE at single κ (mean over κ), by PCA, by the z-score and by peak integration. "
            "The paper's ACRIN 6659 spectra are not public; the studies here are simulated physically, unless the "
            "source says that they are your own. So the numbers of the paper cannot be expected to return: the "
            "order of the methods can.\n\n"
            "Whatever needs knowledge is learnt on other studies: windows of the peaks, reference voxels of the "
            "z-score, thresholds. Clusters have no names: the one with the largest ratio of choline + creatine to "
            "citrate in its mean spectrum is called cancer (the rule). The columns “oracle” let the truth name "
            "the cluster; they show what the rule costs and are not a result.\n\n"
            "The paper compares with a potential cancer space, boxes around the sextants with a tumour: "
            "partial truth, shown as “box”. In simulated studies the truth of each voxel is known too (“voxels”). "
            "The row “the box as a call” says how well the boxes agree with the voxels, which is all that the "
            "paper's truth can show.\n\n"
            "Controls: clusters of the spectra without any reduction, C-LLE with the mean or the median in place "
            "of the mode, and peak integration with windows and threshold of the literature. Intervals are paired "
            "t intervals over studies; a lead whose 95 % interval contains 0 is within the spread. The paper's LLE "
            "is that of its Table 1(b) at m = 4."
        ),
        reads=("pictures",),
        tables={
            "table_1a": "spectra_tables.table_1a",
            "sweep": "spectra_tables.sweep",
            "studies": "spectra_tables.studies",
            "ratios": "spectra_tables.ratios",
        },
        figures={
            "methods": Figure(
                "spectra_figures.draw_methods",
                (
                    "Table 1(a) of the paper as a figure: sensitivity (circles) and specificity (squares), mean ± "
                    "SD over studies, open markers the paper's. Left: against the boxes, as in the paper. Middle: "
                    "against the cancer voxels themselves. Right: the same with the cancer cluster named by the "
                    "truth, which methods with a threshold do not need. Below the dashed line: controls."
                ),
            ),
            "maps": Figure(
                "spectra_pictures.draw_maps",
                (
                    "Fig. 2(a) to (f) of the paper: one study, the axial plane with most cancer voxels, in the "
                    "order of the paper's panels. Orange: called cancer; other colours: the other two clusters, or "
                    "not called by a method with a threshold. Black outline: potential cancer space, the box "
                    "(white in the paper); dots: cancer voxels. Sensitivity and specificity are those of the complete "
                    "study against the cancer voxels. A panel “no call”: at that κ the neighbourhood graph falls "
                    "apart, or there were no training studies to learn a threshold on."
                ),
            ),
            "typical": Figure(
                "spectra_pictures.draw_typical",
                (
                    "Spectra of the training studies by tissue: mean and SD over all voxels of a kind, and one "
                    "voxel. Benign peripheral zone: mostly glandular tissue; other tissue: mostly stroma, as in "
                    "benign hyperplasia; mixed voxels are left out. The real part of the phased spectrum in "
                    "arbitrary units."
                ),
            ),
            "sweep": Figure(
                "spectra_figures.draw_sweep",
                (
                    "Where the ranking turns: balanced accuracy against the cancer voxels (mean ± standard error "
                    "over studies) over the noise at three line widths, and over the contrast of cancer and "
                    "benign tissue; all as multiples of the main condition. Stars above: the highest of the "
                    "paper's methods in its colour, filled if its paired lead over the second is beyond the "
                    "spread over studies (95 % interval without 0), open if within. Dotted: clusters of the "
                    "spectra without reduction, a control that does not count for the stars."
                ),
            ),
        },
        own=OWN["spectra_methods"],
    ),
    Experiment(
        "spectra_dimensions",
        title="C-LLE over the dimension",
        text=(
            "Table 1(b) of Tiwari, Rosen and Madabhushi 2008: C-LLE against LLE (mean over κ) over the number of "
            "dimensions m. The caption of the paper's table names the “top 7 eigen values” where the text has m = "
            "4, hence also m = 7. Clusters are named by the rule, never by the truth. Differences are paired "
            "over studies; p-values are one-sided (C-LLE higher) and corrected by Holm over the m of a truth and "
            "score. LLE at its best κ is at the one κ with the highest mean balanced accuracy over these studies.\n\n"
            "The paper's 18 studies are few for a difference of 3 percentage points: the table and the figure of the "
            "power show how many are needed, given how much the differences of the studies here vary."
        ),
        tables={"table_1b": "spectra_tables.table_1b", "power": "spectra_tables.power"},
        figures={
            "dimensions": Figure(
                "spectra_figures.draw_dimensions",
                (
                    "Table 1(b) of the paper as a figure: sensitivity and specificity of C-LLE and LLE over the "
                    "number of dimensions (mean ± SD over studies; open: the paper), above against the boxes, "
                    "below against the cancer voxels. Right: paired differences with their 95 % intervals over "
                    "studies, which the SD over studies hides."
                ),
            ),
            "power": Figure(
                "spectra_figures.draw_power",
                (
                    "Power of the paired one-sided t-test (level 0.05) to see that C-LLE is 3 percentage points above "
                    "LLE, over the number of studies, with the standard deviation of the paired differences measured "
                    "here (against the cancer voxels where they are known). One line per number m of dimensions. "
                    "Dotted: the paper's 18 studies, and those here; dashed: a power of 0.8."
                ),
            ),
        },
        own=OWN["spectra_dimensions"],
    ),
    Experiment(
        "spectra_stability",
        title="Stability of C-LLE",
        text=(
            "How much LLE and C-LLE move with what should not matter: the choice of κ, the draw of the noise, and "
            "the starts of k-means (Tiwari, Rosen and Madabhushi 2008, Fig. 2(a) to (c): C-LLE “appears to reduce "
            "the variance and instability”). A consensus over all κ has no κ to vary. So LLE at single κ is "
            "compared with consensus embeddings of disjoint groups of κ; along the other axes C-LLE combines all "
            "κ, and LLE is taken at each κ and averaged.\n\n"
            "Per study the SD of each score, and the distance between embeddings: the Frobenius distance of their "
            "distance matrices, each divided by its norm, which knows neither rotation nor scale (0: the same; at "
            "most √2). The table has the mean over studies and the paired difference from LLE with its 95 % "
            "interval; below 0 a method is steadier than LLE."
        ),
        tables={"stability": "spectra_tables.stability"},
        figures={
            "kappa": Figure(
                "spectra_figures.draw_kappa",
                (
                    "Sensitivity and specificity of LLE against κ: each study (grey) and the mean over the "
                    "studies whose neighbourhood graph is one piece at that κ, and C-LLE of all κ (line: mean, "
                    "band: SD over studies), above against the boxes, below against the cancer voxels."
                ),
            ),
            "spread": Figure(
                "spectra_figures.draw_spread",
                (
                    "Above: SD of sensitivity, specificity and balanced accuracy by method and by what is varied. "
                    "Below: distance of the embeddings. Mean ± SD over studies; less is steadier. PCA has no κ; "
                    "the clustering leaves the embedding as it is."
                ),
            ),
        },
        own=OWN["spectra_stability"],
    ),
    Experiment(
        "spectra_components",
        title="Components of the cancer cluster",
        text=(
            "Fig. 2(g) to (i) of Tiwari, Rosen and Madabhushi 2008: do the spectra of the cluster called cancer "
            "contain the spectrum of cancer? The paper compares by eye; here the independent component of a cluster "
            "that is most like the mean spectrum of the training studies' cancer voxels is correlated with it. "
            "The best of several components is taken, which alone lifts the number: as many voxels at random show "
            "by how much, the cancer voxels themselves what can be reached."
        ),
        reads=("pictures",),
        tables={"correlations": "spectra_tables.correlations"},
        figures={
            "components": Figure(
                "spectra_pictures.draw_components",
                (
                    "Left, one study: (g) mean spectrum of the training studies' cancer voxels, (h) component of "
                    "the cluster that C-LLE calls cancer, (i) the same of PCA. Components have no scale. Right: "
                    "correlation of the best component with (g) for every study (grey lines) and mean ± SD, for "
                    "the true cancer voxels, the clusters, and as many voxels at random."
                ),
            ),
        },
        own=OWN["spectra_components"],
    ),
)
