# The checked configuration, and the paths and helpers of all rules.
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

SCRIPTS = Path(workflow.basedir) / "workflow" / "scripts"
sys.path.insert(0, str(SCRIPTS))

from consensus_embedding.configuration import (
    ConfigurationError,
    check_consistency,
    read_yaml,
    validate_config,
)

try:
    # Snakemake keeps the last of two equal keys in silence; reading the files again finds them.
    for path in workflow.configfiles:
        read_yaml(path)
    validate_config(
        config, Path(workflow.basedir) / "workflow/schemas/config.schema.yaml"
    )
    check_consistency(config)
except ConfigurationError as error:
    raise WorkflowError(f"The configuration cannot be used:\n{error}")

STUDY = config["study"]
RESULTS = f"results/{STUDY}"


def library(*modules):
    """Modules behind a script, as inputs: Snakemake looks at scripts by itself, not at what they import."""
    return [f"workflow/scripts/consensus_embedding/{module}.py" for module in modules]


def chunks(n_runs, size):
    """Cut runs 0 .. n_runs - 1 into "start-stop" ranges, stop not included."""
    bounds = [*range(0, n_runs, size), n_runs]
    return [f"{start}-{stop}" for start, stop in zip(bounds, bounds[1:])]


def show_summary():
    """Print where the report is and what the verdicts are, if the study is complete."""
    summary = Path(RESULTS) / "summary.txt"
    if summary.exists():
        print(f"\n{summary.read_text()}", file=sys.stderr)
