"""
Take over the results of the paper-scale study as the reference that README.md shows.

    python tests/regression/update_readme.py

Reads the results of `config/brainweb_resimulated.yaml`, the paper-scale study with the brain images simulated here,
copies what the README shows to tests/regression/paper and resources/readme, and writes the README's generated parts
anew. A test compares the two ever after.
"""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "tests" / "regression" / "paper"
sys.path.insert(0, str(ROOT / "workflow" / "scripts"))

from consensus_embedding.claims import summary_line  # noqa: E402
from consensus_embedding.experiments.tidy import read_table  # noqa: E402
from consensus_embedding.tables import to_markdown  # noqa: E402

STUDY = ROOT / "results" / "paper_resimulated"
COPIED = {
    "claims.tsv": "claims.tsv",
    "distances.tsv": "mce_convergence/tables/distances.tsv",
    "equivalence.tsv": "tsne_equivalence/tables/equivalence.tsv",
    "comparison.tsv": "consensus_comparison/tables/comparison.tsv",
    "calibration.tsv": "brain_calibration/tables/picks.tsv",
    "grid_accuracy.tsv": "brain_grid/tables/accuracy.tsv",
    "grid_controls.tsv": "brain_grid/tables/controls.tsv",
    "grid_units.tsv": "brain_grid/tables/units.tsv",
    "real_slices.tsv": "brain_real_slices/tables/accuracy.tsv",
    "runtime.tsv": "brain_runtime/tables/runtime.tsv",
}
FIGURES = {
    "distances.png": "mce_convergence/figures/distances.png",
    "brain_grid.png": "brain_grid/figures/trend.png",
    "brain_maps.png": "brain_grid/figures/maps.png",
    "brain_controls.png": "brain_grid/figures/controls.png",
}


def generated_parts() -> dict[str, str]:
    """The generated parts of the README from the committed reference."""
    ledger = read_table(REFERENCE / "claims.tsv")
    claims = ledger[["id", "statement", "paper_value", "measured", "verdict"]].copy()
    claims["data"] = ledger["dataset"] + " (" + ledger["source"] + ")"
    distances = read_table(REFERENCE / "distances.tsv")
    return {
        "verdicts": f"**Verdicts so far** – {summary_line(ledger)}.",
        "claims": to_markdown(claims.rename(columns={"id": "claim", "paper_value": "paper", "statement": "it says"})),
        "distances": to_markdown(distances),
        "controls": to_markdown(read_table(REFERENCE / "grid_controls.tsv")),
    }


def replace_parts(text: str, parts: dict[str, str]) -> str:
    """README text with its generated parts replaced."""
    for name, part in parts.items():
        pattern = rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end -->)"
        text, found = re.subn(pattern, lambda m, part=part: f"{m[1]}{part.rstrip()}\n{m[2]}", text, flags=re.DOTALL)
        if found != 1:
            raise ValueError(f"README.md: expected one part named {name}, found {found}.")
    return text


if __name__ == "__main__":
    REFERENCE.mkdir(exist_ok=True)
    for name, source in COPIED.items():
        shutil.copyfile(STUDY / source, REFERENCE / name)
    for name, source in FIGURES.items():
        shutil.copyfile(STUDY / source, ROOT / "resources" / "readme" / name)
    readme = ROOT / "README.md"
    readme.write_text(replace_parts(readme.read_text(), generated_parts()))
