"""
Picking the details that a paper leaves open.

The rule: the choices are gone through in the order of the configuration, from the start values on. An option scores by
the mean over the cases and over the methods that count, all of equal weight, so that none is favoured. The start value
stays unless another option is better by more than the margin; then the best one takes its place, for the choices that
follow too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
from joblib import delayed

from replication.platform.settings import Settings
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

# A choice, an option of it, and its scores: a row per case and a column per method.
Scored = list[tuple[str, object, pd.DataFrame]]


def calibrate(
    options: Mapping[str, Sequence],
    settings: Settings,
    score: Callable[..., Mapping[str, float]],
    cases: Sequence[Mapping],
    *,
    margin: float,
    n_jobs: int,
    progress: Callable[[str], None],
) -> tuple[Scored, pd.DataFrame]:
    """Score every option on all cases, each the arguments of `score` besides the settings, and pick."""

    def score_cases(tried: Mapping) -> pd.DataFrame:
        changed = settings.replace(**tried)
        return pd.DataFrame(results_of((delayed(score)(**case, settings=changed) for case in cases), n_jobs))

    return go_through_options(options, vars(settings), score_cases, margin=margin, progress=progress)


def go_through_options(
    options: Mapping[str, Sequence],
    settings: Mapping,
    score: Callable[[dict], pd.DataFrame],
    *,
    margin: float,
    votes: Mapping[str, Sequence[str]] | None = None,
    inside: bool = False,
    progress: Callable[[str], None],
) -> tuple[Scored, pd.DataFrame]:
    """Score every option with the picks before it, and pick; methods weigh the same, or together in votes."""
    current = {**settings, **{key: listed[0] for key, listed in options.items()}}
    scored, rows, known = [], [], {}
    for key, listed in options.items():
        progress(f"{key}: {', '.join(map(str, listed))}")
        means = {}
        for option in listed:
            tried = {**current, key: option}
            name = repr(sorted(tried.items()))
            if name not in known:
                known[name] = score(tried)
            scores = known[name]
            scored.append((key, option, scores))
            voted = {vote: scores[methods].mean(axis=1) for vote, methods in votes.items()} if votes else scores
            means[option] = pd.DataFrame(voted).mean().mean()
        current[key] = pick_option(means, margin, inside=inside)
        for option, (_, _, scores) in zip(listed, scored[-len(listed) :], strict=True):
            row = {"choice": key, "option": str(option), **scores.mean(), "mean": means[option]}
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


def add_scores(metrics: Metrics, metric: str, scored: Scored, cases: Sequence[Mapping]) -> None:
    """Add the scores of all options, a value per method and case."""
    for key, option, scores in scored:
        for case, (_, row) in zip(cases, scores.iterrows(), strict=True):
            for method, value in row.items():
                metrics.add(method, metric, value, **case, choice=key, option=str(option))


def scores_by_set(
    experiment: str, metric: str, scored: Scored, cases: Sequence[tuple[str, int]], sources: Mapping[str, str]
) -> pd.DataFrame:
    """The scores of cases that are repetitions on data sets, with the source of each set."""
    tables = []
    for name in dict.fromkeys(name for name, _ in cases):
        metrics = Metrics(experiment, name, sources[name], ["choice", "option"])
        own = [k for k, (dataset, _) in enumerate(cases) if dataset == name]
        of_set = [(key, option, scores.iloc[own]) for key, option, scores in scored]
        add_scores(metrics, metric, of_set, [{"repetition": cases[k][1]} for k in own])
        tables.append(metrics.table())
    return pd.concat(tables, ignore_index=True)
