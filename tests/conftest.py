"""
All tests use portable arithmetic, as the study does by default; with ARITHMETIC=native they use all of the processor.

This file is read before any test imports NumPy. The quick study that the tests look at has to be made the same way:
`make test ARITHMETIC=native` does so.
"""

import os
import sys
from pathlib import Path

# Last, so that tests on a planted fault import the copy that it is planted in.
sys.path.append(str(Path(__file__).parents[1] / "workflow" / "scripts"))

from consensus_embedding.utils.arithmetic import is_portable, set_portable

ARITHMETIC = os.environ.setdefault("ARITHMETIC", "portable")
# The process that runs tests on planted faults imports NumPy first, with the settings of the tests that start it.
INHERITED = ARITHMETIC == "native" or is_portable(os.environ)
assert INHERITED or "numpy" not in sys.modules, "a plugin imported NumPy before its settings were made"
if ARITHMETIC == "portable":
    set_portable(os.environ)
