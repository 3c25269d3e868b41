"""Components of the cancer cluster."""

from pydantic import Field

from replication.papers.tiwari2008 import layout
from replication.papers.tiwari2008.settings import SpectraSettings, map_is_among
from replication.platform.declarations import Experiment, Figure, Own, Stages
from replication.platform.settings import Count, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class SpectraComponents(Settings):
    """Fig. 2(g) to (i): independent components of the cluster called cancer."""

    starts: Count = Field(
        21, description="starts of the independent components, which depend on the start; the median is used"
    )
    random_draws: Count = Field(20, description="random sets as large as C-LLE's cluster, whose mean is compared")


def run(job: Job) -> Results:
    """Independent components of the clusters called cancer."""
    from replication.data.readers.spectra import load_studies
    from replication.papers.tiwari2008 import spectra_components
    from replication.papers.tiwari2008.spectra_studies import learn

    studies = load_studies(job.inputs.evaluation)[: job.settings["n_studies"]]
    settings = job.section("spectra_embedding", SpectraSettings)
    learned = learn(load_studies(job.inputs.training), settings, job.seed)
    metrics, pictures = spectra_components.run(
        studies, learned, settings, job.settings["spectra_components"], work=job,
        dataset=job.settings["dataset"], source=job.settings["source"], map_study=job.settings["map_study"],
    )  # fmt: skip
    return {"metrics": metrics, "pictures": pictures}


EXPERIMENT = Experiment(
    "spectra_components",
    position=6,
    settings=SpectraComponents,
    check=map_is_among("n_studies", "n_repeated"),
    title="Components of the cancer cluster",
    text=(
        "Fig. 2(g) to (i) of Tiwari, Rosen and Madabhushi 2008: do the spectra of the cluster called cancer "
        "contain the spectrum of cancer? The paper compares by eye; here the independent component of a cluster "
        "that is most like the mean spectrum of the training studies' cancer voxels is correlated with it. "
        "The best of several components is taken, which alone lifts the number: random sets of voxels show by how "
        "much, the cancer voxels themselves what can be reached. Of a study some sets are as large as the cluster of "
        "C-LLE, with one start of the components each, and one is as large as the cancer, with as many starts as it."
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
                "the true cancer voxels, the clusters, and voxels at random, as many as C-LLE's cluster has and as "
                "many as are cancer."
            ),
        ),
    },
    own=Own(
        text=(
            "Does the spectrum of the cluster called cancer look like the spectrum of cancer? The independent "
            "component that is most like the mean spectrum of the training studies' cancer voxels (where no truth is "
            "given, of the voxels in their boxes) is correlated with it. The best of several components is taken, "
            "which alone raises the number: as many voxels at random show by how much."
        ),
        captions={
            "components": (
                "Left, one study: (g) mean spectrum of the training studies' cancer voxels, or of the voxels in their "
                "boxes where no truth is given, (h) component of the cluster that C-LLE calls cancer, (i) the same of "
                "PCA. Components have no scale. Right: correlation of the best component with (g) for every study "
                "(grey lines) and mean ± SD."
            ),
        },
    ),
    own_only=layout.only_own,
    stages=Stages("spectra.n_repeated", (18, 50, 150)),
    steps=(
        Step(
            name="run_spectra_components",
            run=run,
            does="Independent components of the clusters called cancer",
            makes={"metrics": "spectra_components/metrics.tsv", "pictures": "spectra_components/pictures.npz"},
            reads=lambda study, _: layout.base_files(study),
            settings=lambda study, _: {
                **layout.origin(study),
                **study.sections("spectra_embedding", "spectra_components"),
                "n_studies": None if layout.only_own(study) else study["spectra"]["n_repeated"],
                "map_study": 0 if layout.only_own(study) else study["spectra_methods"]["map_study"],
            },
            threads="workers",
            takes=lambda study, _: Seconds(
                3, 0.11 * layout.number_of_studies(study["spectra"], "n_repeated"), "spectra_components.starts"
            ),
        ),
    ),
)
