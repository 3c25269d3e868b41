"""What the benchmarks share: clocks, and rows that are printed and gathered into the tables of docs/speed_table.md."""

import json
import os
import platform
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "speed_table.md"
HEAD = """# Speed, as measured

`make bench` writes this page; `tests/benchmarks/bench.py --only NAME --write` writes one section of it. All rows of a
section are from one run, which times our code and a standard alternative on the same inputs. Times are of the
processor, on one core unless a row says otherwise, so that other work on the machine counts little. The ratio is the
time of the other over ours. [Speed](speed.md) says more.
"""
COLUMNS = ("what", "ours", "instead", "ratio", "agreement")
_sections = {}
_rows = None


def clock(function, *args, repeats=5, **kwargs):
    """Median processor seconds of some calls, after one that may compile, and the result."""
    result, took = function(*args, **kwargs), []
    for _ in range(repeats):
        seconds, result = once(function, *args, **kwargs)
        took.append(seconds)
    return np.median(took), result


def once(function, *args, **kwargs):
    """Processor seconds of one call, and the result."""
    start = time.process_time()
    result = function(*args, **kwargs)
    return time.process_time() - start, result


def elsewhere(script, *arguments):
    """What a script prints as its last line, JSON, if called with `--measure` and these; in a process of its own."""
    command = [sys.executable, script, "--measure", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure(**measures):
    """Answer a call of `elsewhere`: the measurement of a name, given its numbers, with the peak memory in GB."""
    if sys.argv[1:2] != ["--measure"]:
        sys.exit(f"{sys.argv[0]} has benchmarks of bench.py, which runs them by --only and their names.")
    name, *numbers = sys.argv[2:]
    found = measures[name](*map(int, numbers))
    print(json.dumps({"peak": peak_memory(), **found}))


def peak_memory():
    """Peak of this process in GB (Linux); `ru_maxrss` would count that of the process that started it."""
    return int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1]) * 1024 / 1e9


def in_words(seconds):
    """Three digits and a unit."""
    for unit, size in (("min", 60.0), ("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= (2 if unit == "min" else 1) * size or unit == "µs":
            return f"{seconds / size:.3g} {unit}"
    raise AssertionError(seconds)


def say(what, ours, other, theirs, agreement=""):
    """One comparison: seconds of ours and of the other, and how well the results agree."""
    ratio = theirs / ours
    found = (what, in_words(ours), f"{other} {in_words(theirs)}", f"{ratio:.{0 if ratio >= 10 else 1}f}", agreement)
    print(f"{what}: {found[1]}, {found[2]}, ratio {found[3]}; {agreement}", flush=True)
    add(found)


def note(what, found, agreement=""):
    """One measurement without a peer."""
    print(f"{what}: {found}{'; ' if agreement else ''}{agreement}", flush=True)
    add((what, found, "", "", agreement))


def add(row, columns=COLUMNS):
    """Keep a row of a table of these columns for the page."""
    if _rows is not None:
        _rows.append((columns, tuple(map(str, row))))


@contextmanager
def section(name):
    """Rows measured meanwhile belong to the section of that name."""
    global _rows
    load = os.getloadavg()[0]
    _rows = []
    yield
    _sections[name] = _as_text(name, load, _rows)
    _rows = None


def _as_text(name, load, rows):
    from consensus_embedding.utils.arithmetic import name_of_arithmetic

    lines = [
        f"Measured on {date.today()}: {_processor()}, {os.cpu_count()} cores, arithmetic {name_of_arithmetic()}, "
        f"Python {platform.python_version()}; load {load:.1f} at the start."
    ]
    last = None
    for columns, row in rows:
        if columns != last:
            lines += ["", f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}"]
            last = columns
        lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |")
    return "\n".join([f"<!-- {name} -->", f"## {name}", "", *lines, f"<!-- end of {name} -->"])


def _processor():
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()) if os.name == "posix" else None
    return found[1] if found else platform.machine()


def write(path=PAGE, *, keep=None):
    """
    Write the sections measured; of the others on the page keep all, or with `keep` those of these names.
    """
    text = path.read_text(encoding="utf-8").rstrip() + "\n" if path.exists() else HEAD
    if keep is not None:
        kept = re.findall(rf"<!-- (?:{'|'.join(keep)}) -->.*?<!-- end of \w+ -->", text, flags=re.DOTALL)
        text = "\n".join([HEAD, *(f"{one}\n" for one in kept)])
    for name, section_text in _sections.items():
        old = re.compile(f"<!-- {name} -->.*<!-- end of {name} -->", flags=re.DOTALL)
        text = old.sub(lambda _, new=section_text: new, text) if old.search(text) else f"{text}\n{section_text}\n"
    path.write_text(text, encoding="utf-8")
    print(f"Wrote {', '.join(_sections)} to {path}")
