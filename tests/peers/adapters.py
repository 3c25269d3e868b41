"""
Our methods under scikit-learn's names.

An adapter has the constructor of scikit-learn's class and nothing else of it: ours compute. A parameter that ours has
too is passed on; one that ours lacks must keep its default, and another value raises `NotOffered`.
"""

import inspect
from collections.abc import Callable
from typing import ClassVar

from consensus_embedding import BarnesHutTSNE, ExactTSNE
from sklearn import manifold
from sklearn.base import BaseEstimator

# They say how to compute or what to print, not what: ours decide that themselves.
HOW = {"n_jobs", "verbose"}

# Which of ours a test has called.
called: set[str] = set()


class NotOffered(Exception):
    """A value of a parameter that ours does not offer."""


class Adapter(BaseEstimator):
    """Base of the adapters. `lacking` names the parameters that ours lacks."""

    lacking: ClassVar[set[str]] = set()

    def parameters(self, ours: Callable, *used: str, **own: object) -> dict:
        """
        Arguments for ours: those of the adapter that ours has too, and `own`.

        The adapter itself has seen to the parameters that are `used`.
        """
        called.add(ours.__name__)
        offered = inspect.signature(ours).parameters
        if not self.lacking.isdisjoint(offered):
            raise TypeError(
                f"{ours.__name__} does not lack {sorted(self.lacking & set(offered))}: take it off the list."
            )
        defaults = inspect.signature(type(self)).parameters
        for name, value in self.get_params(deep=False).items():
            if name in offered:
                own.setdefault(name, value)
            elif name not in HOW.union(used) and not _is_same(value, defaults[name].default):
                if name not in self.lacking:
                    raise TypeError(f"{ours.__name__} has no {name}, and `lacking` does not say so.")
                raise NotOffered(name)
        return own

    def fit(self, X, y=None):
        self.fit_transform(X, y)
        return self


def _is_same(value: object, default: object) -> bool:
    return value is default or (type(value) is type(default) and value == default)


class TSNE(Adapter):
    __init__ = manifold.TSNE.__init__
    lacking: ClassVar = {"n_components", "metric", "metric_params"}
    # Tests switch the early exaggeration off by this attribute.
    _EXPLORATION_MAX_ITER = 250

    def fit_transform(self, X, y=None):
        ours = {"exact": ExactTSNE, "barnes_hut": BarnesHutTSNE}[self.method]
        off = {} if self._EXPLORATION_MAX_ITER else {"early_exaggeration": 1.0}
        model = ours(**self.parameters(ours, "method", "angle", **off))
        embedding = model.fit_transform(X, y)
        # Theirs is the number of the last iteration, from 0; ours is how many were made.
        self.embedding_, self.kl_divergence_, self.n_iter_ = model.embedding_, model.kl_divergence_, model.n_iter_ - 1
        return embedding


ADAPTERS = {manifold.TSNE: TSNE}
