"""Tables and figures of an experiment as the study makes them, by its declaration, and what tests look for in them."""

import itertools
from functools import cache

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FuncFormatter
from replication.catalogue.experiments import functions
from replication.claims.judging import COLUMNS, JUDGES, read_claims
from replication.shared.presenting import call
from replication.shared.tidy import read_table, write_table


def mute(_: object) -> None:
    """Progress that nobody reads."""


def tables_of(experiment: str, **given: object) -> dict[str, pd.DataFrame]:
    """Table -> its rows, from what the functions ask for by name."""
    made = {}
    for name, function in functions(experiment)[0].items():
        made[name] = given[f"{name}_table"] = call(function, given)
    return made


def figures_of(experiment: str, **given: object) -> dict[str, Figure]:
    """Figure -> the drawing; tables that figures ask for are given as <name>_table."""
    return {name: call(function, given) for name, function in functions(experiment)[1].items()}


def through_file(table, folder, name="metrics"):
    """The table as its readers get it."""
    write_table(table, folder / f"{name}.tsv")
    return read_table(folder / f"{name}.tsv")


def rows(table, metric=None, **conditions):
    """Rows in which columns have these values, of one metric if it is named; "" is also what is missing."""
    for column, value in (conditions if metric is None else {"metric": metric, **conditions}).items():
        table = table[(table[column] == value) | (table[column].isna() & (value == ""))]
    return table


@cache
def shipped_claims():
    """The claims of all papers, read once for all test files of a process, which change none of them."""
    return read_claims()


def one_claim(kind, test, experiment="made_up", dataset="paper", **more):
    """A table of one claim, with nothing in its other columns."""
    given = {"id": "X-01", "kind": kind, "test": test, "experiment": experiment, "dataset": dataset}
    return pd.DataFrame([dict.fromkeys(COLUMNS, "") | given | more])


def one_row(dataset="paper", source="original"):
    """Metrics with one value, or one of each data set of a list."""
    return pd.DataFrame({"dataset": np.atleast_1d(dataset), "source": source, "metric": "score", "value": 1.0})


def smallest(effect=None, relative=None):
    """The smallest effect of interest, as a part of a test."""
    size = {"relative": relative} if effect is None else {"effect": effect}
    return {"smallest": size | {"because": "made up"}}


def judge(kind, table, test):
    """What the judge of a kind finds in metrics."""
    return JUDGES[kind](table, test)


def parts(found):
    """The parts of a judgement, of which its verdict is made."""
    return found.direction, found.significance, found.magnitude


def text_of(figure):
    """All that is written in the panels of a figure."""
    return " ".join(text.get_text() for ax in figure.axes for text in ax.texts)


def errorbar_values(axes):
    """Label -> x and y of the points with error bars."""
    return {
        container.get_label(): np.array(container.lines[0].get_data(), dtype=float).T for container in axes.containers
    }


def errorbar_ends(axes, label, along=1):
    """Lower and upper end of each error bar of a series, along y, or along x (0)."""
    (container,) = [one for one in axes.containers if one.get_label() == label]
    (bars,) = container.lines[2]
    return np.array([bar[:, along] for bar in bars.get_segments()])


def labelled(ax, axis):
    """Whether an axis has a label, names at its ticks, no ticks, or a panel with a label in its row or column."""
    ticks = getattr(ax, f"{axis}axis")
    named = isinstance(ticks.get_major_formatter(), FixedFormatter | FuncFormatter)
    if named or not len(getattr(ax, f"get_{axis}ticks")()):
        return True
    start = "x0" if axis == "x" else "y0"
    beside = [
        one for one in ax.figure.axes
        if abs(getattr(one.get_position(), start) - getattr(ax.get_position(), start)) < 1e-6
    ]  # fmt: skip
    shared = getattr(ax, f"get_shared_{axis}_axes")().get_siblings(ax)
    return any(getattr(one, f"get_{axis}label")() for one in [*beside, *shared])


def check_labelled(figure):
    """Axes are labelled, except those of pictures and of notes, which have no coordinates to read."""
    common = {"x": figure.get_supxlabel(), "y": figure.get_supylabel()}
    for ax in figure.axes:
        if ax.get_visible() and ax.axison and ax.name != "3d":
            assert ax.has_data() or ax.texts
            for axis in "xy":
                assert labelled(ax, axis) or common[axis], (ax, axis)


def check_figure(figure):
    """It can be drawn, its axes are labelled, and its panels have room and do not lie on each other."""
    figure.canvas.draw()
    check_labelled(figure)
    boxes = [ax.get_position() for ax in figure.axes if ax.get_visible()]
    for one, other in itertools.combinations(boxes, 2):
        wide = min(one.x1, other.x1) - max(one.x0, other.x0)
        high = min(one.y1, other.y1) - max(one.y0, other.y0)
        assert wide < 1e-9 or high < 1e-9
    for box in boxes:
        assert box.width > 0.1
        assert box.height > 0.02


def check_labels_apart(axes, which):
    """Neighbouring tick labels do not touch."""
    renderer = axes.figure.canvas.get_renderer()
    ticks = axes.get_xticklabels() if which == "x" else axes.get_yticklabels()
    boxes = [tick.get_window_extent(renderer) for tick in ticks if tick.get_text()]
    assert not any(a.overlaps(b) for a, b in itertools.pairwise(boxes))
