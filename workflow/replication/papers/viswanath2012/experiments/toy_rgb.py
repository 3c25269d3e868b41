"""The toy image of Fig. 1."""

from collections.abc import Iterator, Mapping
from typing import Annotated

from annotated_types import Ge, Le, Len
from pydantic import Field

from replication.papers.viswanath2012.settings import Graph
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Integer, Natural, NonNegative, Settings, given
from replication.platform.steps import Job, Results, Seconds, Step


class ToyPicture(Settings):
    """The draw that the figure shows."""

    noise: NonNegative = Field(2, description="one of noise")
    red_noise: NonNegative = Field(0, description="one of red_noise")
    draw: Natural = Field(0, description="which draw, counted from 0")
    graph: str = Field("knn", description="name of a graph")


class ToyStudy(Settings):
    """The toy image of Fig. 1: two regions that differ in red, noise on green and blue."""

    size: Annotated[Integer, Ge(8), Le(64)] = Field(22, description="side of the image in pixels")
    noise: Distinct[NonNegative] = Field(
        (0.5, 1, 2, 3, 4),
        description="standard deviations of the noise on green and blue, in units of the difference in red",
    )
    red_noise: Distinct[NonNegative] = Field(
        (0,), description="the same on red. The claim is judged without; the figure shows the first"
    )
    n_draws: Count = Field(100, description="draws of the noise")
    n_components: Count = Field(2, description="of the consensus and of the graph embedding of all three colours")
    graphs: Annotated[Mapping[str, given(Graph)], Len(1)] = Field(
        {
            "knn": {"kernel": "knn", "n_neighbors": 15, "scaling": "rows"},
            "exponential": {"kernel": "exponential", "scaling": "rows"},
            "gaussian": {"kernel": "gaussian", "scaling": "rows"},
            "local_scaling": {"kernel": "local_scaling", "scaling": "rows"},
        },
        description="graphs by name; the first is judged, the others are choices (CH-05). Options are those of "
        "image_embedding; scaling is what that calls eigenvectors",
    )
    picture: ToyPicture

    def unfit(self) -> Iterator[tuple[str, str]]:
        """The picture is of one of the graphs, and of noise that is drawn."""
        for name, drawn in (("noise", self.noise), ("red_noise", self.red_noise)):
            if getattr(self.picture, name) not in drawn:
                values = ", ".join(f"{value:g}" for value in drawn)
                yield f"picture.{name}", f"expected one of {values}, found {getattr(self.picture, name):g}"
        if self.picture.draw >= self.n_draws:
            yield "picture.draw", f"expected less than n_draws, {self.n_draws}, found {self.picture.draw}"
        if self.picture.graph not in self.graphs:
            yield "picture.graph", f"expected one of {', '.join(self.graphs)}, found {self.picture.graph}"


def run(job: Job) -> Results:
    """Run the experiment."""
    from replication.papers.viswanath2012 import toy_rgb

    parameters = job.section("toy_rgb", ToyStudy)
    metrics, pictures = toy_rgb.run(parameters, job)
    return {"metrics": metrics, "pictures": pictures}


EXPERIMENT = Experiment(
    "toy_rgb",
    position=10,
    settings=ToyStudy,
    title="The toy image of Fig. 1",
    text=(
        "Fig. 1 of Viswanath and Madabhushi 2012: a colour image whose two regions differ in red only, with "
        "noise on green and blue."
    ),
    reads=("pictures",),
    tables={"accuracy": "theory_tables.toy_table"},
    figures={
        "pictures": Figure(
            "theory_figures.draw_toy_pictures",
            (
                "The clean and the noisy image, and the regions that two clusters find in the colours, in one "
                "graph embedding of the three colours, and in the consensus of two one-dimensional graph "
                "embeddings. Each colour of the noisy image is spread over its own range; on one scale for all the "
                "noise on green and blue hides the difference in red, as it does from k-means."
            ),
        ),
        "accuracy": Figure(
            "theory_figures.draw_toy_accuracy",
            (
                "Accuracy of foreground against background over draws of the noise, against the size of the "
                "noise on green and blue, with each kind of graph; the first is judged, the others are choices "
                "(CH-05). Of several sizes of the noise on red the first is shown; the table has all."
            ),
        ),
    },
    steps=(
        Step(
            name="run_toy_rgb",
            run=run,
            does="Consensus of one-dimensional embeddings on the toy image",
            makes={"metrics": "toy_rgb/metrics.tsv", "pictures": "toy_rgb/pictures.npz"},
            settings=("toy_rgb",),
            threads="workers",
            takes=Seconds(1.2, 0.18, "toy_rgb.graphs*toy_rgb.noise*toy_rgb.red_noise*toy_rgb.n_draws"),
        ),
    ),
)
