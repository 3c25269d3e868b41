"""
Pages of docs that are written from docs/templates, with the numbers of the committed tables filled in.

    python docs/_ext/from_templates.py

The pages are committed, so that a code host shows them as they are; a test compares them with their templates.
"""

from __future__ import annotations

from pathlib import Path

import configuration_reference  # noqa: F401
import jinja2
import result_tables  # noqa: F401
from committed_numbers import ROOT, render

TEMPLATES = ROOT / "docs" / "templates"


def page_of(template: Path) -> Path:
    """The page that is written from a template."""
    return ROOT / "docs" / template.relative_to(TEMPLATES)


def written(template: Path) -> str:
    """The text of a page; an error names its template."""
    path = template.relative_to(ROOT)
    try:
        page = render(template.read_text(encoding="utf-8"))
    except (ValueError, jinja2.TemplateError) as error:
        line = f", line {error.lineno}" if isinstance(error, jinja2.TemplateSyntaxError) else ""
        raise ValueError(f"{path}{line}: {error}") from error
    return f"{page.rstrip()}\n\n<!-- Written by docs/_ext/from_templates.py from {path}. -->\n"


def write_pages() -> None:
    """Write every page that has a template."""
    for template in sorted(TEMPLATES.rglob("*.md")):
        page_of(template).write_text(written(template), encoding="utf-8")


if __name__ == "__main__":
    write_pages()
