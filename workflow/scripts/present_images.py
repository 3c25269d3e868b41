"""Tables and figures of an experiment on images."""

from pathlib import Path

import numpy as np
from replication.platform.job import job
from replication.papers.viswanath2012 import gene_tables, image_figures, image_tables
from replication.shared import figures
from replication.shared.tidy import read_table, write_table

experiment = Path(snakemake.input.metrics).parent.name
extra = snakemake.input.keys()
with job(snakemake, f"figures of {experiment}"):
    metrics = read_table(snakemake.input.metrics)
    made_tables = {
        "brain_grid": {
            "accuracy": image_tables.accuracy_table,
            "tests": image_tables.grid_tests,
            "controls": image_tables.controls_table,
            "units": image_tables.units_table,
        },
        "ml_estimators": {"estimators": image_tables.estimators_table},
        "theta_sensitivity": {
            "sensitivity": image_tables.sensitivity_table,
            "genes": gene_tables.sensitivity_table,
        },
        "intrinsic_dimension": {"dimension": image_tables.dimension_table},
        "brain_real_slices": {
            "images": image_tables.real_images_table,
            "accuracy": image_tables.real_accuracy_table,
        },
        "brain_runtime": {"runtime": image_tables.runtime_table},
        "leave_one_out": {"detection": image_tables.detection_table, "tests": image_tables.detection_tests},
    }
    for name, make in made_tables.get(experiment, {}).items():
        write_table(make(metrics), snakemake.output[f"{name}_table"])
    pictures = {name: dict(np.load(snakemake.input[name])) for name in ("images",) if name in extra}
    if experiment == "leave_one_out":
        pictures = {"maps": dict(np.load(snakemake.input.maps))}
    if experiment == "brain_grid":
        shown = zip(snakemake.params.maps, snakemake.input.maps, strict=True)
        pictures = {
            "maps": {(noise, rf): {k.split("/")[1]: a for k, a in np.load(path).items() if k.startswith(f"{rf}/")}
                     for (noise, rf), path in shown}
        }  # fmt: skip
    picks = read_table(snakemake.input.picks) if "picks" in extra else None
    for name, figure in image_figures.draw(experiment, metrics, pictures, picks).items():
        figures.save_figure(figure, *snakemake.output[name])
