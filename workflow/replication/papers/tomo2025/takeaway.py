"""What a reader should remember of Tomo and Yoneoka 2025, with the figures of the study."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from replication.shared.values import mean_of
from replication.shared.wording import Phrase, phrase


def takeaway(metrics: Mapping[str, pd.DataFrame]) -> Phrase:
    """Repeatability by the number of runs, in distances and in pictures; neighbours; why the sizes differ."""

    def pairwise(m: int, space: str) -> float:
        return mean_of(metrics, "mce_convergence", "pairwise_distance", n_embeddings=m, space=space)

    def kept(method: str, space: str) -> float:
        return mean_of(metrics, "consensus_comparison", "neighborhood_preservation", method=method, space=space)

    def size(method: str) -> float:
        return mean_of(metrics, "tsne_equivalence", "size", method=method)

    return phrase(
        "The distances of the median consensus repeat. The mean distance between two results is "
        "{one:count} with one t-SNE run, {ten:count} with ten and {hundred:count} with 100 (printed: 29824, 9585, "
        "3791). These compare the consensus distances; between the pictures drawn from them the mean distance is "
        "{one_picture:count} with one run, {ten_picture:count} with ten, {twenty_picture:count} with 20 and "
        "{hundred_picture:count} with 100. Neighbours kept: {single:percent 1} by one run, {consensus:percent 1} by "
        "the consensus distances, {picture:percent 1} by their picture. The printed "
        "sizes are those of Barnes-Hut t-SNE, which scikit-learn runs by default: pictures from the exact gradient "
        "are larger by {larger:percent}, and so are all distances.",
        one=pairwise(1, "consensus"),
        ten=pairwise(10, "consensus"),
        hundred=pairwise(100, "consensus"),
        one_picture=pairwise(1, "picture"),
        ten_picture=pairwise(10, "picture"),
        twenty_picture=pairwise(20, "picture"),
        hundred_picture=pairwise(100, "picture"),
        single=kept("single", "consensus"),
        consensus=kept("geometric_median", "consensus"),
        picture=kept("geometric_median", "picture"),
        larger=size("exact") / size("barnes_hut") - 1,
    )


TAKEAWAYS = {"tomo2025": takeaway}
