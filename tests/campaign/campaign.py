"""
What a study does when it is killed, interrupted, short of space or misled: trials by the hundred, drawn by a seed.

    make campaign                                                          all, three to four hours on two cores
    .venv/bin/python tests/campaign/campaign.py --only kills --trial 17    one trial again

Prints a table of what was tried and what passed, and with --write writes it to docs/campaign.md; with --only its rows
there, the others stay. A trial fails if a
wrong result is accepted, a file is missing after a run that calls itself complete, an error is none of the project's
own, or anything hangs for 20 seconds. The exit code is 1 if one fails.
"""

import argparse
import os
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[2]
for _folder in ("campaign", "library", "study", "workflow", "regression"):
    if str(ROOT / "tests" / _folder) not in sys.path:
        sys.path.append(str(ROOT / "tests" / _folder))

from consensus_embedding.utils.arithmetic import is_portable, set_portable

os.environ.setdefault("ARITHMETIC", "portable")
if os.environ["ARITHMETIC"] == "portable" and not is_portable(os.environ):
    set_portable(os.environ)

from trials import Campaign, outcomes

SEED = 20121
PAGE = ROOT / "docs" / "campaign.md"


def _of(module: str, function: str):
    """A function that is imported when it is first called: a trial needs not all libraries."""

    def call(*arguments):
        return getattr(__import__(module), function)(*arguments)

    return call


CAMPAIGNS = {
    "kills": Campaign(
        "kill -9 of all processes, of the main one, of one job; fresh, partly deleted, edited, run again: "
        "the same command recovers",
        100,
        _of("studies", "kill"),
        limit=600,
        prepare=_of("studies", "study"),
    ),
    "signals": Campaign(
        "SIGINT, SIGTERM, SIGHUP: the run ends, the same command recovers",
        20,
        _of("studies", "interrupt"),
        limit=600,
        prepare=_of("studies", "study"),
    ),
    "disks": Campaign(
        "full disk: the message names the place, the same command recovers",
        6,
        _of("studies", "fill_disk"),
        limit=600,
        prepare=_of("studies", "study"),
        possible=_of("studies", "may_mount"),
    ),
    "outputs": Campaign(
        "every output of every job deleted, then emptied, own data too: the same command makes it again",
        70,
        _of("outputs", "lose_outputs"),
        limit=600,
    ),
    "replaced": Campaign(
        "inputs replaced by older and newer ones: the same command reads them again",
        24,
        _of("outputs", "replace_input"),
        limit=600,
    ),
    "files": Campaign(
        "damaged files for all readers", 600, _of("damage", "damage_file"), prepare=_of("damage", "prepare")
    ),
    "inputs": Campaign(
        "damaged arrays and parameters for all functions and estimators",
        800,
        _of("estimators", "damage_input"),
        prepare=_of("estimators", "prepare"),
    ),
    "settings": Campaign("settings of a wrong type, out of range or misspelt", 1000, _of("settings", "spoil_setting")),
    "ways": Campaign(
        "other cores, order of jobs, hash seeds, locales: the same bytes",
        12,
        _of("studies", "make_in_another_way"),
        limit=600,
        prepare=_of("studies", "longer_study"),
    ),
}


def clean_up() -> None:
    """Remove the studies of this process."""
    if "studies" in sys.modules:
        studies = sys.modules["studies"]
        for made in (studies.study, studies.longer_study):
            if made.cache_info().currsize:
                made().remove()
    if "outputs" in sys.modules and sys.modules["outputs"].checkout.cache_info().currsize:
        sys.modules["outputs"].remove()


def commit() -> str:
    """What was tried: the commit, and whether files differ from it, the page itself left out."""
    git = ["git", "-C", ROOT]
    try:
        name = subprocess.run([*git, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True).stdout.strip()
        other = [*git, "status", "--porcelain", "--", ".", f":!{PAGE.relative_to(ROOT)}"]
        changed = subprocess.run(other, capture_output=True, text=True).stdout.strip()
    except OSError:
        name, changed = "", ""
    return f"{name}{' and changes' if changed else ''}" or "none"


def table(rows: list[tuple[str, int, int, float]], seed: int, before: str = "") -> str:
    """The page of the docs: the rows measured now, and what a page of before says of the other campaigns."""
    what = f"{commit()} | {date.today()} |"
    new = {
        title: f"| {title} | {tried} | {passed if tried else 'not here'} | {seconds:.0f} | {what}"
        for title, tried, passed, seconds in rows
    }
    old = {line.split(" | ")[0].removeprefix("| "): line for line in before.splitlines()}
    lines = [new.get(one.title) or old.get(one.title) for one in CAMPAIGNS.values()]
    return "\n".join(
        [
            "# Campaign",
            "",
            f"`make campaign`, seed {seed}; [what it does](reproducibility.md#trials-that-anyone-can-run).",
            "",
            "| campaign | tried | passed | seconds | commit | date |",
            "| --- | ---: | ---: | ---: | --- | --- |",
            *filter(None, lines),
            "",
        ]
    )


def main() -> int:
    """Run the campaigns; 1 if a trial failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=CAMPAIGNS, nargs="+", default=list(CAMPAIGNS))
    parser.add_argument("--trial", type=int, nargs="+", help="the numbers of some trials")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--write", action="store_true", help=f"write the table to {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args()
    rows, failed = [], 0
    for name in arguments.only:
        campaign, start = CAMPAIGNS[name], time.monotonic()
        if not campaign.possible():
            print(f"{name}: left out, since only root may make a small disk", flush=True)
            rows.append((campaign.title, 0, 0, 0.0))
            continue
        numbers = range(campaign.tried) if arguments.trial is None else arguments.trial
        wrong = 0
        ended = outcomes(campaign, name, arguments.seed, numbers, arguments.cores)
        for done, (k, reason) in enumerate(ended, 1):
            if campaign.limit > 100 and done % 10 == 0:
                print(f"{name}: {done} of {len(numbers)} tried ({time.monotonic() - start:.0f} s)", flush=True)
            if reason is not None:
                wrong += 1
                again = f".venv/bin/python tests/campaign/campaign.py --only {name} --trial {k} --seed {arguments.seed}"
                print(f"FAILED {name} {k}: {reason}\n  again: {again}", flush=True)
        seconds = time.monotonic() - start
        print(f"{name}: {len(numbers) - wrong} of {len(numbers)} ({seconds:.0f} s)", flush=True)
        rows.append((campaign.title, len(numbers), len(numbers) - wrong, seconds))
        failed += wrong
    kept = PAGE.read_text(encoding="utf-8") if PAGE.exists() and arguments.only != list(CAMPAIGNS) else ""
    page = table(rows, arguments.seed, kept)
    print(f"\n{page}")
    if arguments.write:
        PAGE.write_text(page, encoding="utf-8")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
