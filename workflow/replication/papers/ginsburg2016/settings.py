"""Sections of the configuration that the experiments on features share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge
from pydantic import AfterValidator, Field

from replication.data.settings import PlantedFeatures
from replication.platform.settings import (
    AtLeastOne,
    Count,
    Distinct,
    Integer,
    Item,
    Name,
    Number,
    Part,
    Positive,
    Range,
    Settings,
    Share,
    Some,
    Text,
    different_names,
    needs_label,
)


class FeatureTable(Item):
    """A table of features with two classes."""

    name: Name = Field(description="what the results call it")
    nips2003: Literal["ARCENE", "DEXTER", "GISETTE", "MADELON"] = Field(None, description="a set of the challenge")
    wisconsin: Literal["diagnostic", "prognostic"] = Field(None, description="a Wisconsin study")
    gse7390: Literal["metastasis"] = Field(None, description="the samples of GSE7390")
    scikit_learn: Literal["breast_cancer"] = Field(None, description="a set that comes with scikit-learn")
    expression: Name = Field(None, description="samples of a set of genes.sets")
    genes: Annotated[Integer, Ge(5)] = Field(None, description="with expression: so many of its genes, drawn")
    planted: PlantedFeatures = Field(None, description="simulated features")
    table: Text = Field(None, description="your own table; config/own_features.yaml shows how")
    label: Text = Field(None, description="column of the table with the class")
    positive: Text = Field(None, description="the class that counts as 1; by default the second by name")
    split: Text = Field(None, description="column of the table that says training or test")
    months: Text = Field(None, description="column of the table with the time to the event")
    missing: Number = Field(None, description="the number that marks a missing value")
    drop: Some[Text] = Field(None, description="columns of the table that are not features")
    scaling: Literal["none", "standard"] = Field(
        None, description="in place of feature_embedding.scaling; standard for a table"
    )

    def unfit(self) -> Iterator[tuple[str, str]]:
        """One source."""
        given = self.model_fields_set
        sources = ["nips2003", "wisconsin", "gse7390", "scikit_learn", "expression", "planted"]
        unlabelled = "table" in given and needs_label(self.table) and "label" not in given
        if len(given & {*sources, "table"}) != 1 or unlabelled:
            yield (
                "",
                f"expected one of {', '.join(sources)}, or table, with label of CSV or TSV; found "
                f"{', '.join(sorted(given))}",
            )
        for key in sorted(given & {"split", "months", "missing", "drop"} if "table" not in given else ()):
            yield key, "expected a table with it, found none"
        if "genes" in given and "expression" not in given:
            yield "genes", "expected expression with it, found none"
        if self.months is not None and self.months in (self.label, self.split, *(self.drop or ())):
            yield "months", f"expected a column that is not label, split or drop, found '{self.months}'"


class Features(Settings):
    """
    Tables of features with two classes.

    If the training file of Gisette cannot be downloaded, leave gisette_train out of data.sets, or use
    config/gisette_halved.yaml: half of its validation set then replaces it, and the results say so.
    """

    sets: Annotated[AtLeastOne[FeatureTable], AfterValidator(different_names)] = Field(
        (
            {"name": "madelon", "nips2003": "MADELON"},
            {"name": "arcene", "nips2003": "ARCENE"},
            {"name": "dexter", "nips2003": "DEXTER"},
            {"name": "gisette", "nips2003": "GISETTE"},
            {"name": "diagnostic", "wisconsin": "diagnostic"},
            {"name": "prognostic", "wisconsin": "prognostic"},
            {"name": "metastasis", "gse7390": "metastasis"},
            {"name": "relapse", "expression": "breast", "genes": 2343},
        ),
        description=(
            "of the challenge (nips2003), of the Wisconsin studies, samples of a gene set with so many genes drawn "
            "(expression), simulated ones (planted), or your own (table); config/own_features.yaml shows how"
        ),
    )


class FeatureSettings(Settings):
    """
    From a table of features to a ranking: the settings of all experiments on features.

    Where the paper leaves a detail open, its number in choices.tsv is given; the experiment fine_calibration shows how
    it was picked.
    """

    max_components: Count = Field(
        50, description="h goes from 1 to this; it is chosen by residual variance on each round (CH-31)"
    )
    n_neighbors: Range[Count] = Field((3, 30), description="smallest and largest K, chosen likewise")
    alphas: Distinct[Positive] = Field(
        (0.1, 1, 10), description="widths of the weights of LE over the median edge, chosen likewise"
    )
    target: Literal["graph", "kernel"] = Field(
        "graph",
        description=(
            "residual variance compares distances in the embedding with those along the graph, or of the kernel"
        ),
    )
    rule: Literal["first", "minimum"] = Field(
        "first",
        description=(
            "the first h whose residual variance is within the tolerance of the lowest, or the lowest itself (CH-39)"
        ),
    )
    tolerance: Part = Field(0.01, description="of the rule first")
    isomap_kernel: Literal["squared", "plain"] = Field(
        "squared", description="Isomap's kernel from squared geodesic distances, or from plain ones (CH-30)"
    )
    form: Literal["chong_jun", "printed"] = Field(
        "chong_jun",
        description="the scores of Eq. 13 in the form of Chong and Jun, or as printed in our copy of the paper (CH-28)",
    )
    scaling: Literal["none", "standard"] = Field(
        "none",
        description=(
            "features before the embedding: centred only (none), or divided by their standard deviation as well (CH-66)"
        ),
    )
    classifier_scaling: Literal["standard", "common", "none"] = Field(
        "standard",
        description=(
            "features and embedding vectors for the classifiers: each divided by its standard deviation, all by one "
            "common factor, or as they are (CH-67, CH-95)"
        ),
    )
    svm_gamma: Literal["one", "per_feature"] = Field(
        "per_feature",
        description="kernel of the SVM: exp(-|x - y|^2), or with the squared distance per feature (CH-68)",
    )
    logistic_c: Positive = Field(
        1.0, description="C of the logistic regression: the larger, the weaker its L2 penalty (CH-91)"
    )
    eigenvalue_power: Literal[0.5, 1] = Field(
        0.5,
        description=(
            "which power of the eigenvalues scales the eigenvectors Z of the kernel K: 0.5 for K Z Lambda^(-1/2), the "
            "usual scores, 1 for K Z (CH-29)"
        ),
    )
    round_share: Share = Field(0.75, description="samples of a round, as a share of the training samples (CH-38)")
    round_most: Annotated[Integer, Ge(4)] = Field(100, description="samples of a round at most (CH-38)")
    replacement: bool = Field(False, description="whether they are drawn with replacement (CH-38)")

    @property
    def embedding_options(self) -> dict[str, object]:
        """Arguments of `choose_embedding`."""
        low, high = self.n_neighbors
        same = ("max_components", "alphas", "target", "rule", "tolerance", "isomap_kernel", "eigenvalue_power")
        return {**self.only(*same), "n_neighbors": range(low, high + 1)}


class ForestRounds(Settings):
    """Forests take most of the time: where they are scored."""

    rounds: Count = Field(description="in how many of the rounds")
    n_features: Distinct[Count] = Field(description="at which of the numbers of features")


def of_features(config: Mapping[str, Any], experiment: str, names: Iterable[str]) -> Iterator[str]:
    """Lines about sets that the section features lacks, or that take genes that the section genes lacks."""
    sets = {item["name"]: item for item in config["features"]["sets"]}
    genes = [item["name"] for item in config.get("genes", {}).get("sets", [])]
    for name in names:
        if name not in sets:
            yield f"{experiment}: expected names of features.sets, {', '.join(sets)}; found {name}"
        elif "expression" in sets[name] and sets[name]["expression"] not in genes:
            expression, known = sets[name]["expression"], ", ".join(genes) or "of which there are none"
            yield f"features.sets, {name}: expected a name of genes.sets, {known}; found {expression}"


SECTIONS = {"features": Features, "feature_embedding": FeatureSettings}
