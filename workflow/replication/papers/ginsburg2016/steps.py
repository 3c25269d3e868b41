"""Steps that the experiments on features share: the tables."""

from __future__ import annotations

from pathlib import Path

from replication.data.feature_sources import kind_of_features
from replication.papers.ginsburg2016 import layout
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study


def _located(study: Study, item: dict) -> dict:
    """What the configuration says of a table, with the file of its gene expression."""
    if "expression" in item:
        return {**item, "expression": f"{study.results}/genes/{item['expression']}.npz"}
    return item


def _files(study: Study, item: dict) -> list[str | Path]:
    """Files behind a table."""
    kind = kind_of_features(item)
    if kind == "nips2003":
        folder = f"resources/data/nips2003/{item[kind]}"
        parts = [f"{folder}/{item[kind].lower()}_{part}" for part in ("train", "valid")]
        if item[kind] == "GISETTE" and layout.gisette_is_halved(study):
            parts = parts[1:]
        return [f"{part}.{end}" for part in parts for end in ("data", "labels")]
    if kind == "wisconsin":
        files = {"diagnostic": "wdbc.data", "prognostic": "wpbc.data"}
        return [f"resources/data/uci/{files[item[kind]]}"]
    if kind == "gse7390":
        return ["resources/data/gse7390/breast_cancer_GSE7390-metastasis.arff"]
    if kind == "expression":
        return [f"genes/{item[kind]}.npz"]
    return [Path(item["table"])] if kind == "table" else []


def read_features(job: Job) -> None:
    """Read a table of features with two classes, whatever its form."""
    from replication.data.feature_set import read_feature_set, save_feature_set

    table = read_feature_set(job.settings["item"], halve_gisette=job.settings["halve_gisette"], seed=job.seed)
    n, m = table.values.shape
    job.say(f"{job.wildcards.set}: {n} samples, {m} features, classes {' and '.join(table.classes)}")
    equal = n - len({row.tobytes() for row in table.values})
    if equal and "table" in job.settings["item"]:
        job.say(f"{equal} samples equal another one in all features: a copy in training makes its test too easy")
    save_feature_set(job.outputs.table, table)


def write_example_features(job: Job) -> Results:
    """A table to try feature selection on: the wines of the first cultivar against the others."""
    import numpy as np
    import pandas as pd
    from sklearn.datasets import load_wine

    wines = load_wine()
    leading = {
        "sample": [f"wine_{k}" for k in range(len(wines.data))],
        "cultivar": np.where(wines.target == 0, "first", "other"),
    }
    features = pd.DataFrame(wines.data, columns=wines.feature_names)
    return {"table": pd.concat([pd.DataFrame(leading), features], axis=1)}


STEPS = (
    Step(
        name="read_features",
        run=read_features,
        does="Read the features of {wildcards.set}",
        makes={"table": layout.features("{set}")},
        reads=lambda study, at: {"files": _files(study, layout.feature_sets(study)[at.set])},
        settings=lambda study, at: {
            "item": _located(study, layout.feature_sets(study)[at.set]),
            "halve_gisette": layout.gisette_is_halved(study)
            and layout.feature_sets(study)[at.set].get("nips2003") == "GISETTE",
        },
        wildcards=lambda study: {"set": list(layout.feature_sets(study))},
        memory_mb=4000,
        minutes=10,
        group="read",
        takes=Seconds(2.2),
    ),
    Step(
        name="write_example_features",
        run=write_example_features,
        does="Write a table of features to try the selection on",
        makes={"table": "results/example/features.tsv"},
        takes=Seconds(2),
    ),
)
