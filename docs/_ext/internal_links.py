"""
Check the links of the built site that stay inside it: pages, pictures, files and anchors.

    python docs/_ext/internal_links.py build/docs/html
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """Anchors and links of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Collect what the tag names."""
        for name, value in attributes:
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value or "")
            elif name in ("href", "src") and value:
                self.links.append(value)


@cache
def read(path: Path) -> Page:
    """Anchors and links of a file."""
    return Page(path.read_text(encoding="utf-8"))


def dead_links(site: Path) -> list[str]:
    """The links of a built site that lead nowhere, as "page: link"; those to other hosts are not looked at."""
    dead = []
    # What the theme keeps in _static are templates.
    for path in sorted(path for path in site.rglob("*.html") if "_static" not in path.parts):
        for link in dict.fromkeys(read(path).links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file() or not has_anchor(target, unquote(parts.fragment)):
                dead.append(f"{path.relative_to(site)}: {link}")
    return dead


def has_anchor(target: Path, anchor: str) -> bool:
    """Whether a page has an anchor; files that are not pages have any."""
    return not anchor or target.suffix != ".html" or anchor in read(target).anchors


if __name__ == "__main__":
    site = Path(sys.argv[1]).resolve()
    if not (site / "index.html").is_file():
        sys.exit(f"There is no site in {site}; build it with: make docs")
    if dead := dead_links(site):
        sys.exit("These links of the site lead nowhere:\n" + "\n".join(dead))
    print(f"All links inside the site lead somewhere ({sum(1 for _ in site.rglob('*.html'))} pages).")
