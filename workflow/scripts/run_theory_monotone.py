"""Experiment theory_monotone: on simulated embeddings, and on the base embeddings of brain slices."""

import pandas as pd
from consensus_embedding.datasets.brainweb import dataset_name, source_label
from consensus_embedding.experiments import theory_monotone
from consensus_embedding.experiments.image_slices import load_slices
from consensus_embedding.experiments.tidy import write_table
from job import job

with job(snakemake.log[0], "theory_monotone") as say:
    params, parameters = snakemake.params, snakemake.params.parameters
    tables = [theory_monotone.run(parameters=parameters, seed=params.seed, progress=say)]
    subject = params.unit.rpartition("_")[0]
    names = {z: f"{params.kind}/{parameters['inhomogeneity']}/{z}" for z in params.brain["slices"]}
    embedded = load_slices(snakemake.input.slices, list(names.values()))
    for z, name in names.items():
        say(f"base embeddings of slice {z}")
        one = embedded[name]
        tables.append(
            theory_monotone.run_on_embeddings(
                one.objects.features,
                one.embeddings,
                one.positive / one.objects.sizes,
                sizes=one.objects.sizes,
                n_triplets=parameters["n_triplets"],
                n_resamples=parameters["n_resamples"],
                seed=params.seed,
                dataset=dataset_name(subject),
                source=source_label(subject),
                repetition=z,
            )
        )
    write_table(pd.concat(tables, ignore_index=True), snakemake.output.metrics)
