"""Retrieval of one set of items: simulated glands, digits, or your own."""

from replication.platform.job import every, job, save_arrays
from consensus_embedding.utils.progress import duration
from replication.data.glands import GlandSimulator
from replication.data.readers.item_table import read_items
from replication.papers.sparks2011.gland_retrieval import (
    GlandRetrieval,
    own_grid,
    own_seconds,
    run_digits,
    run_glands,
    run_own,
)
from replication.papers.sparks2011.retrieval_grid import OutOfSample
from replication.papers.sparks2011.retrieval_sets import SetSettings, class_counts
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

with job(snakemake, f"gland_retrieval, {snakemake.wildcards.set}") as say:
    params, name = snakemake.params, snakemake.wildcards.set
    how = {"seed": params.seed, "n_jobs": snakemake.threads}
    grid = from_section(OutOfSample, params.grid, "out_of_sample")
    how["progress"] = every(grid.draws, say, "draws")
    if params.own:
        item = {key: params.own[key] for key in ("name", "table", "dissimilarities") if key in params.own}
        settings = {
            key: params.own[key] for key in ("n_components", "sigma", "scaling", "every_share") if key in params.own
        }
        items = read_items(item)
        used = own_grid(grid, len(items.names), every_share=settings.get("every_share", False))
        left_out = used != grid
        say(
            f"{len(items.names)} items at {len(used.training)} shares of training objects and {len(used.labelled)} of "
            f"labels{' (of so many items not at all; every_share: true scores them)' * left_out}, expected to take "
            f"about {duration(own_seconds(used, len(items.names)) / how['n_jobs'])}"
        )
        found = run_own(items, grid, name=name, **settings, **how)
    elif name == "digits":
        settings = from_section(SetSettings, params.parameters["digits"], "gland_retrieval.digits")
        found = run_digits(settings, params.parameters["variants"], class_counts(params.simulator), grid, **how)
    else:
        parameters = from_section(GlandRetrieval, params.parameters, "gland_retrieval")
        found = run_glands(parameters, from_section(GlandSimulator, params.simulator, "glands"), grid, **how)
    metrics, pictures, queries = found
    write_table(metrics, snakemake.output.scores)
    save_arrays(snakemake.output.pictures, **pictures)
    write_table(queries, snakemake.output.queries)
