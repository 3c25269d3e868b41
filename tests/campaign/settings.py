"""Every setting replaced by one that cannot be, and every kind of server that does not do as it should."""

import os
import random
import tempfile
import time
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path

from misbehaving_server import (
    drip,
    drop_after,
    misbehaving_server,
    redirect,
    serve,
    serve_chunked,
    serve_ignoring_range,
    serve_without_length,
    stall_after,
    status,
)
from replication.catalogue.configuration import check_config, read_configuration
from replication.platform.configuration import ConfigurationError
from replication.platform.download import DataError, fetch
from test_download import CONTENT, IMPATIENT, OTHER, published
from trials import Failure, expect

ROOT = Path(__file__).parents[2]
# Names of these sections are the user's; what is below has to be as anywhere.
FREE = ("toy_rgb.graphs", "multiverse.reduced", "options")


_configuration = cache(read_configuration)


@cache
def _leaves() -> list[tuple[str | int, ...]]:
    """The steps to each value of the configuration, the lists with them."""

    def walk(value: object, steps: tuple) -> Iterator[tuple]:
        if isinstance(value, dict):
            for key, below in value.items():
                yield from walk(below, (*steps, key))
            return
        yield steps
        if isinstance(value, list):
            for k, below in enumerate(value):
                if isinstance(below, dict):
                    yield from walk(below, (*steps, k))

    return list(walk(_configuration(), ()))


# What a value is replaced by. The first two can never be right where a number is.
REPLACEMENTS = {
    "text": "none of these",
    "a section": {"a": 1},
    "NaN": float("nan"),
    "infinity": float("inf"),
    "nothing": None,
    "true": True,
    "a negative number": -1,
    "zero": 0,
    "a fraction": 0.123,
    "a huge number": 10**30,
    "an empty list": [],
    "a list of lists": [[[]]],
    "empty text": "",
    "odd text": "a/../b\n\0$",
    "long text": "x" * 300,
}
NEVER_A_NUMBER = ("text", "a section", "NaN", "infinity", "an empty list", "a list of lists", "empty text", "long text")


def spoil_setting(k: int, rng: random.Random) -> None:
    """One leaf of the configuration, replaced or misspelt: refused by its name, or a valid setting."""
    steps = _leaves()[k % len(_leaves())]
    config = deepcopy(_configuration())
    holder = config
    for step in steps[:-1]:
        holder = holder[step]
    key, before = steps[-1], holder[steps[-1]]
    way = rng.choice([*REPLACEMENTS, "misspelt", "misspelt"])
    name = ".".join(map(str, steps))
    if way == "misspelt":
        holder[f"{key[:-1]}q{key[-1]}"] = holder.pop(key)
    else:
        holder[key] = REPLACEMENTS[way]
    what = f"{name}: {way}"
    try:
        check_config(config)
    except ConfigurationError as error:
        last = [step for step in steps if isinstance(step, str)][-1]
        expect(last in str(error), f"{what}: the key is not named: {error}")
        return
    is_number = isinstance(before, int | float) and not isinstance(before, bool)
    free = any(part in name for part in FREE)
    expect(way != "misspelt" or free, f"{what}: accepted")
    expect(not (is_number and way in NEVER_A_NUMBER), f"{what}: accepted in place of {before}")


# Kinds of servers, and of what one does before it gives the file, if it ever does.
SERVERS = {
    "gone": [status(404)],
    "busy": [status(503)],
    "hangs up at once": [drop_after(CONTENT, 0)],
    "hangs up half-way": [drop_after(CONTENT, 100_000)],
    "falls silent": [stall_after(CONTENT, 50_000, seconds=3)],
    "a byte at a time": [drip(CONTENT, 0.01)],
    "another file of the same size": [serve(OTHER)],
    "too much": [serve_without_length(CONTENT + CONTENT)],
    "too little, as if it were all": [serve(CONTENT[:-1])],
    "a page of HTML": [serve(b"<!doctype html><title>Sorry</title>", "text/html")],
    "sent in a circle": [redirect("/table")],
    "sent nowhere": [redirect("http://[")],
    "chunks that end early": [serve_chunked(CONTENT, drop_after=3000)],
    "another beginning each time": [drop_after(OTHER, 90_000), serve_ignoring_range(OTHER)],
}


def ask_server(k: int, rng: random.Random) -> None:
    """A server that never gives the file: a message; then, with a good second address, the file."""
    kind = list(SERVERS)[k % len(SERVERS)]
    os.environ["NO_PROXY"] = "*"
    with tempfile.TemporaryDirectory() as folder, misbehaving_server() as server:
        destination = Path(folder, "table.data")
        url = server.on("/table", *SERVERS[kind])
        start = time.monotonic()
        try:
            fetch(published(url), destination, **IMPATIENT)
        except DataError as error:
            expect("table.data could not be fetched" in str(error), f"{kind}: the file is not named: {error}")
        else:
            raise Failure(f"{kind}: accepted")
        expect(not destination.exists(), f"{kind}: a file is there that is not whole")
        fetch(published(url, server.on("/good", serve(CONTENT))), destination, **IMPATIENT)
        expect(destination.read_bytes() == CONTENT, f"{kind}: another file from the second address")
        expect(sorted(os.listdir(folder)) == ["table.data"], f"{kind}: left behind {os.listdir(folder)}")
        seconds = time.monotonic() - start
        expect(seconds < 20, f"{kind}: took {seconds:.0f} s")
