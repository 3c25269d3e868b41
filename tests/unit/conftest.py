"""What all tests of single parts share."""

import gc

import pytest
from threadpoolctl import threadpool_limits

# Assertions there say what they found, as in a test.
pytest.register_assert_rewrite("presented")


@pytest.fixture(autouse=True, scope="module")
def frozen():
    """Holm's correction collects garbage, which takes long unless what is there is frozen, as jobs freeze it."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module")
def one_blas_thread():
    """As the callers hold it; several threads on a busy machine wait for each other."""
    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture
def write(tmp_path):
    """A function that writes a file and returns its path."""

    def written(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written
