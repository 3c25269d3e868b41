"""Check that a method that the configuration adds keeps the contract of its kind."""

import pandas as pd
from replication.platform.job import job
from replication.platform.methods import AddedMethod
from replication.shared.added import check
from replication.shared.tidy import write_table

method = AddedMethod.of(snakemake.params.method)
with job(snakemake, f"contract of {method.name}"):
    check(method)
    row = {"name": method.name, "class": method.class_path, "kind": method.kind, "contract": "kept"}
    write_table(pd.DataFrame([row]), snakemake.output.checked)
