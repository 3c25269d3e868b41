"""A table to try the check of an embedding on: images of digits, with their digit as label."""

from replication.platform.steps import Job, Results

N_SAMPLES = 700


def write_example(job: Job) -> Results:
    """Images of digits, a row each."""
    import pandas as pd

    from replication.data.digits import read_digits

    X, y = read_digits(N_SAMPLES)
    table = pd.DataFrame(X, columns=[f"pixel_{k}" for k in range(X.shape[1])])
    table.insert(0, "digit", y)
    table.insert(0, "image", [f"image_{k}" for k in range(len(X))])
    return {"table": table}
