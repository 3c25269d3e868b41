"""Tables and figures of an experiment as the study makes them, by its declaration, and what tests look for in them."""

import itertools

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from replication.catalogue.experiments import functions
from replication.shared.presenting import call
from replication.shared.tidy import read_table, write_table


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


def rows(table, **conditions):
    """Rows in which columns have these values."""
    for column, value in conditions.items():
        table = table[table[column] == value]
    return table


def errorbar_values(axes):
    """Label -> x and y of the points with error bars."""
    return {
        container.get_label(): np.array(container.lines[0].get_data(), dtype=float).T for container in axes.containers
    }


def check_figure(figure):
    """It can be drawn, and its panels have room and do not lie on each other."""
    figure.canvas.draw()
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
