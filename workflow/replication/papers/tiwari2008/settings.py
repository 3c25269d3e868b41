"""Sections of the configuration that the experiments on spectra share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, get_args

from annotated_types import Ge
from pydantic import AfterValidator, Field

from replication.platform.settings import (
    Count,
    Integer,
    Item,
    Name,
    Number,
    Positive,
    Range,
    Settings,
    Some,
    Text,
    different_names,
    refuse_unless,
)

Normalization = Literal["none", "norm", "area"]
Role = Literal["evaluation", "training"]


class OwnStudy(Item):
    """A study of your own."""

    name: Name = Field(description="what the results call it")
    role: Role = Field(
        description="evaluation: it is scored; training: windows, thresholds and defaults are learnt on it"
    )
    table: Text = Field(None, description="a table with a row per voxel")
    nifti: Text = Field(None, description="a NIfTI-MRS file, in place of the table")
    mask: Text = Field(None, description="of a NIfTI-MRS file: voxels that take part")
    box: Text = Field(None, description="of a NIfTI-MRS file: voxels in the potential cancer space")
    truth: Text = Field(None, description="of a NIfTI-MRS file: voxels with cancer")
    ppm: Range[Number] = Field(None, description="range of the chemical shift that is used")

    def unfit(self) -> Iterator[tuple[str, str]]:
        """One source, and only what belongs to it."""
        of_nifti = {self.mask, self.box, self.truth} != {None}
        if (self.table is None) == (self.nifti is None) or (self.table is not None and of_nifti):
            yield (
                "",
                (
                    "expected either the key table, or nifti (with mask, box and truth, if there are any); found "
                    f"{', '.join(sorted(self.model_fields_set))}"
                ),
            )


def _evaluated(studies: tuple[OwnStudy, ...]) -> tuple[OwnStudy, ...]:
    refuse_unless(
        not studies or any(study.role == "evaluation" for study in studies),
        "at least one study with the role evaluation",
    )
    files = [{study.table or study.nifti for study in studies if study.role == role} for role in get_args(Role)]
    refuse_unless(not set.intersection(*files), "other files for training than for evaluation")
    return studies


class Spectra(Settings):
    """MR spectra of the prostate: the studies. The simulator is in config/simulators/prostate_mrsi.yaml."""

    own: Annotated[Some[OwnStudy], AfterValidator(different_names), AfterValidator(_evaluated)] = Field(
        (), description="your own studies, which replace the simulated ones; config/own_spectra.yaml shows how"
    )
    n_studies: Count = Field(
        700,
        description="simulated studies that are scored; the paper has 18. The last stage of spectra_dimensions",
    )
    n_varied: Count = Field(
        18,
        description="the first of them are also used under further conditions (spectra_methods)",
    )
    n_repeated: Count = Field(
        150,
        description=(
            "the first of them also have further draws of the noise (spectra_stability), and their independent "
            "components (spectra_components)"
        ),
    )
    n_training: Count = Field(8, description="other studies, on which windows, thresholds and defaults are learnt")


class TrainingSettings(Settings):
    """The settings that what is learnt on the training studies depends on."""

    normalization: Normalization = Field(
        "norm",
        description=(
            "normalisation of each spectrum: none, norm (divided by its Euclidean norm) or area (by the sum of its "
            "absolute values) (CH-46); picked by the experiment spectra_substitute. For LLE and all that names none "
            "of its own"
        ),
    )
    z_score_normalization: Normalization = Field("area", description="the same for the z-score")
    ica_components: Count = Field(3, description="independent components of the cancer voxels (CH-47)")
    baseline: Literal["none", "linear"] = Field(
        "none", description="areas below the peaks: without a baseline, or above a straight one (CH-48)"
    )


class SpectraSettings(TrainingSettings):
    """
    From spectra to voxels called cancer: the settings of all experiments on spectra.

    Where the paper leaves a detail open, its number in choices.tsv is given; the experiment spectra_calibration shows
    how it was picked.
    """

    pca_normalization: Normalization = Field("area", description="as normalization, for PCA")
    kappas: Range[Annotated[Integer, Ge(2)]] = Field((3, 20), description="smallest and largest kappa of LLE (CH-18)")
    regularization: Positive = Field(
        1.0e-3, description="share of the trace added to the local Gram matrices of LLE (CH-77)"
    )
    mode: Literal["half_sample", "kernel_density", "histogram"] = Field(
        "half_sample", description="mode of the K distances of a pair (CH-19)"
    )
    mds: Literal["classical", "smacof"] = Field(
        "classical",
        description=(
            "step 3 of C-LLE: scaling by an eigendecomposition (classical) or by least squares (smacof) (CH-78)"
        ),
    )
    consensus_components: Count | None = Field(
        None, description="dimensions of step 3 of C-LLE; null: those of LLE (CH-79)"
    )
    n_components: Count = Field(4, description="m of Table 1(a) (CH-44)")
    pca_components: Count = Field(5, description="dimensions of PCA")
    n_clusters: Annotated[Integer, Ge(2)] = Field(3, description="clusters of the consensus clustering")
    kmeans_runs: Count = Field(50, description="runs T of k-means of the consensus clustering (CH-20)")
    literature_ratio: Positive = Field(
        0.87,
        description=(
            "threshold of a control with the customary windows: three standard deviations above the healthy peripheral "
            "zone of Kurhanewicz et al. 1996. It is meant for areas of fitted lines; integrated areas also contain "
            "polyamines and baseline"
        ),
    )


def map_is_among(*numbers: str) -> Callable[[Mapping[str, Any]], Iterator[str]]:
    """Check that the study of the maps is among the first simulated ones, as many as each of these keys says."""

    def check(config: Mapping[str, Any]) -> Iterator[str]:
        study, spectra = config["spectra_methods"]["map_study"], config["spectra"]
        for number in numbers:
            if not spectra["own"] and study >= spectra[number]:
                yield (
                    f"spectra_methods.map_study: expected less than spectra.{number} = {spectra[number]}, found {study}"
                )

    return check


SECTIONS = {"spectra": Spectra, "spectra_embedding": SpectraSettings}
