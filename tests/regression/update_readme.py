"""
Copy the results of the paper-scale study to the reference that README.md and the pages of docs show.

    python tests/regression/update_readme.py
    python tests/regression/update_readme.py --rules

The first line reads the results of `config/brainweb_resimulated.yaml`, the paper-scale study with the brain images
simulated here, and of the targets `calibration` and `timings` with the same configuration. It copies the tables and
pictures that the pages show to resources/paper and resources/readme, and writes the generated parts of README.md and
docs/data.md, and the pages of docs/templates. `repetitions.py` makes one table more. The second line is for a change of
rules alone: it judges the claims again from the committed rows.
"""

import argparse
import gzip
import re
import shutil
import sys
from functools import cache
from io import StringIO
from pathlib import Path

import pandas as pd
import yaml

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "resources" / "paper"
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

from committed_numbers import committed  # noqa: E402
from from_templates import write_pages  # noqa: E402
from replication.catalogue.papers import PAPERS  # noqa: E402
from replication.catalogue.stages import STAGES  # noqa: E402
from replication.claims.answers import MARKS, ON_SUBSTITUTE, counted, summary_line  # noqa: E402
from replication.claims.clauses import answer_parts, answer_text  # noqa: E402
from replication.claims.judging import judge_claims, read_claims  # noqa: E402
from replication.report.ledger_figure import draw_ledger, draw_sign, save_ledger  # noqa: E402
from replication.report.text import slug  # noqa: E402
from replication.shared.figures import styled  # noqa: E402
from replication.shared.metric_values import is_blank  # noqa: E402
from replication.shared.tables import to_markdown  # noqa: E402
from replication.shared.tidy import as_text, read_table, write_table  # noqa: E402
from result_tables import papers, question, short_table, title  # noqa: E402
from update import update_ledger  # noqa: E402

# Experiment -> the rows of its metrics behind any verdict.
ROWS = REFERENCE / "rows"
STUDY = ROOT / "results" / "paper_resimulated"
COPIED = {
    "spectra_targets.tsv": "spectra_substitute/tables/targets.tsv",
    "retrieval_targets.tsv": "retrieval_substitute/tables/targets.tsv",
    "pathology_targets.tsv": "pathology_substitute/tables/targets.tsv",
    "distances.tsv": "mce_convergence/tables/distances.tsv",
    "extensions.tsv": "mce_extensions/tables/extensions.tsv",
    "cost.tsv": "mce_cost/tables/cost.tsv",
    "equivalence.tsv": "tsne_equivalence/tables/equivalence.tsv",
    "tsne_differences.tsv": "tsne_equivalence/tables/differences.tsv",
    "comparison.tsv": "consensus_comparison/tables/comparison.tsv",
    "calibration.tsv": "brain_calibration/tables/picks.tsv",
    "grid_controls.tsv": "brain_grid/tables/controls.tsv",
    "grid_units.tsv": "brain_grid/tables/units.tsv",
    "brain_readings.tsv": "brain_readings/tables/readings.tsv",
    "detection.tsv": "leave_one_out/tables/detection.tsv",
    "real_slices.tsv": "brain_real_slices/tables/accuracy.tsv",
    "runtime.tsv": "brain_runtime/tables/runtime.tsv",
    "gene_calibration.tsv": "gene_calibration/tables/picks.tsv",
    "gene_accuracy.tsv": "gene_expression/tables/accuracy.tsv",
    "gene_scores.tsv": "gene_expression/tables/scores.tsv",
    "gene_variants.tsv": "gene_expression/tables/variants.tsv",
    "gene_m_pca.tsv": "m_sensitivity/tables/consensus_pca.tsv",
    "gene_m_ge.tsv": "m_sensitivity/tables/consensus_ge.tsv",
    "spectra_calibration.tsv": "spectra_calibration/tables/picks.tsv",
    "spectra_methods.tsv": "spectra_methods/tables/table_1a.tsv",
    "spectra_training.tsv": "spectra_methods/tables/training.tsv",
    "spectra_sweep.tsv": "spectra_methods/tables/sweep.tsv",
    "spectra_dimensions.tsv": "spectra_dimensions/tables/table_1b.tsv",
    "spectra_stability.tsv": "spectra_stability/tables/stability.tsv",
    "spectra_components.tsv": "spectra_components/tables/correlations.tsv",
    "retrieval_calibration.tsv": "retrieval_calibration/tables/picks.tsv",
    "swiss_roll_compared.tsv": "swiss_roll/tables/compared.tsv",
    "swiss_roll_needed.tsv": "swiss_roll/tables/needed.tsv",
    "swiss_roll_variants.tsv": "swiss_roll/tables/variants.tsv",
    "swiss_roll_graph.tsv": "swiss_roll/tables/graph.tsv",
    "gland_compared.tsv": "gland_retrieval/tables/compared.tsv",
    "gland_first_five.tsv": "gland_retrieval/tables/first_five.tsv",
    "gland_separation.tsv": "gland_retrieval/tables/separation.tsv",
    "gland_variants.tsv": "gland_retrieval/tables/variants.tsv",
    "fine_calibration.tsv": "fine_calibration/tables/picks.tsv",
    "feature_dimensions.tsv": "feature_selection/tables/dimensions.tsv",
    "feature_methods.tsv": "feature_selection/tables/methods.tsv",
    "feature_best.tsv": "feature_selection/tables/best.tsv",
    "feature_variants.tsv": "feature_selection/tables/variants.tsv",
    "pathology_methods.tsv": "pathology/tables/methods.tsv",
    "pathology_variants.tsv": "pathology/tables/variants.tsv",
    "log_rank.tsv": "survival/tables/log_rank.tsv",
    "planted_ranking.tsv": "planted_features/tables/ranking.tsv",
    "arena_advice.tsv": "consensus_arena/tables/advice.tsv",
    "arena_scores.tsv": "consensus_arena/tables/scores.tsv",
    "sensitivity.tsv": "multiverse/tables/sensitivity.tsv",
    "timings.tsv": "benchmarks/timings.tsv",
    "profile.tsv": "benchmarks/profile.tsv",
    "schedule.tsv": "benchmarks/schedule.tsv",
}
# Draws of gene_expression that are kept number by number; .ci/run runs them again.
DRAWS = ["0", "1"]
FIGURES = {
    "arena.png": "consensus_arena/figures/critical_difference.png",
    "sensitivity.png": "multiverse/figures/variance.png",
    "distances.png": "mce_convergence/figures/distances.png",
    "tsne_equivalence.png": "tsne_equivalence/figures/equivalence.png",
    "extensions.png": "mce_extensions/figures/extensions.png",
    "brain_grid.png": "brain_grid/figures/trend.png",
    "brain_readings.png": "brain_readings/figures/readings.png",
    "brain_maps.png": "brain_grid/figures/maps.png",
    "brain_controls.png": "brain_grid/figures/controls.png",
    "genes.png": "gene_expression/figures/accuracy.png",
    "gene_views.png": "gene_expression/figures/views.png",
    "gene_variants.png": "gene_expression/figures/variants.png",
    "spectra_substitute.png": "spectra_substitute/figures/substitute.png",
    "spectra_power.png": "spectra_dimensions/figures/power.png",
    "retrieval_substitute.png": "retrieval_substitute/figures/substitute.png",
    "spectra_typical.png": "spectra_methods/figures/typical.png",
    "spectra_maps.png": "spectra_methods/figures/maps.png",
    "spectra_methods.png": "spectra_methods/figures/methods.png",
    "spectra_sweep.png": "spectra_methods/figures/sweep.png",
    "swiss_roll_curves.png": "swiss_roll/figures/curves.png",
    "gland_curves.png": "gland_retrieval/figures/curves.png",
    "gland_query.png": "gland_retrieval/figures/query.png",
    "gland_separation.png": "gland_retrieval/figures/separation.png",
    "extrapolation_runtime.png": "extrapolation_runtime/figures/runtime.png",
    "feature_panels.png": "feature_selection/figures/panels.png",
    "feature_variants.png": "feature_selection/figures/variants.png",
    "pathology_panels.png": "pathology/figures/panels.png",
    "pathology_substitute.png": "pathology_substitute/figures/substitute.png",
    "survival.png": "survival/figures/curves.png",
    "planted_features.png": "planted_features/figures/ranking.png",
}


def write_rows_behind_verdicts() -> None:
    """The rows of the metrics behind every verdict, compressed, a file an experiment; the same bytes each time."""
    claims, behind = read_claims(), {}
    names = [name for name in claims["experiment"].unique() if (STUDY / name / "metrics.tsv").exists()]
    metrics = {name: read_table(STUDY / name / "metrics.tsv") for name in names}
    judge_claims(claims, metrics, rows_behind=behind, stages=STAGES)
    shutil.rmtree(ROWS, ignore_errors=True)
    ROWS.mkdir()
    for name, rows in behind.items():
        text = as_text(metrics[name].loc[sorted(rows)])
        (ROWS / f"{name}.tsv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


@cache
def committed_rows() -> dict[str, pd.DataFrame]:
    """Experiment -> the committed rows behind its verdicts."""
    paths = {path.name.removesuffix(".tsv.gz"): path for path in ROWS.glob("*.tsv.gz")}
    return {name: read_table(StringIO(gzip.decompress(path.read_bytes()).decode())) for name, path in paths.items()}


def judged_from_rows(claims: pd.DataFrame) -> pd.DataFrame:
    """The ledger of claims from the committed rows; another choice may have its rows in another experiment."""
    return judge_claims(claims, committed_rows(), stages=STAGES)


def update_rules() -> None:
    """Write the ledger again from the committed rows."""
    ledger = judged_from_rows(read_claims())
    write_table(ledger[read_table(REFERENCE / "claims.tsv").columns], REFERENCE / "claims.tsv")


def generated_parts() -> dict[str, dict[str, str]]:
    """The generated parts of each page, from the committed reference: path of the page -> name of the part -> text."""
    ledger = read_table(REFERENCE / "claims.tsv")
    return {
        "README.md": {
            "short": short_table(root=""),
            "claims": f"**{summary_line(counted(ledger))}.**",
            "papers": to_markdown(answers(ledger)),
        },
        "docs/data.md": {"licences": to_markdown(licences())},
    }


def answers(ledger: pd.DataFrame) -> pd.DataFrame:
    """One row per paper: its question, its answer with the rows that carry it, and how many claims hold."""
    return pd.DataFrame(
        {
            "question": f"{question(paper)} ([{title(paper)}](docs/results/{paper}.md))",
            "answer": answer_text(answer_parts(PAPERS[paper].answer)),
            "claims": summary_line(counted(ledger[ledger["paper"] == paper])),
        }
        for paper in papers()
    )


def licences() -> pd.DataFrame:
    """One row per set of data: contents, licences, and authors and years of the references."""
    rows = []
    for name, entry in yaml.safe_load((ROOT / "resources" / "datasets.yaml").read_text())["sets"].items():
        parts = [entry, *entry["files"]]
        licence, citation = (
            dict.fromkeys(part[key] for part in parts if part.get(key)) for key in ("licence", "citation")
        )
        cited = [re.match(r".*?\(\d{4}\)", text)[0] for text in citation]
        rows.append(
            {"set": name, "contents": entry["description"], "licence": "; ".join(licence), "cite": "; ".join(cited)}
        )
    return pd.DataFrame(rows)


def draws() -> pd.DataFrame:
    """Scores of the first draws of gene_expression."""
    metrics = read_table(STUDY / "gene_expression" / "metrics.tsv")
    kept = (metrics["variant"] == "main") & metrics["repetition"].isin(DRAWS)
    kept &= metrics["metric"].isin(["accuracy", "balanced_accuracy"])
    return metrics[kept][["dataset", "method", "repetition", "metric", "value"]]


def retrieval_scores() -> pd.DataFrame:
    """Scores of the first draws at a few shares; .ci/run scores them again."""
    parts = [read_table(STUDY / name / "metrics.tsv") for name in ("swiss_roll", "gland_retrieval")]
    metrics = pd.concat(parts, ignore_index=True)
    kept = metrics["metric"].isin(["si", "auprc"]) & metrics["repetition"].isin(DRAWS)
    kept &= is_blank(metrics["label"]) & is_blank(metrics["variant"])
    shares = metrics[["training", "labelled"]].apply(pd.to_numeric, errors="coerce").round(6)
    kept &= shares["training"].isin([0.5, 0.8]) & shares["labelled"].fillna(0.6).eq(0.6)
    kept &= is_blank(metrics["separation"])
    columns = ["dataset", "method", "training", "labelled", "objects", "split", "repetition", "metric", "value"]
    return metrics[kept][columns]


def feature_scores() -> pd.DataFrame:
    """Scores of the first rounds, with five features and with the vectors; .ci/run scores them again."""
    parts = [
        pd.read_csv(STUDY / name / "metrics.tsv", sep="\t", dtype=str, keep_default_na=False)
        for name in ("feature_selection", "pathology", "survival")
    ]
    metrics = pd.concat(parts, ignore_index=True).fillna("")
    kept = metrics["metric"].isin(["auc", "log_rank_p"]) & metrics["repetition"].isin(["0", "1", "2"])
    kept &= (metrics["variant"] == "") & metrics["n_features"].isin(["", "5"])
    kept &= metrics["cohort"].isin(["", "0", "1", "all", "44"]) & (metrics["fit"] != "same patients")
    columns = ["experiment", "dataset", "cohort", "method", "classifier", "repetition", "metric", "value"]
    return metrics[kept][columns]


def spectra_scores() -> pd.DataFrame:
    """Scores of every method on the first studies, under the condition of the claims; .ci/run scores them again."""
    metrics = read_table(STUDY / "spectra_methods" / "metrics.tsv")
    kept = metrics["metric"].isin(["sensitivity", "specificity"]) & metrics["kappa"].isna()
    kept &= (metrics[["noise", "linewidth", "contrast"]] == 1).all(axis=1)
    kept &= metrics["study"].isin([f"judged-{k}" for k in range(1, 19)])
    return metrics[kept][["study", "method", "truth", "naming", "metric", "value"]]


def replace_parts(text: str, parts: dict[str, str]) -> str:
    """Text of a page with its generated parts replaced; the page has to hold these parts and no others."""
    marked = re.findall(r"^<!-- (.*): written by", text, flags=re.MULTILINE)
    if sorted(marked) != sorted(parts):
        raise ValueError(f"Expected one part each of {sorted(parts)}, found {sorted(marked)}.")
    for name, part in parts.items():
        pattern = rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end -->)"
        text = re.sub(pattern, lambda m, part=part: f"{m[1]}{part.rstrip()}\n{m[2]}", text, flags=re.DOTALL)
    return text


def update_pages() -> None:
    """Write the generated parts of all pages, and the pages made from templates, from the tables as they are now."""
    committed.cache_clear()
    for path, parts in generated_parts().items():
        page = ROOT / path
        try:
            page.write_text(replace_parts(page.read_text(), parts))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    write_pages()


def update_from_study() -> None:
    """Copy what the pages show from the results of the study."""
    missing = [source for source in [*COPIED.values(), *FIGURES.values()] if not (STUDY / source).exists()]
    if missing:
        sys.exit(
            f"Not in {STUDY}: {', '.join(missing)}. Run the study, `snakemake calibration` and `timings` with "
            "its configuration."
        )
    REFERENCE.mkdir(exist_ok=True)
    for name, source in COPIED.items():
        shutil.copyfile(STUDY / source, REFERENCE / name)
    update_ledger(STUDY, REFERENCE)
    write_rows_behind_verdicts()
    write_table(draws(), REFERENCE / "gene_draws.tsv")
    write_table(spectra_scores(), REFERENCE / "spectra_scores.tsv")
    write_table(retrieval_scores(), REFERENCE / "retrieval_scores.tsv")
    write_table(feature_scores(), REFERENCE / "feature_scores.tsv")
    for name, source in FIGURES.items():
        shutil.copyfile(STUDY / source, ROOT / "resources" / "readme" / name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", action="store_true", help="judge the committed rows again")
    update_rules() if parser.parse_args().rules else update_from_study()
    with styled():
        for answer in [*MARKS, *(word + ON_SUBSTITUTE for word in MARKS)]:
            save_ledger(draw_sign(answer), ROOT / "resources" / "signs" / f"{slug(answer)}.svg")
        save_ledger(draw_ledger(read_table(REFERENCE / "claims.tsv")), ROOT / "resources" / "readme" / "ledger.png")
    update_pages()
