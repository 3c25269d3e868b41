"""Write the report of a study and its summary of a few lines."""

from importlib.metadata import version
from pathlib import Path

from consensus_embedding.claims import summary_line
from consensus_embedding.experiments.tidy import read_table
from consensus_embedding.findings import finding
from consensus_embedding.report import Section, render_report, write_text
from job import job

PACKAGES = ["numpy", "scipy", "scikit-learn", "numba", "pandas", "matplotlib", "nibabel", "umap-learn", "snakemake"]


def caption(name):
    paragraphs = Path(f"workflow/report/{name}.rst").read_text().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def section(name, metrics, figures, tables):
    table = read_table(metrics)
    results = Path(metrics).parent
    # Own data without labels may have nothing to score.
    named = list(table[["dataset", "source"]].drop_duplicates().itertuples(index=False))
    *others, (dataset, source) = named or [("none", "nothing to score")]
    benchmarks = (results.parent / "benchmarks" / name).glob("*.tsv")
    return Section(
        name=name,
        text=caption(name),
        finding=finding(name, table),
        source=source,
        dataset="".join(f"{d} ({s}), " for d, s in others) + dataset,
        tables={f"{Path(path).stem} (tables/{Path(path).name})": read_table(path) for path in tables},
        figures={path: caption(f"{name}_{Path(path).stem}") for path in figures},
        seconds=sum(read_table(path)["s"].iloc[0] for path in benchmarks) or None,
    )


with job(snakemake.log[0], "report") as say:
    params = snakemake.params
    ledger = read_table(snakemake.input.ledger)
    sections = []
    for name, metrics in zip(params.experiments, snakemake.input.metrics, strict=True):
        own = [[p for p in paths if f"/{name}/" in p] for paths in (snakemake.input.figures, snakemake.input.tables)]
        sections.append(section(name, metrics, *own))
    page = render_report(
        snakemake.input.template,
        params.study,
        ledger,
        sections,
        read_table(snakemake.input.choices),
        f"snakemake --cores 2 --configfile {params.configfile} {{experiment}}",
        {package: version(package) for package in PACKAGES},
    )
    write_text(page, snakemake.output.report)
    write_text(f"Verdicts: {summary_line(ledger)}\nReport:   {snakemake.output.report}\n", snakemake.output.summary)
