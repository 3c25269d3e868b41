"""Pathology."""

from replication.platform.declarations import Experiment, Figure

EXPERIMENT = Experiment(
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
)
