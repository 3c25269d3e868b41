"""
Does a fault planted in a method turn the tests red?

Each fault of mutations.METHODS is planted in a copy of the library, and the tests that have to find it are run on the
copy: each of them has to fail, by its own assertion. Without a fault they pass. The faults planted in the experiments
have a file of their own, which another process can run meanwhile.
"""

import pytest
from mutations import EXPERIMENTS, METHODS
from planting import changed, check_found, check_green, plant, source


def test_the_copy_keeps_the_times_of_files_which_numba_knows_its_compiled_functions_by(library, tmp_path):
    planted = plant(METHODS[0], library, tmp_path)
    for name in ("consensus_embedding/consensus/pairwise.py", "replication/shared/statistics.py"):
        times = {path.stat().st_mtime_ns for path in (source(name), library / name, planted / name)}
        assert len(times) == 1
    assert (planted / METHODS[0].file).stat().st_ino != (library / METHODS[0].file).stat().st_ino


@pytest.mark.parametrize("mutation", METHODS + EXPERIMENTS, ids=lambda mutation: mutation.name)
def test_every_fault_has_its_place_in_the_library(mutation):
    assert mutation.new in changed(mutation, source(mutation.file).read_text())


@pytest.mark.long_study
def test_without_a_fault_the_tests_are_green(library, host, tmp_path):
    check_green(METHODS, library, host, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("mutation", METHODS, ids=lambda mutation: mutation.name)
def test_the_fault_is_found(mutation, library, host, tmp_path):
    check_found(mutation, library, host, tmp_path)


def test_a_text_that_is_gone_is_named(library, tmp_path):
    gone = METHODS[0].__class__("a fault", METHODS[0].file, "no such text", "", ())
    with pytest.raises(
        ValueError,
        match=rf"a fault: expected the text .* once in {METHODS[0].file}, found it 0 times",
    ):
        plant(gone, library, tmp_path)


def test_a_change_that_is_no_fault_is_not_found(library, host, tmp_path):
    """The checks can fail: nothing that matters is changed here."""
    mean = "means.mean())"
    harmless = METHODS[0].__class__("none", METHODS[0].file, mean, f"1.0 * {mean}", METHODS[0].tests)
    with pytest.raises(AssertionError, match=r"none: not found by tests/library/test_scaling\.py"):
        check_found(harmless, library, host, tmp_path)
