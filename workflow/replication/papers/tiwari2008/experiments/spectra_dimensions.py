"""C-LLE over the dimension."""

from pydantic import Field

from replication.papers.tiwari2008 import layout
from replication.papers.tiwari2008.settings import SpectraSettings
from replication.platform.declarations import Experiment, Figure, Own, Stages
from replication.platform.settings import Count, Distinct, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class SpectraDimensions(Settings):
    """Table 1(b): dimensions m. 7 is for the "top 7 eigenvalues" of the paper's caption (CH-44)."""

    n_components: Distinct[Count] = Field(
        (3, 4, 5, 7), description='dimensions m; 7 is for the "top 7 eigenvalues" of the paper\'s caption (CH-44)'
    )


def run(job: Job) -> Results:
    """C-LLE against LLE over the dimension of the embedding."""
    from replication.data.readers.spectra import load_studies
    from replication.papers.tiwari2008 import spectra_dimensions
    from replication.papers.tiwari2008.spectra_studies import learn

    studies = load_studies(job.inputs.evaluation)
    settings = job.section("spectra_embedding", SpectraSettings)
    learned = learn(load_studies(job.inputs.training), settings, job.seed)
    metrics = spectra_dimensions.run(
        studies, learned, settings, job.settings["spectra_dimensions"]["n_components"],
        dataset=job.settings["dataset"], source=job.settings["source"], work=job,
    )  # fmt: skip
    return {"metrics": metrics}


EXPERIMENT = Experiment(
    "spectra_dimensions",
    position=4,
    settings=SpectraDimensions,
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
    own=Own(
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
    own_only=layout.only_own,
    stages=Stages("spectra.n_studies", (150, 700)),
    steps=(
        Step(
            name="run_spectra_dimensions",
            run=run,
            does="C-LLE and LLE over the dimension of the embedding",
            makes={"metrics": "spectra_dimensions/metrics.tsv"},
            reads=lambda study, _: layout.base_files(study),
            settings=lambda study, _: layout.origin(study) | study.sections("spectra_embedding", "spectra_dimensions"),
            threads="workers",
            takes=lambda study, _: Seconds(
                3,
                0.0053 * layout.number_of_studies(study["spectra"], "n_studies"),
                "spectra_dimensions.n_components*spectra_embedding.kmeans_runs",
            ),
        ),
    ),
)
