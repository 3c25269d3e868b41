"""
The trail from every result to its data: records of jobs, and the manifest of a study that is made from them.

A job that succeeds leaves a record next to its log: what it read and wrote with hashes, its parameters, the code and
the versions it ran with. The manifest follows the records from the results of a study down to files that no job made;
`replication.platform.audit` compares it with the files as they are now. Nothing here knows of Snakemake.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from itertools import accumulate
from pathlib import Path
from typing import Any

from consensus_embedding.utils.arithmetic import name_of_arithmetic

from replication.platform.files import write_text

_PROJECT = Path(__file__).parents[3] / "pyproject.toml"
# Keeping books changes no result; an edit of these makes nothing stale.
# The arithmetic is part of what a record says.
BOOKKEEPING = (
    *(f"replication.platform.{name}" for name in ("provenance", "audit", "job", "lock", "readable", "code_behind")),
    *(f"replication.platform.{name}" for name in ("declarations", "steps", "study", "launch", "local_jobs")),
    *(f"replication.platform.{name}" for name in ("configuration", "refusals")),
    "consensus_embedding.utils.arithmetic",
    "consensus_embedding.utils.text",
)
_CODE = ("consensus_embedding.", "replication.")
# What of a declaration no step takes: what is shown of an experiment, what is said of it, and how long a step takes.
_SHOWN = ("title", "text", "tables", "figures", "own", "present_seconds", "answer", "does", "takes")
_DECLARING = ("Experiment", "Paper", "Step")
# Size, time stamp and number of a file.
Stamp = tuple[int, int, int]
_FORMAT = 1


class TrailError(ValueError):
    """A record or a manifest is missing or cannot be read; the message says which and what to do."""


def hash_file(path: str | Path) -> str:
    """Hash a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def hash_for_step(text: bytes) -> str:
    """Hash a module as code behind a step: without what declarations show, so that a new caption runs no step again."""
    shown: list[tuple[int, int]] = []
    if any(f"{name}(".encode() in text for name in _DECLARING):
        starts = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
        # A module that is being edited while a run ends may be half a one.
        with suppress(SyntaxError):
            shown = [
                (starts[part.lineno - 1] + part.col_offset, starts[part.end_lineno - 1] + part.end_col_offset)
                for call in ast.walk(ast.parse(text))
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") in _DECLARING
                for part in call.keywords
                if part.arg in _SHOWN
            ]
    for start, end in sorted(shown, reverse=True):
        text = text[:start] + text[end:]
    return hashlib.sha256(text).hexdigest()


def is_same_code(path: str, recorded: str | None, found: str | None) -> bool:
    """Whether a file of code, with the hash `found`, is as a record has it; older ones have hashes of whole files."""
    return recorded == found or (found is not None and recorded == hash_for_step(Path(path).read_bytes()))


def plain(value: Any) -> Any:
    """Turn a parameter into what JSON knows; what it does not know becomes text."""
    if value is None or isinstance(value, bool | int | float | str):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, set | frozenset):
        return sorted((plain(entry) for entry in value), key=str)
    if isinstance(value, Iterable) and not isinstance(value, bytes | os.PathLike):
        return [plain(entry) for entry in value]
    return str(value)


def package_versions() -> dict[str, str]:
    """Versions of the direct dependencies in pyproject.toml, without those of the tests, that are installed here."""
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    own, *needed = extras["workflow"]
    named = [*project["dependencies"], *needed]
    named += [line for extra in re.search(r"\[(.*)\]", own)[1].split(",") for line in extras[extra]]
    versions = {}
    for package in sorted(re.match(r"[\w-]+", line)[0] for line in named):
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


@lru_cache(maxsize=1)
def machine() -> dict[str, Any]:
    """Operating system, architecture, processor, number of cores, and arithmetic; no name of a user or host."""
    model = platform.processor()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    hardware = {"system": platform.system(), "architecture": platform.machine(), "cpu": model, "cores": os.cpu_count()}
    return {**hardware, "arithmetic": name_of_arithmetic()}


def commit() -> str | None:
    """Commit of the repository in the working folder, if this is one, and not only in one, and git is there."""
    command = ["git", "rev-parse", "--show-toplevel", "HEAD"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    folder, _, sha1 = answer.stdout.strip().rpartition("\n")
    return sha1 if answer.returncode == 0 and os.path.samefile(folder, ".") else None


def made_with(machines: Iterable[Mapping[str, Any]]) -> list[str]:
    """Say with which arithmetic and on which processors jobs ran."""
    counts = Counter((hardware.get("arithmetic", "unknown"), hardware["cpu"]) for hardware in machines)
    return [
        f"{arithmetic} arithmetic on {cpu}: {n} job{'' if n == 1 else 's'}"
        for (arithmetic, cpu), n in counts.most_common()
    ]


def loaded_modules() -> list[Path]:
    """Files of our modules that this process has loaded, without ``__init__`` and the bookkeeping."""
    paths = {
        Path(module.__file__)
        for name, module in list(sys.modules.items())
        if name.startswith(_CODE) and name not in BOOKKEEPING and getattr(module, "__file__", None)
    }
    return sorted(path for path in paths if path.name != "__init__.py")


def record_path(log: str | Path) -> Path:
    """Path of the record of a job: next to its log."""
    return Path(log).with_suffix(".json")


def write_record(
    path: str | Path,
    job: Mapping[str, Any],
    outputs: Iterable[str | Path],
    inputs: Iterable[str | Path],
    code: Iterable[str | Path],
    started: datetime,
    seconds: float,
    read: Mapping[str, Stamp | None] | None = None,
) -> dict[str, Any]:
    """
    Write the record of a job that has just succeeded, completely or not at all.

    `read` are the `stamps` of its inputs when it began: if one of them is another file now, there is no record.
    What an earlier record that was `set_aside` names, and the job no longer makes, is still recorded as its own.
    """
    inputs, code, of_step = list(inputs), _relative(code), "run" in job["params"]
    modules = [module for module in _relative(loaded_modules()) if module not in code]
    record = {
        "format": _FORMAT,
        **plain(job),
        "started": started.astimezone(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "outputs": {name: _described(name) for name in _relative(outputs)},
        "inputs": {name: _described(name) for name in _relative(inputs)},
        "code": {name: _code_hash(name, started, of_step) for name in code},
        "modules": {name: _code_hash(name, started, of_step) for name in modules},
        "environment": {"python": platform.python_version(), "packages": package_versions()},
        "machine": machine(),
    }
    former = _read_aside(_aside(path))["former"].items()
    if left := {name: was for name, was in former if name not in record["outputs"] and Path(name).is_file()}:
        record["former"] = left
    if read is not None:
        # After they were hashed: what is in the record is what the job has read.
        changed = sorted(str(name) for name, stamp in stamps(inputs).items() if stamp != read.get(name))
        if changed:
            raise TrailError(
                f"{', '.join(changed)} changed while the job ran, which may have read either. Run it again."
            )
    write_json(record, path)
    _aside(path).unlink(missing_ok=True)
    return record


def set_aside(path: str | Path) -> None:
    """Take away the record of a job that begins. What it made before is kept until the job has another record."""
    with suppress(FileNotFoundError):
        os.replace(path, _aside(path))


def _aside(path: str | Path) -> Path:
    return Path(path).with_suffix(".former")


def _read_aside(path: Path) -> dict[str, Any]:
    """A record set aside, with all that its job made when it was run last, and before, as `former`."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return {**record, "former": {**record.get("former", {}), **record["outputs"]}}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {"former": {}}


def read_set_aside(folder: str | Path) -> list[dict[str, Any]]:
    """Read the records of a study that were `set_aside`: of jobs that are running, or have failed."""
    return [_read_aside(path) for path in sorted(Path(folder).rglob("*.former"))]


def stamps(paths: Iterable[str | Path]) -> dict[str, Stamp | None]:
    """File -> what tells it from another one of that name, without a look at its content; None of what is no file."""
    return {str(path): _stamp(Path(path)) for path in paths}


def _stamp(path: Path) -> Stamp | None:
    if not path.is_file():
        return None
    # What a file server says of a file that is not open may be old.
    with path.open("rb") as file:
        stat = os.fstat(file.fileno())
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def write_json(record: Mapping[str, Any], path: str | Path) -> None:
    """Write a record or a manifest, completely or not at all."""
    write_text(json.dumps(record, indent=1), Path(path))


def read_records(folder: str | Path) -> dict[str, dict[str, Any]]:
    """Read all records of a study."""
    records = []
    for path in sorted(Path(folder).rglob("*.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            # Time stamps are of a folder, and differ in a copy of it.
            for described in (*record["outputs"].values(), *record["inputs"].values()):
                described.pop("mtime_ns", None)
            records.append((record["started"], str(path), record, list(record["outputs"])))
        except FileNotFoundError:
            # Its job is running again.
            continue
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise TrailError(
                f"{path}: expected the record of a job, found other content ({error!r}); delete it and rerun the job"
            ) from error
    record_of: dict[str, dict[str, Any]] = {}
    for _, path, record, outputs in sorted(records, key=lambda entry: entry[:2]):
        record_of |= {output: {**record, "record": path} for output in outputs}
    return record_of


def gather(
    results: Iterable[str],
    records: Mapping[str, Mapping[str, Any]],
    study: str,
    folder: str,
    configuration: Mapping[str, Any],
    rules: Mapping[str, str] | None = None,
    commit: str | None = None,
) -> dict[str, Any]:
    """Follow the records from the results of a study down to its data."""
    rules = rules or {}
    jobs: dict[str, dict[str, Any]] = {}
    made: dict[str, dict[str, Any]] = {}
    data: dict[str, dict[str, Any]] = {}
    without: dict[str, dict[str, Any]] = {}
    environments: list[Any] = []
    machines: list[Any] = []
    ahead = sorted(set(results), reverse=True)
    seen = set(ahead)
    while ahead:
        name = ahead.pop()
        record = records.get(name)
        if record is None:
            without[name] = _no_record(rules.get(name))
            continue
        key = record["record"]
        if key not in jobs:
            jobs[key] = {
                k: v for k, v in record.items() if k not in ("environment", "machine", "record", "format", "former")
            }
            jobs[key]["environment"] = _number(record["environment"], environments)
            jobs[key]["machine"] = _number(record["machine"], machines)
        # All that a job made, also what no other job reads.
        for output, described in record["outputs"].items():
            made[output] = {**described, "rule": record["rule"], "seed": record["seed"], "job": key}
            seen.add(output)
        for path, described in record["inputs"].items():
            if path in records or path.startswith(f"{folder}/"):
                if path not in seen:
                    ahead.append(path)
                    seen.add(path)
            else:
                data[path] = described
    origins = _origins(jobs, made, data)
    return {
        "format": _FORMAT,
        "study": study,
        "folder": folder,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit,
        "configuration": plain(configuration),
        "results": {name: {**made[name], "data": origins[made[name]["job"]]} for name in sorted(made)},
        "without_record": dict(sorted(without.items())),
        "data": dict(sorted(data.items())),
        "jobs": dict(sorted(jobs.items())),
        "environments": environments,
        "machines": machines,
    }


def read_manifest(path: str | Path) -> dict[str, Any]:
    """Read a manifest."""
    path = Path(path)
    if not path.is_file():
        raise TrailError(
            f"{path}: no such file. A study writes it when it is complete: run it with the same --configfile "
            "first. What was run by the name of a target alone, such as region_maps, has none and cannot be audited."
        )
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        if manifest["format"] != _FORMAT:
            raise KeyError("format")
    except (ValueError, KeyError, TypeError) as error:
        raise TrailError(
            f"{path}: expected a manifest of format {_FORMAT}, found other content ({error!r}); "
            "delete it and run the study again"
        ) from error
    return manifest


def _origins(jobs: Mapping[str, Any], made: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, list[str]]:
    """Key of a job -> sorted names of all data files behind it, through the jobs that made its inputs."""
    sources: dict[str, set[str]] = {}

    def behind(key: str) -> set[str]:
        if key not in sources:
            sources[key] = set()
            for path in jobs[key]["inputs"]:
                sources[key] |= behind(made[path]["job"]) if path in made else {path} & set(data)
        return sources[key]

    return {key: sorted(behind(key)) for key in jobs}


def _no_record(rule: str | None) -> dict[str, Any]:
    """What the manifest says of a result without a record."""
    how = f"--forcerun {rule}" if rule else "--forcerun and the name of its rule"
    return {"rule": rule, "reason": f"no record: made by an earlier version; rerun with {how}"}


def _number(value: Any, known: list[Any]) -> int:
    """Index of a value in a list; a new value is appended."""
    if value not in known:
        known.append(value)
    return known.index(value)


def _relative(paths: Iterable[str | Path]) -> list[str]:
    """Paths below the working directory as seen from there, others as they are; sorted, each once."""
    folder = Path.cwd()
    distinct = {Path(path) for path in paths}
    return sorted({str(path.relative_to(folder) if path.is_relative_to(folder) else path) for path in distinct})


def _described(path: str) -> dict[str, Any]:
    """Hash, size and time stamp of a file; a folder has none."""
    if not Path(path).is_file():
        return {"sha256": None, "bytes": None}
    stat = Path(path).stat()
    return {"sha256": hash_file(path), "bytes": stat.st_size, "mtime_ns": stat.st_mtime_ns}


def _code_hash(path: str, started: datetime, of_step: bool) -> str | None:
    """Hash of a file of code as it was when the job began, if it is still that."""
    if Path(path).stat().st_mtime > started.timestamp():
        return None
    return hash_for_step(Path(path).read_bytes()) if of_step else hash_file(path)
