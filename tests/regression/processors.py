"""
Does a study give the same numbers on other processors? Emulate some and compare with results that were made before.

    make && .venv/bin/python tests/regression/processors.py            15 minutes on two cores

The quick study is run again under the settings that make the libraries behave as on each processor of PROCESSORS, with
portable and with native arithmetic, and is compared with results/quick file by file. Portable: every table has the same
bytes, seconds left out. Native: the numbers stay within the limits of test_drift.py. Prints a line a run; the exit code
is 1 if one of them is not as it should be.

A processor without AVX2 cannot be emulated with portable arithmetic, because this one has it; there a study is native.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[2]
SNAKEMAKE = Path(sys.executable).with_name("snakemake")
_V3 = "X86_V3"
_V4 = "X86_V4 AVX512_ICL AVX512_SPR"
_NO_AVX512 = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512DQ,-AVX512BW,-AVX512CD"
_NO_AVX2 = f"{_NO_AVX512},-AVX2,-FMA"

# Name -> variables: what numba compiles for, the kernels of OpenBLAS, the features of NumPy and of the C library.
PROCESSORS = {
    "x86-64-v2, Nehalem": {
        "NUMBA_CPU_NAME": "x86-64-v2",
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": f"{_V3} {_V4}",
        "GLIBC_TUNABLES": _NO_AVX2,
    },
    "SandyBridge": {
        "NUMBA_CPU_NAME": "sandybridge",
        "OPENBLAS_CORETYPE": "SandyBridge",
        "NPY_DISABLE_CPU_FEATURES": f"{_V3} {_V4}",
        "GLIBC_TUNABLES": _NO_AVX2,
    },
    "x86-64-v3, Haswell": {
        "NUMBA_CPU_NAME": "x86-64-v3",
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": _V4,
        "GLIBC_TUNABLES": _NO_AVX512,
    },
    "Zen": {
        "NUMBA_CPU_NAME": "znver3",
        "OPENBLAS_CORETYPE": "Zen",
        "NPY_DISABLE_CPU_FEATURES": _V4,
        "GLIBC_TUNABLES": _NO_AVX512,
    },
    "x86-64-v4, SkylakeX": {
        "NUMBA_CPU_NAME": "x86-64-v4",
        "OPENBLAS_CORETYPE": "SkylakeX",
        "NPY_DISABLE_CPU_FEATURES": "AVX512_ICL AVX512_SPR",
    },
}
for _variables in PROCESSORS.values():
    _variables["NUMBA_CPU_FEATURES"] = ""
WITHOUT_AVX2 = ("x86-64-v2, Nehalem", "SandyBridge")
NEEDS_AVX512 = ("x86-64-v4, SkylakeX",)


def comparable(path: Path) -> bytes:
    """Content of a table without what was timed, and how."""
    # Advice and ranks of the arena are on seconds too.
    if path.parts[-2] == "tables" and (path.stem == "runtime" or path.parts[-3] == "consensus_arena"):
        return b""
    table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, quoting=3)
    if {"metric", "value"} <= set(table):
        timed = table["metric"].isin(["seconds", "peak_mb"])
        # Also on how many threads a step was timed.
        table = table.assign(**{name: table[name].where(~timed, "") for name in ("value", "threads") if name in table})
    if "verdict" in table:
        table = table.assign(measured=table["measured"].where(table["verdict"] != "context", ""))
    return table.to_csv(sep="\t", index=False).encode()


def tables(folder: Path) -> dict[str, Path]:
    """All tables of a study: metrics, tables, verdicts."""
    found = folder.rglob("*.tsv")
    return {path.relative_to(folder).as_posix(): path for path in found if "benchmarks" not in path.parts}


def differing(one: Path, other: Path) -> list[str]:
    """Tables of two studies that have other bytes, or are in one of them only."""
    ours, theirs = tables(one), tables(other)
    return sorted(
        name
        for name in ours.keys() | theirs.keys()
        if name not in ours or name not in theirs or comparable(ours[name]) != comparable(theirs[name])
    )


def moved_numbers(folder: Path) -> list[str]:
    """Numbers beyond the limits of test_drift.py for other processors."""
    import test_drift as drift

    found = []
    for experiment in drift.EXPERIMENTS:
        new = drift.labelled(drift.summarize(drift.read_table(folder / experiment / "metrics.tsv")))
        found += drift.moved(experiment, drift.read_old(experiment), new, same=False)
    return found


def run(study: str, arithmetic: str, variables: dict[str, str], cores: int) -> Path:
    """Run the quick study anew under some variables; return the folder of its results."""
    for folder in (ROOT / "results" / study, ROOT / "results" / "logs" / study):
        shutil.rmtree(folder, ignore_errors=True)
    command = [SNAKEMAKE, "--cores", str(cores), "--configfile", "config/quick.yaml", "--nolock", "--quiet", "all"]
    command += ["--config", f"study={study}", f"arithmetic={arithmetic}"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **variables}, check=True, capture_output=True)
    return ROOT / "results" / study


def main() -> int:
    """Run all; the number of runs that were not as they should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--only", choices=PROCESSORS, nargs="+", default=list(PROCESSORS), help="these processors")
    parser.add_argument("--arithmetic", choices=["portable", "native"], nargs="+", default=["portable", "native"])
    arguments = parser.parse_args()
    from consensus_embedding.utils.arithmetic import why_not_portable

    reason = why_not_portable()
    if reason is not None:
        sys.exit(f"Other processors cannot be emulated on this one: {reason}.")
    has_avx512 = "avx512f" in Path("/proc/cpuinfo").read_text()
    faults = 0
    for name in arguments.only:
        variables = PROCESSORS[name]
        if name in NEEDS_AVX512 and not has_avx512:
            print(f"{name}: not on this processor", flush=True)
            continue
        for arithmetic in arguments.arithmetic:
            if arithmetic == "portable" and name in WITHOUT_AVX2:
                continue
            start = time.monotonic()
            folder = run("processor", arithmetic, variables, arguments.cores)
            others, moved = differing(ROOT / "results" / "quick", folder), moved_numbers(folder)
            faults += bool(moved) or (arithmetic == "portable" and bool(others))
            n = len(tables(folder))
            print(
                f"{name}, {arithmetic}, {arguments.cores} cores: {n - len(others)} of {n} tables have the same "
                f"bytes, {len(moved)} numbers beyond their limits ({time.monotonic() - start:.0f} s)",
                *(others if arithmetic == "portable" else []),
                *moved,
                sep="\n  ",
                flush=True,
            )
    return faults


if __name__ == "__main__":
    sys.exit(min(main(), 1))
