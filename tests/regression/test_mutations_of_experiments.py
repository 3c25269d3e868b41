"""Does a fault planted in an experiment, the data or a verdict turn the tests red? As test_mutations.py."""

import pytest
from mutations import EXPERIMENTS, METHODS
from planting import check_found, check_green


@pytest.mark.long_study
def test_without_a_fault_the_tests_are_green(library, host, tmp_path):
    check_green(EXPERIMENTS, library, host, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("mutation", EXPERIMENTS, ids=lambda mutation: mutation.name)
def test_the_fault_is_found(mutation, library, host, tmp_path):
    check_found(mutation, library, host, tmp_path)


def test_the_faults_have_names_of_their_own():
    names = [mutation.name for mutation in [*METHODS, *EXPERIMENTS]]
    assert len(set(names)) == len(names) >= 40
