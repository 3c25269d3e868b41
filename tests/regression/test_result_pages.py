"""The pages of results show numbers of the committed tables, not typed ones, and every claim with a link to it."""

import re

import pytest
from committed_numbers import render
from pages import PAGES, ROOT, SOURCES, anchors, without_code
from replication.catalogue.papers import PAPERS
from replication.claims.clauses import answer_parts
from replication.shared.tidy import read_table

LEDGER = read_table(ROOT / "resources" / "paper" / "claims.tsv")
RESULTS = [path for path in SOURCES if path.startswith("docs/results/")]
FILLED = [*RESULTS, "docs/ledger.md", "docs/dependence.md", "docs/choices.md"]
# What a page may say with digits: years, claims and choices, places of a paper, names of data sets and dimensions, and
# the levels that statistics use by custom.
PLACES = "Fig|Figs|Table|Tables|Eq|Sec|Experiment|Proposition|Lemma|Theorem|Algorithm"
ALLOWED = re.compile(
    rf"\b(?:19|20)\d\d\b|\b(?:CE|MC|CL|OS|FI|CH)-\d+(?:-\w+)?|\b(?:{PLACES})\.? \d+(?:\.\d+)*|(?<=Tables 6) and 7|"
    r"\bGSE7390\b|\bS[1-4]\b|\bs1_metastasis\b|\bL1\b|\b0\.05\b|95 %"
)


def prose(source: str) -> str:
    """What is typed on a page: without code, commands, expressions, and the targets of links and pictures."""
    text = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", " ", without_code(source), flags=re.DOTALL)
    return re.sub(r"`[^`]*`|\]\([^)]*\)", " ", text)


@pytest.mark.parametrize("path", FILLED)
def test_no_number_of_a_page_is_typed(path):
    text = ALLOWED.sub(" ", prose(SOURCES[path]))
    assert [line for line in text.splitlines() if re.search(r"\d", line)] == []


@pytest.mark.parametrize(
    "typed", ["an accuracy of 0.72", "in 5 of 18 combinations", "Fig. 3 shows 12 %", "3 points", "S5", "CE-02: 0.669"]
)
def test_a_typed_number_is_found(typed):
    assert re.search(r"\d", ALLOWED.sub(" ", prose(typed)))


def test_every_claim_has_one_anchor_on_the_page_of_its_paper():
    for paper, claims in LEDGER.groupby("paper"):
        found = re.findall(r'<span id="([^"]+)">', PAGES[f"docs/results/{paper}.md"])
        assert found == claims["id"].str.lower().tolist()


def test_the_ledger_links_every_claim():
    links = re.findall(r"\[([^]]+)\]\(results/(\w+)\.md#([^)]+)\)", PAGES["docs/ledger.md"])
    assert links == [(row.id, row.paper, row.id.lower()) for row in LEDGER.itertuples()]


def test_links_to_claims_and_choices_lead_to_their_rows():
    links = re.compile(r"\]\(([^)#]+\.md)#((?:ce|mc|cl|os|fi|ch)-[^)]+)\)")
    found = [(path, *link) for path in FILLED for link in links.findall(PAGES[path])]
    assert len(found) > len(LEDGER)
    for path, page, anchor in found:
        target = ((ROOT / path).parent / page).resolve().relative_to(ROOT)
        assert anchor in anchors(PAGES[str(target)]), (page, anchor)


@pytest.mark.parametrize("path", [path for path in RESULTS if path != "docs/results/index.md"])
def test_a_page_of_a_paper_answers_the_same_questions(path):
    headings = re.findall(r"^## (.*)$", PAGES[path], flags=re.MULTILINE)
    for heading in ("Method", "What came out", "Why it differs", "Verdicts", "Run only this"):
        assert any(found.startswith(heading) for found in headings), heading


@pytest.mark.parametrize("paper", list(PAPERS))
def test_a_page_names_every_experiment_that_its_claims_need(paper):
    page = PAGES[f"docs/results/{paper}.md"]
    commands = re.findall(r"^snakemake .*$", page[page.index("## Run only this") :], flags=re.MULTILINE)
    needed = {row["experiment"] for row in LEDGER.to_dict("records") if row["paper"] == paper}
    assert needed <= set(" ".join(commands).split())


# What the answers and bold sentences say in words, as conditions on the tables; if one moves, read its page again.
SAID = {
    "viswanath2012": [
        'num("brain_readings", "consensus GE", 128, "as printed") < num("brain_readings", "GE", 128, "as printed")',
        'num("brain_readings", "embeddings used", 128, "as printed") == config("image_embedding.n_embeddings")',
        'num("brain_readings", "highest", 128, "within theta of the best") >= 17',
        'num("brain_readings", "highest", 128, "strongest share theta") >= 17',
        'num("brain_readings", "highest", 128, "as printed") < 17',
        'num("gene_scores", "accuracy", "breast", method="consensus GE, S") > '
        'num("gene_scores", "accuracy", "breast", method="GE")',
        'nums("detection", "accuracy")|max == num("detection", "accuracy", 1, "slice", "no pixel is cancer")',
        'num("grid_controls", "mean accuracy", "best single embedding, same labels", objects="mean shift") > '
        'nums("brain_readings", "consensus GE", 128)|max',
        'claim_verdict("CE-29") == "context"',
        *(
            f'nums("gene_m_pca", "{name}, S")|min - nums("gene_m_ge", "{name}, S")|max >= 0.02'
            for name in ("breast", "prostate")
        ),
        'nums("gene_m_pca", "lung, S")|min > nums("gene_m_ge", "lung, S")|max',
        'nums("gene_m_pca", "lung, S")|max - nums("gene_m_ge", "lung, S")|min < 0.02',
        'nums("gene_m_pca", "leukemia, S") == nums("gene_m_ge", "leukemia, S")',
        'nums("detection", "balanced accuracy", contrast=1, method=["consensus GE, within theta of the best", '
        '"consensus GE, strongest share theta", "consensus GE, theta above chance"], '
        '**{"left out": "slice"})|max < 0.5',
        'measured("CE-17", "1, # at")|float - measured("CE-17", "limit #;")|float '
        '< measured("CE-17", "standard error #;")|float',
        'claim_verdict("CE-10-s") == "reproduced" and claim_verdict("CE-11") == "mixed"',
    ],
    "tomo2025": [
        'claim_verdict("MC-08") == "reproduced"',
        'num("distances", "mean on the picture", pairs, m=20) > num("distances", "mean on the picture", pairs, m=10)',
        'num("distances", "mean on the picture", pairs, m=100) > num("distances", "mean", pairs, m=100)',
        'num("comparison", pairs, "mean", "consensus") < num("comparison", pairs, "single")',
        'num("extensions", pairs, "perplexity", "mce") < num("extensions", pairs, "multiscale")',
        'num("extensions", kept, "perplexity", "mce") > num("extensions", kept, "multiscale")',
    ],
    "tiwari2008": [
        'claim_verdict("CL-01") == claim_verdict("CL-03") == "holds on the substitute"',
        'claim_verdict("CL-04") == "mixed on the substitute"',
        'claim_verdict("CL-05-kappa") == "direction only on the substitute"',
        'claim_verdict("CL-09") == "no effect on the substitute"',
        'measured("CL-10", "lle_vote, ... 1: # (")|float > measured("CL-10", "c_lle, ... 1: # (")|float',
        'nums("spectra_stability", "CI high", noise, method="C-LLE")|max < 0',
        *(
            f'num("spectra_stability", "mean", noise, {measured}, method="PCA") '
            f'== nums("spectra_stability", "mean", noise, {measured})|min'
            for measured in (
                '"SD of sensitivity (% points)", "voxels"',
                '"SD of specificity (% points)", "voxels"',
                "apart",
            )
        ),
        'claim_verdict("CL-07") == "not testable"',
        'num("spectra_stability", "difference from LLE", "choice of κ", apart, method="C-LLE") '
        '> -0.1 * num("spectra_stability", "mean", "choice of κ", apart, method="LLE, single κ")',
        'nums("spectra_dimensions", "difference (% points)", truth="voxels", m=[3, 4, 5], '
        'score=["sensitivity", "specificity"])|min > 0',
        'nums("spectra_dimensions", "p (Holm)", truth="voxels", score="balanced accuracy")|max < 0.05',
        'num("spectra_targets", "difference", "lle sensitivity") < -5',
    ],
    "sparks2011": [
        'nums("swiss_roll_needed", "needed M (%)", "OSE-SSL", "AUPRC")|max < 100',
        'num("gland_variants", "OSE-SSL", "glands", "AUPRC", "all objects", "sigma 5 times the median") > 0.5',
        'num("gland_variants", "OSE-SSL", "glands", "AUPRC", "extrapolated", "sigma 5 times the median") < 0.36',
        'claim_verdict("OS-11") == "does not hold on the substitute"',
        'measured("OS-09", "95 % interval # to")|float > 0 and measured("OS-09", "95 % interval # to", 1)|float > 0',
        'measured("OS-09", "glands: AUPRC, all objects #,")|float < 0.05',
        'claim_verdict("OS-01") == "not reproduced"',
    ],
    "ginsburg2016": [
        'claim_verdict("FI-27") == "inconclusive"',
        'measured("FI-12-pathology", "accurate in # of")|int <= 2',
        'nums("pathology_methods", "Jaccard", "variance alone", ["s1", "s3", "s4"])|min == 1',
        'nums("pathology_variants", "Jaccard, FINE", changed="features standardised")|max < 0.25',
        'measured("FI-12-nips", "accurate in # of")|int + measured("FI-12-pathology", "accurate in # of")|int < 4',
        'claim_verdict("FI-08") == "does not hold on the substitute"',
        '((nums("feature_methods", ["AUC LR", "AUC SVM", "AUC RF"], "madelon", method="variance alone")|mean) - '
        '(nums("feature_best", "AUC at 5", "madelon", method=["FINE PCA", "FINE Isomap", "FINE LE", "FINE LLE"])|mean))'
        "|abs < 0.02",
        'claim_verdict("FI-12-pathology") == "inconclusive"',
    ],
}


@pytest.mark.parametrize(("paper", "condition"), [(paper, one) for paper, all_of in SAID.items() for one in all_of])
def test_the_words_of_a_page_fit_its_numbers(paper, condition):
    names = '{% set pairs, apart, noise = "pairwise distance", "distance of the embeddings", "draw of the noise" %}'
    names += '{%- set kept = "neighborhood preservation" -%}'
    verdict_of = '{%- macro claim_verdict(id) -%}{{ value("claims", "verdict", id=id) }}{%- endmacro -%}'
    assert render(f"{names}{verdict_of}{{{{ {condition} }}}}") == "True"


def test_every_paper_has_conditions():
    assert set(SAID) == set(PAPERS) == set(LEDGER["paper"])


@pytest.mark.parametrize("paper", PAPERS)
def test_the_answer_of_a_page_links_its_rows(paper):
    answer = re.search(r"^\*\*Answer:\*\* (.*)$", PAGES[f"docs/results/{paper}.md"], flags=re.MULTILINE)[1]
    linked = re.findall(rf"\[([^]]+)\]\({paper}\.md#[^)]+\)", answer)
    assert linked == [row.split()[0] for part in answer_parts(PAPERS[paper].answer) for row in part.rows]
