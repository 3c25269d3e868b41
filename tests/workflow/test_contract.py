"""The contracts of the house: what every rule, configuration and experiment has."""

import ast
import json
import re
from pathlib import Path

import pytest
from replication.catalogue import experiments
from replication.catalogue.claim_files import read_rows
from replication.catalogue.configuration import CONFIGURATION, check_config, read_configuration
from replication.catalogue.steps import steps_of
from replication.platform.configuration import DEFAULT_FILES, read_yaml
from replication.platform.settings import defaults
from replication.platform.study import Study

ROOT = Path(__file__).parents[2]
# The studies of the house, and the files laid over the defaults; of each of the two the name is taken.
STUDIES = {"paper": (), "quick": ("quick.yaml",)}
RULE_FILES = [ROOT / "Snakefile", *sorted((ROOT / "workflow" / "rules").rglob("*.smk"))]
# File, name and body of every rule; those that are made for each experiment or step have no name.
RULES = [
    (path.name, name.strip() or f"unnamed {k}", indent, body)
    for path in RULE_FILES
    for k, (indent, name, body) in enumerate(
        re.findall(r"^( *)rule( \w+)?:\n((?:\1 +.*\n|\n)*)", path.read_text(), re.M)
    )
]
EXPERIMENTS = list(experiments.EXPERIMENTS)
STUDY = Study(read_configuration("quick.yaml"))
STEPS = steps_of(STUDY)
# What the paper-scale study leaves out: calibrations on which no claim rests, and whose targets no page shows.
ONLY_PICK = {"gene_calibration", "spectra_calibration", "retrieval_calibration", "fine_calibration"}
# What the quick study leaves out, since it is to run without a network.
NEEDS_A_DOWNLOAD = {"brain_real_slices"}
# Laid over another configuration, whose study keeps its name.
NAMELESS = {"gisette_halved.yaml"}
# Files that hold a few keys; Snakemake takes the rest from the defaults.
OVERLAYS = sorted({path.name for path in (ROOT / "config").glob("*.yaml")} - {"config.yaml"})


def leaves(config, path=""):
    """Dotted name -> value, of all keys that are no section of others."""
    found = {}
    for key, value in config.items():
        found |= leaves(value, f"{path}{key}.") if isinstance(value, dict) and value else {f"{path}{key}": value}
    return found


def test_snakemake_begins_with_the_defaults_in_their_order():
    named = re.findall(r'^configfile: "config/(.+)"$', (ROOT / "Snakefile").read_text(), re.M)
    assert named == list(DEFAULT_FILES)
    simulators = [path.relative_to(ROOT / "config").as_posix() for path in (ROOT / "config/simulators").iterdir()]
    assert named == ["config.yaml", *sorted(simulators)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "overlays", [(), ("quick.yaml",), ("own_expression.yaml",), ("brainweb_resimulated.yaml", "gisette_halved.yaml")]
)
def test_rules_and_tests_read_the_same_configuration_with_its_keys_in_the_same_order(fresh, overlays):
    """What Snakemake has merged, and what is read without it."""
    (fresh / "merged.smk").write_text('include: "Snakefile"\nimport json\nprint("MERGED", json.dumps(config))\n')
    given = ["--configfile", *(ROOT / "config" / name for name in overlays)] if overlays else []
    output = fresh.look("--snakefile", "merged.smk", "--dry-run", "plan", *map(str, given))
    (merged,) = re.findall("^MERGED (.*)$", output, re.M)
    assert merged == json.dumps(read_configuration(*overlays))


def test_no_default_stands_in_two_files():
    in_files = [leaves(read_yaml(ROOT / "config" / path)) for path in DEFAULT_FILES]
    keys = [key for one in [*in_files, leaves(defaults(CONFIGURATION))] for key in one]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("path", [*OVERLAYS, "../tests/regression/real_data.yaml"])
def test_a_file_laid_over_the_defaults_holds_only_what_differs(path):
    defaults = leaves(read_configuration())
    repeated = [key for key, value in leaves(read_yaml(ROOT / "config" / path)).items() if defaults.get(key) == value]
    assert not repeated, f"{path}: leave out what is the default anyway: {', '.join(repeated)}"


def test_the_quick_study_adds_no_key():
    assert leaves(read_configuration("quick.yaml")).keys() == leaves(read_configuration()).keys()


@pytest.mark.parametrize("study", STUDIES)
def test_a_configuration_of_the_house_is_valid(study):
    config = read_configuration(*STUDIES[study])
    check_config(config)
    left_out = ONLY_PICK | set(NEEDS_A_DOWNLOAD if study == "quick" else ())
    assert config["study"] == study
    assert config["experiments"] == [name for name in EXPERIMENTS if name not in left_out]


@pytest.mark.slow
def test_what_only_picks_settings_is_made_by_the_target_calibration(fresh):
    names = {name for name, one in experiments.EXPERIMENTS.items() if one.calibrates}
    assert names > ONLY_PICK
    assert ONLY_PICK.isdisjoint(claim["experiment"] for claim in read_rows())
    counts = fresh.job_counts("config/config.yaml", target="calibration")
    assert names == {rule.removeprefix("run_") for rule in counts if rule.startswith("run_")}


@pytest.mark.parametrize("name", [name for name in OVERLAYS if name != "quick.yaml"])
def test_a_configuration_of_a_few_keys_is_valid_and_a_study_of_its_own(name):
    config = read_configuration(name)
    check_config(config)
    if name in NAMELESS:
        assert "study" not in read_yaml(ROOT / "config" / name)
        return
    assert config["study"] not in STUDIES


@pytest.mark.slow
def test_an_experiment_alone_ends_by_naming_its_folder(fresh):
    output = fresh.look("--dry-run", "toy_rgb", "--configfile", "config/quick.yaml")
    assert "done; look at results/quick/toy_rgb" in output


@pytest.mark.slow
@pytest.mark.parametrize("path", ["config/config.yaml", "config/quick.yaml"])
def test_lint_finds_nothing(fresh, path):
    (fresh / "config/linted.yaml").write_text((ROOT / path).read_text())
    output = fresh.look("--lint", "--configfile", "config/linted.yaml")
    assert "Congratulations, your workflow is in a good condition!" in output


def test_the_rules_were_found():
    assert len(RULES) > 15
    assert sum(len(re.findall(r"^ *(?:use )?rule\b", path.read_text(), re.M)) for path in RULE_FILES) == len(RULES)


@pytest.mark.parametrize(
    ("file", "rule", "indent", "body"), RULES, ids=[f"{file}-{rule}" for file, rule, _, _ in RULES]
)
def test_a_rule_says_what_it_does_and_runs_a_script(file, rule, indent, body):
    assert re.search(rf"^{indent}    message:\n{indent}        (f?\"|step\.does$)", body, re.M)
    assert not re.search(rf"\blambda\b|^{indent}    (run|shell|wrapper|notebook):", body, re.M)
    if "    script:" in body:
        assert re.search(rf"^{indent}    log:", body, re.M)
        assert re.search(rf"^{indent}    conda:\n{indent}        \"../../environment.yml\"", body, re.M)


@pytest.mark.parametrize("path", RULE_FILES, ids=lambda path: path.name)
def test_a_rule_file_keeps_to_the_rules_of_the_house(path):
    assert not re.search(r"^checkpoint |\blambda\b|\boutdir\b|/(wrappers|bio)/", path.read_text(), re.M)


@pytest.mark.parametrize("path", sorted((ROOT / "workflow" / "scripts").glob("*.py")), ids=lambda path: path.name)
def test_a_script_is_short(path):
    """It reads inputs, calls the library, writes outputs; imports and comments are not counted."""
    source = path.read_text()
    left_out = set()
    for node in ast.walk(ast.parse(source)):
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_docstring or isinstance(node, ast.Import | ast.ImportFrom):
            left_out |= set(range(node.lineno, node.end_lineno + 1))
    lines = ((i, line.strip()) for i, line in enumerate(source.splitlines(), 1))
    counted = [line for i, line in lines if line and not line.startswith("#") and i not in left_out]
    assert len(counted) <= 45


@pytest.fixture(scope="module")
def made(fresh):
    """Output file -> rule that makes it, of a study with all experiments."""
    return fresh.outputs(fresh.write_config({"experiments": EXPERIMENTS}))


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_an_experiment_has_one_name_everywhere(made, experiment):
    folder = f"results/quick/{experiment}"
    assert made[f"{folder}/metrics.tsv"] == f"run_{experiment}"
    declared = experiments.EXPERIMENTS[experiment]
    for name in declared.tables:
        assert made[f"{folder}/tables/{name}.tsv"] == f"present_{experiment}"
    run_tables = declared.tables_of_steps(STUDY)
    for name in run_tables:
        assert made[f"{folder}/tables/{name}.tsv"] in (f"run_{experiment}", f"score_{experiment}")
    for name in declared.figures:
        assert made[f"{folder}/figures/{name}.png"] == f"present_{experiment}"
    # The report lists what is declared: nothing else is made.
    assert {Path(name).stem for name in made if name.startswith(f"{folder}/figures/")} == set(declared.figures)
    tables = {Path(name).stem for name in made if name.startswith(f"{folder}/tables/")}
    assert tables == {*declared.tables, *run_tables}


@pytest.mark.slow
def test_no_job_of_a_group_waits_for_another_of_it(fresh):
    """Snakemake in an allocation adds up the cores of jobs that wait for each other, and SLURM then refuses the job."""
    groups = {name: step.group for name, step in STEPS.items() if step.group}
    graph = fresh.look("--rulegraph")
    named = dict(re.findall(r'^\t(\d+)\[label = "(\w+)"', graph, re.M))
    edges = [(named[a], named[b]) for a, b in re.findall(r"^\t(\d+) -> (\d+)$", graph, re.M)]
    assert len(edges) > 50
    assert not [edge for edge in edges if edge[0] in groups and groups[edge[0]] == groups.get(edge[1])]


def test_every_job_that_takes_times_has_a_node_of_slurm_to_itself():
    timed = {name for name, step in STEPS.items() if step.threads == "alone"}
    profile = read_yaml(ROOT / "profiles/slurm/profile.yaml")
    assert timed == set(profile["set-threads"]) == set(profile["set-resources"])
    assert all(options["slurm_extra"] == "'--exclusive'" for options in profile["set-resources"].values())
