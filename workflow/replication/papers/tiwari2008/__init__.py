"""Tiwari et al. 2008: consensus locally linear embedding of MR spectra."""

from replication.papers.tiwari2008.layout import base_files
from replication.platform.declarations import Family, Paper

PAPER = Paper(
    title="Tiwari et al. 2008",
    short_title="Tiwari 2008",
    position=3,
    ledger_position=3,
    judges=("spectra_judges.SPECTRA_KINDS",),
    findings=("spectra_findings.SPECTRA_FINDINGS",),
    families={
        "spectra": Family(
            experiments=("spectra_methods", "spectra_dimensions", "spectra_stability", "spectra_components"),
            sections=("spectra", "spectra_embedding", "spectra_dimensions", "spectra_stability"),
            position=3,
            files=base_files,
        ),
    },
    takeaways=("takeaway.TAKEAWAYS",),
)
