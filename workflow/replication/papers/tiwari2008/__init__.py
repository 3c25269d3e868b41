"""Tiwari et al. 2008: consensus locally linear embedding of MR spectra."""

from replication.platform.declarations import Family, Kind, Paper

PAPER = Paper(
    title="Tiwari et al. 2008",
    short_title="Tiwari 2008",
    position=3,
    kinds={
        "compare/studies": Kind(
            "order",
            "comparisons",
            required={"method": "text", "against": "names", "cases": "sections"},
            optional={
                "criterion": "above|below",
                "where": "section",
                "where_of": "section",
                "beside": "sections",
                "beside_methods": "names",
                "baselines": "section",
                "within": "size",
            },
        ),
        "value/studies": Kind(
            "value", required={"metric": "text", "where": "section", "limit": "number"}, optional={"over": "text"}
        ),
    },
    judges=("spectra_judges.SPECTRA_KINDS",),
    findings=("spectra_findings.SPECTRA_FINDINGS",),
    families={
        "spectra": Family(
            experiments=("spectra_methods", "spectra_dimensions", "spectra_stability", "spectra_components"),
            sections=("spectra", "spectra_embedding", "spectra_dimensions", "spectra_stability"),
            position=3,
        ),
    },
    takeaways=("takeaway.TAKEAWAYS",),
)
