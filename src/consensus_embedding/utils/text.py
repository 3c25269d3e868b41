"""Data of users that cannot be used, such as texts with characters that a terminal or a browser would obey."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

# Controls other than tabs and ends of lines, and those that turn the direction of the text after them. A carriage
# return alone ends a line for some readers and not for others.
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")


class InputError(ValueError):
    """Data of a user cannot be used; the message says which, where, why, and what to do."""


def require_plain(texts: Iterable[str], where: str | Path) -> None:
    """Refuse control characters."""
    for text in texts:
        if control := CONTROLS.search(text):
            raise InputError(
                f"{where}: expected text without control characters, found {ascii(control[0])[1:-1]} in "
                f"{text[max(0, control.start() - 20) : control.end() + 20]!a}. Remove it."
            )
