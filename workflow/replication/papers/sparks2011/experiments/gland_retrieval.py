"""Retrieval of glands."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from replication.papers.sparks2011.layout import TABLE_NEEDED, items_files, own_items, retrieval_sets, set_settings
from replication.papers.sparks2011.settings import (
    EmbeddedDigits,
    EmbeddedGlands,
    EmbeddingDetails,
    OutOfSample,
    OwnSet,
    Size,
)
from replication.platform.declarations import Experiment, Figure, Own, Stages
from replication.platform.settings import (
    Count,
    Distinct,
    DistinctOrNone,
    NonNegative,
    Settings,
    Some,
    different_names,
    settings_of,
    variants_of,
)
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study
from replication.shared.parts import gather
from replication.shared.rows import number_of_rows


class GlandRetrieval(Settings):
    """
    Fig. 1(c), (d) and Fig. 2: retrieval of glands by their class.

    The paper's glands are private; simulated outlines, and digits with the same class imbalance, replace them.
    """

    separation: Distinct[NonNegative] = Field(
        (0, 0.25, 1, 2),
        description=(
            "distances between the means of the classes of simulated glands, for a figure; glands.separation, on "
            "which claims are judged, is among them"
        ),
    )
    query_draws: Count = Field(
        900,
        description=(
            "draws of the cell of out_of_sample.query alone, for the items that a query returns; the first of them are "
            "those of out_of_sample.draws"
        ),
    )
    size: Size = Field("kept", description="the shape distance with the size of the outlines kept or removed")
    glands: EmbeddedGlands
    variants: variants_of(
        EmbeddedDigits, EmbeddingDetails, size=Size, shares=Literal["query", "some", "all"], queries=bool
    ) = Field(
        (
            {"name": "two components", "n_components": 2},
            {"name": "three components", "n_components": 3},
            {"name": "five components", "n_components": 5},
            {"name": "sum of Nystroem as printed", "nystroem": "printed"},
            {"name": "a quarter of sigma", "sigma": 0.25},
            {"name": "eigenvectors times eigenvalues", "eigenvectors": "eigenvalue"},
            {"name": "size removed", "size": "removed"},
            {"name": "digits without noise", "noise": 0},
            {"name": "sigma 5 times the median", "sigma": 5.0, "shares": "all", "queries": True},
            {"name": "sigma 10 times the median", "sigma": 10.0, "queries": True},
            {"name": "sigma 20 times the median", "sigma": 20.0, "queries": True},
        ),
        description=(
            "one changed detail each; a variant that changes nothing for a data set is left out. At the shares of "
            "out_of_sample.query or, with shares: all (some), at all shares (at five of training objects and three of "
            "labels), so that claims can be judged on it too; with queries: true also in all query_draws"
        ),
    )
    sets: DistinctOrNone[Literal["glands", "digits"]] = Field(
        ("glands", "digits"), description="data sets that are run in addition to your own"
    )
    digits: EmbeddedDigits
    own: Annotated[Some[OwnSet], AfterValidator(different_names)] = Field(
        (), description="your own items; config/own_retrieval.yaml shows how"
    )

    def unfit(self) -> Iterator[tuple[str, str]]:
        """The separation that claims are judged on is drawn, and names of your own sets are new."""
        judged = self.glands.separation
        if judged not in self.separation:
            yield (
                "separation",
                f"expected {judged:g} among them, which is gland_retrieval.glands.separation, on which claims are "
                f"judged, found {list(self.separation)}",
            )
        taken = sorted({own_set.name for own_set in self.own} & {"glands", "digits", "swiss_roll"})
        if taken:
            yield "own", f"expected names other than glands, digits and swiss_roll, found {', '.join(taken)}"


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """There is something to retrieve."""
    if not config["gland_retrieval"]["sets"] and not config["gland_retrieval"]["own"]:
        yield "gland_retrieval.sets: expected glands, digits or items of your own, found none"


def score(job: Job) -> Results:
    """Retrieve from one set of items: simulated glands, digits, or the user's own."""
    from replication.papers.sparks2011 import gland_retrieval

    name, settings = job.wildcards.set, {key: value for key, value in job.settings.items() if key != "out_of_sample"}
    grid = job.section("out_of_sample", OutOfSample)
    if "own" in settings:
        metrics, pictures, queries = gland_retrieval.run_configured_items(settings["own"], grid, job)
    else:
        metrics, pictures, queries = gland_retrieval.run_made_set(name, grid, **settings, work=job)
    return {"scores": metrics, "pictures": pictures, "queries": queries}


def seconds(study: Study, wildcards: Any) -> Seconds:
    """How long a set takes; the user's own items by their number, unless the run makes their table."""
    cells = "out_of_sample.draws*out_of_sample.training*out_of_sample.labelled"
    made = {"glands": 0.00027, "digits": 0.00017}
    if wildcards.set in made:
        queries = {"glands": 1.3, "digits": 0.5}[wildcards.set] * study["gland_retrieval"]["query_draws"]
        return Seconds(3 + queries, made[wildcards.set], f"{cells}*glands.classes.grade_3.n_glands")
    item = own_items(study)[wildcards.set]
    n_items = number_of_rows(item.get("table") or item["dissimilarities"])
    if n_items == 0:
        return Seconds(3, 0.038, cells)

    from replication.papers.sparks2011.gland_retrieval import own_grid, own_seconds

    grid = settings_of(OutOfSample, study["out_of_sample"], "out_of_sample")
    return Seconds(3, own_seconds(own_grid(grid, n_items, every_share=item.get("every_share", False)), n_items))


EXPERIMENT = Experiment(
    "gland_retrieval",
    position=4,
    settings=GlandRetrieval,
    check=check,
    title="Retrieval of glands",
    text=(
        "Fig. 1(c), (d) and Fig. 2 of Sparks and Madabhushi 2011: glands of the prostate are retrieved by "
        "their class. The paper's 888 glands are private. They are replaced by simulated outlines of the same "
        "classes and numbers, compared by a shape distance that does not depend on position, rotation or "
        "starting point, and handwritten digits in the same imbalance, a real public set; or, if the source says "
        "so, your own items. How far apart the classes of glands are, and how much noise the digits have, is set "
        "by what the paper prints of NM-GE (experiment retrieval_substitute). In addition there are glands further "
        "apart (table separation) and digits without noise (table variants), at the shares of the paper's Fig. "
        "2.\n\n"
        "A share M of the objects is embedded (training), a share S of these carries a label, and all others "
        "are extrapolated without a label: by NM-GE, and by OSE-SSL. GE and SSGE embed all objects. Scores "
        "are averaged over all objects, as in the paper, and over the extrapolated ones alone, which is what "
        "a query of a new gland is.\n\n"
        "One class has 84 % of the glands. So chance depends on the average: an AUPRC averaged over queries "
        "is about 0.72 for objects at random positions, averaged over classes about 0.34 (table chance; both for "
        "the paper's numbers of glands). The paper does not say which it has; its 0.3 for NM-GE is below "
        "chance by either, far below over queries and a little over classes. Averages here are over classes.\n\n"
        "With sigma at the median dissimilarity the labels hardly change what is retrieved among glands, though they "
        "change the weight of a median pair by more than a third. So the claims on glands are judged with sigma at "
        "five times the median as well (CH-25; ten and twenty times at the shares of Fig. 2).\n\n"
        "Controls: ranking by the dissimilarity itself, objects at random positions, SSGE of all objects "
        "recomputed with exactly the labels of OSE-SSL, a matrix of zeros for the approximation error, the "
        "separation of the classes from none to more than simulated, and training drawn by whole regions, "
        "since glands of one region resemble each other: then no gland of a query's region is in training, "
        "but its region mates outside training are still ranked.\n\n" + TABLE_NEEDED
    ),
    reads=("pictures",),
    tables={
        "compared": "retrieval_tables.compared",
        "curves": "retrieval_tables.curves",
        "chance": "retrieval_tables.chance",
        "first_five": "retrieval_tables.first_five",
        "needed": "retrieval_tables.needed",
        "errors": "retrieval_tables.errors",
        "separation": "retrieval_tables.separation",
        "variants": "retrieval_tables.variants",
    },
    figures={
        "curves": Figure(
            "retrieval_figures.draw_curves",
            (
                "Fig. 1(c) and (d) of the paper on its substitutes: silhouette index and AUPRC, averaged over classes, "
                "against the share M of training objects, by method and share S of labels. Orange squares: the "
                "extrapolated objects alone, which is what a new object meets; blue dots: all objects, the training "
                "objects among them. Dashed: all objects embedded together, by GE (no labels) or SSGE with the same S, "
                "which extrapolation is to reach. Dotted: objects at random positions. Lines are means over the draws, "
                "bands ± SD. At M = 100 % nothing is extrapolated."
            ),
        ),
        "query": Figure(
            "retrieval_pictures.draw_queries",
            (
                "Fig. 2 of the paper: a query of the rarest class of each data set (left), and the first items that "
                "NM-GE, OSE-SSL and the dissimilarity itself return from the training objects, nearest first. The "
                "query is the first extrapolated object of that class in stored order, not picked by what it "
                "returns. Solid green frame and tick: of the query's class; dashed orange frame and cross: of another "
                "class, named below. One query is an example: the table first_five has all of them. Your own items "
                "have names in place of pictures (tables/queries_*.tsv)."
            ),
        ),
        "separation": Figure(
            "retrieval_figures.draw_separation",
            (
                "Silhouette index (left) and AUPRC, averaged over classes (right), against the separation of "
                "the class means of the simulated glands, over all objects (above) and over the extrapolated "
                "ones alone (below). Grey line: what all other figures show; 0: the class means are the same; 1: "
                "as far apart as pathology says. The same random numbers at each separation. “Recomputed SSGE”: "
                "all objects embedded "
                "again with the labels of OSE-SSL. Mean ± SD over the draws."
            ),
        ),
    },
    own=Own(
        text=(
            "Which items are nearest to each query (tables queries_<name>), and how far can these answers be "
            "trusted? A share M of the items is embedded (training), a share S of their labels is known, "
            "and all others are placed in the embedding without a label: by NM-GE, which uses no labels, and by "
            "OSE-SSL, which uses those of the training items. GE and SSGE embed all items at once. AUPRC says how "
            "well items of the class of a query rank before the others, averaged over classes; the silhouette index "
            "says how far the classes are apart. Compare with the dissimilarity itself, without any embedding, and "
            "with items at random places (table chance). The extrapolated items are what a new query is. Table needed "
            "has the smallest share M from which on OSE-SSL stays at most 0.05 below SSGE with the same S, and NM-GE "
            "below GE."
        ),
        captions={
            "curves": (
                "Silhouette index and AUPRC, averaged over classes, against the share M of training items, by method "
                "and share S of labels. Orange squares: the extrapolated items alone, which is what a new item meets; "
                "blue dots: all items. Dashed: all items embedded together, by GE (no labels) or SSGE. Dotted: items "
                "at random places. Lines are means over the draws, bands ± SD. At M = 100 % nothing is extrapolated."
            ),
        },
        left_out=("query", "separation"),
    ),
    run_tables=lambda study: [f"queries_{name}" for name in retrieval_sets(study)],
    files=lambda study: {"pictures": [f"gland_retrieval/parts/{name}_pictures.npz" for name in retrieval_sets(study)]},
    own_only=lambda study: not study["gland_retrieval"]["sets"],
    own_results=lambda study: {
        f"gland_retrieval/tables/queries_{name}.tsv": f"the nearest items to each query of {name}"
        for name in own_items(study)
    },
    present_seconds=23.4,
    stages=Stages("gland_retrieval.query_draws", (10, 900), claims=("OS-11",)),
    steps=(
        Step(
            name="score_gland_retrieval",
            title="gland_retrieval, {set}",
            run=score,
            does="Retrieve by class, {wildcards.set}",
            makes={
                "scores": "gland_retrieval/parts/{set}.tsv",
                "pictures": "gland_retrieval/parts/{set}_pictures.npz",
                "queries": "gland_retrieval/tables/queries_{set}.tsv",
            },
            reads=lambda study, wildcards: {"table": items_files(study, wildcards.set)},
            settings=lambda study, wildcards: {
                "out_of_sample": study["out_of_sample"],
                **set_settings(study, wildcards.set),
            },
            wildcards=lambda study: {"set": retrieval_sets(study)},
            threads="workers",
            memory_mb=3000,
            minutes=60,
            soon=True,
            takes=seconds,
        ),
        gather("gland_retrieval", retrieval_sets, does="Gather the scores of all data sets", takes=Seconds(3.6)),
    ),
)
