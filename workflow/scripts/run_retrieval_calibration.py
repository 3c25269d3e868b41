"""Experiment retrieval_calibration: picks the details that Sparks 2011 leaves open."""

from replication.platform.job import job
from replication.data.glands import GlandSimulator
from replication.papers.sparks2011.retrieval_calibration import RetrievalCalibration, SizedSet, run
from replication.papers.sparks2011.swiss_roll import RollSettings
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

with job(snakemake, "retrieval_calibration") as say:
    params = snakemake.params
    configured = {
        name: from_section(RollSettings if name == "swiss_roll" else SizedSet, one, name)
        for name, one in params.configured.items()
    }
    metrics, picks = run(
        from_section(RetrievalCalibration, params.parameters, "retrieval_calibration"), configured,
        from_section(GlandSimulator, params.simulator, "glands"), params.grid,
        seed=params.seed, n_jobs=snakemake.threads, progress=say,
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)
    write_table(picks, snakemake.output.picks)
