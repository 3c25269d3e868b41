"""
The check beside its peers, on runs in which it is known which points change place.

    .venv/bin/python tests/benchmarks/bench_peers.py FOLDER                   prints the tables
    .venv/bin/python tests/benchmarks/bench_peers.py FOLDER --peers PYTHON    the same, with the peers of another Python
    .venv/bin/python tests/benchmarks/bench_peers.py ... --write              and docs/check_peers.md gets them

FOLDER keeps the runs and the results, so that a second call goes on where the first ended. Half an hour of the
processor in all. The peers are no dependencies; docs/check_peers.md says how to install them. The tables name what is
missing.
"""

import argparse
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from consensus_embedding import ExactTSNE
from planted_runs import (
    N_RUNS,
    N_TRUTH,
    SHARES,
    PlantedRuns,
    ambiguous_data,
    share_elsewhere,
    simulate_runs,
)
from rows import add, section, write
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

PAGE = Path(__file__).parents[2] / "docs" / "check_peers.md"

SEEDS = range(300, 305)
SIMULATED, REAL = ("places", "noisy", "swap", "random"), ("t-SNE", "UMAP")
# Tool -> kinds of runs that it takes, and what its rows are called by their variants.
TOOLS = {
    "check": (SIMULATED + REAL, {"": "`check_embedding`"}),
    "dynamicviz": (
        SIMULATED + REAL,
        {"nearest": "DynamicViz, 20 nearest, same runs", "all": "DynamicViz, all points, same runs"},
    ),
    "dynamicviz_bootstrap": (
        REAL,
        {"nearest": "DynamicViz, 20 nearest, bootstrap", "all": "DynamicViz, all points, bootstrap (its default)"},
    ),
    "ghostumap": (
        ("UMAP",),
        {"spectral": "GhostUMAP2, spectral start (its default)", "random": "GhostUMAP2, random start"},
    ),
    "embedr": (REAL, {"": "EMBEDR, p < 0.05"}),
    "scdeed": (REAL, {"": "scDEED (stand-in), trustworthy"}),
    "distortions": (REAL, {"": "distortions, broken neighbourhoods"}),
    "scstability": (SIMULATED + REAL, {"": "scStability (stand-in)"}),
    "pydrmetrics": (REAL, {"": "pyDRMetrics"}),
}
# What gives a picture one number, and none to its points.
OF_PICTURES = ("scstability", "pydrmetrics")


def auroc(moves, score):
    """Area under the ROC curve of the points that move (1) against those that stay (0); others are -1."""
    return roc_auc_score(moves[moves >= 0], np.asarray(score)[moves >= 0])


def lowest(score, count):
    """The `count` lowest scores: what a tool without a limit calls stable at a base rate."""
    chosen = np.zeros(len(score), dtype=bool)
    chosen[np.argsort(score, kind="stable")[:count]] = True
    return chosen


def real_runs(embedder, seed):
    """20 runs of ambiguous data, their processor seconds, and the truth from 200 others."""
    X, group = ambiguous_data(seed)
    seeds = range(1000 * seed, 1000 * seed + N_RUNS + N_TRUTH)
    if embedder == "t-SNE":
        run = lambda seed: ExactTSNE().fit_transform_runs(X, [seed], n_jobs=1)[0]
    else:
        from umap import UMAP

        run = lambda seed: UMAP(init="random", random_state=seed, n_jobs=1).fit_transform(X)
    with threadpool_limits(1):
        run(0)
        start = time.process_time()
        runs = np.array([run(seed) for seed in seeds[:N_RUNS]])
        seconds = time.process_time() - start
        others = np.array([run(seed) for seed in seeds[N_RUNS:]])
    return PlantedRuns(runs, X, group, share_elsewhere(others, group), np.empty((0, 0), dtype=bool)), seconds


def stored_case(folder, kind, seed):
    """File of a case, made if it is not there."""
    path = folder / f"{kind}_{seed}.npz"
    if not path.exists():
        simulated = kind in SIMULATED
        case, seconds = (simulate_runs(kind, seed), 0.0) if simulated else real_runs(kind, seed)
        part = folder / f"{kind}_{seed}.part.npz"
        np.savez(part, **vars(case), embedder="" if simulated else kind, seconds_runs=seconds)
        part.rename(path)
        print(f"{path.stem}: {sum(case.moves == 1)} points move, {sum(case.moves == 0)} stay", flush=True)
    return path


def loaded(path):
    """A stored case, and the seconds of its runs."""
    with np.load(path) as stored:
        fields = {name: stored[name] for name in PlantedRuns.__dataclass_fields__}
        return PlantedRuns(**fields), float(stored["seconds_runs"])


def results_of(tool, kind, paths, folder, python):
    """What the tool says of each case, or in words what is missing."""
    kept = folder / f"{tool}_{kind}.json"
    if not kept.exists():
        print(f"{tool}, {kind} ...", flush=True)
        command = [sys.executable if tool == "check" else python, Path(__file__).with_name("peer_scores.py"), tool]
        done = subprocess.run([*command, *paths], stdout=subprocess.PIPE, text=True, check=True)
        found = json.loads(done.stdout.splitlines()[-1])
        if isinstance(found, str):
            return found
        kept.write_text(json.dumps(found))
    return json.loads(kept.read_text())


def mean_sd(values, digits=3):
    """Mean with the standard deviation over seeds."""
    values = np.asarray(values, dtype=float)
    return f"{values.mean():.{digits}f} ± {values.std(ddof=1):.{digits}f}"


def percent(calls):
    """Share of calls that are "stable", with their number."""
    calls = np.concatenate(calls)
    return f"{calls.mean():.1%} of {len(calls)}".replace("%", " %") if len(calls) else ""


class Comparison:
    """Cases and results of all tools."""

    def __init__(self, folder, python):
        paths = {kind: [stored_case(folder, kind, seed) for seed in SEEDS] for kind in SIMULATED + REAL}
        self.cases = {kind: [loaded(path) for path in found] for kind, found in paths.items()}
        self.missing, self.found = {}, {}
        for tool, (kinds, names) in TOOLS.items():
            for kind in kinds:
                found = results_of(tool, kind, paths[kind], folder, python)
                if isinstance(found, str):
                    self.missing[tool] = found
                    break
                for rows in found:
                    for row in rows:
                        self.found.setdefault((tool, row.get("variant", next(iter(names)))), {}).setdefault(kind, [])
                        self.found[tool, row.get("variant", next(iter(names)))][kind].append(row)

    def stable(self, tool, kind):
        """
        What a tool calls stable in each case: by its own limit, or as many of the lowest as the check calls stable.

        In `swap` and `random`, where a rate would tell the answer, a score without a limit gets that of `places`.
        """
        for k, row in enumerate(self.found[tool][kind]):
            score = np.array(row["score"])
            if "stable" in row:
                yield np.array(row["stable"])
            elif kind in ("swap", "random"):
                calibrated = np.array(self.found[tool]["places"][k]["score"])
                count = sum(self.found["check", ""]["places"][k]["stable"])
                yield score <= np.sort(calibrated)[count - 1] if count else np.zeros(len(score), dtype=bool)
            else:
                yield lowest(score, sum(self.found["check", ""][kind][k]["stable"]))

    def calls(self, tool, kind, chosen):
        """Whether the points that `chosen` takes from a case are called stable, over all seeds."""
        cases = [case for case, _ in self.cases[kind]]
        return percent([calls[chosen(case)] for case, calls in zip(cases, self.stable(tool, kind), strict=True)])

    def area(self, tool, kind):
        """AUROC of the points that move."""
        rows = self.found[tool][kind]
        return mean_sd([auroc(case.moves, row["score"]) for (case, _), row in zip(self.cases[kind], rows, strict=True)])

    def of_points(self, kinds):
        """Tools with a score of points that took runs of these kinds, and their names."""
        for tool, (takes, names) in TOOLS.items():
            for variant, name in names.items():
                if tool not in OF_PICTURES and (tool, variant) in self.found and set(kinds) <= set(takes):
                    yield (tool, variant), name

    def simulated_table(self):
        """Points of simulated runs."""
        columns = ["score", "AUROC, places", "AUROC, noisy"]
        columns += [f"stable at q = {share:.0%}".replace("%", " %") for share in SHARES]
        columns += [
            "members stable, places",
            "members stable, noisy",
            "swap: stable (all are)",
            "random: stable (none is)",
        ]
        for tool, name in self.of_points(SIMULATED):
            of_share = [
                self.calls(tool, "places", lambda case, share=share: case.elsewhere == share) for share in SHARES
            ]
            members = [self.calls(tool, kind, lambda case: case.moves == 0) for kind in ("places", "noisy", "swap")]
            never = self.calls(tool, "random", lambda case: case.moves == 1)
            add([name, self.area(tool, "places"), self.area(tool, "noisy"), *of_share, *members, never], columns)

    def real_table(self, kind):
        """Points of real runs."""
        columns = ["score", "AUROC", "move, called stable", "stay, called stable", "s, runs", "s, score", "memory"]
        made = np.median([seconds for _, seconds in self.cases[kind]])
        for tool, name in self.of_points([kind]):
            rows = self.found[tool][kind]
            runs = np.median([row.get("seconds_runs", 0.0) for row in rows])
            shared = {"check": made, "dynamicviz": made, "scdeed": made / N_RUNS, "distortions": made / N_RUNS}
            runs += shared.get(tool[0], 0.0)
            calls = [self.calls(tool, kind, lambda case, answer=answer: case.moves == answer) for answer in (1, 0)]
            times = [f"{runs:.2g}" if runs else "in the score", f"{np.median([row['seconds'] for row in rows]):.2g}"]
            add([name, self.area(tool, kind), *calls, *times, f"{max(row['memory'] for row in rows):.2f} GB"], columns)

    def pictures_table(self):
        """What is said of whole pictures and of pairs of groups."""
        columns = ("score", "runs", "measure", "value", "seconds and memory")
        for tool, words in (("scstability", "mean Kendall tau"), ("pydrmetrics", "mean trustworthiness, first run")):
            if (tool, "") not in self.found:
                continue
            for kind, rows in self.found[tool, ""].items():
                cost = f"{np.median([row['seconds'] for row in rows]):.2g} s, {max(r['memory'] for r in rows):.2f} GB"
                add([TOOLS[tool][1][""], kind, words, mean_sd([row["value"] for row in rows], 2), cost], columns)
        calls = {True: [], False: []}
        for (case, _), row in zip(self.cases["swap"], self.found["check", ""]["swap"], strict=True):
            for first, second, _, category in row["pairs"]:
                calls[bool(case.pairs_change[int(first), int(second)])].append(category == "stable")
        for changes, words in ((True, "a group of which swaps"), (False, "none of which swaps")):
            add(["`check_embedding`", "swap", f"pairs, {words}: stable", percent([calls[changes]]), ""], columns)

    def missing_table(self):
        """Tools that could not be imported."""
        for tool, words in self.missing.items():
            add([", ".join(TOOLS[tool][1].values()), words], ("not measured", "why"))


def main(folder, python):
    """Measure all and keep the tables."""
    folder.mkdir(parents=True, exist_ok=True)
    compared = Comparison(folder, python)
    with section("Points of simulated runs"):
        compared.simulated_table()
    for kind in REAL:
        moves = sum(np.sum(case.moves == 1) for case, _ in compared.cases[kind])
        with section(f"Points of {kind} runs"):
            compared.real_table(kind)
            compared.missing_table()
        print(f"{kind}: {moves} points move in {len(SEEDS)} draws", flush=True)
    with section("Whole pictures and pairs of groups"):
        compared.pictures_table()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="keeps runs and results")
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON", help="a Python that has the peers")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/check_peers.md")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", message="n_jobs value")
    main(arguments.folder, arguments.peers)
    if arguments.write:
        write(PAGE)
