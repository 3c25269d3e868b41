"""
Pages written for the repository, as pages of the site: their navigation, the files they include, and their links.

A link of a page leads to a file of the repository, so that it works there. On the site it leads to the page made from
that file; without such a page to the repository at its host, or, for a table and where no host is set, to a copy.
"""

from __future__ import annotations

import os.path
import re
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

# Section -> its pages in the order of the navigation; those that do not exist are left out, new ones come last.
SECTIONS = {
    "index": ["get_started", "gallery/index", "results/index", "user_guide", "api/index", "contributing"],
    "get_started": ["install", "tour", "own_data", "glossary"],
    "results/index": [
        "results/viswanath2012",
        "results/tomo2025",
        "results/tiwari2008",
        "results/sparks2011",
        "results/ginsburg2016",
        "ledger",
        "dependence",
        "verdicts",
        "rules",
        "rule_log",
        "choices",
    ],
    "user_guide": [
        "running",
        "clusters",
        "data",
        "data_formats",
        "configuration",
        "config_files",
        "library",
        "embedding_check",
        "check_validation",
        "check_peers",
        "arena",
        "add_a_method",
        "reproducibility",
        "campaign",
        "speed",
        "speed_table",
    ],
}
# File or folder of the repository -> the page that shows it.
SHOWN_BY = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "config/README.md": "config_files.md",
    "docs": "index.md",
    "docs/README.md": "user_guide.md",
    "docs/examples": "gallery/index.rst",
    "docs/results": "results/index.md",
}
CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1$", flags=re.DOTALL | re.MULTILINE)
INCLUDE = re.compile(r"^```\{include\} (\S+)\n```$", flags=re.MULTILINE)
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")


def on_the_site(text: str, file: str, page: str, repository_url: str) -> str:
    """
    Text of a file with links that work on the site; code blocks are not changed.

    Links are relative to `file`, which `page` of docs shows, such as "docs/contributing.md". `repository_url` is the
    address of the repository at its host, or "".
    """

    def rewritten(match: re.Match) -> str:
        target, sign, anchor = match["target"].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        path = os.path.normpath(PurePosixPath(file).parent / target)
        relative = os.path.relpath(page_of(path) or path, PurePosixPath(page).parent)
        if anchor in rows_of(path):
            return f'<a href="{relative.removesuffix(".md")}.html#{anchor}">{match["text"]}</a>'
        if page_of(path) or match["image"]:
            return f"{match['image']}[{match['text']}]({relative}{sign}{anchor})"
        is_folder = (ROOT / path).is_dir()
        if repository_url and not path.endswith((".tsv", ".gz")):
            return f"[{match['text']}]({repository_url}/{'tree' if is_folder else 'blob'}/HEAD/{path}{sign}{anchor})"
        return match["text"] if is_folder else f"[{match['text']}](path:{relative})"

    parts, end = [], 0
    for code in CODE.finditer(text):
        parts += [LINK.sub(rewritten, text[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, LINK.sub(rewritten, text[end:])])


def page_of(path: str) -> str | None:
    """The source of the page of the site that shows a file of the repository; None if no page does."""
    if path.startswith("docs/examples/") and path.endswith(".py"):
        return f"docs/gallery/{PurePosixPath(path).stem}.rst"
    page = f"docs/{SHOWN_BY[path]}" if path in SHOWN_BY else path
    is_page = page.startswith("docs/") and page.endswith((".md", ".rst"))
    return page if is_page and (page.startswith("docs/gallery/") or (ROOT / page).exists()) else None


@cache
def rows_of(path: str) -> set[str]:
    """Anchors of the rows of tables of a page, such as claims; Sphinx does not know them."""
    page = ROOT / path
    return (
        set(re.findall(r'<span id="([^"]+)">', page.read_text(encoding="utf-8")))
        if page.suffix == ".md" and page.exists()
        else set()
    )


def navigation(page: str, pages: set[str]) -> str:
    """The hidden table of contents of a section, of pages that exist; "" for a page that is not a section."""
    listed = []
    for name in SECTIONS.get(page, []):
        # The pages of a section without a page of its own move up.
        listed += [name] if name in pages else [below for below in SECTIONS.get(name, []) if below in pages]
    if page == "results/index":
        listed += sorted(name for name in pages if name.startswith("results/") and name not in {page, *listed})
    elif page == "user_guide":
        known = {*SECTIONS, *(name for names in SECTIONS.values() for name in names)}
        listed += sorted(name for name in pages if "/" not in name and name not in known)
    if not listed:
        return ""
    return "\n".join(["", "", "```{toctree}", ":hidden:", "", *(f"/{name}" for name in listed), "```", ""])


def prepare(app: Any, name: str, source: list[str]) -> None:
    """Include files, rewrite links and add the navigation."""
    if not str(app.env.doc2path(name)).endswith(".md"):
        return
    page, url = f"docs/{name}.md", app.config.repository_url

    parts = INCLUDE.split(source[0])
    for k, part in enumerate(parts):
        file, text = page, part
        if k % 2:  # the name of an included file
            file = os.path.normpath(PurePosixPath(page).parent / part)
            text = (ROOT / file).read_text(encoding="utf-8")
            app.env.note_dependency(str(ROOT / file))
        parts[k] = on_the_site(text, file, page, url)
    source[0] = "".join(parts) + navigation(name, set(app.env.found_docs))


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_config_value("repository_url", "", "env")
    app.connect("source-read", prepare)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
