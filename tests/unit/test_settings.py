"""Sections of the configuration become frozen dataclasses; an unknown or a missing key is named."""

import re
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass, fields, replace
from pathlib import Path

import pytest
from replication.data.glands import GlandSimulator
from replication.data.prostate_mrsi import ProstateMRSI
from replication.papers.ginsburg2016.pathology import Pathology
from replication.papers.ginsburg2016.planted_features import PlantedStudy
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.papers.sparks2011.retrieval_calibration import RetrievalCalibration
from replication.papers.sparks2011.retrieval_grid import OutOfSample
from replication.papers.sparks2011.swiss_roll import SwissRollSettings
from replication.papers.tiwari2008.spectra_studies import SpectraSettings
from replication.papers.tomo2025.mce_convergence import ConvergenceStudy
from replication.papers.viswanath2012.gene_calibration import GeneCalibration
from replication.papers.viswanath2012.settings import GeneSettings, ImageSettings
from replication.papers.viswanath2012.theory_error import ErrorStudy
from replication.papers.viswanath2012.theory_monotone import MonotoneStudy
from replication.papers.viswanath2012.theory_strength import StrengthStudy
from replication.papers.viswanath2012.toy_rgb import ToyStudy
from replication.platform.configuration import read_configuration, read_schema
from replication.platform.settings import from_section

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Axis:
    start: float
    stop: float


@dataclass(frozen=True)
class Grid:
    sizes: tuple[int, ...]
    x: Axis
    noise: float = 0.0
    y: Axis | None = None
    others: tuple[Axis, ...] = ()
    named: Mapping[str, Axis] | None = None
    variants: tuple[Mapping, ...] = ()


SECTION = {"sizes": [1, 2], "x": {"start": 0, "stop": 1}}


def test_a_section_becomes_a_frozen_dataclass_of_tuples_that_can_be_hashed():
    grid = from_section(Grid, SECTION)
    assert grid == Grid(sizes=(1, 2), x=Axis(0, 1))
    assert hash(grid) == hash(from_section(Grid, SECTION))
    with pytest.raises(FrozenInstanceError):
        grid.noise = 1.0


def test_dataclasses_are_built_at_every_place_a_field_can_hold_one():
    axis = {"start": 0, "stop": 1}
    grid = from_section(Grid, {**SECTION, "y": axis, "others": [axis], "named": {"z": axis}})
    assert (grid.y, grid.others, grid.named) == (Axis(0, 1), (Axis(0, 1),), {"z": Axis(0, 1)})
    assert from_section(Grid, {**SECTION, "y": None}).y is None


def test_numbers_are_not_converted_and_lists_within_mappings_become_tuples_too():
    grid = from_section(Grid, {**SECTION, "noise": 1, "variants": [{"name": "fewer", "sizes": [1]}]})
    assert isinstance(grid.noise, int)
    assert replace(grid, sizes=grid.variants[0]["sizes"]).sizes == (1,)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({**SECTION, "nose": 1}, "grid.nose: unknown key; did you mean 'noise'?"),
        ({**SECTION, "q": 1}, "grid.q: unknown key; known here: sizes, x, noise, y, others, named, variants"),
        ({"sizes": [1]}, "grid.x: missing"),
        ({"size": [1], "x": SECTION["x"]}, "grid.size: unknown key; did you mean 'sizes'?"),
        ({**SECTION, "x": {"start": 0}}, "grid.x.stop: missing"),
        (
            {**SECTION, "others": [{"start": 0, "stop": 1, "step": 2}]},
            "grid.others[0].step: unknown key; did you mean 'stop'?",
        ),
        ({**SECTION, "x": 3}, "grid.x: expected a section of keys, found 3"),
    ],
)
def test_an_error_names_the_section_the_key_and_what_to_write(section, message):
    with pytest.raises(ValueError, match=rf"^{re.escape(message)}$"):
        from_section(Grid, section, "grid")


def test_without_a_name_an_error_names_the_dataclass():
    with pytest.raises(ValueError, match=r"^Grid\.x: missing$"):
        from_section(Grid, {"sizes": []})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("section", "kind"),
    [
        ("prostate_mrsi", ProstateMRSI),
        ("spectra_embedding", SpectraSettings),
        ("out_of_sample", OutOfSample),
        ("swiss_roll", SwissRollSettings),
        ("glands", GlandSimulator),
        ("retrieval_calibration", RetrievalCalibration),
        ("image_embedding", ImageSettings),
        ("gene_embedding", GeneSettings),
        ("gene_calibration", GeneCalibration),
        ("toy_rgb", ToyStudy),
        ("theory_strength", StrengthStudy),
        ("theory_error", ErrorStudy),
        ("theory_monotone", MonotoneStudy),
        ("feature_embedding", FeatureSettings),
        ("pathology", Pathology),
        ("planted_features", PlantedStudy),
        ("mce_convergence", ConvergenceStudy),
    ],
)
def test_the_keys_of_a_section_are_those_of_the_schema(section, kind):
    known = read_schema(ROOT / "workflow/schemas/config.schema.yaml")["properties"][section]["properties"]
    assert {field.name for field in fields(kind)} == set(known)
    for overlays in ((), ("quick.yaml",)):
        from_section(kind, read_configuration(*overlays)[section], section)
