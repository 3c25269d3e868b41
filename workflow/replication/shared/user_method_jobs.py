"""Jobs of the methods that a configuration adds. Light: the rules read it."""

from replication.platform.methods import AddedMethod
from replication.platform.steps import Job


def verify(job: Job) -> None:
    """Check that a method keeps the contract of its kind."""
    import pandas as pd

    from replication.shared.tidy import write_table
    from replication.shared.user_methods import check

    method = AddedMethod.from_item(job.settings["method"])
    check(method)
    row = {"name": method.name, "class": method.class_path, "kind": method.kind, "contract": "kept"}
    write_table(pd.DataFrame([row]), job.outputs.checked)


def score(job: Job) -> None:
    """Score a method on one part of an experiment."""
    from replication.shared.presenting import call
    from replication.shared.tidy import write_table

    method = AddedMethod.from_item(job.settings["method"])
    files = {name: path for name, path in job.inputs.items() if name not in ("code", "checked", "method")}
    given = {"method": method, "seed": job.seed, "n_jobs": job.threads, "progress": job.say}
    metrics = call(job.settings["function"], {**given, **files, **job.settings["settings"]})
    write_table(metrics.table(), job.outputs.scores)
