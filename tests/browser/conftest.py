import pytest
from chromium import page


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A page in a browser of its own."""
    with page(tmp_path_factory.mktemp("profile")) as opened:
        yield opened
