"""Tables of the experiments on out-of-sample embedding and retrieval, derived from their tidy metrics."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from replication.papers.sparks2011.retrieval_metrics import (
    LABELLED,
    METHODS,
    METRICS,
    OBJECTS,
    PRINTED_MARGINS,
    MainRows,
    at_cell,
    changed,
    class_sizes,
    curve,
    is_share,
    labelled_shares,
    main_rows,
    needed_by_labelled,
    query_cell,
    query_rows,
)
from replication.shared.metric_values import is_blank, is_picked, name_of, per_set, sources, variant_names
from replication.shared.substitutes import reached_targets
from replication.shared.tables import difference_cells, format_number, mean_sd

SCORES = ("si", "si_sums", "auprc", "auprc_queries")
MAIN_SCORES = ("si", "auprc")
ERRORS = {
    "error_relative": "relative (Frobenius)",
    "error_entries": "by entries",
    "error_l1": "by L1 norm (as printed)",
}
# Method and the embedding of all objects that it is to reach.
REACHED = (("ose_ssl", "ssge"), ("ose_ssl", "recomputed"), ("nm_ge", "ge"))
# Object groups for which the required training share is reported.
GROUPS = ("all", "extrapolated")
# From this share of labels on "S is large" in Section 5.2 of Sparks and Madabhushi 2011.
_LARGE_SHARE = 0.7
RUNTIMES = {
    "extrapolation": "extrapolation, one sample",
    "batch": "extrapolation, per sample of 100",
    "recomputation": "recomputation",
}
_SPLITS = {"objects": "single objects", "regions": "whole regions"}
_CELL = ["data set", "source"]
_CURVES_COLUMNS = [*_CELL, "training drawn as", "method", "M (%)", "S (%)", "objects"]
_CURVES_COLUMNS += [f"{METRICS[score]}{end}" for score in SCORES for end in ("", ", SD")] + ["draws"]
_NEEDED_COLUMNS = [*_CELL, "score", "objects", "method", "reference", "S (%)", "needed M (%)", "needed M (%), paper"]
_ERROR_COLUMNS = [*_CELL, "method", "M (%)", "S (%)"]
_ERROR_COLUMNS += [f"{name}{end}" for name in ERRORS.values() for end in ("", ", SD", ", zero matrix")] + ["draws"]
_COMPARED = ["nm_ge", "ose_ssl", "recomputed", "dissimilarity", "random"]
_DIFFERENCE = "OSE-SSL minus NM-GE"
_DIFFERENCE_COLUMNS = [_DIFFERENCE, "CI low", "CI high"]
_COMPARED_COLUMNS = [*_CELL, "M (%)", "S (%)", "score", "objects", *METHODS.values(), *_DIFFERENCE_COLUMNS, "draws"]
_FIRST_COLUMNS = [*_CELL, "class of the query", "objects of the class", "retrieved"]
_FIRST_COLUMNS += [METHODS[name] for name in ("nm_ge", "ose_ssl", "dissimilarity", "random")]
_FIRST_COLUMNS += [*_DIFFERENCE_COLUMNS, "p (OSE-SSL more)", "draws"]
_SEPARATION_COLUMNS = [*_CELL, "separation", "score", "objects", *(METHODS[name] for name in _COMPARED)]
_SEPARATION_COLUMNS += [*_DIFFERENCE_COLUMNS, "draws"]
_CHANCE_COLUMNS = [*_CELL, "objects", "classes", "SI", "AUPRC over queries", "AUPRC over classes", "draws"]
_CHANGE = "change of OSE-SSL"
_VARIANTS_COLUMNS = [*_CELL, "changed", "score", "objects"]
_VARIANTS_COLUMNS += [METHODS[name] for name in ("nm_ge", "ose_ssl", "ge", "ssge", "recomputed", "dissimilarity")]
_VARIANTS_COLUMNS += [_CHANGE, "CI low", "CI high", "draws"]
_GRAPH = {"pieces": "pieces", "largest_piece": "largest piece (%)", "isolated": "objects outside every neighbourhood"}
_GRAPH_COLUMNS = [*_CELL, "changed", "M (%)", *_GRAPH.values(), "draws"]
_RUNTIME_COLUMNS = ["N", *(f"{name} (ms)" for name in RUNTIMES.values()), "recomputation over extrapolation"]
_RUNTIME_COLUMNS += ["repetitions", "data set", "source"]


def separations(metrics: pd.DataFrame) -> list[float]:
    """Separations of the classes, rising; none if they are not varied."""
    levels = sorted(set(pd.to_numeric(metrics["separation"], errors="coerce").dropna()))
    return levels if len(levels) > 1 else []


def percents(share: float | str) -> float:
    """A share in percent, NaN of none."""
    return np.nan if share == "" or pd.isna(share) else round(100 * float(share), 4)


def significant(value: float) -> float:
    """Four significant digits."""
    return float(f"{value:.4g}")


def curves(metrics: pd.DataFrame) -> pd.DataFrame:
    """Every score over shares of training objects M and of labels S."""
    table = []
    for dataset, source, rows in per_set(metrics[metrics["metric"].isin(SCORES) & is_blank(metrics["label"])]):
        for split, name in _SPLITS.items():
            here = changed(rows, split=split)
            here = here.assign(
                labelled=pd.to_numeric(here["labelled"]).fillna(-1).round(6),
                training=pd.to_numeric(here["training"]).round(6),
                method=pd.Categorical(here["method"], METHODS),
                objects=pd.Categorical(here["objects"], OBJECTS),
                value=here["value"].astype(float),
            )
            by = ["method", "labelled", "training", "objects"]
            for at, cell in here.groupby(by, observed=True):
                condition = dict(zip(by, at, strict=True))
                row = {"data set": dataset, "source": source, "training drawn as": name}
                row |= {"method": METHODS[condition["method"]], "M (%)": percents(condition["training"])}
                row |= {"S (%)": np.nan if condition["labelled"] < 0 else percents(condition["labelled"])}
                row |= {"objects": OBJECTS[condition["objects"]], "draws": cell["repetition"].nunique()}
                for score, values in cell.groupby("metric")["value"]:
                    row |= {METRICS[score]: round(values.mean(), 4), f"{METRICS[score]}, SD": round(values.std(), 4)}
                table.append(row)
    return pd.DataFrame(table, columns=_CURVES_COLUMNS)


def compared(metrics: pd.DataFrame) -> pd.DataFrame:
    """All methods at the shares of Fig. 2."""
    table = []
    for dataset, source, rows in per_set(metrics):
        cell = query_cell(rows)
        for score, objects in product(MAIN_SCORES, GROUPS) if cell else []:
            wide = at_cell(rows, cell, score, objects=objects)
            row = {"data set": dataset, "source": source, "M (%)": percents(cell.training)}
            row |= {"S (%)": percents(cell.labelled), "score": METRICS[score], "objects": OBJECTS[objects]}
            row |= {METHODS[method]: mean_sd(wide[method], digits=3) for method in wide}
            row |= difference_cells(wide, "ose_ssl", "nm_ge", 1.0, _DIFFERENCE)
            table.append(row | {"draws": len(wide)})
    return pd.DataFrame(table).reindex(columns=_COMPARED_COLUMNS)


def paper_needed(dataset: str, method: str, score: str, share: float | str) -> str:
    """
    Percent of the objects that suffice for training, as Sparks and Madabhushi 2011 print it.

    Abstract and Section 5.1 of the Swiss roll; Section 5.2, of private glands, with those simulated and the digits.
    """
    if dataset == "swiss_roll":
        if method == "nm_ge":
            return "70"
        return "20" if score == "si" and share != "" and is_share(pd.Series([share]), 0.9).all() else "50"
    large = share != "" and float(share) > _LARGE_SHARE - 1e-6
    return "> 90" if dataset in ("glands", "digits") and method == "ose_ssl" and large else ""


def needed(metrics: pd.DataFrame) -> pd.DataFrame:
    """The smallest share of training objects that suffices to reach the embedding of all objects."""
    table = []
    for dataset, source, rows in per_set(metrics):
        for score in MAIN_SCORES:
            of_score = MainRows(rows[rows["metric"] == score])
            for objects, (method, reference) in product(GROUPS, REACHED):
                shares = needed_by_labelled(of_score, score, method, reference, objects=objects)
                for share, m in shares.items():
                    share = share if method in LABELLED else ""
                    row = {"data set": dataset, "source": source, "score": METRICS[score]}
                    row |= {"objects": OBJECTS[objects], "method": METHODS[method], "S (%)": percents(share)}
                    row |= {"reference": METHODS[reference], "needed M (%)": percents(m)}
                    if reference != "recomputed":
                        row["needed M (%), paper"] = paper_needed(dataset, method, score, share)
                    table.append(row)
    return pd.DataFrame(table, columns=_NEEDED_COLUMNS).fillna({"needed M (%), paper": ""})


def errors(metrics: pd.DataFrame) -> pd.DataFrame:
    """Error of the approximated similarity matrix (Table 1 of the paper), with that of a matrix of zeros."""
    table = []
    for dataset, source, rows in per_set(main_rows(metrics[metrics["metric"].isin(ERRORS)])):
        of_errors = MainRows(rows)
        for method in ("nm_ge", "ose_ssl"):
            for share in labelled_shares(rows) if method in LABELLED else [""]:
                at = {"objects": "", "labelled": share}
                ours = {metric: curve(of_errors, metric, method, **at) for metric in ERRORS}
                zero = {metric: curve(of_errors, metric, "zero", **at) for metric in ERRORS}
                for training in ours["error_relative"]:
                    row = {"data set": dataset, "source": source, "method": METHODS[method], "S (%)": percents(share)}
                    row |= {"M (%)": percents(training), "draws": int(ours["error_relative"][training].count())}
                    for metric, name in ERRORS.items():
                        values = ours[metric][training]
                        row |= {name: significant(values.mean()), f"{name}, SD": significant(values.std())}
                        nothing = 1.0 if zero[metric].empty else zero[metric][training].mean()
                        row[f"{name}, zero matrix"] = significant(nothing)
                    table.append(row)
    return pd.DataFrame(table, columns=_ERROR_COLUMNS)


def class_names(metrics: pd.DataFrame) -> list:
    """Classes of one data set as its rows name them, the rarest first."""
    return list(class_sizes(metrics).sort_values(kind="stable").index)


def n_retrieved(metrics: pd.DataFrame) -> int:
    """How many items are retrieved for a query."""
    return int(metrics.loc[metrics["metric"] == "n_retrieved", "value"].item())


def first_five(metrics: pd.DataFrame) -> pd.DataFrame:
    """How many of the first items retrieved are of the query's class (Fig. 2 of the paper)."""
    table = []
    for dataset, source, rows in per_set(metrics):
        cell = query_cell(rows)
        sizes = class_sizes(rows)
        for name in class_names(rows) if cell else []:
            wide = at_cell(query_rows(rows), cell, "same_of_first", label=name)
            if wide.empty:
                continue
            row = {"data set": dataset, "source": source, "class of the query": name_of(name)}
            row |= {"objects of the class": int(sizes[name]), "retrieved": n_retrieved(rows)}
            row |= {METHODS[method]: mean_sd(wide[method]) for method in wide}
            row |= difference_cells(wide, "ose_ssl", "nm_ge", 1.0, _DIFFERENCE)
            table.append(row | {"draws": len(wide)})
    return pd.DataFrame(table).rename(columns={"p": "p (OSE-SSL more)"}).reindex(columns=_FIRST_COLUMNS)


def separation(metrics: pd.DataFrame) -> pd.DataFrame:
    """Scores at the query cell over the separation of the classes."""
    table = []
    for dataset, source, rows in per_set(metrics):
        cell = query_cell(rows)
        for at in separations(rows) if cell else []:
            here = changed(rows, separation=at)
            for score, objects in product(MAIN_SCORES, GROUPS):
                wide = at_cell(here, cell, score, objects=objects)
                row = {"data set": dataset, "source": source, "separation": at, "score": METRICS[score]}
                row |= {"objects": OBJECTS[objects], "draws": len(wide)}
                row |= {METHODS[method]: mean_sd(wide[method], digits=3) for method in _COMPARED if method in wide}
                table.append(row | difference_cells(wide, "ose_ssl", "nm_ge", 1.0, _DIFFERENCE))
    return pd.DataFrame(table, columns=_SEPARATION_COLUMNS)


def chance(metrics: pd.DataFrame) -> pd.DataFrame:
    """What objects at random places score, on classes of these sizes."""
    table = []
    for dataset, source, rows in per_set(metrics):
        sizes = class_sizes(rows).sort_values(ascending=False, kind="stable")
        of_set = MainRows(rows)
        values = {score: curve(of_set, score, "random", objects="all").mean(axis=1) for score in SCORES}
        row = {"data set": dataset, "source": source, "objects": int(sizes.sum()), "draws": len(values["auprc"])}
        row["classes"] = ", ".join(f"{name_of(name)} {size:.0f}" for name, size in sizes.items())
        row |= {"SI": mean_sd(values["si"], digits=3)}
        row |= {"AUPRC over queries": mean_sd(values["auprc_queries"], digits=3)}
        table.append(row | {"AUPRC over classes": mean_sd(values["auprc"], digits=3)})
    return pd.DataFrame(table, columns=_CHANCE_COLUMNS)


def variants(metrics: pd.DataFrame) -> pd.DataFrame:
    """Scores at the query cell with one detail changed."""
    table = []
    for dataset, source, rows in per_set(metrics[metrics["metric"].isin(MAIN_SCORES)]):
        cell = query_cell(rows)
        if cell is None:
            continue
        by_detail = {name: changed(rows, variant=name) for name in ["", *variant_names(rows)]}
        for name, score, objects in product(by_detail, MAIN_SCORES, GROUPS):
            wide, main = (at_cell(by_detail[detail], cell, score, objects=objects) for detail in (name, ""))
            row = {"data set": dataset, "source": source, "changed": name, "score": METRICS[score]}
            row |= {"objects": OBJECTS[objects], "draws": len(wide)}
            row |= {METHODS[method]: mean_sd(wide[method], digits=3) for method in wide}
            if name:
                both = pd.DataFrame({"changed": wide["ose_ssl"], "main": main["ose_ssl"]})
                row |= difference_cells(both, "changed", "main", 1.0, _CHANGE)
            table.append(row)
    return pd.DataFrame(table, columns=_VARIANTS_COLUMNS)


def graph(metrics: pd.DataFrame) -> pd.DataFrame:
    """Pieces that the graph of the training objects falls into, and the share of these in the largest: means."""
    table = []
    for dataset, source, rows in per_set(metrics[metrics["method"] == "training_graph"]):
        rows = rows.assign(training=pd.to_numeric(rows["training"]), value=rows["value"].astype(float))
        for name in ["", *variant_names(rows)]:
            for training, values in changed(rows, variant=name).groupby("training"):
                means = values.groupby("metric")["value"].mean()
                row = {"data set": dataset, "source": source, "changed": name, "M (%)": percents(training)}
                row |= {title: percents(means[metric]) if metric == "largest_piece" else round(means[metric], 1)
                        for metric, title in _GRAPH.items()}  # fmt: skip
                table.append(row | {"draws": values["repetition"].nunique()})
    return pd.DataFrame(table, columns=_GRAPH_COLUMNS)


def substitute_targets(picks: pd.DataFrame) -> pd.DataFrame:
    """What NM-GE reaches of the printed number at the setting picked, on each data set."""
    table = []
    for dataset, rows in picks.groupby("dataset", sort=False):
        (quantity,) = rows["quantity"].unique()
        reached = reached_targets(rows, {"reached": float(rows["printed"].iloc[0])}, PRINTED_MARGINS[quantity])
        picked = rows[is_picked(rows)].iloc[0]
        name = METRICS.get(quantity, quantity)
        row = {"data set": name_of(dataset), "parameter": picked["parameter"], "setting": picked["setting"]}
        table.append(row | reached.iloc[0].to_dict() | {"quantity": f"NM-GE: {name}"})
    return pd.DataFrame(table).round(3)


def seconds(metrics: pd.DataFrame) -> pd.DataFrame:
    """Seconds of extrapolation_runtime: a row per N and repetition, a column per method."""
    rows = metrics[metrics["metric"] == "seconds"].astype({"value": float, "n_samples": int})
    return rows.pivot_table(index=["n_samples", "repetition"], columns="method", values="value")


def runtime(metrics: pd.DataFrame) -> pd.DataFrame:
    """Time to place a new sample, by extrapolation and by embedding everything again."""
    table = []
    for n, wide in seconds(metrics).groupby("n_samples"):
        row = {"N": n, "repetitions": len(wide), "data set": name_of(metrics["dataset"].iloc[0])}
        for method, name in RUNTIMES.items():
            mean, spread = 1000 * wide[method].mean(), 1000 * wide[method].std()
            row[f"{name} (ms)"] = " ± ".join(filter(None, [format_number(mean), format_number(spread)]))
        ratio = wide["recomputation"].mean() / wide["extrapolation"].mean()
        table.append(row | {"recomputation over extrapolation": significant(ratio), "source": sources(metrics)})
    return pd.DataFrame(table, columns=_RUNTIME_COLUMNS)
