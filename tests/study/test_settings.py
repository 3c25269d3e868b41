"""Sections of the configuration as models: nothing is converted, and every problem is named."""

from collections.abc import Mapping
from typing import Literal

import pytest
from pydantic import Field, ValidationError
from replication.catalogue.configuration import SECTIONS, read_configuration
from replication.platform.configuration import ConfigurationError
from replication.platform.refusals import refusals
from replication.platform.settings import (
    Count,
    Distinct,
    Item,
    Number,
    Positive,
    Range,
    Rising,
    Settings,
    Some,
    defaults,
    options_of,
    settings_of,
    variants_of,
)


class Axis(Settings):
    start: Number
    stop: Number = 3


class Named(Item):
    name: str
    size: Count = None


class Grid(Settings):
    sizes: Rising[Count] = (1, 2)
    sigma: Positive = 1.0
    kind: Literal["plain", "squared"] = "plain"
    span: Range[Number] = (0, 1)

    def unfit(self):
        if self.sigma > self.span[1]:
            yield "sigma", f"expected at most the end of span, {self.span[1]}, found {self.sigma}"


class Study(Settings):
    x: Axis
    grid: Grid
    others: Some[Axis] = ()
    items: Some[Named] = ()
    named: Mapping[str, Axis] = Field({})
    seeds: Distinct[Count] = Field((1,), description="several")
    variants: variants_of(Grid) = ({"name": "fewer", "sizes": (1,)},)
    options: options_of(Grid) = Field({"sigma": (1.0, 2.0)})


STUDY = {"x": {"start": 0}, "grid": {}}


def lines(section, kind=Study, name=""):
    with pytest.raises(ValidationError) as caught:
        kind.model_validate(section)
    return refusals(caught.value, kind, section, name)


def test_a_section_becomes_a_frozen_model_of_tuples():
    study = Study.model_validate({**STUDY, "others": [{"start": 1}], "named": {"z": {"start": 2}}})
    assert (study.x, study.others[0].start, study.named["z"].start) == (Axis(start=0), 1, 2)
    assert study.grid.replace(sigma=0.5) == Grid(sigma=0.5)
    with pytest.raises(ValidationError):
        study.grid.sigma = 2.0


def test_numbers_are_not_converted():
    assert isinstance(Axis(start=1).start, int)
    assert isinstance(Axis(start=1.0).start, float)


@pytest.mark.parametrize("value", [True, "1", None, float("nan"), float("inf"), [1], 10**400, -(10**400)])
def test_what_is_no_number_of_use_is_refused(value):
    for key, kind in (("start", Axis), ("sigma", Grid)):
        (line,) = lines({key: value}, kind)
        assert line.startswith(f"{key}: expected ")


@pytest.mark.parametrize("value", [True, 1.0, "1", None, 10**10])
def test_integers_are_integers(value):
    assert lines({"sizes": [value]}, Grid)[0].startswith("sizes[0]: expected a")


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ({**STUDY, "nose": 1}, "nose: unknown key; known here: x, grid, others"),
        ({"grid": {}, "x": {"strat": 0}}, "x.strat: unknown key; did you mean 'start'?"),
        ({"grid": {}}, "x: missing"),
        ({**STUDY, "x": 3}, "x: expected a section of keys, found 3"),
        ({**STUDY, "others": [{"start": 0}, {"start": 0, "step": 2}]}, "others[1].step: unknown key; did you mean"),
        ({**STUDY, "named": {"z": {"start": "one"}}}, "named.z.start: expected a number, found the text 'one'"),
        ({**STUDY, "items": [{"size": 1}]}, "items[0].name: missing"),
        ({**STUDY, "items": [{"name": "a", "size": None}]}, "items[0].size: expected an integer, found nothing"),
        ({**STUDY, "seeds": []}, "seeds: expected at least 1 entry, found none"),
        ({**STUDY, "seeds": [1, 1]}, "seeds: expected every entry once, found 1 twice"),
        ({**STUDY, "grid": {"sizes": [2, 1]}}, "grid.sizes: expected numbers that rise, found [2, 1]"),
        ({**STUDY, "grid": {"span": [1]}}, "grid.span: expected at least 2 entries, found 1"),
        (
            {**STUDY, "grid": {"kind": "plane"}},
            "grid.kind: expected one of plain, squared, found the text 'plane'; did",
        ),
        ({**STUDY, "grid": {"sigma": 2}}, "grid.sigma: expected at most the end of span, 1, found 2"),
        ({**STUDY, "variants": [{"name": "a"}]}, "variants[0]: expected at least 2 entries, found 1"),
        ({**STUDY, "variants": [{"sigma": 1}]}, "variants[0].name: missing"),
        ({**STUDY, "variants": [{"name": "a", "sigma": 0}]}, "variants[0].sigma: expected more than 0, found 0"),
        ({**STUDY, "variants": [{"name": "a", "sigma": 1}] * 2}, "variants: expected names that differ, found"),
        ({**STUDY, "options": {}}, "options: expected at least 1 entry, found none"),
        ({**STUDY, "options": {"sigma": [1, -1]}}, "options.sigma[1]: expected more than 0, found -1"),
        ({**STUDY, "options": {"sgma": [1]}}, "options.sgma: unknown key; did you mean 'sigma'?"),
    ],
)
def test_a_problem_is_one_line_with_the_key_what_was_expected_and_found(section, expected):
    (line,) = lines(section)
    assert line.startswith(expected)


def test_problems_come_in_the_order_of_the_file():
    section = {"options": {"sigma": 1}, "nose": 1, "grid": {"sigma": 0, "kind": "none"}, "x": {}}
    found = [line.split(":")[0] for line in lines(section, name="study")]
    assert found == ["study.options.sigma", "study.nose", "study.grid.sigma", "study.grid.kind", "study.x.start"]


def test_a_misspelt_key_is_not_missing_too():
    assert lines({"grid": {}, "y": {"start": 0}})[0].startswith("y: unknown key")
    assert lines({"grid": {}, "x": {"strt": 0}}) == ["x.strt: unknown key; did you mean 'start'?"]


def test_options_and_variants_are_mappings_in_the_order_given():
    study = Study.model_validate({**STUDY, "options": {"kind": ["squared"], "sizes": [[1, 2], [3]]}})
    assert list(study.options.items()) == [("kind", ("squared",)), ("sizes", ((1, 2), (3,)))]
    assert study.variants == ({"name": "fewer", "sizes": (1,)},)


def test_a_job_gets_every_key_of_its_settings():
    assert settings_of(Axis, {"start": 0, "stop": 1}, "axis") == Axis(start=0, stop=1)
    with pytest.raises(
        ConfigurationError, match=r"^axis\.stop: missing\naxis\.start: expected a number, found nothing$"
    ):
        settings_of(Axis, {"start": None}, "axis")


def test_defaults_are_as_a_file_would_say_them():
    assert defaults(Study)["grid"] == {"sizes": [1, 2], "sigma": 1.0, "kind": "plain", "span": [0, 1]}
    assert defaults(Study)["variants"] == [{"name": "fewer", "sizes": [1]}]
    assert defaults(Axis) == {"stop": 3}


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_of_the_configuration_can_be_built_from_its_defaults(section):
    for overlays in ((), ("quick.yaml",)):
        given = read_configuration(*overlays)[section]
        assert settings_of(SECTIONS[section], given, section).model_fields_set == given.keys()


def test_every_setting_says_what_it_means():
    """Those of the simulators are explained in config/simulators."""
    bare = [
        f"{name}.{key}"
        for name, kind in SECTIONS.items()
        if name not in ("glands", "prostate_mrsi")
        for key, field in kind.model_fields.items()
        if not field.description and not (isinstance(field.annotation, type) and issubclass(field.annotation, Settings))
    ]
    assert bare == []
