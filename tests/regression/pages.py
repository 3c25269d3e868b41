"""The pages that a reader of the project sees: README.md, the guides of docs and the README of config."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

from from_templates import TEMPLATES, page_of  # noqa: E402

PATHS = [
    "README.md",
    "CONTRIBUTING.md",
    "config/README.md",
    *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md") if TEMPLATES not in p.parents),
]
# Path of a page -> its text.
PAGES = {path: (ROOT / path).read_text() for path in PATHS}
# Path of a page that is written from a template -> the template.
SOURCES = {str(page_of(path).relative_to(ROOT)): path.read_text() for path in sorted(TEMPLATES.rglob("*.md"))}


def without_code(text: str) -> str:
    """Text of a page without its code blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def code_blocks(text: str, language: str = "") -> list[str]:
    """Contents of the code blocks of a language; by default of those without one, which are commands."""
    blocks = re.findall(r"^```([a-z]*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    return [code for name, code in blocks if name == language]


def anchors(text: str) -> set[str]:
    """Anchors of a page: those that GitHub makes of its headings, and those of its claims and choices."""
    headings = re.findall(r"^#+ (.*)$", without_code(text), flags=re.MULTILINE)
    made = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
    return made | set(re.findall(r'<span id="([^"]+)">', text))


def links(text: str) -> list[str]:
    """Targets of the links and pictures of a page that stay inside the repository."""
    return [link for link in re.findall(r"\]\(([^)]+)\)", without_code(text)) if not link.startswith("http")]
