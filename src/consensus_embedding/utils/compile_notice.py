"""Says that loops are being compiled, where it takes half a second or more, and how far it is."""

from __future__ import annotations

import logging
import time

from numba.core import event

from consensus_embedding.utils import progress

# Seconds of compiling before the first line, and of any work from one line to the next.
_FIRST, _NEXT = 0.4, 1.2
_LOGGER = logging.getLogger("consensus_embedding")


class CompileNotice(event.Listener):
    """
    Listens to numba, which compiles a function when it is not in its cache, and within that what the function calls.

    It looks at the clock whenever one of these begins or ends; compiling holds a lock, so no two threads come here.
    """

    def __init__(self):
        self._depth, self._n_loops, self._is_ours = 0, 0, False
        self._before, self._since = 0.0, 0.0
        self._said: float | None = None

    def on_start(self, event: event.Event) -> None:
        """A function is going to be compiled."""
        if self._depth == 0:
            self._is_ours = _is_ours(event)
            self._since = time.monotonic()
        self._depth += 1
        self._tell()

    def on_end(self, event: event.Event) -> None:
        """A function has been compiled."""
        self._depth -= 1
        self._n_loops += _is_ours(event)
        self._tell()
        if self._depth == 0 and self._is_ours:
            self._before += time.monotonic() - self._since

    def _tell(self) -> None:
        now = time.monotonic()
        seconds = self._before + now - self._since
        if self._is_ours:
            progress.compiling = seconds
        if not self._is_ours or (seconds < _FIRST if self._said is None else now - self._said < _NEXT):
            return
        if self._said is None:
            _LOGGER.warning(
                "consensus_embedding compiles its inner loops when they are first used, and keeps them. A check of an "
                "embedding needs 10 to 30 s for that, and as long again the first time with portable arithmetic."
            )
        else:
            _LOGGER.warning("consensus_embedding: loops compiled: %d, %.0f s.", self._n_loops, seconds)
        self._said = now


def _is_ours(event: event.Event) -> bool:
    # A function made by `exec` has no module.
    return str(event.data["dispatcher"].py_func.__module__).startswith("consensus_embedding.")


event.register("numba:compile", CompileNotice())
