"""Snakemake takes every command of README.md and the guides, and the models every configuration."""

import re
import shlex
import sys

import pytest
import yaml
from checkout import ROOT
from replication.catalogue.configuration import CONFIGURATION, read_configuration
from replication.platform.configuration import merge

sys.path.append(str(ROOT / "tests" / "regression"))

from pages import PAGES, code_blocks

# Files that a page has its reader write: path -> language and number of the block with the content.
WRITTEN = {
    "config/README.md": {
        "config/mine.yaml": ("yaml", 0),
        "config/my_claims.yaml": ("yaml", 1),
        "config/with_mine.yaml": ("yaml", 2),
    },
    "docs/add_a_method.md": {"my_methods.py": ("python", 0), "my_method.yaml": ("yaml", 0)},
}
COMMANDS = sorted(
    {
        (path, line.partition(" #")[0].strip())
        for path, text in PAGES.items()
        for block in code_blocks(text)
        for line in block.splitlines()
        if line.startswith("snakemake ")
    }
)
STUDIES = [
    (path, block)
    for path, text in PAGES.items()
    for block in code_blocks(text, "yaml")
    if "own_embeddings" in block or "own_images" in block or "study:" in block or "image_embedding" in block
]


@pytest.mark.slow
@pytest.mark.parametrize(("path", "command"), COMMANDS)
def test_a_command_of_a_page_is_one_that_snakemake_takes(path, command, fresh):
    if "profiles/slurm" in command:
        pytest.importorskip("snakemake_executor_plugin_slurm", reason="make install-slurm")
    written = WRITTEN.get(path, {})
    for name, (language, number) in written.items():
        (fresh / name).write_text(code_blocks(PAGES[path], language)[number])
    output = fresh.look("--dry-run", *shlex.split(command)[1:])
    for name in written:
        (fresh / name).unlink()
    assert re.search(r"^total +\d+$|Nothing to be done", output, re.MULTILINE), output


@pytest.mark.parametrize(("path", "block"), STUDIES)
def test_a_configuration_of_a_page_fits_the_schema(path, block):
    changes = yaml.safe_load(block)
    assert changes.keys() <= CONFIGURATION.model_validate(merge(read_configuration(), changes)).model_fields_set
