"""
Take over the results of the paper-scale study as the reference that README.md shows.

    python tests/regression/update_readme.py

Reads results/paper, copies what the README shows to tests/regression/paper and resources/readme, and writes the
README's generated parts anew. A test compares the two ever after.
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

COPIED = {
    "claims.tsv": "results/paper/claims.tsv",
    "distances.tsv": "results/paper/mce_convergence/tables/distances.tsv",
    "equivalence.tsv": "results/paper/tsne_equivalence/tables/equivalence.tsv",
    "comparison.tsv": "results/paper/consensus_comparison/tables/comparison.tsv",
}
FIGURE = "results/paper/mce_convergence/figures/distances.png"


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
        shutil.copyfile(ROOT / source, REFERENCE / name)
    shutil.copyfile(ROOT / FIGURE, ROOT / "resources" / "readme" / "distances.png")
    readme = ROOT / "README.md"
    readme.write_text(replace_parts(readme.read_text(), generated_parts()))
