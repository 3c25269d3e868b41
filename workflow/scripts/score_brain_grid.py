"""Scores of every representation on the slices of one subject, draw and noise level."""

import numpy as np
from replication.platform.job import job, save_arrays
from replication.data.brainweb import dataset_name, source_label
from replication.data.readers.volumes import read_volume
from replication.papers.viswanath2012.brain_grid import CONDITIONS, learnt_strengths, region_map, score_combination
from replication.papers.viswanath2012.image_slices import load_slices, slice_features
from replication.papers.viswanath2012.method_names import PAPER_METHODS
from replication.papers.viswanath2012.settings import ImageSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import Metrics, write_table

with job(snakemake, "brain_grid") as say:
    params, brain = snakemake.params, snakemake.params.brain
    settings = settings_of(ImageSettings, params.settings, "image_embedding")
    subject, _, draw = snakemake.wildcards.unit.rpartition("_")
    metrics = Metrics("brain_grid", dataset_name(subject), source_label(subject), CONDITIONS)
    embedded = load_slices(snakemake.input.slices)
    names = [*brain["calibration_slices"], *brain["slices"]]
    pictures = {}
    for k, kind in enumerate(dict.fromkeys(name.split("/")[0] for name in embedded)):
        for inhomogeneity, path in zip(brain["inhomogeneity"], snakemake.input.images, strict=True):
            slices = {z: embedded[f"{kind}/{inhomogeneity}/{z}"] for z in names}
            calibration = [slices.pop(z) for z in brain["calibration_slices"]]
            images = read_volume(path).data
            image = {z: images[..., names.index(z)] for z in slices}
            # The pixels themselves are clustered once, whatever the kinds of objects.
            features = None if k else {z: slice_features(image[z], one.mask, settings) for z, one in slices.items()}
            maps = score_combination(
                metrics,
                slices,
                learnt_strengths(calibration),
                settings,
                features=features,
                seed=params.seed,
                objects=kind,
                noise=int(snakemake.wildcards.noise),
                inhomogeneity=inhomogeneity,
                draw=int(draw),
            )
            say(f"{kind} objects, non-uniformity {inhomogeneity} %: {len(slices)} slices")
            if k == 0 and params.map_slice in slices:
                z, one = params.map_slice, slices[params.map_slice]
                pictures[f"{inhomogeneity}/image"] = image[z]
                pictures[f"{inhomogeneity}/truth"] = np.where(one.mask, 0, -1)
                pictures[f"{inhomogeneity}/truth"][one.mask] = one.positive_pixels
                pictures |= {f"{inhomogeneity}/{m}": region_map(one, maps[z][m]) for m in PAPER_METHODS}
    write_table(metrics.table(), snakemake.output.scores)
    save_arrays(snakemake.output.maps, **pictures)
