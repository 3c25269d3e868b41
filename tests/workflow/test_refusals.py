"""What cannot be run: a plain message, an exit code that is not 0, and nothing written."""

import os
import re
from importlib.util import find_spec

import pytest
from replication.catalogue.configuration import check_config
from replication.platform.configuration import ConfigurationError, merge


def written(checkout):
    """Everything below results and resources."""
    return {path for name in ("results", "resources") for path in (checkout / name).rglob("*")}


OWN_ITEMS = {"name": "leaves", "table": "leaves.csv"}
OWN_FEATURES = {"name": "tumours", "table": "tumours.csv", "label": "grade"}
# What a section refuses by itself is tested in tests/study/test_configuration.py; here are sections of the quick study
# that do not fit one another.
REFUSED = [
    ({"tsne": {"perplexty": 30}}, "tsne.perplexty: unknown key; did you mean 'perplexity'?"),
    ({"tsne": {"perplexity": 60}}, "tsne.perplexity: expected less than digits.n_samples = 60, found 60"),
    ({"experiments": ["gland_retrieval"], "gland_retrieval": {"sets": []}}, "gland_retrieval.sets: expected glands,"),
    ({"gland_retrieval": {"own": [{"name": "leaves"}]}}, "gland_retrieval.own[0]: expected table or dissimilarities"),
    (
        {"experiments": ["feature_selection"], "feature_selection": {"sets": ["madelon"]}},
        "feature_selection: expected names of features.sets, planted_parity, planted_shift, ",
    ),
    ({"figure_formats": ["gif"]}, "figure_formats[0]: expected one of png, pdf, svg, found the text 'gif'"),
]
# Several faults at a time, each of which is told.
REFUSED_TOGETHER = {
    "sections that do not fit": (
        {
            "experiments": ["swiss_roll"],
            "out_of_sample": {"training": [0.001, 0.5, 1.0], "labelled": [0.9, 0.6]},
            "swiss_roll": {"variants": [{"name": "other", "sigma": 2}, {"name": "other", "sigma": 3}]},
            "gland_retrieval": {"separation": [0, 2], "own": [OWN_ITEMS, {**OWN_ITEMS, "name": "glands"}]},
        },
        [
            "out_of_sample.labelled: expected numbers that rise, found [0.9, 0.6]",
            "600 samples of swiss_roll that leave at least n_components + 1 = 3, found 0.001, leaving 1",
            "swiss_roll.variants: expected names that differ, found ['other', 'other']",
            "gland_retrieval.own: expected names other than glands, digits and swiss_roll, found glands",
            "gland_retrieval.separation: expected 0.25 among them",
        ],
    ),
    "features": (
        {
            "experiments": ["pathology", "survival"],
            "features": {"sets": [OWN_FEATURES, OWN_FEATURES]},
            "feature_embedding": {"n_neighbors": [12, 3]},
            "feature_selection": {"sets": ["tumours"], "n_features": [5, 2]},
            "fine_calibration": {"sets": ["tumours"]},
            "pathology": {"sets": [{"name": "s1", "features": "tumors", "training": 8, "test": 4}] * 2},
            "survival": {"features": ["tumor"]},
            "planted_features": {"n_features": 10},
        },
        [
            "features.sets: expected names that differ, found ['tumours', 'tumours']",
            "feature_embedding.n_neighbors: expected numbers that rise, found [12, 3]",
            "feature_selection.n_features: expected numbers that rise, found [5, 2]",
            "pathology.sets: expected names that differ, found ['s1', 's1']",
            "pathology: expected names of features.sets, tumours; found tumors",
            "survival: expected names of features.sets, tumours; found tumor",
            "planted_features.n_features: expected at least 11",
        ],
    ),
}


ALL_REFUSED = {message.split(",")[0]: (changes, [message]) for changes, message in REFUSED} | REFUSED_TOGETHER


@pytest.mark.parametrize(("changes", "messages"), ALL_REFUSED.values(), ids=ALL_REFUSED)
def test_every_fault_of_a_configuration_is_told_at_once(fresh, changes, messages):
    with pytest.raises(ConfigurationError) as refused:
        check_config(merge(fresh.config, changes))
    assert [message for message in messages if message not in str(refused.value)] == []


# By the check of the configuration, by the registry of data sets, and because a file is not there.
END_TO_END = [
    REFUSED[0],
    ({"data": {"sets": ["brianweb"]}}, "unknown data set 'brianweb'; did you mean 'brainweb'?"),
    (
        {
            "experiments": ["mce_tail"],
            "genes": {"sets": [{"name": "lungs", "table": "lungs.csv", "label": "class"}]},
            "spectra": {"own": [{"name": "patient", "role": "evaluation", "nifti": "mrsi.nii.gz"}]},
            "gland_retrieval": {"own": [OWN_ITEMS]},
            "features": {"sets": [OWN_FEATURES]},
            "own_images": [{"name": "brain", "image": "brain.nii.gz", "mask": "mask.nii.gz"}],
            "own_embeddings": [{"name": "ready", "embeddings": ["0.npy", "1.npy", "2.npy"]}],
        },
        "genes.sets, table of lungs: lungs.csv does not exist\n"
        "spectra.own, nifti of patient: mrsi.nii.gz does not exist\n"
        "gland_retrieval.own, table of leaves: leaves.csv does not exist\n"
        "features.sets, table of tumours: tumours.csv does not exist\n"
        "own_images, image of brain: brain.nii.gz does not exist\n"
        "own_images, mask of brain: mask.nii.gz does not exist\n"
        "own_embeddings, embeddings of ready: 0.npy does not exist\n",
    ),
    (
        {"experiments": []},
        "experiments: expected at least 1 entry, or data of your own to work on, such as own_embeddings, found none",
    ),
    # By itself Snakemake takes the default where a section that is laid over is empty.
    (
        {"experiments": {}, "data": {"sets": {}}},
        "experiments: expected a list, found a section of keys\ndata.sets: expected a list, found a section of keys",
    ),
]


# What is there for done would be taken for done: by the folder alone no path is one that a job makes.
END_TO_END += [
    (
        {"own_embeddings": [{"name": "mine", "table": "results/example/embeding.tsv"}], "experiments": []},
        "own_embeddings, table of mine: results/example/embeding.tsv does not exist",
    ),
    (
        {
            "features": {
                "sets": [
                    {**OWN_FEATURES, "table": "own/t{1}.csv"},
                    {**OWN_FEATURES, "name": "logged", "table": "own/<logs>.csv"},
                ]
            },
            "experiments": ["mce_tail"],
        },
        "features.sets, table of tumours: own/t{1}.csv has { } < or >; rename the file or its folder\n"
        "features.sets, table of tumours: own/t{1}.csv does not exist\n"
        "features.sets, table of logged: own/<logs>.csv has { } < or >; rename the file or its folder",
    ),
]


@pytest.mark.parametrize(
    ("changes", "message"),
    END_TO_END,
    ids=["configuration", "registry", "file", "nothing", "empty", "file of a job", "brackets"],
)
def test_a_run_says_the_refusal_and_writes_nothing(fresh, changes, message):
    configfile = fresh.write_config(changes)
    before = written(fresh)
    output = fresh.look("--cores", "1", "--configfile", configfile, fails=True)
    assert message in output
    assert "Traceback" not in output
    assert written(fresh) == before


@pytest.mark.slow
@pytest.mark.parametrize("how", ["--configfile", "--config"])
def test_a_simulator_is_changed_as_any_section_is(fresh, how):
    """One number, which the simulator cannot work with; the others are those of its file."""
    (fresh / "config/mine.yaml").write_text("prostate_mrsi: {snr: none}\n")
    given = {"--configfile": "config/mine.yaml", "--config": "prostate_mrsi={snr: none}"}[how]
    output = fresh.look("--cores", "1", how, given, fails=True)
    assert [line for line in output.splitlines() if "expected" in line] == [
        "prostate_mrsi.snr: expected a number, found the text 'none'"
    ]


def test_a_run_in_another_folder_is_answered_with_the_root_of_the_repository(fresh, tmp_path):
    for options in ([], ["--configfile", "config/quick.yaml"]):
        output = fresh.look("--dry-run", "--directory", str(tmp_path), *options, fails=True)
        assert f"Paths start at the root of the repository, {fresh.folder}" in output
        assert "missing" not in output
    command = f"cd {tmp_path} && snakemake --dry-run --snakefile {fresh / 'Snakefile'}"
    assert f"Paths start at the root of the repository, {fresh.folder}" in fresh.run("sh", "-c", command, fails=True)
    assert list(tmp_path.iterdir()) == [tmp_path / ".snakemake"] or not list(tmp_path.iterdir())


# Of each Snakemake says less: it names no file, shows its own trace, or runs what stands there.
UNREADABLE = {
    "absent.yaml": (None, "cannot be read: No such file or directory"),
    "empty.yaml": (b"", "the file is empty"),
    "twice.yaml": (b"seed: 1\nstudy: quick\nseed: 2\n", "the key 'seed' occurs twice, in lines 1 and 3"),
    "code.yaml": (
        b"__use_yte__: true\nstudy: \"?open('executed', 'w').name\"\n",
        "__use_yte__: unknown key; a configuration has values only and runs no code",
    ),
}


@pytest.mark.parametrize("profile", ["default", *(["slurm"] if find_spec("snakemake_executor_plugin_slurm") else [])])
def test_a_file_that_snakemake_cannot_read_is_named_with_the_reason(fresh, profile):
    """In one line each, also where several are given."""
    folder = fresh / "config" / "unreadable"
    folder.mkdir(exist_ok=True)
    for name, (content, _) in UNREADABLE.items():
        if content is not None:
            (folder / name).write_bytes(content)
    before = written(fresh)
    files = [f"config/unreadable/{name}" for name in UNREADABLE]
    command = ["--cores", "1", "--workflow-profile", f"profiles/{profile}", "--config", "seed=1"]
    _, first, *lines = fresh.look(*command, "--configfile", *files, fails=True).splitlines()
    assert first == "The configuration cannot be used:"
    assert len(lines) == len(UNREADABLE)
    for line, file, (_, message) in zip(lines, files, UNREADABLE.values(), strict=True):
        assert line.startswith(f"{file}: {message}")
    assert written(fresh) == before
    assert not (fresh / "executed").exists()


def test_a_second_configfile_option_is_refused_since_snakemake_would_read_it_alone(fresh):
    output = fresh.look("--dry-run", "--configfile", "config/quick.yaml", "--configfiles=config/quick.yaml", fails=True)
    assert "--configfile is given twice; give all files after one --configfile\n" in output


@pytest.mark.slow
def test_data_outside_the_folder_and_names_like_numbers_change_no_path(fresh, tmp_path):
    """Named upwards, by an absolute path, or through a symbolic link."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("genes.csv", "features.csv", "items.csv"):
        (outside / name).write_text("a,b\n1,2\n")
    (fresh / "linked.csv").symlink_to(outside / "items.csv")
    # Names that look like numbers and words of tables: they become folders and files as they stand.
    genes = {"name": "1e5", "table": os.path.relpath(outside / "genes.csv", fresh.folder), "label": "a"}
    changes = {
        "study": "007",
        "experiments": ["mce_tail", "gene_expression", "feature_selection", "gland_retrieval"],
        "genes": {"sets": [genes]},
        "gene_expression": {"views": "1e5"},
        "features": {"sets": [{"name": "nan", "table": str(outside / "features.csv"), "label": "a"}]},
        "feature_selection": {"sets": ["nan"]},
        "fine_calibration": {"sets": ["nan"]},
        "gland_retrieval": {"own": [{"name": "0x10", "table": "linked.csv"}]},
    }
    made = fresh.outputs(fresh.write_config(changes))
    for name in ("1e5", "nan", "0x10"):
        assert [path for path in made if re.search(rf"[/_]{name}[./]", path)], name
    for path in made:
        assert path.startswith(("results/007/", "resources/data/")), path
        assert ".." not in path.split("/"), path
    (fresh / "linked.csv").unlink()
