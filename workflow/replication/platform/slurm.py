"""Whether a run on SLURM would learn how its jobs end: the plugin silently keeps asking if nobody answers."""

from __future__ import annotations

import re
import shutil
import subprocess


def why_in_silence(settings: str, command: str, interval: int) -> str | None:
    """Explain why a run would wait forever for jobs that have ended."""
    kept = re.search(r"^AccountingStorageType\s*=\s*(\S+)", settings, re.M)
    age = re.search(r"^MinJobAge\s*=\s*(\d+)", settings, re.M)
    if kept is None or kept[1] not in ("accounting_storage/none", "(null)"):
        return None
    silence = "This cluster has no job accounting: sacct cannot report how jobs end, and the run would wait forever"
    if command == "sacct":
        return f"{silence}: set slurm-status-command: squeue, as profiles/slurm does."
    if age is not None and int(age[1]) < 3 * interval:
        shorter = int(age[1]) // 3
        remedies = [f"set slurm-init-seconds-before-status-checks to at most {shorter}"] if shorter else []
        remedies.append(f"ask the site for accounting or for a MinJobAge of {3 * interval} s")
        return f"{silence}; squeue forgets them after {age[1]} s (MinJobAge): {', or '.join(remedies)}."
    return None


def why_not_with(cores: int | None) -> str | None:
    """Explain why a run on SLURM has no number of cores of its own."""
    if cores is None:
        return None
    return (
        f"Expected no --cores on SLURM, found {cores}. Leave it out; if you gave --profile, give --workflow-profile "
        "instead, since --profile keeps the cores of profiles/default. --jobs limits the jobs in the queue, and "
        "workers in the configuration sets the cores of a job on many draws."
    )


def why_not_here() -> str | None:
    """Explain why nothing can be submitted from this machine."""
    if shutil.which("sbatch"):
        return None
    return (
        "This machine has no sbatch, by which jobs go to SLURM: run on a login node of the cluster, load its module of "
        "SLURM, or leave out --workflow-profile profiles/slurm to run here."
    )


def settings_of_slurm() -> str:
    """What ``scontrol show config`` prints; nothing if it does not answer within ten seconds."""
    try:
        return subprocess.run(["scontrol", "show", "config"], capture_output=True, text=True, timeout=10).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
