"""
Portable arithmetic: the same numbers, to the last bit, on every x86-64 processor that has AVX2.

Compiled code picks the widest instructions that a processor offers, and a sum that is added up in another order differs
in its last digit. In t-SNE, which is chaotic, that digit grows into another picture. Portable arithmetic makes numba,
OpenBLAS and NumPy use the instructions of one generation (x86-64-v3: AVX2 and FMA, 2013) on newer processors too.

The libraries read their settings once, when they are imported. So this module imports none of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping

# All features of the generation that the settings below name; a processor without one of them has to stay native.
_FEATURES = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
# NumPy warns, by default in silence, of names that its version or the processor does not know: 2.4 renamed them.
_NUMPY_2_4 = "X86_V4 AVX512_ICL AVX512_SPR"
_NUMPY_2_0 = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"

TARGET = "x86-64-v3"
VARIABLES = {
    "NUMBA_CPU_NAME": TARGET,
    "NUMBA_CPU_FEATURES": "",
    "NUMBA_DISABLE_INTEL_SVML": "1",
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": f"{_NUMPY_2_4} {_NUMPY_2_0}",
}


def why_not_portable() -> str | None:
    """Why this processor cannot do portable arithmetic, in a few words; None if it can."""
    from llvmlite.binding import get_host_cpu_features, get_process_triple

    architecture = get_process_triple().partition("-")[0]
    if architecture != "x86_64":
        return f"expected an x86-64 processor, found {architecture}"
    features = get_host_cpu_features()
    missing = [name for name in _FEATURES if not features.get(name)]
    return f"expected an x86-64 processor with AVX2, found one without {', '.join(missing)}" if missing else None


def set_portable(environment: MutableMapping[str, str]) -> str | None:
    """
    Set the variables of portable arithmetic for processes that are started later, such as in ``os.environ``.

    Returns `why_not_portable`. If there is a reason, nothing is set, and variables inherited from another machine, such
    as a cluster's login node, are removed.
    """
    reason = why_not_portable()
    if reason is None:
        environment.update(VARIABLES)
    elif is_portable(environment):
        for name in VARIABLES:
            del environment[name]
    return reason


def use_portable_arithmetic() -> None:
    """
    Use portable arithmetic in this process: the same numbers on every x86-64 processor with AVX2.

    Call it before anything imports NumPy. The speed stays nearly the same; ``make bench`` compares the two.

    Raises
    ------
    RuntimeError
        If NumPy or numba is imported already, or if the processor has no AVX2.

    Examples
    --------
    >>> import consensus_embedding
    >>> consensus_embedding.use_portable_arithmetic()
    >>> import numpy as np
    """
    loaded = [name for name in ("numpy", "numba") if name in sys.modules]
    if loaded and not is_portable(os.environ):
        raise RuntimeError(
            f"Portable arithmetic has to be chosen before {' and '.join(loaded)} is imported, which reads its settings "
            "then; call use_portable_arithmetic() at the top of the program."
        )
    reason = set_portable(os.environ)
    if reason is not None:
        raise RuntimeError(f"Portable arithmetic cannot be used: {reason}. Without it the numbers are native.")


def is_portable(environment: MutableMapping[str, str]) -> bool:
    """Whether the variables of portable arithmetic are set."""
    return VARIABLES.items() <= dict(environment).items()


def name_of_arithmetic() -> str:
    """What the numbers of this process are made with, in words: ``portable (x86-64-v3)`` or ``native``."""
    return f"portable ({TARGET})" if is_portable(os.environ) else "native"
