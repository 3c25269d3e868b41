"""
All tests use portable arithmetic, as the study does by default; with ARITHMETIC=native they use all of the processor.

This file is read before any test imports NumPy. The quick study that the tests look at has to be made the same way:
`make test ARITHMETIC=native` does so.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "workflow" / "scripts"))

from consensus_embedding.utils.arithmetic import set_portable

ARITHMETIC = os.environ.setdefault("ARITHMETIC", "portable")
assert "numpy" not in sys.modules, "a plugin imported NumPy before its settings were made"
if ARITHMETIC == "portable":
    set_portable(os.environ)
