"""Experiment retrieval_substitute: sets the roll, and how hard glands and digits are, by the paper's baseline."""

from replication.platform.job import job
from replication.data.glands import GlandSimulator
from replication.papers.sparks2011.retrieval_calibration import SizedSet
from replication.papers.sparks2011.retrieval_grid import Query
from replication.papers.sparks2011.retrieval_substitute import RetrievalSubstitute, run
from replication.papers.sparks2011.swiss_roll import RollSettings
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

with job(snakemake, "retrieval_substitute") as say:
    params = snakemake.params
    configured = {
        name: from_section(RollSettings if name == "swiss_roll" else SizedSet, one, name)
        for name, one in params.configured.items()
    }
    metrics, picks = run(
        from_section(RetrievalSubstitute, params.parameters, "retrieval_substitute"), configured,
        from_section(GlandSimulator, params.simulator, "glands"), params.grid,
        from_section(Query, params.query, "out_of_sample.query"),
        seed=params.seed, n_jobs=snakemake.threads, progress=say,
    )  # fmt: skip
    write_table(metrics, snakemake.output.metrics)
    write_table(picks, snakemake.output.picks)
