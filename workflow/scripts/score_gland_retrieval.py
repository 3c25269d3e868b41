"""Retrieval of one set of items: simulated glands, digits, or your own."""

from replication.platform.job import every, job, save_arrays
from consensus_embedding.readers.item_table import read_items
from replication.papers.sparks2011 import gland_retrieval
from replication.shared.tidy import write_table

with job(snakemake, f"gland_retrieval, {snakemake.wildcards.set}") as say:
    params, name = snakemake.params, snakemake.wildcards.set
    how = {"seed": params.seed, "n_jobs": snakemake.threads}
    how["progress"] = every(params.grid["draws"], say, "draws")
    if params.own:
        item = {key: params.own[key] for key in ("name", "table", "dissimilarities") if key in params.own}
        settings = {"n_components": 3, "sigma": 1.0, "scaling": "zscore", **params.own}
        found = gland_retrieval.run_own(read_items(item), settings, params.grid, name=name, **how)
    else:
        run = {"glands": gland_retrieval.run_glands, "digits": gland_retrieval.run_digits}[name]
        found = run(params.parameters, params.simulator, params.grid, **how)
    metrics, pictures, queries = found
    write_table(metrics, snakemake.output.scores)
    save_arrays(snakemake.output.pictures, **pictures)
    write_table(queries, snakemake.output.queries)
