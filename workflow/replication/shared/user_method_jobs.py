"""Jobs of the methods that a configuration adds. Light: the rules read it."""

from replication.platform.methods import AddedMethod
from replication.platform.steps import Job, Results


def verify(job: Job) -> Results:
    """Check that a method keeps the contract of its kind."""
    import pandas as pd

    from replication.shared.user_methods import check

    method = AddedMethod.from_item(job.settings["method"])
    check(method)
    row = {"name": method.name, "class": method.class_path, "kind": method.kind, "contract": "kept"}
    return {"checked": pd.DataFrame([row])}


def score(job: Job) -> Results:
    """Score a method on one part of an experiment."""
    from replication.shared.presenting import call

    method = AddedMethod.from_item(job.settings["method"])
    files = {name: path for name, path in job.inputs.items() if name not in ("checked", "method")}
    metrics = call(job.settings["function"], {"method": method, "work": job, **files, **job.settings["settings"]})
    return {"scores": metrics}
