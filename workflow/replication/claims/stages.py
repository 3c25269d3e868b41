"""
A study in stages: experiments that declare `Stages` draw more units while a claim on them is undecided.

    make settle                                    the paper-scale study
    make settle CONFIG=config/mine.yaml            another one

Runs the study, reads its ledger, raises the settings of what is undecided to their next stage in
``results/<study>/stages.yaml``, and runs it again, until all claims are decided or the caps are reached. Started again,
it goes on from that file.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from snakemake.cli import parse_config

from replication.catalogue.configuration import check_config, read_configuration
from replication.catalogue.stages import staged, units, with_units
from replication.platform.command_line import check_configfiles
from replication.platform.configuration import ConfigurationError, merge, read_yaml
from replication.platform.files import write_text
from replication.shared.judgements import is_open
from replication.shared.tidy import read_table


def next_stages(ledger: pd.DataFrame, config: Mapping[str, Any]) -> dict[str, Any]:
    """What a configuration has to change so that what is undecided gets its next stage; empty if there is none."""
    parts = ledger[["verdict", "significance", "magnitude"]]
    open_claims = ledger[[is_open(*row) for row in parts.itertuples(index=False)]]
    changes: dict[str, Any] = {}
    for name, stages in staged(config).items():
        if any(stages.decide(claim) for claim in open_claims.loc[open_claims["experiment"] == name, "id"]):
            following = min(number for number in stages.units if number > units(config, stages))
            changes = merge(changes, with_units(stages, following))
    return changes


def stages_before(file: Path, config: Mapping[str, Any]) -> dict[str, Any]:
    """What an earlier start had raised by its file, as far as those are stages that this configuration has ahead."""
    before = merge(config, read_yaml(file)) if file.exists() else config
    raised: dict[str, Any] = {}
    for stages in staged(config).values():
        number = units(before, stages)
        if number in stages.units and number > units(config, stages):
            raised = merge(raised, with_units(stages, number))
    return raised


def main() -> int:
    """Run stage after stage; the exit code is that of a run that fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cores", default="all")
    parser.add_argument("--configfile", nargs="*", default=[], help="files laid over config/config.yaml")
    parser.add_argument("--config", nargs="*", default=[], help="settings laid over these files, as KEY=VALUE")
    check_configfiles(sys.argv[1:])
    given = parser.parse_args()
    # A configuration is read from its own folder.
    files = [str(Path(file).resolve()) for file in given.configfile]
    try:
        configured = merge(read_configuration(*files), parse_config(given.config))
        check_config(configured)
        results = Path("results", configured["study"])
        file = results / "stages.yaml"
        raised = stages_before(file, configured)
    except ConfigurationError as error:
        sys.exit(f"The configuration cannot be used:\n{error}")
    if raised:
        print(f"Goes on from the stages in {file}; delete that file to begin anew.", flush=True)
    while True:
        overlays = files
        if raised:
            write_text(yaml.safe_dump(raised, sort_keys=False), file)
            overlays = [*files, str(file.resolve())]
        command = [sys.executable, "-m", "snakemake", "--cores", given.cores]
        command += ["--configfile", *overlays] if overlays else []
        command += ["--config", *given.config] if given.config else []
        try:
            run = subprocess.run(command)
        except KeyboardInterrupt:
            print("\nInterrupted. Run the same command again: it continues from here.", file=sys.stderr)
            return 130
        if run.returncode:
            return run.returncode
        if not (results / "claims.tsv").exists():
            sys.exit(f"The study {configured['study']} judges no claims, so that nothing is undecided.")
        changes = next_stages(read_table(results / "claims.tsv"), merge(configured, raised))
        if not changes:
            print("All claims are decided, or their experiments have drawn all that they may.")
            if raised:
                print(f"To run or audit it again, give {file} as the last file after --configfile.")
            return 0
        raised = merge(raised, changes)
        print(f"Claims are undecided. Next stage, in {file}:\n{yaml.safe_dump(changes, sort_keys=False)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
