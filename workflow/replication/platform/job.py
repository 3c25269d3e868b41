"""What the scripts share: a log that also goes to the terminal, a record, and outputs that are complete or absent."""

import errno
import re
import sys
import textwrap
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from replication.platform.lock import note_job
from replication.platform.provenance import Stamp, record_path, set_aside, stamps, write_record
from replication.platform.readable import by_sentences, without_controls


@contextmanager
def job(snakemake, title: str) -> Iterator:
    """
    Run the body of a script; yields a function that reports progress to the log and the terminal.

    A job that succeeds leaves a record next to its log; one that fails leaves none, not even an older one.
    """
    note_job(Path(".snakemake"))
    before = time.process_time()
    start, started, log = time.perf_counter(), datetime.now(UTC), snakemake.log[0]
    set_aside(record_path(log))
    Path(log).write_text("", encoding="utf-8")

    def note(text: str) -> None:
        # Opened for each line: on a full disk a line that is kept back would fail once more when the file is closed.
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{without_controls(text)}\n")

    def tell(text: str) -> None:
        # Who reads the terminal may have gone; the log has it all.
        with suppress(OSError):
            print(text, file=sys.stderr, flush=True)

    def say(text: str) -> None:
        line = f"[{title}] {text} ({time.perf_counter() - start:.0f} s)"
        note(line)
        tell(without_controls(line))

    kinds: set[tuple[type[Warning], str]] = set()

    def show(message: Warning | str, category: type[Warning], *_) -> None:
        # All are in the log; in the terminal those that differ in numbers alone are said once.
        text = f"[{title}] warning: {without_controls(str(message))}"
        note(text)
        kind = category, re.sub(r"\d+", "0", text)
        if kind not in kinds:
            kinds.add(kind)
            tell(textwrap.fill(text, 160, subsequent_indent="  "))

    try:
        read = stamps(snakemake.input)
        with warnings.catch_warnings():
            warnings.showwarning = show
            yield say
        record(snakemake, started, time.perf_counter() - start, before, read)
    except KeyboardInterrupt:
        sys.exit(f"\n{title} was interrupted. Run the same command again: it continues from here.\n")
    except Exception as error:
        failure = by_sentences(without_controls(f"{title} failed: {_reason(error, snakemake)}"))
        with suppress(OSError):
            note(f"{traceback.format_exc()}\n{failure}")
        sys.exit(f"\n{failure}\nThe full trace is in {log}\n")
    with suppress(OSError):
        say("done")


def _reason(error: Exception, snakemake) -> str:
    """What went wrong; a full disk names the folders, which the system does not."""
    if isinstance(error, OSError) and error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT):
        folders = ", ".join(dict.fromkeys(str(Path(path).parent) for path in snakemake.output))
        return f"{error.strerror} while writing to {folders}. Free some space there, and run again."
    if isinstance(error, MemoryError):
        return f"not enough memory ({str(error) or 'no details'}). Use a machine with more memory, or smaller data."
    # The text of a KeyError is the key alone, and some errors have none.
    return f"{type(error).__name__}: {error}" if isinstance(error, KeyError) or not str(error) else str(error)


def record(snakemake, started: datetime, seconds: float, before: float, read: Mapping[str, Stamp | None]) -> None:
    """Write down what the job read, wrote and ran with; `before` are processor seconds that its process had used."""
    params = dict(snakemake.params.items())
    code = params.pop("code", [])
    about = {"rule": snakemake.rule, "wildcards": dict(snakemake.wildcards.items()), "threads": snakemake.threads}
    write_record(
        record_path(snakemake.log[0]),
        {**about, "params": params, "seed": params.get("seed"), "processor_seconds_before": round(before, 3)},
        outputs=snakemake.output,
        inputs=snakemake.input,
        code=[*code, sys.modules["__main__"].__file__],
        started=started,
        seconds=seconds,
        read=read,
    )
