"""Tests of what functions refuse, each a table of calls and of the messages that they are refused with."""

import pytest


def refusals(*cases):
    """Test that each call raises a ValueError with its message; cases are pairs of a call and a pattern."""

    @pytest.mark.parametrize(("call", "message"), cases)
    def test(call, message):
        with pytest.raises(ValueError, match=message):
            call()

    return test
