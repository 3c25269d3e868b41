"""
Compare the manifest of a study with its present files: intact, edited by hand, stale or missing.

Every file is hashed again; nothing is believed from sizes or times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from replication.platform.provenance import hash_file, is_same_code, made_with, plain

# States of a file, in the order of a report; the first two are fine.
STATES = {
    "intact": "as its job wrote it, from the present inputs and code",
    "left over": "made by a job of the workflow, but not part of this configuration",
    "edited by hand": "differs from what its job wrote",
    "missing": "in the manifest but not on the disk",
    "stale": "an input or the code behind it changed since",
    "remade": "made again after the manifest was written",
    "no record": "result of unknown origin",
    "unknown": "not in the manifest, and not made by a job of the workflow",
}
SOUND = ("intact", "left over")
# Written by Snakemake after a job ends, with run times, of no result, and other at every run; and by `make settle`.
_NOT_RESULTS = ("benchmarks", "stages.yaml")


@dataclass(frozen=True)
class Finding:
    """What the audit says of one file."""

    path: str
    state: str  # One of `STATES`.
    detail: str = ""  # Why, in plain words; empty for an intact file.
    rule: str = ""  # The rule that made it, if that is known.


@dataclass(frozen=True)
class Audit:
    """What the audit says of a study."""

    study: str
    findings: list[Finding]  # One for each file, sorted by state and path.
    configuration: list[str]  # Of `changed_keys`: from the manifest's to the present one.
    # Rules that ran with code which changed since but which they do not name, so that Snakemake would not run them
    # again by itself.
    unnamed: list[str] = field(default_factory=list)
    made_with: list[str] = field(default_factory=list)  # Of `provenance.made_with`.

    @cached_property
    def faults(self) -> list[Finding]:
        """Files that differ from the manifest."""
        return [finding for finding in self.findings if finding.state not in SOUND]

    @property
    def is_intact(self) -> bool:
        """Whether all files and the configuration match the manifest."""
        return not self.faults and not self.configuration


def audit(
    manifest: Mapping[str, Any],
    records: Mapping[str, Mapping[str, Any]],
    configuration: Mapping[str, Any],
    aside: Iterable[Mapping[str, Any]] = (),
) -> Audit:
    """Hash the results, data and code of a study again and compare; `aside` are the records that were set aside."""
    check = _Check(manifest, records, aside)
    findings = [check.result(name) for name in manifest["results"]]
    findings += [
        Finding(name, "no record", entry["reason"], entry["rule"] or "") for name, entry in check.without.items()
    ]
    findings += check.others()
    order = list(STATES)
    return Audit(
        study=manifest["study"],
        findings=sorted(findings, key=lambda finding: (order.index(finding.state), _reason(finding), finding.path)),
        configuration=changed_keys(manifest["configuration"], configuration),
        unnamed=sorted(check.unnamed),
        made_with=made_with(manifest["machines"][job["machine"]] for job in manifest["jobs"].values()),
    )


def _reason(finding: Finding) -> str:
    """What stale files are sorted by."""
    return finding.detail if finding.state == "stale" else ""


def changed_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """One line for each key of a configuration that differs: its dotted name, old value -> new value."""
    before, after = _flat(plain(old)), _flat(plain(new))
    return [
        f"{key}: {_shown(before, key)} -> {_shown(after, key)}"
        for key in sorted(before.keys() | after.keys())
        if before.get(key, _ABSENT) != after.get(key, _ABSENT)
    ]


def describe(result: Audit, limit: int = 40) -> str:
    """Say what an audit found, in plain words."""
    counts = Counter(finding.state for finding in result.findings)
    n_files = len(result.findings)
    lines = [f"Audit of the study {result.study}: {n_files} files", ""]
    width = max(map(len, STATES))
    lines += [f"  {counts[state]:5}  {state:<{width}}  {words}" for state, words in STATES.items() if counts[state]]
    lines += ["", *(f"Made with {line}" for line in result.made_with)]
    for state in STATES:
        named = [finding for finding in result.findings if finding.state == state and state != "intact"]
        if named:
            lines += ["", f"{state}:", *_rows(named, limit)]
    if result.configuration:
        lines += ["", "The configuration changed, manifest -> now:", *(f"  {line}" for line in result.configuration)]
    return "\n".join([*lines, *_advice(result, counts)])


def _rows(findings: Sequence[Finding], limit: int) -> list[str]:
    """A line for each file; those that are stale for the same reason are grouped below it."""
    lines = []
    for finding in findings[:limit]:
        if finding.state == "stale":
            reason = f"  because {finding.detail}:"
            lines += [*([] if reason in lines else [reason]), f"    {finding.path}"]
        else:
            lines += [f"  {finding.path}{f': {finding.detail}' if finding.detail else ''}"]
    return [*lines, f"  and {len(findings) - limit} more"] if len(findings) > limit else lines


def _advice(result: Audit, counts: Mapping[str, int]) -> list[str]:
    """What to do about the faults, one line each."""
    lines = []
    if counts["edited by hand"] or counts["missing"]:
        lines += ["Edited or missing results: run the study again. It replaces edited ones; rename those to keep."]
    if counts["stale"] or counts["remade"] or result.configuration:
        lines += ["Stale results, or another configuration: run the study again."]
    if any("resources/data/" in fault.detail and fault.detail.endswith("is missing") for fault in result.faults):
        lines += [
            "Missing data: a run does not fetch them again; ask for them by name: snakemake resources/data/<file>."
        ]
    if result.unnamed:
        lines += [
            "Snakemake itself does not rerun stale results whose rule does not name the module that changed: "
            f"add --forcerun {' '.join(result.unnamed)}"
        ]
    if counts["unknown"]:
        lines += ["Unknown files: move them elsewhere."]
    return ["", *lines] if lines else []


class _Check:
    """The files of a manifest, each hashed once."""

    def __init__(
        self,
        manifest: Mapping[str, Any],
        records: Mapping[str, Mapping[str, Any]],
        aside: Iterable[Mapping[str, Any]],
    ):
        self.manifest, self.records = manifest, records
        self.results, self.jobs = manifest["results"], manifest["jobs"]
        # File that a job made under another configuration -> its record, with the files of that time.
        self.former = {
            name: {**record, "outputs": record["former"]}
            for record in (*records.values(), *aside)
            for name in record.get("former", {})
        }
        self.without = manifest["without_record"]
        self.unnamed: set[str] = set()
        self._hashes: dict[str, str | None] = {}
        self._causes: dict[str, list[str]] = {}

    def hash(self, path: str) -> str | None:
        """Hash of a file as it is now; None if it is not there."""
        if path not in self._hashes:
            self._hashes[path] = hash_file(path) if Path(path).is_file() else None
        return self._hashes[path]

    def result(self, name: str) -> Finding:
        """Judge a file of the manifest."""
        entry = self.results[name]
        state, detail = self._own_state(name)
        if state == "intact":
            causes = self.causes(entry["job"])
            if causes:
                shown = "; ".join(causes[:3]) + (f"; and {len(causes) - 3} more" if len(causes) > 3 else "")
                state, detail = "stale", shown
        return Finding(name, state, detail, entry["rule"])

    def _own_state(self, name: str) -> tuple[str, str]:
        """Is a file what its job wrote, whatever became of the inputs?"""
        entry, sha256 = self.results[name], self.hash(name)
        if sha256 == entry["sha256"]:
            return "intact", ""
        if sha256 is None:
            return "missing", f"made by {entry['rule']}"
        record = self.records.get(name, {})
        if record.get("outputs", {}).get(name, {}).get("sha256") == sha256:
            return "remade", f"by {record['rule']}, {record['started']}; the manifest is older"
        return "edited by hand", f"{entry['rule']} wrote sha256 {entry['sha256'][:12]}, found {sha256[:12]}"

    def causes(self, key: str) -> list[str]:
        """What changed behind the results of a job, here or in the jobs before it; each root is named once."""
        if key not in self._causes:
            job, causes = self.jobs[key], []
            for path, described in job["inputs"].items():
                if path in self.results:
                    causes += self._causes_of_input(path, described["sha256"])
                elif self.hash(path) != described["sha256"]:
                    causes.append(self._changed(path))
            seed, folder = self.manifest["configuration"]["seed"], self.manifest["folder"]
            # What all studies share has a seed of its own.
            if job["seed"] not in (None, seed) and any(name.startswith(f"{folder}/") for name in job["outputs"]):
                causes.append(f"the seed of {job['rule']} was {job['seed']}, that of the study is {seed}")
            code, modules = self._changed_code(job["code"]), self._changed_code(job["modules"])
            if modules and not code and not causes:
                self.unnamed.add(job["rule"])
            causes += [self._changed(path) for path in (*code, *modules)]
            self._causes[key] = list(dict.fromkeys(causes))
        return self._causes[key]

    def _changed_code(self, code: Mapping[str, str | None]) -> list[str]:
        return [path for path, sha256 in code.items() if not is_same_code(path, sha256, self.hash(path))]

    def _causes_of_input(self, path: str, sha256: str | None) -> list[str]:
        """The same for an input that another job of the study made."""
        state, _ = self._own_state(path)
        if state != "intact":
            return [f"{path} {'is missing' if state == 'missing' else f'was {state}'}"]
        behind = self.causes(self.results[path]["job"])
        return behind or ([f"{path} was made again"] if self.hash(path) != sha256 else [])

    def _changed(self, path: str) -> str:
        return f"{path} {'changed' if self.hash(path) is not None else 'is missing'}"

    def others(self) -> list[Finding]:
        """Judge the files in the folder of the study that the manifest does not name."""
        folder = Path(self.manifest["folder"])
        findings = []
        for path in sorted(folder.rglob("*")):
            name, parts = str(path), path.relative_to(folder).parts
            is_known = name in self.results or name in self.without
            if is_known or not path.is_file() or parts[0] in _NOT_RESULTS or any(p.startswith(".") for p in parts):
                continue
            record = self.records.get(name) or self.former.get(name)
            is_as_made = record is not None and record["outputs"][name]["sha256"] == self.hash(name)
            if parts == ("manifest.json",):
                findings.append(Finding(name, "intact" if is_as_made or record is None else "edited by hand"))
            elif is_as_made:
                findings.append(Finding(name, "left over", f"made by {record['rule']}", record["rule"]))
            else:
                findings.append(Finding(name, "unknown"))
        return findings


_ABSENT = object()


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    """Dotted names of all keys of nested sections -> value; a list is one value."""
    if not isinstance(value, dict) or not value:
        return {name: value}
    entries: dict[str, Any] = {}
    for key, entry in value.items():
        entries |= _flat(entry, f"{name}.{key}" if name else str(key))
    return entries


def _shown(flat: Mapping[str, Any], key: str) -> str:
    """A value in a line of changes."""
    text = str(flat[key]) if key in flat else "not there"
    return text if len(text) <= 60 else f"{text[:57]}..."
