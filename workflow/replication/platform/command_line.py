"""Check the files of --configfile before Snakemake reads them, and report errors in the project's words."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from itertools import chain

from replication.platform.configuration import ConfigurationError, read_yaml


def without_data(options: Sequence[str]) -> list[str]:
    """Options of Snakemake for files that are shared: without `data`, whose addresses may have passwords."""
    kept = [word for word in options if not word.startswith("data=")]
    return kept[:-1] if kept[-1:] == ["--config"] else kept


def check_configfiles(words: Sequence[str]) -> None:
    """Refuse configuration files that cannot be read, and a second --configfile: Snakemake takes the last one alone.

    It names neither the file nor the place where a file is missing, empty, not in UTF-8, or refers to itself. The
    profiles call this, since they are read first.
    """
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", action="append", default=[])
    given = parser.parse_known_args(words)[0].configfile
    refused = ["--configfile is given twice; give all files after one --configfile"] if len(given) > 1 else []
    for path in chain(*given):
        try:
            if "__use_yte__" in read_yaml(path):
                refused.append(f"{path}: __use_yte__: unknown key; a configuration has values only and runs no code")
        except ConfigurationError as error:
            refused.append(str(error))
    if refused:
        print("\n".join(["The configuration cannot be used:", *refused]), file=sys.stderr)
        sys.exit(1)
