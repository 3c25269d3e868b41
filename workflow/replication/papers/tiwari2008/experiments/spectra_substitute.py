"""How hard the private spectra are."""

from pydantic import Field

from replication.data.settings import ProstateMRSI
from replication.papers.tiwari2008 import layout
from replication.papers.tiwari2008.settings import Normalization, SpectraSettings
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Positive, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class SpectraSubstitute(Settings):
    """
    Sets contrast and noise of prostate_mrsi, and the normalisations, by what the paper prints for its baselines.

    On studies that no other experiment uses.
    The paper's own method is not run.
    """

    n_studies: Count = Field(
        64, description="studies; enough for standard errors of the mean scores of two to four percentage points"
    )
    n_training: Count = Field(24, description="other studies, on which windows and thresholds are learnt")
    contrast: Distinct[Positive] = Field(
        (1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 3),
        description="values tried for prostate_mrsi.contrast, picked by the measured ratio of metabolites in cancer",
    )
    snr: Distinct[Positive] = Field(
        (10, 14, 20, 28, 40, 80), description="values tried for prostate_mrsi.snr, picked next"
    )
    normalization: Distinct[Normalization] = Field(
        ("none", "norm", "area"), description="normalisations tried for each method, picked last"
    )


def run(job: Job) -> Results:
    """Sets contrast and noise of the simulator by the paper's baselines."""
    from replication.papers.tiwari2008 import spectra_substitute

    metrics, picks = spectra_substitute.run(
        job.section("prostate_mrsi", ProstateMRSI),
        job.section("spectra_embedding", SpectraSettings),
        job.settings["spectra_substitute"], job,
    )  # fmt: skip
    return {"metrics": metrics, "picks": picks}


EXPERIMENT = Experiment(
    "spectra_substitute",
    position=1,
    settings=SpectraSubstitute,
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
    own_only=layout.only_own,
    steps=(
        Step(
            name="run_spectra_substitute",
            run=run,
            does="Set contrast and noise of the simulated spectra by the paper's baselines",
            makes={"metrics": "spectra_substitute/metrics.tsv", "picks": "spectra_substitute/tables/picks.tsv"},
            settings=("prostate_mrsi", "spectra_embedding", "spectra_substitute"),
            threads="workers",
            takes=Seconds(
                3, 0.17, "spectra_substitute.n_studies*spectra_substitute.snr*spectra_substitute.normalization"
            ),
        ),
    ),
)
