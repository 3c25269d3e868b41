"""What a user of own data meets first: targets, file names, and how commands end."""

import pytest
from checkout import ROOT
from replication.platform.configuration import read_yaml

OWN = ["own_images", "own_expression", "own_spectra", "own_retrieval", "own_features"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "answer"),
    [
        ("brain_gird", "There is no target brain_gird. Did you mean brain_grid?"),
        ("fecth", "There is no target fecth. Did you mean fetch?"),
        ("xyzzy", "There is no target xyzzy. `snakemake --list` shows all."),
    ],
)
def test_a_misspelt_target_is_answered_with_the_nearest_name(fresh, target, answer):
    output = fresh.look("--dry-run", target, fails=True)
    assert answer in output
    assert "MissingRuleException" not in output


@pytest.mark.slow
def test_a_value_of_an_option_is_no_target(fresh):
    assert "There is no target" not in fresh.look("--dry-run", "toy_rgb", "--rerun-triggers", "mtime")


@pytest.mark.parametrize("name", OWN)
@pytest.mark.slow
def test_a_study_of_own_data_makes_its_results_and_judges_nothing(fresh, name):
    configuration = read_yaml(ROOT / f"config/{name}.yaml")
    assert (configuration["study"], configuration["claims"]) == (name, [])
    jobs = fresh.job_counts(f"config/{name}.yaml")
    assert not {"judge_claims", "draw_ledger", "download"} & set(jobs)
    assert jobs["write_manifest"] == 1
    assert ("write_report" in jobs) == bool(configuration["experiments"])
    if name == "own_images":
        assert jobs == {"write_example_image": 1, "map_regions": 1, "write_manifest": 1, "all": 1}


@pytest.mark.long_study
def test_the_maps_of_own_images_are_named_at_the_end_and_can_be_audited(new_checkout):
    checkout = new_checkout()
    small = checkout.write_config(
        read_yaml(ROOT / "config/own_images.yaml") | {"image_embedding": {"max_objects": 40, "n_embeddings": 5}},
        "config/small.yaml",
    )
    output = checkout.snakemake("--cores", "1", "--configfile", small)
    made = [f"results/own_images/region_maps/example/regions.{end}" for end in ("png", "tsv", "nii.gz")]
    assert [line.split(":")[0].strip() for line in output.partition("Look at:\n")[2].splitlines()[:3]] == made
    assert "nothing to test" not in output
    output = checkout.snakemake("plan", "audit", "--cores", "1", "--configfile", small)
    assert "All results are up to date: nothing to run." in output
    # Image, table, volume, metrics and manifest of the maps, and the three files of the example.
    assert "Audit of the study own_images: 8 files" in output
    with (checkout / made[1]).open("a") as file:
        file.write("edited\n")
    output = checkout.snakemake("audit", "--cores", "1", "--configfile", small, fails=True)
    log = "results/logs/own_images/audit.log"
    words = f"The study own_images is not intact: 1 file does not match its manifest. {log} lists them."
    assert words in output.partition("Look above for error messages")[2]
