"""
How precise the median of normal numbers is, compared with their mean: a whole experiment in one file.

The example of CONTRIBUTING.md; `test_new_experiment` puts it into the experiments of a paper.
"""

from pydantic import Field
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class MedianEfficiency(Settings):
    """Mean and median of normal numbers."""

    sizes: Distinct[Count] = Field((3, 11, 101), description="numbers that are combined")
    repetitions: Count = Field(2000, description="draws of each")


def run(job: Job) -> Results:
    """Draw numbers; give the squared errors of their mean and median."""
    from consensus_embedding.utils.seeds import stream
    from replication.shared.tidy import Metrics

    settings = job.section("median_efficiency", MedianEfficiency)
    metrics = Metrics("median_efficiency", "normal_numbers", "simulated", ["size"])
    for size in settings.sizes:
        job.say(f"{settings.repetitions} times {size} numbers")
        rng = stream(job.seed, "median_efficiency", size)
        for repetition in range(settings.repetitions):
            numbers = rng.normal(size=size)
            for method, estimate in {"mean": numbers.mean(), "median": sorted(numbers)[size // 2]}.items():
                metrics.add(method, "squared_error", float(estimate) ** 2, repetition, size=size)
    return {"metrics": metrics}


def efficiency_table(metrics):
    """Ratio of the mean squared errors by size."""
    means = metrics.groupby(["size", "method"])["value"].mean().unstack("method")
    return (means["mean"] / means["median"]).rename("efficiency").reset_index()


def draw_efficiency(efficiency_table):
    """The ratio against the size."""
    from matplotlib.figure import Figure as Picture

    picture = Picture(figsize=(4, 3), layout="constrained")
    axes = picture.subplots()
    axes.plot(efficiency_table["size"], efficiency_table["efficiency"], "o-")
    axes.set(xlabel="Numbers combined", ylabel="Efficiency of the median")
    return picture


EXPERIMENT = Experiment(
    "median_efficiency",
    position=17,
    settings=MedianEfficiency,
    title="Efficiency of the median",
    text="How precise is the median of k normal numbers, compared with their mean? Its efficiency tends to 2 / pi.",
    tables={"efficiency": "experiments.median_efficiency.efficiency_table"},
    figures={
        "efficiency": Figure(
            "experiments.median_efficiency.draw_efficiency",
            "Mean squared error of the mean divided by that of the median, by the number of normal numbers.",
        ),
    },
    steps=(
        Step(
            name="run_median_efficiency",
            run=run,
            does="Errors of mean and median",
            makes={"metrics": "median_efficiency/metrics.tsv"},
            settings=("median_efficiency",),
            takes=Seconds(2, 0.00002, "median_efficiency.sizes*median_efficiency.repetitions"),
        ),
    ),
)
