"""Settings of the documentation site; `make docs` builds it into build/docs."""

import importlib
import os
import re
import sys
from pathlib import Path

import yaml
from numpydoc.xref import DEFAULT_LINKS
from pygments.lexers.special import TextLexer
from sphinx_gallery.scrapers import matplotlib_scraper

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path[:0] = [str(DOCS / "_ext"), str(ROOT / "src"), str(ROOT / "workflow")]

import consensus_embedding  # noqa: E402

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))

project = "Stable embeddings"
author = "The consensus-embedding maintainers"
copyright = f"{author}; {CITATION['license']} licence"
version = release = consensus_embedding.__version__

EXTENSIONS = sorted(path.stem for path in (DOCS / "_ext").glob("*.py"))
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    *(name for name in EXTENSIONS if hasattr(importlib.import_module(name), "setup")),
]
root_doc = "index"
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["_ext", "_templates", "templates", "examples", "README.md"]
templates_path = ["_templates"]
# Blocks of code without a language are commands.
highlight_language = "none"

# Headings have the anchors that GitHub gives them, so that links work in both places.
myst_heading_anchors = 5
myst_enable_extensions = ["colon_fence", "deflist"]
suppress_warnings = ["config.cache"]

# `name` in a docstring links to what has this name, and is code otherwise.
default_role = "py:obj"
autosummary_generate = True
# Methods of scikit-learn's own base classes are described there.
BASES = ["BaseEstimator", "TransformerMixin", "SelectorMixin", "ClassNamePrefixFeaturesOutMixin", "_MetadataRequester"]
autodoc_default_options = {
    "members": True,
    "inherited-members": ", ".join(BASES),
    "exclude-members": "set_output, set_fit_request, set_transform_request",
}
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
# The type of a parameter or a result leads to its page if it is a class of ours, and is plain text otherwise.
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {name: name for name in DEFAULT_LINKS} | {
    name.rpartition(".")[2]: f"consensus_embedding.{name}"
    for name in re.findall(r"^   ~?([\w.]*\b[A-Z]\w+)$", (DOCS / "api" / "index.rst").read_text(), re.MULTILINE)
}

# Where files of the repository that are not on the site can be read: the address in CITATION.cff, or on GitHub Actions
# that of the repository it runs for. Without either the site has copies of the files.
repository_url = CITATION.get("repository-code", "")
if not repository_url and "GITHUB_REPOSITORY" in os.environ:
    repository_url = f"{os.environ['GITHUB_SERVER_URL']}/{os.environ['GITHUB_REPOSITORY']}"


def scrape_pictures(block, block_vars, gallery_conf):
    """Pictures of matplotlib as a notebook shows them: with legends outside the axes, where scanpy has them."""
    return matplotlib_scraper(block, block_vars, gallery_conf, bbox_inches="tight")


sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "plot_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    # A notebook runs wherever packages can be installed.
    "first_notebook_cell": f'%pip install --quiet "consensus-embedding[examples]>={version}"',
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 1000,
    "image_scrapers": (scrape_pictures,),
    "matplotlib_animations": False,
    "plot_gallery": os.environ.get("DOCS_EXAMPLES", "run") == "run",
}

html_theme = "pydata_sphinx_theme"
html_title = project
LEDGER = ["report_ledger.css", "report_ledger.js"]
html_static_path = ["_static", *(f"../workflow/report/{name}" for name in LEDGER)]
html_css_files = ["site.css", LEDGER[0]]
html_js_files = [(LEDGER[1], {"defer": "defer"})]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],  # the name of the theme's wider one lacks words that it shows
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "ledger": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "icon_links": [{"name": "Repository", "url": repository_url, "icon": "fa-brands fa-github"}]
    if repository_url
    else [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}

# Nightly, over the network.
linkcheck_anchors = False
linkcheck_retries = 3
linkcheck_timeout = 30


def escape_bars(app, what, name, obj, options, lines):
    """The |A| of a docstring is a size, not a substitution of reStructuredText."""
    for k, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[k] = re.sub(r"(`[^`]*`)|\|", lambda match: match[1] or r"\|", line)


def setup(app):
    """Connect what these settings add to Sphinx."""
    app.add_lexer("tsv", TextLexer)
    app.connect("autodoc-process-docstring", escape_bars)
