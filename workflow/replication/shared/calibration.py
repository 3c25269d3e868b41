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
    """Score every option with the picks before it, and pick."""
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
        option_means = {option: mean.mean() for option, mean in means.items()}
        current[key] = pick_option(option_means, margin, inside=inside)
        for option, mean in means.items():
            row = {"choice": key, "option": str(option), **mean, "mean": mean.mean()}
            rows.append(row | {"picked": option == current[key], "configured": option == settings[key]})
    return scored, pd.DataFrame(rows)


def pick_option(scores: Mapping[object, float], margin: float, *, inside: bool = False) -> object:
    """The first option, unless another scores better by more than the margin; then the best."""
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
    """Add the scores of all options, a value per method and case."""
    for key, option, scores in scored:
        for case, (_, row) in zip(cases, scores.iloc[rows].iterrows(), strict=True):
            for method, value in row.items():
                metrics.add(method, metric, value, **case, choice=key, option=str(option))
