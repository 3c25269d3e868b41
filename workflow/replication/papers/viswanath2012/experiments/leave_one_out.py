"""Selection on training slices."""

from typing import Annotated

from annotated_types import Ge, Le, Len
from pydantic import Field

from replication.papers.viswanath2012 import layout
from replication.papers.viswanath2012.settings import ImageSettings, SliceSettings
from replication.platform.declarations import Experiment, Figure, Stages
from replication.platform.settings import Count, Distinct, Integer, Settings, Share
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study


class LeaveOneOut(Settings):
    """Experiment 3 on a simulated prostate, in place of the paper's private images."""

    contrasts: Distinct[Share] = Field(
        (0.25, 0.5, 1.0), description="contrast of the lesions: 0 is healthy tissue, 1 the full contrast of a tumour"
    )
    pairs: Count = Field(
        25,
        description=(
            "pairs of glands, each with texture and noise of its own, at the largest contrast, on which the claims are "
            "judged; one pair at the others"
        ),
    )
    slices: Annotated[Distinct[Annotated[Integer, Ge(0), Le(7)]], Len(2)] = Field(
        (0, 1, 2, 3, 4, 5, 6, 7), description="slices of each of the two glands, base to apex; each is left out once"
    )


def embed(job: Job) -> Results:
    """Images and base embeddings of the simulated prostate at one contrast of the lesions."""
    import numpy as np
    from consensus_embedding.utils.seeds import stream_seed
    from joblib import delayed

    from replication.data.phantom import prostate_slices
    from replication.data.readers.volumes import write_nifti
    from replication.papers.viswanath2012.image_slices import embed_slice, pack_slices
    from replication.shared.tasks import results_of

    contrast = float(job.wildcards.contrast)
    settings = job.section("image_embedding", SliceSettings)
    slices = {}
    for pair in range(job.settings["pairs"]):
        seed = stream_seed(job.seed, "prostate", pair) if pair else job.seed
        for gland in (0, 1):
            drawn = prostate_slices(gland, contrast, seed=seed)
            slices |= {(2 * pair + gland, z): drawn[z] for z in job.settings["slices"]}
    # Embeddings are selected within a pair: there they have the same subsets of features, and other ones in the next.
    calls = (
        delayed(embed_slice)(
            one.image, one.mask, one.lesion, settings, seed=stream_seed(job.seed, "prostate subsets", gland // 2)
        )
        for (gland, _), one in slices.items()
    )
    results = results_of(calls, job.threads, job.progress(len(slices), "slices"))
    embedded = {f"{gland}/{z}": found for (gland, z), found in zip(slices, results, strict=True)}
    write_nifti(
        np.stack([image_slice.image for image_slice in slices.values()], axis=2).astype(np.float32), job.outputs.images
    )
    labels = [image_slice.mask.astype(np.uint8) + image_slice.lesion for image_slice in slices.values()]
    write_nifti(np.stack(labels, axis=2).astype(np.uint8), job.outputs.labels)
    return {"slices": pack_slices(embedded)}


def run(job: Job) -> Results:
    """Embeddings selected on training slices, combined on the slice left out."""
    from joblib import delayed

    from replication.papers.viswanath2012 import leave_one_out
    from replication.papers.viswanath2012.image_slices import load_slices
    from replication.shared.tasks import results_of

    settings = job.section("image_embedding", ImageSettings)
    tables, maps = [], {}
    # The middle of the gland.
    shown = job.settings["leave_one_out"]["slices"][len(job.settings["leave_one_out"]["slices"]) // 2]
    for contrast, path in zip(job.settings["leave_one_out"]["contrasts"], job.inputs.slices, strict=True):
        job.say(f"lesion contrast {contrast:g}")
        pairs: dict[int, dict] = {}
        for name, embedded in load_slices(path).items():
            gland, z = map(int, name.split("/"))
            pairs.setdefault(gland // 2, {})[gland, z] = embedded
        calls = (delayed(leave_one_out.score_slices)(pair, settings, contrast) for pair in pairs.values())
        for number, (metrics, clusters) in enumerate(results_of(calls, job.threads)):
            tables.append(metrics)
            for gland in (0, 1) if number == 0 else ():
                picture = leave_one_out.pictures(
                    pairs[0][gland, shown], clusters[gland, shown], f"{contrast:g}/{gland}"
                )
                maps |= picture
    return {"metrics": tables, "maps": maps}


def _pairs(study: Study, contrast: str) -> int:
    """Pairs of glands at a contrast."""
    section = study["leave_one_out"]
    return section["pairs"] if float(contrast) == max(section["contrasts"]) else 1


EXPERIMENT = Experiment(
    "leave_one_out",
    position=9,
    settings=LeaveOneOut,
    stages=Stages("leave_one_out.pairs", (1, 8, 25)),
    title="Selection on training slices",
    text=(
        "Experiment 3 of Viswanath and Madabhushi 2012 on a simulated prostate, because the paper's images "
        "are private: pairs of glands of eight slices each, lesions of known place and contrast. All pairs have the "
        "outlines and lesions of the same two glands, and texture, noise and subsets of features of their own; at the "
        "lower contrasts there is one pair. Embeddings are selected on the training slices of the pair and combined on "
        "the slice left out; a second run leaves out a gland. The readings of theta that exclude embeddings "
        "(brain_readings) are in the table with the number of embeddings that they leave, and the claims are judged by "
        "them too. The paper selects what is strong on all training slices. Where nothing is, embeddings with the most "
        "votes are taken, or, as another choice, those that are strong by their mean strength."
    ),
    reads=("maps",),
    tables={"detection": "image_tables.detection_table", "tests": "image_tables.detection_tests"},
    figures={
        "detection": Figure(
            "image_figures.draw_detection",
            (
                "Fig. 5 of the paper on the simulated prostate: scores against the contrast of the lesions, "
                "leaving out one slice at a time. Lesions cover a small part of the gland, so finding "
                "nothing is already accurate (no pixel is cancer)."
            ),
        ),
        "maps": Figure(
            "image_figures.draw_detection_maps",
            (
                "Fig. 4 of the paper on the simulated prostate: a slice of each gland at the lowest and the "
                "highest contrast, the true lesion outlined, and the pixels detected."
            ),
        ),
    },
    steps=(
        Step(
            name="embed_prostate",
            run=embed,
            does="Base embeddings of the simulated prostate, contrast {wildcards.contrast}",
            makes={
                "slices": "embeddings/images/prostate/contrast_{contrast}.npz",
                "images": "images/prostate/contrast_{contrast}.nii.gz",
                "labels": "images/prostate/contrast_{contrast}_labels.nii.gz",
            },
            settings=lambda study, at: {
                "image_embedding": layout.slice_embedding(study),
                "slices": study["leave_one_out"]["slices"],
                "pairs": _pairs(study, at.contrast),
            },
            wildcards={"contrast": r"[\d.]+"},
            threads="workers",
            soon=True,
            takes=lambda study, at: Seconds(
                1.3, 5.8, f"leave_one_out.slices{'*leave_one_out.pairs' if _pairs(study, at.contrast) > 1 else ''}"
            ),
        ),
        Step(
            name="run_leave_one_out",
            run=run,
            does="Select embeddings on training slices, combine them on the slice left out",
            makes={"metrics": "leave_one_out/metrics.tsv", "maps": "leave_one_out/maps.npz"},
            reads=lambda study, _: {
                "slices": [
                    f"embeddings/images/prostate/contrast_{contrast}.npz"
                    for contrast in study["leave_one_out"]["contrasts"]
                ]
            },
            settings=("image_embedding", "leave_one_out"),
            threads="workers",
            takes=Seconds(20, 10, "leave_one_out.pairs"),
        ),
    ),
)
