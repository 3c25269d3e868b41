"""Scores of the paper's four methods on slices of one number of grey levels and noise level, by reading of theta."""

from replication.platform.job import job
from consensus_embedding.utils.seeds import stream_seed
from replication.data.brainweb import dataset_name, source_label
from replication.data.readers.volumes import read_volume
from replication.papers.viswanath2012.brain_readings import CONDITIONS, score_combination
from replication.papers.viswanath2012.image_slices import WHITE_MATTER, embed_slice, load_slices
from replication.papers.viswanath2012.settings import RegionSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import Metrics, write_table

with job(snakemake, "brain_readings") as say:
    params, brain, inputs = snakemake.params, snakemake.params.brain, snakemake.input
    levels, noise = int(snakemake.wildcards.levels), int(snakemake.wildcards.noise)
    settings = settings_of(RegionSettings, {**params.settings, "levels": levels}, "image_embedding")
    subject = params.unit.rpartition("_")[0]
    metrics = Metrics("brain_readings", dataset_name(subject), source_label(subject), CONDITIONS)
    first, seed = len(brain["calibration_slices"]), stream_seed(params.seed, "brain", 0)
    for k, inhomogeneity in enumerate(brain["inhomogeneity"]):
        if hasattr(inputs, "slices"):
            # The configured number of levels is embedded already.
            names = {z: f"{settings.objects}/{inhomogeneity}/{z}" for z in brain["slices"]}
            embedded = load_slices(inputs.slices, list(names.values()))
            slices = {z: embedded[name] for z, name in names.items()}
        else:
            image, labels = read_volume(inputs.images[k]).data, read_volume(inputs.labels).data
            slices = {
                z: embed_slice(image[..., i], labels[..., i] > 0, labels[..., i] == WHITE_MATTER, settings, seed=seed)
                for i, z in enumerate(brain["slices"], first)
            }
        score_combination(
            metrics, slices, settings, params.readings, levels=levels, noise=noise, inhomogeneity=inhomogeneity
        )
        say(f"{levels} grey levels, noise {noise} %, non-uniformity {inhomogeneity} %: {len(slices)} slices")
    write_table(metrics.table(), snakemake.output.scores)
