"""With native arithmetic t-SNE has other numbers on another processor, and the report says which arithmetic it was."""

import pytest
from consensus_embedding.utils.arithmetic import why_not_portable
from processors import PROCESSORS, differing
from test_processors import STUDY

pytestmark = pytest.mark.long_study


@pytest.mark.skipif(why_not_portable() is not None, reason="this processor has no AVX2")
def test_a_native_study_runs_on_another_processor_and_says_so(new_checkout):
    """It also shows that the comparison in test_processors.py can fail."""
    folders = []
    for arithmetic, variables in (("portable", {}), ("native", PROCESSORS["x86-64-v2, Nehalem"])):
        checkout = new_checkout()
        path = checkout.write_config(STUDY | {"arithmetic": arithmetic, "experiments": ["mce_convergence"]})
        checkout.snakemake("--cores", "2", "--configfile", path, **variables)
        folders.append(checkout / "results" / "quick")
    portable, native = folders
    assert "mce_convergence/metrics.tsv" in differing(portable, native)
    assert "Portable (x86-64-v3) arithmetic on" in (portable / "report.html").read_text()
    assert "Native arithmetic on" in (native / "report.html").read_text()
