"""
What changed since the jobs of a study wrote and read it: their records, compared with the files as they are.

Sizes and time stamps come first. A file is hashed where one of them moved, in either direction.
Nothing here knows of Snakemake; `replication.platform.scheduler` asks before a run plans its jobs.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from replication.platform.audit import changed_keys
from replication.platform.provenance import hash_file, is_same_code, write_json

# Seconds that a clock of another machine may be ahead of ours.
TOLERANCE = 60
_SHOWN = 10


@dataclass(frozen=True)
class Changes:
    """What `compare` found."""

    # Output that is not as its job wrote it -> "missing", "empty" or "changed".
    results: dict[str, str] = field(default_factory=dict)
    # File that no job makes and that is not as a job read it -> "empty" or "changed".
    sources: dict[str, str] = field(default_factory=dict)
    # File of code that is not as a job ran with it -> "missing" or "changed".
    code: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)  # Of jobs that ran with another value -> both values.
    # File of the registry that is not the published one -> what was expected and found.
    foreign: dict[str, str] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)  # Outputs of all jobs that something above concerns.
    # Path of a record -> the record with the present time stamps, where only these moved.
    moved: dict[Path, dict[str, Any]] = field(default_factory=dict)


def compare(
    jobs: Mapping[Path, Iterable[str]],
    code_behind: Callable[[Path], Iterable[str]] = lambda path: (),
    published: Mapping[str, str] | None = None,
    settings: Callable[[Path], Mapping[str, Any] | None] = lambda path: None,
) -> Changes:
    """
    Compare the records of jobs with the files as they are; writes nothing.

    `jobs` are the outputs of each job by the path of its record. Of a job without a record time stamps say whether the
    code behind it is newer than what it wrote. `published` are the hashes of data files, and `settings` what a job
    would run with now; None if that is not to be compared.
    """
    made = {path for outputs in jobs.values() for path in outputs}
    changes, records = Changes(), {}
    for path, outputs in jobs.items():
        try:
            records[path] = json.loads(path.read_text(encoding="utf-8"))
            _parts(records[path])
        except FileNotFoundError:
            written_first = min((os.stat(name).st_mtime for name in outputs if os.path.exists(name)), default=None)
            if written_first is not None and (newer := later_than(written_first, code_behind(path))):
                changes.again.update(outputs)
                changes.code.update(dict.fromkeys(newer, "changed"))
        except (ValueError, KeyError, TypeError, AttributeError):
            # Its job writes another one.
            records.pop(path, None)
            changes.again.update(outputs)
            changes.results[str(path)] = "changed"
    files = _Files(records.values())
    for name, sha256 in (published or {}).items():
        if (found := files.sha256(name)) not in (None, sha256):
            changes.foreign[name] = f"expected sha256 {sha256}, found {found}"
    for path, record in records.items():
        written, read, code = _parts(record)
        states = {name: files.state(name, written[name]) for name in jobs[path] if name in written}
        changes.results.update({name: state for name, state in states.items() if state})
        # An input that is missing is left to Snakemake: data may be deleted once a study is complete.
        changed = {name: files.state(name, described) for name, described in read.items() if files.stat(name)}
        changed = {name: state for name, state in changed.items() if state}
        changes.sources.update({name: state for name, state in changed.items() if name not in made})
        # Code without a hash was edited while the job ran.
        stale = [name for name, sha256 in code.items() if not is_same_code(name, sha256, files.sha256(name))]
        changes.code.update({name: "changed" if files.stat(name) else "missing" for name in stale})
        now = settings(path)
        other = [] if now is None else changed_keys(record.get("params", {}), now)
        changes.settings.update(line.split(": ", 1) for line in other)
        if changed or stale or other or any(states.values()):
            changes.again.update(jobs[path])
        elif sum(files.stamp(described, name) for part in (written, read) for name, described in part.items()):
            changes.moved[path] = record
    return changes


def bring_up_to_date(changes: Changes) -> None:
    """Write the records in which only time stamps moved."""
    for path, record in changes.moved.items():
        with suppress(OSError):
            write_json(record, path)


def describe_changes(changes: Changes) -> str:
    """Say what changed, and what follows from it; empty if nothing did."""
    parts = []
    if changes.results:
        parts += ["Not as the jobs of the study wrote it, and to be made again:", *_lines(changes.results)]
    if changes.sources:
        parts += ["Not as the study read it; what depends on it is to be made again:", *_lines(changes.sources)]
    if changes.code:
        parts += ["Code that is not as the study ran it; its results are to be made again:", *_lines(changes.code)]
    if changes.settings:
        head = "Settings that are not as the study ran with them; its results are to be made again:"
        parts += [head, *_lines(changes.settings)]
    return "\n".join(parts)


def describe_foreign(files: Mapping[str, str]) -> str:
    """Say which data files are not the published ones, and what to do."""
    advice = "Delete them, and run again to fetch them; or put there what was published."
    return "\n".join(["These data files are not the published ones:", *_lines(files), advice])


def later_than(moment: float, paths: Iterable[str]) -> dict[str, float]:
    """File whose time stamp is later than a moment -> its time stamp, in seconds since 1970."""
    stamps = {}
    for path in paths:
        with suppress(OSError):
            stamp = os.stat(path).st_mtime
            if stamp > moment:
                stamps[path] = stamp
    return stamps


def describe_future(stamps: Mapping[str, float], now: float) -> str:
    """Say which files are dated in the future, and what to do."""
    shown = {path: f"{datetime.fromtimestamp(stamp):%Y-%m-%d %H:%M}" for path, stamp in sorted(stamps.items())}
    return "\n".join(
        [
            f"These files are dated in the future (it is {datetime.fromtimestamp(now):%Y-%m-%d %H:%M}):",
            *_lines(shown),
            "Every result would count as older than they are. Check the clock of this machine, or give them the",
            "present time:",
            *(f"touch {shlex.quote(path)}" for path in list(shown)[:_SHOWN]),
        ]
    )


def _lines(states: Mapping[str, str]) -> list[str]:
    """A line for each file, but not for very many."""
    lines = [f"  {path}: {state}" for path, state in states.items()]
    return [*lines[:_SHOWN], f"  and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else lines


def _parts(record: Mapping[str, Any]) -> tuple[dict[str, dict], dict[str, dict], dict[str, str | None]]:
    """What a record says of outputs, inputs and code."""
    written, read, code = record["outputs"], record["inputs"], record["code"]
    for described in (*written.values(), *read.values()):
        described["sha256"]
    return written, read, dict(code)


class _Files:
    """The files of records, each hashed at most once, and only if no record has its size and time stamp."""

    def __init__(self, records: Iterable[Mapping[str, Any]]):
        self._stats: dict[str, os.stat_result | None] = {}
        self._hashes: dict[str, str | None] = {}
        # (file, size, time stamp) -> hash
        self._known = {
            (name, described["bytes"], described["mtime_ns"]): described["sha256"]
            for record in records
            for part in ("outputs", "inputs")
            for name, described in record[part].items()
            if "mtime_ns" in described
        }

    def stat(self, path: str) -> os.stat_result | None:
        if path not in self._stats:
            self._stats[path] = os.stat(path) if os.path.isfile(path) else None
        return self._stats[path]

    def sha256(self, path: str) -> str | None:
        """Hash of a file as it is; None if it is not there."""
        if path not in self._hashes:
            stat = self.stat(path)
            key = stat and (path, stat.st_size, stat.st_mtime_ns)
            self._hashes[path] = stat and (self._known.get(key) or hash_file(path))
        return self._hashes[path]

    def state(self, path: str, recorded: Mapping[str, Any]) -> str:
        """Empty text for a file that is as recorded, else what became of it."""
        stat = self.stat(path)
        if recorded["sha256"] is None or self.sha256(path) == recorded["sha256"]:
            return ""
        return "missing" if stat is None else "changed" if stat.st_size else "empty"

    def stamp(self, recorded: dict[str, Any], path: str) -> bool:
        """Put the present time stamp of a file into a record; whether it is another one."""
        stat = self.stat(path)
        if stat is None or recorded.get("mtime_ns") == stat.st_mtime_ns:
            return False
        recorded["mtime_ns"] = stat.st_mtime_ns
        return True
