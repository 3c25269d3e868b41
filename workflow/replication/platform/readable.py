"""Texts as readers may see them, also those from elsewhere."""

import os
import re
import sys

from consensus_embedding.utils.text import CONTROLS


def printable(text: str) -> str:
    r"""Replace characters that a terminal would obey or hide by their escapes, such as ``\x1b``."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def without_controls(text: str) -> str:
    """Replace what hides or turns round text in a terminal or on a page by its escape; lines and tabs stay."""
    return re.sub(f"{CONTROLS.pattern}|\\r", lambda control: ascii(control[0])[1:-1], text)


def without_secrets(place: str) -> str:
    """Leave out of an address what may be secret: user, password and query."""
    scheme, rest = re.match(r"((?:[A-Za-z][A-Za-z0-9+.-]*:)?/*)(.*)", place, re.DOTALL).groups()
    if ":" not in scheme and not scheme.startswith("//"):
        return printable(place)
    authority, path, query = re.match(r"([^/?#]*)([^?#]*)(.*)", rest, re.DOTALL).groups()
    if "@" not in authority and ":" in authority and "@" in rest:
        return f"{scheme}..."  # a password with a slash in it, perhaps
    return printable(scheme + authority.rpartition("@")[2] + path) + ("?..." if query else "")


def by_sentences(text: str) -> str:
    """Text in which each sentence of a line that is too long has a line of its own."""
    lines = text.split("\n")
    return "\n".join(re.sub(r"(?<=\.) (?=[A-Z])", "\n", line) if len(line) > 160 else line for line in lines)


def show(text: str) -> None:
    """Print on standard output, whose reader may leave before the end, as `head` does."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Python writes what is left when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
