"""Every setting replaced by one that cannot be."""

import random
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path

from replication.catalogue.configuration import check_config, read_configuration
from replication.platform.configuration import ConfigurationError
from trials import expect

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
