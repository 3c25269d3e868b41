"""Experiment tsne_equivalence: both kernels of our t-SNE and scikit-learn's, from the same starts."""

from pathlib import Path

import numpy as np
from replication.platform.job import job
from replication.data.digits import digits_name, digits_source
from replication.papers.tomo2025 import tsne_equivalence
from replication.shared.tidy import write_table

with job(snakemake, "tsne_equivalence") as say:
    params = snakemake.params
    chunks: dict[str, list] = {}
    for path in snakemake.input.runs:
        chunks.setdefault(Path(path).parent.name, []).append(np.load(path))
    runs = {
        name: tuple(np.concatenate([part[key] for part in parts]) for key in ("embeddings", "kl_divergences"))
        for name, parts in chunks.items()
    }
    say(", ".join(f"{len(losses)} runs {name}" for name, (_, losses) in runs.items()))
    metrics = tsne_equivalence.run(
        runs,
        solver={key: params.median_consensus[key] for key in ("tolerance", "max_iter")},
        seed=params.seed,
        dataset=digits_name(params.n_samples),
        source=digits_source(params.n_samples),
        n_jobs=snakemake.threads,
    )
    write_table(metrics, snakemake.output.metrics)
