"""
Sections of the configuration for simulators of data.

The values of glands and prostate_mrsi, where they come from and what they mean are in config/simulators.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Len
from pydantic import Field

from replication.platform.settings import (
    AtLeastOne,
    Bounds,
    Count,
    Integer,
    Item,
    Natural,
    NonNegative,
    Pair,
    Part,
    Positive,
    Settings,
    Some,
)


class PlantedMonths(Settings):
    """Times to the event."""

    baseline: Positive = Field(description="mean of the exponential time to the event in class -1")
    hazard_ratio: Positive = Field(description="of class 1")
    follow_up: Positive = Field(description="samples are censored at a uniform time up to it")


class PlantedFeatures(Item):
    """Simulated features of two classes."""

    structure: Literal["shift", "parity", "curve"] = Field(description="how the classes differ")
    n_samples: Annotated[Integer, Ge(4)] = Field(description="training samples, half of them of each class")
    n_validation: Natural = Field(description="validation samples; 0: none")
    n_features: Count = Field(description="features in all")
    n_informative: Count = Field(description="features that the classes differ in")
    n_redundant: Natural = Field(description="combinations of these")
    n_nuisance: Natural = Field(description="features that share a factor unrelated to the classes")
    effect: NonNegative = Field(description="size of the difference in standard deviations of the noise")
    nuisance_scale: NonNegative = Field(description="standard deviation of the nuisance features")
    months: PlantedMonths = Field(None, description="times to the event, all in months; labels then say if it is seen")

    def unfit(self) -> Iterator[tuple[str, str]]:
        """Too few samples or features for what is planted."""
        if 0 < self.n_validation < 4:
            yield "n_validation", f"expected 0 or at least 4, found {self.n_validation}"
        if self.structure != "shift" and self.n_informative < 2:
            yield "n_informative", f"expected at least 2 for {self.structure}, found {self.n_informative}"
        special = self.n_informative + self.n_redundant + self.n_nuisance
        if special > self.n_features:
            yield (
                "n_features",
                f"expected at least the {special} informative, redundant and nuisance features, found "
                f"{self.n_features}",
            )


# Median and standard deviation of the logarithm; of concentrations mean and standard deviation.
LogNormal = Annotated[tuple[Positive, NonNegative], Field(strict=False)]


class GlandClass(Settings):
    """A class of glands."""

    n_glands: Annotated[Integer, Ge(2)]
    n_regions: Count
    radius_um: LogNormal
    excess_aspect: LogNormal
    bend_degrees: LogNormal
    lobulation: LogNormal
    folding: LogNormal
    spectrum_exponent: LogNormal

    def unfit(self) -> Iterator[tuple[str, str]]:
        """A gland in each region."""
        if self.n_regions > self.n_glands:
            yield "n_regions", f"expected at most n_glands = {self.n_glands}, found {self.n_regions}"


class GlandClasses(Settings):
    """The classes of glands."""

    benign: GlandClass
    grade_3: GlandClass
    grade_4: GlandClass


class Segmentation(Settings):
    """Error of the segmentation by hand, across the outline: SD, and length along it of the correlation."""

    sd_um: NonNegative
    correlation_um: Positive


class GlandSimulator(Settings):
    """Simulated outlines of glands of some classes."""

    n_points: Annotated[Integer, Ge(64)]
    classes: Mapping[str, GlandClass]
    between_regions: Part
    segmentation: Segmentation


class GlandsOfThePaper(GlandSimulator):
    """Simulated outlines of prostate glands."""

    classes: GlandClasses


class Acquisition(Settings):
    """How spectra are measured."""

    larmor_mhz: Positive
    carrier_ppm: NonNegative
    echo_times_ms: Pair[NonNegative]
    repetition_time_ms: Positive
    n_points: Count
    bandwidth_hz: Positive
    phase_encodes: Annotated[Some[Count], Len(3, 3)] = Field(description="at least 2 from right to left")
    voxel_mm: Positive

    def unfit(self) -> Iterator[tuple[str, str]]:
        """One voxel from right to left: the distance of the first two there is the size of all."""
        if self.phase_encodes[0] < 2:
            yield "phase_encodes[0]", f"expected at least 2, found {self.phase_encodes[0]}"


class Processing(Settings):
    """From signal in time to spectrum."""

    apodization_hz: NonNegative
    zero_filled_points: Count
    first_ppm: NonNegative
    n_kept_points: Count


class CoupledPairs(Settings):
    """A metabolite of equivalent pairs of strongly coupled protons, as citrate."""

    shift_ppm: NonNegative
    protons: NonNegative
    coupling_hz: NonNegative
    difference_ppm: NonNegative
    t1_ms: Positive
    t2_ms: Positive
    # No multiplets that stay unresolved.
    extra_width_hz: ClassVar[float] = 0.0


class Lines(Settings):
    """A metabolite of lines given by shift in ppm and number of protons."""

    lines: AtLeastOne[Pair[NonNegative]]
    t1_ms: Positive
    t2_ms: Positive
    extra_width_hz: NonNegative
    visible: Part


class Metabolites(Settings):
    """Signals of the metabolites."""

    citrate: CoupledPairs
    choline: Lines
    creatine: Lines
    polyamines: Lines


class Concentration(Settings):
    """Mean and SD of a metabolite in each tissue."""

    glandular: LogNormal
    stromal: LogNormal
    cancer: LogNormal


class Concentrations(Settings):
    """Concentrations of the metabolites."""

    citrate: Concentration
    choline: Concentration
    creatine: Concentration
    polyamines: Concentration


class Variation(Settings):
    """How concentrations vary."""

    between_studies: Part
    correlation_mm: Positive


class FieldErrors(Settings):
    """What the inhomogeneity of the field leaves after correction."""

    width_hz: NonNegative
    width_log_sd: NonNegative
    shift_sd_ppm: NonNegative
    shift_smooth_share: Part
    phase_sd_degrees: NonNegative
    correlation_mm: Positive


class ResidualWater(Settings):
    """What suppression leaves of water."""

    shift_ppm: NonNegative
    to_citrate: NonNegative
    log_sd: NonNegative
    width_hz: NonNegative
    phase_sd_degrees: NonNegative
    correlation_mm: Positive


class ResidualLipid(Settings):
    """What outer-volume suppression leaves of the fat around the prostate."""

    lines: AtLeastOne[Pair[NonNegative]]
    width_hz: NonNegative
    to_citrate: NonNegative
    log_sd: NonNegative
    phase_sd_degrees: NonNegative
    begins_mm: NonNegative
    margin_mm: NonNegative
    correlation_mm: Positive


class Coil(Settings):
    """The endorectal coil."""

    radius_mm: Positive
    gap_mm: NonNegative


class Anatomy(Settings):
    """Prostates and their tissue."""

    median_volume_cc: Positive
    volume_log_sd: NonNegative
    volume_range_cc: Bounds[NonNegative]
    proportions: Annotated[Some[NonNegative], Len(3, 3)]
    proportion_log_sd: NonNegative
    transition_share: Bounds[Part]
    peripheral_glandular: Pair[Part]
    transition_glandular: Pair[Part]
    glandular_range: Bounds[Part]
    correlation_mm: Positive
    subdivision: Count
    prostate_share: Part


class Foci(Settings):
    """Foci of cancer."""

    number: Annotated[Some[NonNegative], Len(3, 3)]
    peripheral_share: Part
    median_diameter_mm: Positive
    diameter_log_sd: NonNegative
    diameter_range_mm: Bounds[NonNegative]
    other_diameters: Bounds[NonNegative]
    cancer_share: Bounds[Part]
    truth_share: Part
    localization_sd_mm: NonNegative
    min_voxels: Count

    def unfit(self) -> Iterator[tuple[str, str]]:
        """Probabilities of one, two and three."""
        if abs(sum(self.number) - 1.0) > 1e-8:
            yield "number", f"expected probabilities that sum to 1, found {list(self.number)}"


class ProstateMRSI(Settings):
    """Simulated spectra; concentrations: metabolite -> tissue -> mean and SD."""

    acquisition: Acquisition
    processing: Processing
    metabolites: Metabolites
    concentrations: Mapping[str, Mapping[str, LogNormal]]
    variation: Variation
    field: FieldErrors
    snr: Positive
    contrast: NonNegative
    residual_water: ResidualWater
    residual_lipid: ResidualLipid
    coil: Coil
    anatomy: Anatomy
    foci: Foci

    def unfit(self) -> Iterator[tuple[str, str]]:
        """Zero-filling that would cut signals off."""
        n_acquired, n_points = self.acquisition.n_points, self.processing.zero_filled_points
        if n_points < n_acquired:
            yield (
                "processing.zero_filled_points",
                f"expected at least acquisition.n_points = {n_acquired}, found {n_points}",
            )


class ProstateMRSIOfTissues(ProstateMRSI):
    """Simulated endorectal MR spectroscopic imaging of the prostate."""

    concentrations: Concentrations


SECTIONS = {"glands": GlandsOfThePaper, "prostate_mrsi": ProstateMRSIOfTissues}
