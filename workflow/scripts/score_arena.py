"""One input of the arena: its runs, combined by every method, and the scores."""

from replication.platform.job import every, job, save_arrays
from consensus_embedding.utils.seeds import stream_seed
from replication.arena import arena_inputs, consensus_arena
from replication.data.readers.expression import load_split
from replication.data.readers.spectra import load_studies
from replication.data.readers.volumes import read_volume
from replication.papers.tiwari2008.spectra_studies import SpectraSettings
from replication.papers.tomo2025.pools import TSNESettings
from replication.papers.viswanath2012.settings import PoolSettings, SliceSettings
from replication.platform.settings import from_section
from replication.shared.tidy import write_table

kind = snakemake.wildcards.kind
with job(snakemake, f"{kind} of {snakemake.wildcards.data}") as say:
    params, inputs, one = snakemake.params, snakemake.input, snakemake.params.about
    sizes = arena_inputs.PoolSizes(params.sizes["repetitions"], params.sizes["n_embeddings"])
    seed = stream_seed(params.seed, "arena", kind, snakemake.wildcards.data)
    if one["family"] == "slices":
        data, pools = arena_inputs.slice_input(
            read_volume(inputs.image).data[..., one["position"]],
            read_volume(inputs.labels).data[..., one["position"]],
            one["slice"],
            from_section(SliceSettings, params.settings, "image_embedding"),
            sizes, one["source"], seed,
        )  # fmt: skip
    elif one["family"] == "spectra":
        settings = from_section(SpectraSettings, params.settings, "spectra_embedding")
        study = load_studies(inputs.studies)[one["study"]]
        data = arena_inputs.spectra_data(study, one["study"], one["source"], settings)
        pools = arena_inputs.kappa_pools(data, settings, sizes, params.options["kappas"])
    else:
        if one["family"] == "genes":
            settings = from_section(PoolSettings, params.settings, "gene_embedding")
            split = load_split(inputs.split)
            data = arena_inputs.gene_data(split, snakemake.wildcards.data, one["source"], settings)
        else:
            data = arena_inputs.digits_data(one["n_samples"])
        if kind == "subsets":
            pools = arena_inputs.subset_pools(data, settings, sizes, seed)
        else:
            tsne = from_section(TSNESettings, params.tsne, "tsne")
            progress = every(sizes.total, say, "runs")
            pools = arena_inputs.run_pools(kind, data, tsne, sizes, params.options, seed, progress)
    say(f"{sizes.repetitions} pools of {sizes.n_embeddings} embeddings of {len(data.X)} points")
    save_arrays(snakemake.output.pools, **arena_inputs.save_input(data, pools))
    metrics = consensus_arena.run(data, kind, pools, n_neighbors=params.n_neighbors, seed=seed, progress=say)
    write_table(metrics.table(), snakemake.output.scores)
