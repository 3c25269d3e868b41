"""Fetch one file of the registry."""

import os
import sys
from pathlib import Path

from replication.platform.download import DataError, fetch, mirrors_from
from replication.platform.registry import load_registry

data_file = load_registry()[snakemake.wildcards.file]
mirrors = mirrors_from(snakemake.config["data"]["mirrors"], os.environ)
log = Path(snakemake.log[0])
try:
    source = fetch(data_file, snakemake.output.file, mirrors)
except DataError as error:
    log.write_text(f"{error}\n", encoding="utf-8")
    sys.exit(f"\n{error}\n")
log.write_text(
    f"{data_file.name}: {source}\nlicence: {data_file.licence}\ncite: {data_file.citation}\n", encoding="utf-8"
)
