"""
Sections of the configuration that the experiments on images and on genes share.

A rule hands over no key that its job does not read, so that a change of it does not rerun the job: image_embedding and
gene_embedding are built of the parts that single jobs read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le, Len
from pydantic import AfterValidator, Field, ValidationError

from replication.papers.viswanath2012.brain_settings import N_TEXTURES
from replication.platform.refusals import refusals
from replication.platform.settings import (
    AtLeastOne,
    Count,
    Distinct,
    Integer,
    Item,
    Name,
    Natural,
    Number,
    Pair,
    Part,
    Percentage,
    Positive,
    Settings,
    Some,
    Text,
    Threshold,
    different_names,
    needs_label,
)

Kernel = Literal["knn", "exponential", "gaussian", "local_scaling"]
Eigenvectors = Literal["rows", "none", "eigenvalue", "diffusion"]
Mds = Literal["classical", "smacof"]
ObjectKind = Literal["mean_shift", "mean_shift_gaussian", "k_means", "random"]
ThetaReading = Literal["literal", "within", "strongest", "chance_corrected", "absolute"]
Levels = Annotated[Integer, Ge(2), Le(256)]
# What is read from a table to prepared genes.
PREPARATION = ("n_genes", "pruning", "transform", "standardization")
# In any kernel, also knn.
SIGMA = "width of the kernel, in units of the median distance, or of the local distances for local_scaling (CH-05)"


class Graph(Item):
    """A graph and its embedding."""

    kernel: Kernel = Field(description="as in image_embedding")
    n_neighbors: Count = Field(None, description="of knn")
    sigma: Positive = Field(None, description="width of the kernel")
    scaling: Eigenvectors = Field(None, description="of the eigenvectors")


class GraphSettings(Settings):
    """Graph embedding of a subset of features, or of all."""

    kernel: Kernel = Field("knn", description="weights of the graph (CH-05)")
    n_neighbors: Count = Field(15, description="neighbours of knn")
    sigma: Positive = Field(1.0, description=SIGMA)
    self_affinity: Part = Field(
        1.0, description="affinity of an object to itself: 1 as in normalised cuts, or 0 (CH-05)"
    )
    eigenvectors: Eigenvectors = Field("rows", description="scaling of the eigenvectors (CH-06)")
    n_components: Count = Field(
        3, description="n of the paper for images; the experiment intrinsic_dimension estimates it"
    )

    @property
    def graph_options(self) -> dict[str, object]:
        """Arguments of `graph_embedding`, except the number of components."""
        return {**self.only("kernel", "n_neighbors", "sigma", "self_affinity"), "scaling": self.eigenvectors}


class CombinationSettings(Settings):
    """How selected embeddings are combined."""

    n_components: Count = Field(3, description="dimensions of the consensus")
    normalization: Literal["max", "mean", "median", "rank", "none"] = Field(
        "max", description="normalisation of the distances of an embedding (CH-11)"
    )
    mds: Mds = Field("classical", description="projection of the consensus distances: classical or smacof (CH-12)")

    @property
    def combination(self) -> dict[str, object]:
        """Arguments of `combine_embeddings`."""
        return self.only("n_components", "normalization", "mds")


class TextureSettings(Settings):
    """Texture features of the pixels, and the kind of objects that represent them."""

    features: Literal["haralick14", "haralick13_intensity"] = Field(
        "haralick14", description="haralick14, or haralick13_intensity: 13 features and the raw intensity (CH-01)"
    )
    implementation: Literal["fast", "mahotas"] = Field(
        "fast", description="fast, or mahotas, which takes hundreds of times longer"
    )
    window: Literal[3, 5, 7, 9, 11, 13, 15] = Field(5, description="side of the sliding window, in pixels (CH-02)")
    levels: Levels = Field(128, description="grey levels, spread over the range of the pixels in the mask (CH-03)")
    outside: Literal["zero", "excluded", "image"] = Field(
        "zero", description="pixels of a window outside the mask: zero, excluded, or image (their own values) (CH-03)"
    )
    scaling: Literal["zscore", "minmax", "robust", "none"] = Field(
        "minmax", description="scaling of the features (CH-04)"
    )
    objects: ObjectKind = Field(
        "mean_shift",
        description="kind of objects that represent the pixels; mean_shift, with a flat kernel, is the paper's (CH-13)",
    )


class SliceSettings(TextureSettings, GraphSettings):
    """From a slice to its base embeddings and their strengths."""

    max_objects: Annotated[Integer, Ge(10)] = Field(
        300,
        description=(
            "objects at most: a bandwidth of the mean shift is searched that leaves no more, and no fewer than two "
            "thirds of them (CH-13); k_means and random take so many"
        ),
    )
    n_embeddings: Count = Field(100, description="M subsets of features (CH-07)")
    subset_size: Annotated[Integer, Ge(1), Le(N_TEXTURES)] = Field(4, description="V features each (CH-07)")
    kmeans_starts: Count = Field(10, description="starts of k_means (CH-17)")
    clustering: Literal["k_means", "evidence_accumulation"] = Field(
        "k_means",
        description=(
            "how objects are clustered: k_means, the best of some starts, or evidence_accumulation, the clusters that "
            "50 runs of k-means agree on (CH-17)"
        ),
    )


class SliceConsensusSettings(SliceSettings, CombinationSettings):
    """From a slice to a consensus of embeddings that are selected otherwise than by theta."""


class ThetaSettings(Settings):
    """How embeddings are selected."""

    theta: Threshold = Field(
        0.15,
        description=(
            "threshold of embedding strength in units of the largest, as the paper prints it. On images it selects "
            "all: the accuracy of two clusters is never below one half (CH-09)"
        ),
    )
    theta_reading: ThetaReading = Field(
        "literal",
        description=(
            "what theta means. literal: stronger than theta x max, as printed. within: stronger than (1 - theta) x "
            "max. strongest: the strongest share theta of the M embeddings. chance_corrected: (strength - chance) / "
            "(max - chance) above theta. absolute: stronger than theta. The experiment brain_readings compares the "
            "first four (CH-09)"
        ),
    )


class RegionSettings(SliceConsensusSettings, ThetaSettings):
    """From a slice to the consensus of the embeddings stronger than theta."""

    strength: Literal["accuracy", "r_squared"] = Field(
        "accuracy",
        description=(
            "strength of a base embedding: accuracy of two clusters, with labels, or r_squared, without (CH-10)"
        ),
    )


class ImageSettings(RegionSettings):
    """
    From an image slice to a consensus embedding: the settings of all image experiments.

    Where the paper leaves a detail open, its number in choices.tsv is given; the experiment brain_calibration shows how
    it was picked.
    """

    exploratory_theta: Threshold = Field(
        0.9, description="a threshold that does select; shown separately, and not judged"
    )

    def unfit(self) -> Iterator[tuple[str, str]]:
        """Subsets that leave features out, and more neighbours or dimensions than objects."""
        if self.n_embeddings * self.subset_size < N_TEXTURES:
            yield (
                "n_embeddings",
                f"expected enough subsets of {self.subset_size} features to cover all {N_TEXTURES}, found "
                f"{self.n_embeddings}",
            )
        for key in ("n_neighbors", "n_components"):
            if getattr(self, key) >= self.max_objects:
                yield key, f"expected less than max_objects = {self.max_objects}, found {getattr(self, key)}"


class Brain(Settings):
    """The images of the brain experiments."""

    source: Literal["brainweb", "brainweb_resimulated", "icbm152"] = Field(
        "brainweb",
        description=(
            "brainweb: the official volumes, downloaded from their site. brainweb_resimulated: the same anatomy with "
            "the images simulated here; take it if the site cannot be reached. icbm152: another anatomy, no download"
        ),
    )
    second_subject: Literal["brainweb_resimulated", "icbm152", "none"] = Field(
        "icbm152", description="a second subject, run in addition to the source"
    )
    noise_draws: Count = Field(
        1,
        description=(
            "draws of the noise of a source that is simulated here; the official volumes and the second subject have "
            "one"
        ),
    )
    noise: Distinct[Percentage] = Field((0, 1, 3, 5, 7, 9), description="in percent, as BrainWeb counts it")
    inhomogeneity: Distinct[Percentage] = Field(
        (0, 20, 40), description="non-uniformity in percent, as BrainWeb counts it"
    )
    slices: Annotated[Distinct[Natural], Len(2)] = Field(
        (60, 70, 80, 90, 100, 110, 120, 130, 140, 150), description="axial slices z, counted from 0, that are evaluated"
    )
    calibration_slices: Distinct[Natural] = Field(
        (75, 105, 135), description="other slices, for calibration and for selecting embeddings"
    )

    def unfit(self) -> Iterator[tuple[str, str]]:
        """Slices of both kinds, and a second subject that is the first."""
        both = sorted(set(self.slices) & set(self.calibration_slices))
        if both:
            yield "calibration_slices", f"expected slices that are not in brain.slices, found {both} in both"
        if self.second_subject == self.source:
            yield "second_subject", f"expected another subject than brain.source, found {self.source}"


class PlantedGenes(Settings):
    """Simulated gene expression."""

    n_genes: Count = Field(description="genes in all")
    n_informative: Count = Field(description="genes that differ between the classes")
    effect: Positive = Field(description="their difference in standard deviations")
    training: Pair[Annotated[Integer, Ge(2)]] = Field(description="training samples of each class")
    test: Pair[Annotated[Integer, Ge(2)]] = Field(description="test samples of each class")

    def unfit(self) -> Iterator[tuple[str, str]]:
        """More informative genes than there are."""
        if self.n_informative > self.n_genes:
            yield "n_informative", f"expected at most n_genes = {self.n_genes}, found {self.n_informative}"


class GeneSet(Item):
    """A data set: a training and a test file, or one table."""

    name: Name = Field(description="what the results call it")
    training: Text = Field(None, description="file of the training samples")
    test: Text = Field(None, description="file of the test samples")
    table: Text = Field(None, description="one table, in place of the two files")
    label: Text = Field(None, description="column of the table with the class")
    positive: Text = Field(None, description="the positive class; by default the second by name")
    split: Text = Field(None, description="column of the table that says train or test")
    missing: Number = Field(None, description="the number that marks a missing value")
    drop: Some[str] = Field(None, description="columns of the table that are not genes")
    planted: PlantedGenes = Field(None, description="simulated data, in place of files")

    def unfit(self) -> Iterator[tuple[str, str]]:
        """One source."""
        given = self.model_fields_set
        ways = (
            {"training", "test"} <= given and not given & {"table", "split"},
            "table" in given and (not needs_label(self.table) or "label" in given) and not given & {"training", "test"},
            "planted" in given and not given & {"training", "test", "table"},
        )
        if sum(ways) != 1:
            yield (
                "",
                (
                    "expected either the keys training and test, or table, and label of CSV or TSV (and split), or "
                    f"planted; found {', '.join(sorted(given))}"
                ),
            )
        if self.training is not None and self.training == self.test:
            yield "test", f"expected another file than that of the training samples, found '{self.test}' for both"


_KENT_RIDGE = "resources/data/kent_ridge"


class Genes(Settings):
    """Gene expression: the tables. Your own go in the same way; config/own_expression.yaml shows how."""

    sets: Annotated[AtLeastOne[GeneSet], AfterValidator(different_names)] = Field(
        (
            {
                "name": "leukemia",
                "training": f"{_KENT_RIDGE}/ALL-AML_train.data",
                "test": f"{_KENT_RIDGE}/ALL-AML_test.data",
            },
            {
                "name": "lung",
                "training": f"{_KENT_RIDGE}/lungCancer_train.data",
                "test": f"{_KENT_RIDGE}/lungCancer_test.data",
            },
            {
                "name": "breast",
                "training": f"{_KENT_RIDGE}/breastCancer-train.data",
                "test": f"{_KENT_RIDGE}/breastCancer-test.data",
                "missing": 100,
            },
            {
                "name": "prostate",
                "training": f"{_KENT_RIDGE}/prostate_tumorVSNormal_train.arff",
                "test": f"{_KENT_RIDGE}/prostate_tumorVSNormal_test.arff",
            },
        ),
        description=(
            "per data set a name and either a training and a test file, or one table with the names of its columns of "
            "labels and, if there is one, of splits"
        ),
    )
    repetitions: Count = Field(10, description="draws of the feature subsets; the paper reports one")


Linkage = Literal["average", "ward", "complete", "average_correlation"]


class PoolSettings(GraphSettings):
    """From a table of genes to its base embeddings and their strengths."""

    sigma: Positive = Field(0.2, description=SIGMA)
    n_components: Count = Field(4, description="n of the paper for genes")
    n_genes: Count = Field(300, description="genes kept, by t-statistic")
    pruning: Literal["training", "whole"] = Field(
        "training",
        description="of the training split, or of all samples (`whole`), which leaks the test labels (CH-40)",
    )
    transform: Literal["none", "log", "rank"] = Field(
        "rank", description="transform of each sample: none, log (generalised) or rank (CH-41)"
    )
    standardization: Literal["split", "training", "none"] = Field(
        "split",
        description=(
            "mean and standard deviation of each split by itself, of the training split for both, or none (CH-15). The "
            "kNN ensemble and SSAGE are scored with those of the training split as well"
        ),
    )
    subset_size: Count = Field(30, description="V genes in each subset (CH-08)")
    linkage: Linkage = Field("ward", description="hierarchical clustering (CH-14)")

    @property
    def preparation(self) -> dict[str, object]:
        """Arguments of `prepare_genes`."""
        return self.only(*PREPARATION)


class GeneConsensusSettings(PoolSettings, CombinationSettings):
    """From a table of genes to a consensus of embeddings that are selected otherwise than by theta."""

    n_embeddings: Count = Field(500, description="M subsets of genes (CH-08)")


class PoolScoreSettings(CombinationSettings, ThetaSettings):
    """From a pool of base embeddings of genes to the scores of its consensus."""

    linkage: Linkage = Field("ward", description="hierarchical clustering (CH-14)")


class GeneSettings(GeneConsensusSettings, PoolScoreSettings):
    """
    From a table of genes to a consensus embedding: the settings of all experiments on genes.

    Where the paper leaves a detail open, its number in choices.tsv is given; the experiment gene_calibration shows how
    it was picked.
    """

    knn_neighbors: Count = Field(3, description="k of the kNN ensemble")
    label_weights: Literal["fixed", "zhao"] = Field(
        "fixed", description="label weights of SSAGE: fixed (2 within, 0.5 between) or zhao (CH-42)"
    )
    exploratory_theta: Threshold = Field(
        0.9, description="a threshold that does select; shown separately, and not judged"
    )

    def unfit(self) -> Iterator[tuple[str, str]]:
        """Subsets that do not fit the genes or do not cover them."""
        if not self.n_components <= self.subset_size <= self.n_genes:
            yield (
                "",
                (
                    f"expected a subset_size between n_components = {self.n_components} and n_genes = {self.n_genes}, "
                    f"found {self.subset_size}"
                ),
            )
        elif self.n_embeddings * self.subset_size < self.n_genes:
            yield (
                "",
                (
                    f"expected enough subsets of {self.subset_size} genes to cover all {self.n_genes}, found "
                    f"{self.n_embeddings} of them"
                ),
            )


def subsets_of_genes(config: Mapping[str, Any], where: str, n_embeddings: int, **changes: Any) -> Iterator[str]:
    """Lines about settings, gene_embedding with some changes, whose subsets do not fit the genes or not cover them."""
    try:
        GeneSettings.model_validate({**config["gene_embedding"], **changes, "n_embeddings": n_embeddings})
    except ValidationError as error:
        yield from refusals(error, GeneSettings, {}, where)


class OwnImage(Item):
    """An image of your own; config/own_images.yaml shows how."""

    name: Name = Field(description="what the results call it")
    image: Text = Field(description="a slice or a volume, NIfTI or MINC")
    mask: Text = Field(description="0 outside and one value, such as 1, inside")
    labels: Text = Field(None, description="above 0 is the class of interest; embeddings are then selected by it")
    slices: Distinct[Natural] = Field(
        None, description="slices of a volume, counted from 0; by default all with pixels in the mask"
    )
    n_regions: Annotated[Integer, Ge(2)] = Field(None, description="number of regions; 2 by default")
    one_embedding: bool = Field(
        None,
        description="true: all slices of a volume are in one embedding, so that a region means the same in each",
    )


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """What does not fit between these sections."""
    if config["image_embedding"]["outside"] == "image":
        for item in config["own_images"]:
            if item.get("one_embedding"):
                yield (
                    f"own_images, {item['name']}, one_embedding: expected false with image_embedding.outside = image, "
                    "since what lies between the slices is no image; found true"
                )


SECTIONS = {"image_embedding": ImageSettings, "brain": Brain, "genes": Genes, "gene_embedding": GeneSettings}
# Keys without a section.
KEYS = {
    "own_images": (
        Annotated[Some[OwnImage], AfterValidator(different_names)],
        Field(
            description=(
                "your own images; `snakemake region_maps` makes their region maps. config/own_images.yaml shows how"
            )
        ),
    )
}
