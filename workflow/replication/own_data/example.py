"""A table to try the check of an embedding on: images of digits, with their digit as label."""

from replication.platform.steps import Job

N_SAMPLES = 700


def write_example(job: Job) -> None:
    """Write the table."""
    import pandas as pd

    from replication.data.digits import read_digits
    from replication.shared.tidy import write_table

    X, y = read_digits(N_SAMPLES)
    table = pd.DataFrame(X, columns=[f"pixel_{k}" for k in range(X.shape[1])])
    table.insert(0, "digit", y)
    table.insert(0, "image", [f"image_{k}" for k in range(len(X))])
    write_table(table, job.outputs.table)
