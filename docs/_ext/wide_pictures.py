"""Pictures of the site keep letters that can be read on a phone: they scroll there, by keyboard too."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes


def wrap(app: Any, document: nodes.document, name: str) -> None:
    """Put each picture that is a paragraph of its own into a region that scrolls."""
    if app.builder.format != "html":
        return
    for image in list(document.findall(nodes.image)):
        paragraph = image.parent
        if isinstance(paragraph, nodes.paragraph) and len(paragraph) == 1:
            label = escape(image.get("alt", "Picture"), quote=True)
            start = f'<div class="picture" role="group" tabindex="0" aria-label="{label}">'
            around = (nodes.raw("", start, format="html"), image, nodes.raw("", "</div>", format="html"))
            paragraph.replace_self(around)


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-resolved", wrap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
