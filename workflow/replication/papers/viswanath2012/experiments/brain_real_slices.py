"""Real and simulated slices."""

from replication.papers.viswanath2012 import layout
from replication.papers.viswanath2012.settings import ImageSettings
from replication.platform.declarations import Experiment, Figure
from replication.platform.steps import Job, Results, Seconds, Step


def run(job: Job) -> Results:
    """Three real slices compared with their re-simulation."""
    from pathlib import Path

    from replication.data import brainweb
    from replication.papers.viswanath2012 import brain_real_slices

    # The folder that holds the folder brainweb.
    data = Path(job.inputs.files[0]).parents[1]
    real, at = brainweb.real_slices(data), brainweb.REAL_SLICES
    level = brainweb.REAL_NOISE, brainweb.REAL_INHOMOGENEITY
    simulated = brainweb.brain_slices("brainweb_resimulated", *level, at, data_folder=data, seed=job.seed)
    images = {"original": real, "simulated": simulated}
    comparison = brainweb.compare_with_real(real, simulated, data)
    settings = job.section("image_embedding", ImageSettings)
    metrics = brain_real_slices.run(images, comparison, settings, seed=job.seed)
    pictures = {
        f"{source}/{z}": image_slice.image
        for source, slices in images.items()
        for z, image_slice in zip(at, slices, strict=True)
    }
    masks = {f"labels/{z}": image_slice.labels for z, image_slice in zip(at, real, strict=True)}
    return {"metrics": metrics, "images": {**pictures, **masks}}


EXPERIMENT = Experiment(
    "brain_real_slices",
    position=7,
    title="Real and simulated slices",
    text=(
        "Three real slices of the official volume with 3 % noise and 20 % non-uniformity are public. The "
        "tissue values and the blur of the simulator were fitted to these slices, so their agreement "
        "shows what the model can describe, not how well it generalises; noise and field were not fitted. "
        "Experiment 1 runs on them as on their re-simulation."
    ),
    reads=("slices",),
    tables={"images": "image_tables.real_images_table", "accuracy": "image_tables.real_accuracy_table"},
    figures={
        "real_slices": Figure(
            "image_figures.draw_real_slices",
            (
                "A real BrainWeb slice, its re-simulation from labels, tissue fractions and field, and the "
                "accuracy of every method on the real and on the simulated slices."
            ),
        ),
    },
    steps=(
        Step(
            name="run_brain_real_slices",
            run=run,
            does="Compare the real slices with their re-simulation",
            makes={"metrics": "brain_real_slices/metrics.tsv", "images": "brain_real_slices/slices.npz"},
            reads=lambda study, _: {"files": [*layout.RESIMULATED, f"{layout.BRAINWEB}/BrainProtonDensity3Slices.raw"]},
            settings=("image_embedding",),
            takes=Seconds(13.8),
        ),
    ),
)
