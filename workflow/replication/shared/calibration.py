"""Picking the details that a paper leaves open: the options are gone through one choice after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from replication.shared.tidy import Metrics


def go_through_options(
    options: Mapping[str, Sequence],
    settings: Mapping,
    score: Callable[[dict], pd.DataFrame],
    *,
    n_embeddings: int | None = None,
    margin: float,
    inside: bool = False,
    progress: Callable[[str], None] = print,
) -> tuple[list[tuple[str, object, pd.DataFrame]], pd.DataFrame]:
    """
    Score every option with the picks before it, and pick.

    Parameters
    ----------
    options : mapping
        Key of the settings -> its options, the start value first. Gone through in this order.
    settings : mapping
        Settings of the configuration; keys without options keep their values.
    score : callable
        Called with settings; returns the scores, one row a case and one column a method. Not called twice with the
        same settings.
    n_embeddings : int, optional
        M during the calibration, where the settings have one.
    margin : float
        A start value stays unless another option is better by more than this.
    inside : bool
        Whether a start value also stays where the best option is the smallest or largest of three or more numbers: what
        is beyond may be better still, so that the options do not show a best one.
    progress : callable

    Returns
    -------
    scored : list of (key, option, DataFrame)
    picks : DataFrame
        Per choice and option: mean score of each method and of all, whether it is picked, and whether it is what the
        configuration has.
    """
    current = {**settings, **{key: listed[0] for key, listed in options.items()}}
    if n_embeddings is not None:
        current["n_embeddings"] = n_embeddings
    scored, rows, known = [], [], {}
    for key, listed in options.items():
        progress(f"{key}: {', '.join(map(str, listed))}")
        means = {}
        for option in listed:
            tried = {**current, key: option}
            name = repr(sorted(tried.items()))
            if name not in known:
                known[name] = score(tried)
            scored.append((key, option, known[name]))
            means[option] = known[name].mean()
        found = {option: mean.mean() for option, mean in means.items()}
        current[key] = pick_option(found, margin, inside=inside)
        for option, mean in means.items():
            row = {"choice": key, "option": str(option), **mean, "mean": mean.mean()}
            rows.append(row | {"picked": option == current[key], "configured": option == settings[key]})
    return scored, pd.DataFrame(rows)


def pick_option(scores: Mapping[object, float], margin: float, *, inside: bool = False) -> object:
    """
    The first option, unless another scores better by more than the margin; then the best.

    Parameters
    ----------
    scores : mapping
        Option -> score.
    margin : float
    inside : bool
        Whether the first option also stays where the best one is an end of three or more numbers.

    Returns
    -------
    object
    """
    options: Sequence = list(scores)
    best = max(options, key=scores.get)
    numbers = len(options) > 2 and all(isinstance(option, int | float) for option in options)
    if inside and numbers and best in (min(options), max(options)):
        return options[0]
    return best if scores[best] > scores[options[0]] + margin else options[0]


def add_scores(
    metrics: Metrics,
    metric: str,
    scored: Sequence[tuple[str, object, pd.DataFrame]],
    cases: Sequence[Mapping],
    rows: Sequence[int] | slice = slice(None),
) -> None:
    """
    Add the scores of all options, a value per method and case.

    Parameters
    ----------
    metrics : Metrics
        With the conditions choice and option.
    metric : str
    scored : list of (key, option, DataFrame)
        Of `go_through_options`.
    cases : sequence of mapping
        Conditions of each row.
    rows : sequence of int, optional
        The rows of the scores that these cases have, if not all.
    """
    for key, option, found in scored:
        for case, (_, row) in zip(cases, found.iloc[rows].iterrows(), strict=True):
            for method, value in row.items():
                metrics.add(method, metric, value, **case, choice=key, option=str(option))
