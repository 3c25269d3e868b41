"""The site shows every page, its links work there, and tests run its commands and examples, or dry-run them."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import consensus_embedding
import pytest
from configuration_reference import configuration_reference
from docutils import nodes
from docutils.utils import new_document
from from_templates import TEMPLATES, written
from internal_links import dead_links
from pages import PAGES, ROOT, SOURCES, code_blocks
from replication.catalogue.configuration import read_configuration
from repository_pages import SECTIONS, navigation, on_the_site
from wide_pictures import wrap

GALLERY = sorted((ROOT / "docs" / "examples").glob("*.py"))
# tests/workflow/test_pages.py knows every command of the pages, and dry-runs those for Snakemake.
MAKE = sorted(
    {
        line.partition(" #")[0].strip()
        for text in PAGES.values()
        for block in code_blocks(text)
        for line in block.splitlines()
        if re.match(r"make\b", line)
    }
)
DRAW = """
import runpy, sys
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt
plt.show = lambda: None
runpy.run_path(sys.argv[1], run_name="__main__")
print("figures:", len(plt.get_fignums()))
"""


def run(command, folder=ROOT):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "workflow")])}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


# Commands and examples


@pytest.mark.parametrize("line", MAKE)
def test_what_is_given_to_make_can_be_run(line):
    result = run([*line.split(), "--dry-run"])
    assert result.returncode == 0, result.stderr
    assert result.stdout


def test_the_gallery_has_examples():
    assert len(GALLERY) >= 9
    for path in GALLERY:
        title = path.read_text().splitlines()[1]
        assert title.endswith("?"), f"{path.name}: an example answers a question"


@pytest.mark.long_study
@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_an_example_of_the_gallery_runs(path):
    if "import scanpy" in path.read_text():
        pytest.importorskip("scanpy", reason="it comes with the packages of the site: make docs")
    result = run([sys.executable, "-c", DRAW, str(path)], folder=path.parent)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert int(re.search(r"figures: (\d+)", result.stdout)[1]) >= 1


def test_the_example_of_the_arena_says_that_it_needs_a_clone(tmp_path):
    result = run([sys.executable, "-c", DRAW, str(ROOT / "docs" / "examples" / "plot_8_arena.py")], folder=tmp_path)
    assert "Run this example in a clone of the repository" in result.stderr


# Pages


@pytest.mark.parametrize("path", SOURCES)
def test_a_page_is_what_its_template_says(path):
    assert PAGES[path] == written(TEMPLATES / Path(path).relative_to("docs")), "run docs/_ext/from_templates.py"


def test_every_public_name_is_in_the_api_reference_once():
    listed = re.findall(r"^   (\w+)$", (ROOT / "docs" / "api" / "index.rst").read_text(), flags=re.MULTILINE)
    assert sorted(listed) == consensus_embedding.__all__


def test_what_a_public_name_returns_or_holds_is_in_the_api_reference():
    page = (ROOT / "docs" / "api" / "index.rst").read_text()
    for name in consensus_embedding.__all__:
        public = getattr(consensus_embedding, name)
        for hint in public.__annotations__.values():
            one = getattr(sys.modules[public.__module__], hint, None)
            if isinstance(one, type) and one.__module__.startswith("consensus_embedding"):
                assert (
                    hint in consensus_embedding.__all__ or f"   ~{one.__module__.partition('.')[2]}.{hint}\n" in page
                ), hint
                assert one.__doc__.count("\n    Attributes\n") == 1, hint


def test_the_pages_of_a_missing_section_move_up():
    pages = {"index", "get_started", "install", "verdicts"}
    assert navigation("index", pages).split("\n")[5:7] == ["/get_started", "/verdicts"]
    assert "/install" in navigation("get_started", pages)
    assert navigation("install", pages) == ""


def test_a_link_to_a_row_of_a_table_works_on_the_site():
    """Sphinx knows no anchors in tables, so that it gets the link as HTML."""
    shown = on_the_site("[a](results/tomo2025.md#mc-07), [b](ledger.md)", "docs/arena.md", "docs/arena.md", "")
    assert shown == '<a href="results/tomo2025.html#mc-07">a</a>, [b](ledger.md)'


def test_a_new_page_is_in_the_navigation():
    pages = {*SECTIONS, "index", "results/later2030", "something_new"}
    assert "/results/later2030" in navigation("results/index", pages)
    assert "/something_new" in navigation("user_guide", pages)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[a](../config/quick.yaml)", "[a](https://host/repo/blob/HEAD/config/quick.yaml)"),
        ("[a](../resources/paper/claims.tsv)", "[a](path:../resources/paper/claims.tsv)"),
        ("[a](../workflow)", "[a](https://host/repo/tree/HEAD/workflow)"),
        ("[a](arena.md#x)", "[a](arena.md#x)"),
        ("[a](../config/README.md#x)", "[a](config_files.md#x)"),
        ("[a](../CONTRIBUTING.md)", "[a](contributing.md)"),
        ("[a](examples/plot_1_digits.py)", "[a](gallery/plot_1_digits.rst)"),
        ("[a](#x), [b](https://host/x)", "[a](#x), [b](https://host/x)"),
        ("![a [b]](../resources/readme/ledger.png)", "![a [b]](../resources/readme/ledger.png)"),
        ("```\n[a](../config/quick.yaml)\n```", "```\n[a](../config/quick.yaml)\n```"),
    ],
)
def test_links_of_a_page_work_on_the_site(written, shown):
    assert on_the_site(written, "docs/data.md", "docs/data.md", "https://host/repo") == shown


def test_links_of_an_included_file_are_relative_to_its_page():
    shown = on_the_site(
        "[a](docs/rules.md), [b](LICENSE)", "CONTRIBUTING.md", "docs/contributing.md", "https://host/repo"
    )
    assert shown == "[a](rules.md), [b](https://host/repo/blob/HEAD/LICENSE)"


def test_without_a_host_the_site_has_copies_of_files_and_no_links_to_folders():
    shown = on_the_site("[a](../LICENSE), [b](../workflow)", "docs/data.md", "docs/data.md", "")
    assert shown == "[a](path:../LICENSE), b"


def test_a_picture_of_its_own_scrolls_by_keyboard_too_and_a_sign_in_a_sentence_does_not():
    alone, sign = nodes.image(alt='of "two" panels'), nodes.image(alt="holds")
    document = new_document("page")
    document += [nodes.paragraph("", "", alone), nodes.paragraph("", "The claim ", sign)]
    wrap(SimpleNamespace(builder=SimpleNamespace(format="html")), document, "page")
    start, shown, end, sentence = document
    assert start.astext() == '<div class="picture" role="group" tabindex="0" aria-label="of &quot;two&quot; panels">'
    assert shown is alone
    assert end.astext() == "</div>"
    assert sentence[1] is sign


def test_dead_links_inside_the_site_are_found(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(
        '<a id="here" href="sub/a.html#there">1</a><a href="#here">2</a><img src="x.png">'
    )
    (tmp_path / "sub" / "a.html").write_text(
        '<p id="there"><a href="../index.html#gone">3</a><a href="b.html">4</a><a href="https://host/b.html">5</a></p>'
    )
    assert dead_links(tmp_path) == ["index.html: x.png", "sub/a.html: ../index.html#gone", "sub/a.html: b.html"]


# The configuration reference


@pytest.mark.slow
def test_the_reference_has_every_section_and_key():
    text = configuration_reference()
    single = text.partition("\n## data\n")[0]
    parts = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text, flags=re.DOTALL | re.MULTILINE))
    for name, value in read_configuration().items():
        if not isinstance(value, dict):
            assert f"\n- **`{name}`**: " in single
            continue
        for key in value:
            assert re.search(rf"^- \*\*`{key}[.`]", parts[name], flags=re.MULTILINE), (name, key)


def test_the_reference_shows_limits_defaults_and_meanings():
    text = configuration_reference()
    assert "\n- **`n_samples`**: integer, at least 50, at most 1797; default `1797`  \n  Number of images" in text
    assert "\n- **`mds`**: `classical` or `smacof`; default `smacof`  \n" in text
    assert "\n- **`kappas`**: list of 2: integer, at least 2; default `[3, 20]`  \n" in text


def test_the_lock_of_the_site_agrees_with_that_of_the_study():
    pins = {
        name: dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / name).read_text(), flags=re.MULTILINE))
        for name in ("requirements.lock", "requirements-docs.lock")
    }
    study, site = pins.values()
    assert {name: site[name] for name in site if name in study and site[name] != study[name]} == {}
    assert {"sphinx", "myst-parser", "sphinx-gallery", "numpydoc", "pydata-sphinx-theme"} <= set(site) - set(study)


def test_no_number_of_a_code_block_is_filled_in():
    for path in SOURCES:
        for language in ("", "python", "text"):
            assert code_blocks(SOURCES[path], language) == code_blocks(PAGES[path], language), path
