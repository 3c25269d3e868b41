"""Write the report of a study and its summary of a few lines."""

import shlex
from pathlib import Path

import pandas as pd
import yaml
from replication.catalogue.experiments import EXPERIMENTS
from replication.catalogue.schedule import jobs_of
from replication.platform.files import write_text
from replication.platform.job import job
from replication.platform.provenance import gather, made_with, package_versions, read_records
from replication.report.page import read_sensitivity, render_report
from replication.report.sections import section_of
from replication.report.summary import summary_text
from replication.shared.tidy import read_table

with job(snakemake, "report") as say:
    params = snakemake.params
    folder = str(Path(snakemake.output.report).parent)
    # Only the jobs behind this report: the folder of records also has those of other targets and of an earlier report.
    records = read_records(params.records)
    manifest = gather(
        results=[path for path in snakemake.input if path.startswith(folder)],
        records=records,
        study=params.study,
        folder=folder,
        configuration={},
    )
    # A study without claims has no ledger.
    ledger = read_table(snakemake.input.ledger) if snakemake.input.get("ledger") else pd.DataFrame()
    paper_scale = read_table(snakemake.input.paper_ledger) if snakemake.input.get("paper_ledger") else None
    behind = [made for name, made in jobs_of(records, folder).items() if name in manifest["jobs"]]
    sections = []
    for name, metrics in zip(params.experiments, snakemake.input.metrics, strict=True):
        own = EXPERIMENTS[name].own if name in params.own_only else None
        seconds = sum(made.seconds for made in behind if made.experiment == name)
        sections.append(section_of(name, metrics, snakemake.input.figures, snakemake.input.tables, own, seconds))
    page = render_report(
        snakemake.input.template,
        params.study,
        ledger,
        sections,
        read_table(snakemake.input.choices),
        # The experiment comes first: after --configfile it would be taken for a file.
        f"snakemake --cores 2 {{experiment}} {shlex.join(params.configuration)}".strip(),
        package_versions(),
        rows=read_table(snakemake.input.rows) if len(ledger) else None,
        sensitivity=read_sensitivity(snakemake.input.sensitivity),
        own_results=params.own_results,
        made_with=made_with(manifest["machines"][record["machine"]] for record in manifest["jobs"].values()),
        glossary=yaml.safe_load(Path(snakemake.input.glossary).read_text(encoding="utf-8")),
        paper_scale=paper_scale,
    )
    write_text(page, snakemake.output.report)
    summary = summary_text(ledger, snakemake.output.report, params.manifest, paper_scale)
    write_text(summary, snakemake.output.summary)
