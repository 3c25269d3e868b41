"""
Each package imports from the floors below its own, and no paper from another paper.

library < platform < data < shared < own_data < papers < catalogue < claims < report < arena, multiverse
"""

from itertools import permutations

import grimp
import pytest

FLOORS = ["arena", "multiverse", "report", "claims", "catalogue", "papers", "own_data", "shared", "data", "platform"]


@pytest.fixture(scope="module")
def graph():
    return grimp.build_graph("consensus_embedding", "replication", cache_dir=None)


def test_no_import_runs_upwards(graph):
    highest = {f"replication.{floor}" for floor in FLOORS[:2]}
    layers = [highest, *(f"replication.{floor}" for floor in FLOORS[2:]), "consensus_embedding"]
    assert graph.find_illegal_dependencies_for_layers(layers) == set()


def test_no_paper_imports_from_another(graph):
    for one, other in permutations(graph.find_children("replication.papers"), 2):
        assert not graph.direct_import_exists(importer=one, imported=other, as_packages=True), f"{one} from {other}"


def test_modules_lie_in_packages(graph):
    assert graph.find_children("replication") == {f"replication.{floor}" for floor in FLOORS}
    assert all(graph.find_children(package) for package in graph.find_children("consensus_embedding"))
