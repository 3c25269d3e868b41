"""
Pictures of checks: of two runs of t-SNE and the consensus of 20, for README and the start page, and of an HTML page.

    python docs/_ext/check_picture.py

Run it again after a change of the check; the counts of the first are those of README's example, the page is that of the
tour. It needs Chromium.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from consensus_embedding import use_portable_arithmetic

use_portable_arithmetic()

import matplotlib.pyplot as plt  # noqa: E402
from consensus_embedding import ExactTSNE, check_embedding  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_digits  # noqa: E402
from sklearn.preprocessing import scale  # noqa: E402

PICTURES = Path(__file__).parents[2] / "resources" / "readme"


def draw() -> plt.Figure:
    """The first two runs turned onto the consensus, and the consensus; one legend."""
    check = check_embedding(scale(load_breast_cancer().data), random_state=0, verbose=False)
    figure, axes = plt.subplots(1, 3, figsize=(7, 2.05), layout="constrained")
    check.plot_runs(2, axes=axes[:2])
    check.plot(ax=axes[2]).get_legend().remove()
    # One scale for all three.
    for ax in axes:
        ax.update_datalim([end for other in axes for end in other.dataLim.get_points()])
        ax.autoscale_view()
    for ax, title in zip(axes, ("one run of t-SNE", "another run", "consensus of 20 runs"), strict=True):
        ax.set(xlabel="", ylabel="")
        ax.set_title(title, fontsize=11)
        ax.set_box_aspect(0.6)
    # Legible also where the picture is as wide as a phone.
    plt.setp(figure.legends[0].get_texts(), fontsize=11)
    return figure


def show_page(path: Path) -> None:
    """The top of the page of the tour's check, as a browser shows it."""
    digits = load_digits()
    X, digit = digits.data[:1000], digits.target[:1000]
    runs = [ExactTSNE(random_state=seed).fit_transform(X) for seed in range(20)]
    browser = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--virtual-time-budget=4000"]
    with TemporaryDirectory() as folder:
        page = Path(folder) / "check.html"
        check_embedding(X, embeddings=runs, labels=digit, random_state=0, verbose=False).write_html(page)
        subprocess.run([*browser, "--window-size=1000,1200", f"--screenshot={path}", page.as_uri()], check=True)


if __name__ == "__main__":
    draw().savefig(PICTURES / "check.png", dpi=200)
    show_page(PICTURES / "check_page.png")
