"""Methods on spectra."""

from collections.abc import Iterator

from pydantic import Field

from replication.data.settings import ProstateMRSI
from replication.papers.tiwari2008 import layout
from replication.papers.tiwari2008.settings import SpectraSettings, map_is_among
from replication.platform.declarations import Experiment, Figure, Own, Stages
from replication.platform.settings import Distinct, Natural, Positive, Settings
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study
from replication.shared.parts import gather


class SpectraMethods(Settings):
    """Table 1(a) and Fig. 2: all methods, under several conditions of the simulator."""

    noise: Distinct[Positive] = Field((0.25, 0.5, 1, 2), description="multiples of the noise, each with each linewidth")
    linewidth: Distinct[Positive] = Field((0.7, 1, 1.5), description="multiples of the linewidth")
    contrast: Distinct[Positive] = Field(
        (0.5, 1, 1.5, 2),
        description="multiples of prostate_mrsi.contrast; 0.5 gives the concentrations of tissue samples",
    )
    training_cohorts: Natural = Field(
        12,
        description=(
            "other sets of spectra.n_training training studies; what methods take from such studies is learnt on each "
            "of them too, under every noise (CH-96)"
        ),
    )
    map_study: Natural = Field(
        0,
        description=(
            "the study of the maps and of the picture of spectra_components, counted from 0; of your own all are "
            "mapped, and the first is pictured"
        ),
    )

    def unfit(self) -> Iterator[tuple[str, str]]:
        """The condition that the claims are judged on is among the others."""
        for key in ("noise", "linewidth", "contrast"):
            levels = getattr(self, key)
            if 1 not in levels:
                yield key, f"expected 1 among them, the condition that the claims are judged on, found {list(levels)}"


# The table of the calls of all methods, of the user's own studies.
CALLS = "calls_own"


def added_parts(study: Study) -> dict[str, tuple]:
    """What an added method is scored on."""
    return {
        name: (
            layout.spectra(name),
            {
                **layout.origin(study),
                "settings": study["spectra_embedding"],
                "condition": layout.columns(condition),
            },
        )
        for name, condition in layout.conditions(study).items()
    }


def _takes(study: Study, condition: str) -> Seconds:
    """Of one condition; each other training cohort is made and learnt on once more."""
    spectra, cohorts = study["spectra"], study["spectra_methods"]["training_cohorts"]
    start = 2.5 + 0.15 * spectra["n_training"] * cohorts * layout.varies_noise(study, condition)
    key, each = ("n_studies", 0.0017) if condition == "main" else ("n_varied", 0.0045)
    return Seconds(start, each * layout.number_of_studies(spectra, key), "spectra_embedding.kmeans_runs")


def score(job: Job) -> Results:
    """Scores of every method on the studies of one condition."""
    from replication.data.prostate_mrsi import ROLES, simulate_cohort, simulated_ratios
    from replication.data.readers.spectra import load_studies
    from replication.papers.tiwari2008 import spectra_methods
    from replication.papers.tiwari2008.spectra_maps import calls_table

    studies = load_studies(job.inputs.evaluation)
    settings = job.section("spectra_embedding", SpectraSettings)
    simulator, role, ratios = job.section("prostate_mrsi", ProstateMRSI), ROLES["training"], []
    cohorts = (
        simulate_cohort(simulator, job.seed, f"{role}-{k}", job.settings["n_training"], **job.settings["condition"])
        for k in range(1, job.settings["training_cohorts"] + 1)
    )
    if job.wildcards.condition == "main":
        ratios = simulated_ratios(simulator, job.seed, ROLES["evaluation"], len(studies))
    metrics, pictures = spectra_methods.run(
        studies, load_studies(job.inputs.training), settings,
        condition=job.settings["condition"], ratios=ratios, work=job,
        dataset=job.settings["dataset"], source=job.settings["source"], map_study=job.settings["map_study"],
        cohorts=cohorts, n_first=job.settings["n_varied"],
    )  # fmt: skip
    calls = {"calls": calls_table(pictures)} if job.settings["map_study"] is None else {}
    return {"scores": metrics, "pictures": pictures, **calls}


EXPERIMENT = Experiment(
    "spectra_methods",
    position=3,
    settings=SpectraMethods,
    check=map_is_among("n_studies"),
    title="Methods on spectra",
    added="user_methods.score_spectra",
    method_names="spectra_metrics.METHODS",
    text=(
        "Table 1(a) and Fig. 2 of Tiwari, Rosen and Madabhushi 2008: voxels of prostate MR spectra called "
        "cancer by C-LLE, by LLE at single κ (mean over κ), by PCA, by the z-score and by peak integration. "
        "The paper's ACRIN 6659 spectra are not public; the studies here are simulated physically, unless the "
        "source says that they are your own. So the numbers of the paper cannot be expected to return: the "
        "order of the methods can.\n\n"
        "Whatever needs knowledge is learnt on other studies: windows of the peaks, reference voxels of the "
        "z-score, thresholds. The table “training” has what the judged methods reach if they learn it on other sets of "
        "as many studies. Clusters have no names: the one with the largest ratio of choline + creatine to "
        "citrate in its mean spectrum is called cancer (the rule). The columns “oracle” let the truth name "
        "the cluster; they show what the rule costs and are not a result.\n\n"
        "The paper compares with a potential cancer space, boxes around the sextants with a tumour: "
        "partial truth, shown as “box”. In simulated studies the truth of each voxel is known too (“voxels”). "
        "The row “the box as a call” says how well the boxes agree with the voxels, which is all that the "
        "paper's truth can show.\n\n"
        "Controls: clusters of the spectra without any reduction, C-LLE with the mean or the median in place "
        "of the mode, a vote over kappa, a supervised linear discriminant, random clusters, and peak integration with "
        "windows and threshold of the literature. Intervals are paired "
        "t intervals over studies; a lead whose 95 % interval contains 0 is within the spread. The paper's LLE "
        "is that of its Table 1(b) at m = 4."
    ),
    reads=("pictures",),
    tables={
        "table_1a": "spectra_tables.table_1a",
        "sweep": "spectra_tables.sweep",
        "studies": "spectra_tables.studies",
        "ratios": "spectra_tables.ratios",
        "training": "spectra_tables.training",
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
                "apart, that κ is not among `kappas`, or there were no training studies to learn a threshold on."
            ),
        ),
        "typical": Figure(
            "spectra_pictures.draw_typical",
            (
                "Spectra of the training studies by tissue: mean and SD over all voxels of a kind, and one "
                "voxel. Benign peripheral zone: mostly glandular tissue; other tissue: mostly stroma, as in "
                "benign hyperplasia; voxels with 10 % cancer or more that do not count as cancer are left out. The "
                "real part of the phased spectrum in arbitrary units."
            ),
        ),
        "sweep": Figure(
            "spectra_figures.draw_sweep",
            (
                "Where the ranking turns: balanced accuracy against the cancer voxels (mean ± standard error "
                "over studies) over the noise at three line widths, and over the contrast of cancer and "
                "benign tissue; all as multiples of the main condition. Stars above: the highest of the "
                "paper's methods in its colour, filled if its paired lead over the second is beyond the "
                "spread over studies (95 % interval without 0), open if within. Dotted: two controls that do not "
                "count for the stars, clusters of the spectra without reduction and a supervised linear "
                "discriminant."
            ),
        ),
    },
    own=Own(
        text=(
            "Voxels of your studies called cancer by C-LLE, by LLE at single κ (mean over κ), by PCA, by the z-score"
            " and by peak integration. Windows, reference voxels and thresholds are learnt on your training studies; "
            "without such studies the windows are those of the literature, and methods with a learnt threshold are "
            "left out. The cluster with the largest ratio of choline + creatine to citrate in its mean spectrum is "
            "called cancer (the rule). Where you named boxes or cancer voxels, the columns “oracle” let these name the "
            "cluster: they say what the rule costs and are not a result. Intervals are paired t intervals over "
            "studies; with few studies they are wide. Where boxes and voxels are both known, the row “the box as a "
            "call” says how well they agree. Controls are clusters without any reduction, and C-LLE with the mean or "
            "the median in place of the mode."
        ),
        captions={
            "methods": (
                "Sensitivity (circles) and specificity (squares) by method, mean ± SD over studies, against the "
                "boxes or the cancer voxels, as far as you named them. Below the dashed line: controls."
            ),
            "maps": (
                "One axial plane of each evaluation study: that with most cancer voxels, else with most voxels of the "
                "box, else with most voxels. Orange: called cancer; other colours: the other "
                "two clusters, or not called by a method with a threshold. Black outline: box; dots: cancer voxels, "
                "if they are known. A panel “no call”: at that κ the neighbourhood graph falls apart, that κ is "
                "not among `kappas`, or there were no training studies to learn a threshold on."
            ),
        },
        left_out=("sweep", "typical"),
    ),
    run_tables=lambda study: [CALLS] if layout.only_own(study) else [],
    files=lambda study: {"pictures": f"spectra_methods/parts/{layout.base(study)}_pictures.npz"},
    added_parts=added_parts,
    own_only=layout.only_own,
    own_results={
        "spectra_methods/figures/maps.png": "the voxels that each method calls cancer, in one plane of each study",
        f"spectra_methods/tables/{CALLS}.tsv": "the same of all voxels: 1 where a method calls a voxel cancer",
    },
    # The studies of spectra_dimensions, which are looked at as often.
    stages=Stages("spectra.n_studies", (150, 700), claims=("CL-04",)),
    steps=(
        Step(
            name="score_spectra",
            run=score,
            does="Call cancer by every method, {wildcards.condition}",
            makes=lambda study: {
                "scores": "spectra_methods/parts/{condition}.tsv",
                "pictures": "spectra_methods/parts/{condition}_pictures.npz",
                **({"calls": "spectra_methods/tables/calls_{condition}.tsv"} if layout.only_own(study) else {}),
            },
            reads=lambda study, at: layout.spectra(at.condition),
            settings=lambda study, at: {
                **layout.origin(study),
                **study.sections("spectra_embedding", "prostate_mrsi"),
                "condition": layout.columns(layout.conditions(study)[at.condition]),
                "training_cohorts": study["spectra_methods"]["training_cohorts"]
                * layout.varies_noise(study, at.condition),
                "n_training": study["spectra"]["n_training"],
                "n_varied": study["spectra"]["n_varied"],
                # Of studies of your own all are mapped.
                "map_study": None if layout.only_own(study) else study["spectra_methods"]["map_study"],
            },
            wildcards=lambda study: {"condition": list(layout.conditions(study))},
            minutes=10,
            group="score",
            takes=lambda study, at: _takes(study, at.condition),
        ),
        gather(
            "spectra_methods",
            lambda study: list(layout.conditions(study)),
            "Gather the scores under all conditions",
            takes=Seconds(4.6),
        ),
    ),
)
