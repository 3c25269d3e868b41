"""What all figures share."""

import re

import matplotlib.pyplot as plt
import pytest
from matplotlib.text import Text
from replication.shared.figures import save_figure, styled

# Each of these would be a formula, or an error, if matplotlib read it as one.
NAMES = ["$x_1$", r"$\frac{a$", "$$", r"$\unknown$", "a $b", "<b>&amp;", "ä 東"]


def drawn(name):
    with styled():
        figure, (ax, logarithmic) = plt.subplots(1, 2)
        ax.plot([1, 2], [3, 4], label=name)
        ax.set(title=name, xlabel=name)
        ax.set_xticks([1, 2], [name, f"{name} 2"])
        ax.legend()
        logarithmic.loglog([1e-4, 1], [2, 7])
    return figure


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_names_are_drawn_as_they_are(name, tmp_path):
    figure = drawn(name)
    save_figure(figure, tmp_path / "a.png", tmp_path / "a.svg", tmp_path / "a.pdf")
    assert texts(figure).count(name) >= 4
    assert not any(text.get_parse_math() for text in figure.findobj(Text))


def test_powers_of_ten_need_no_formula(tmp_path):
    figure = drawn("a")
    save_figure(figure, tmp_path / "a.png")
    found = set(texts(figure))
    assert {"10⁻⁴", "10⁰", "3×10⁰"} <= found
    assert not any(re.search(r"[$\\^{}]", text) for text in found)
