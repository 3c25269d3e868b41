"""Steps that the experiments on MR spectra share: simulated spectra, and the user's own."""

from __future__ import annotations

from pathlib import Path

from replication.data.settings import ProstateMRSI
from replication.papers.tiwari2008 import layout
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study, named_files


def _own_files(study: Study) -> list[Path]:
    return [Path(path) for item in study["spectra"]["own"] for path in named_files(item).values()]


def _numbers(study: Study, condition: str) -> dict[str, int]:
    """How many studies are simulated: all under the main condition, the first of them under the others."""
    sizes, drawn = study["spectra"], condition.startswith("draw_")
    others = "n_repeated" if drawn else "n_varied"
    scored = sizes["n_studies"] if condition == "main" else min(sizes[others], sizes["n_studies"])
    # Other draws of the noise are scored with what was learnt under the first condition.
    return {"evaluation": scored, "training": 0 if drawn else sizes["n_training"]}


def simulate_spectra(job: Job) -> Results:
    """Simulated prostate MRSI studies of one condition: those that are scored and those that methods learn on."""
    from replication.data.prostate_mrsi import ROLES, simulate_cohort
    from replication.data.readers.spectra import save_studies

    parameters, made = job.section("prostate_mrsi", ProstateMRSI), {}
    for part, n_studies in job.settings["n_studies"].items():
        studies = simulate_cohort(parameters, job.seed, ROLES[part], n_studies, **job.settings["condition"])
        made[part] = save_studies(studies)
        job.say(f"{len(studies)} studies for {part}, {sum(len(study.spectra) for study in studies)} spectra")
    return made


def read_spectra(job: Job) -> Results:
    """Own studies of MR spectra, from tables or NIfTI-MRS."""
    from replication.data.readers.spectra import read_own_study, save_studies

    read = {}
    for role in ("evaluation", "training"):
        studies = []
        for item in job.settings["studies"]:
            if item["role"] == role:
                studies.append(read_own_study(item))
                job.say(f"{item['name']}: {len(studies[-1].spectra)} spectra of {len(studies[-1].ppm)} points, {role}")
        read[role] = save_studies(studies)
    return read


def write_example_spectra(job: Job) -> None:
    """Tables of simulated MR spectra to try the experiments on: a row per voxel, a column per ppm."""
    import pandas as pd

    from replication.data.prostate_mrsi import simulate_cohort
    from replication.shared.tidy import write_table

    paths = job.outputs.tables
    parameters = job.section("prostate_mrsi", ProstateMRSI)
    studies = simulate_cohort(parameters, job.seed, "example", len(paths))
    for study, path in zip(studies, paths, strict=True):
        table = pd.DataFrame(study.positions, columns=["x", "y", "z"])
        table["box"], table["truth"] = study.box.astype(int), study.truth.astype(int)
        spectra = pd.DataFrame(study.spectra, columns=[f"{ppm:.4f}" for ppm in study.ppm])
        write_table(pd.concat([table, spectra], axis=1), path)


STEPS = (
    Step(
        name="simulate_spectra",
        run=simulate_spectra,
        does="Simulate MR spectra, {wildcards.condition}",
        makes=layout.spectra("{condition}"),
        settings=lambda study, at: {
            "prostate_mrsi": study["prostate_mrsi"],
            "n_studies": _numbers(study, at.condition),
            "condition": {**layout.conditions(study), **layout.noise_draws(study)}[at.condition],
        },
        wildcards={"condition": r"main|draw_\d+|noise_.+"},
        minutes=10,
        group="simulate",
        takes=lambda _, at: (
            Seconds(1.3, 0.15, "spectra.n_studies")
            if at.condition == "main"
            else Seconds(1.3, 0.27, "spectra.n_repeated" if at.condition.startswith("draw_") else "spectra.n_varied")
        ),
    ),
    Step(
        name="read_spectra",
        run=read_spectra,
        does="Read your own MR spectra",
        makes=layout.spectra("own"),
        reads=lambda study, _: {"files": _own_files(study)},
        settings=lambda study, _: {"studies": study["spectra"]["own"]},
        takes=Seconds(2),
    ),
    Step(
        name="write_example_spectra",
        run=write_example_spectra,
        does="Write studies of MR spectra to try the experiments on",
        makes={"tables": [f"results/example/spectra_{name}.tsv" for name in ("first", "second", "third", "fourth")]},
        settings=("prostate_mrsi",),
        takes=Seconds(2),
    ),
)
