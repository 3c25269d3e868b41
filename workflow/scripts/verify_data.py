"""Hash the files of some data sets again; fail if one is damaged."""

import sys
from pathlib import Path

from replication.platform.integrity import verify
from replication.platform.registry import load_registry

registry = load_registry()
folder = Path(snakemake.params.folder)
faults = {name: verify(registry[name], folder / name) for name in snakemake.params.files}
missing = [name for name, fault in faults.items() if fault == "missing"]
damaged = [f"{name}: {fault}" for name, fault in faults.items() if fault not in ("", "missing")]

lines = [f"{len(faults) - len(missing) - len(damaged)} of {len(faults)} files are intact."]
if missing:
    lines += [
        f"{len(missing)} missing (`snakemake fetch` downloads them):",
        *(f"  {name}" for name in missing),
    ]
if damaged:
    lines += [f"{len(damaged)} damaged (delete and fetch them again):", *(f"  {line}" for line in damaged)]
report = "\n".join(lines)
Path(snakemake.log[0]).write_text(f"{report}\n", encoding="utf-8")
if damaged:
    sys.exit(f"\n{report}\n")
print(report, file=sys.stderr)
