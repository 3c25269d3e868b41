"""Experiment leave_one_out: embeddings selected on training slices, combined on the slice left out."""

import pandas as pd
from replication.platform.job import job, save_arrays
from replication.papers.viswanath2012 import leave_one_out
from replication.papers.viswanath2012.image_slices import load_slices
from replication.papers.viswanath2012.settings import ImageSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import Metrics, write_table

with job(snakemake, "leave_one_out") as say:
    params = snakemake.params
    settings = settings_of(ImageSettings, params.settings, "image_embedding")
    tables, maps = [], {}
    # The middle of the gland.
    shown = params.parameters["slices"][len(params.parameters["slices"]) // 2]
    for contrast, path in zip(params.parameters["contrasts"], snakemake.input.slices, strict=True):
        say(f"lesion contrast {contrast:g}")
        metrics = Metrics("leave_one_out", "prostate_phantom", "simulated", leave_one_out.CONDITIONS)
        slices = {tuple(map(int, name.split("/"))): one for name, one in load_slices(path).items()}
        found = leave_one_out.score_slices(metrics, slices, settings, contrast=contrast)
        tables.append(metrics.table())
        for (gland, z), one in slices.items():
            if z == shown:
                maps |= leave_one_out.pictures(one, found[gland, z], f"{contrast:g}/{gland}")
    write_table(pd.concat(tables, ignore_index=True), snakemake.output.metrics)
    save_arrays(snakemake.output.maps, **maps)
