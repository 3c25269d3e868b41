"""Write the report of a study and its summary of a few lines."""

from importlib.metadata import version
from pathlib import Path

import pandas as pd
from replication.platform.job import job
from replication.ledger.experiments import EXPERIMENTS, PAPER_OF
from replication.ledger.findings import finding
from replication.ledger.report import Section, read_sensitivity, render_report, summary_text, write_text
from replication.ledger.takeaways import write_takeaways
from replication.platform.trail import made_with, read_records
from replication.shared.tidy import read_table

PACKAGES = ["numpy", "scipy", "scikit-learn", "numba", "pandas", "matplotlib", "nibabel"]
PACKAGES += ["umap-learn", "statsmodels", "mahotas", "snakemake"]


def section(name, metrics, figures, tables, own):
    """Of an experiment; `own`: what to say of it where it ran on the user's own data alone."""
    declared = EXPERIMENTS[name]
    table = read_table(metrics)
    read = {f"tables/{Path(path).name}": read_table(path) for path in tables}
    captions = {stem: one.caption for stem, one in declared.figures.items()} | (own.captions if own else {})
    # Own data without labels may have nothing to score.
    named = list(table[["dataset", "source"]].drop_duplicates().itertuples(index=False))
    *others, (dataset, source) = named or [("none", "nothing to score")]
    benchmarks = (Path(metrics).parents[1] / "benchmarks" / name).glob("*.tsv")
    return Section(
        name=name,
        paper=PAPER_OF[name],
        metrics=table,
        text=own.text if own else declared.text,
        finding=finding(name, table) if not own or own.finding else "",
        source=source,
        dataset="".join(f"{d} ({s}), " for d, s in others) + dataset,
        # Own data have no rows in some tables.
        tables={name: one for name, one in read.items() if len(one) or not own},
        figures={path: captions[Path(path).stem] for path in figures},
        seconds=sum(read_table(path)["s"].iloc[0] for path in benchmarks) or None,
    )


with job(snakemake, "report") as say:
    params = snakemake.params
    # One record of a job stands for each file that it made. Those of an earlier report say nothing of these results.
    records = read_records(params.records).values()
    jobs = {one["record"]: one for one in records if one["rule"] not in ("write_report", "write_manifest")}
    # A study without claims has no ledger.
    ledger = read_table(snakemake.input.ledger) if snakemake.input.get("ledger") else pd.DataFrame()
    sections = []
    for name, metrics in zip(params.experiments, snakemake.input.metrics, strict=True):
        made = [[p for p in paths if f"/{name}/" in p] for paths in (snakemake.input.figures, snakemake.input.tables)]
        own = EXPERIMENTS[name].own if name in params.own_only else None
        sections.append(section(name, metrics, *made, own))
    page = render_report(
        snakemake.input.template,
        params.study,
        ledger,
        sections,
        read_table(snakemake.input.choices),
        f"snakemake --cores 2 --configfile {params.configfile} {{experiment}}",
        {package: version(package) for package in PACKAGES},
        rows=read_table(snakemake.input.rows) if len(ledger) else None,
        sensitivity=read_sensitivity(snakemake.input.sensitivity),
        picture=snakemake.input.get("picture"),
        takeaways=write_takeaways({one.name: one.metrics for one in sections}, snakemake.output.takeaways),
        own_results=params.own_results,
        made_with=made_with(record["machine"] for record in jobs.values()),
    )
    write_text(page, snakemake.output.report)
    write_text(summary_text(ledger, snakemake.output.report, params.manifest), snakemake.output.summary)
