"""Whether neighbors belong together, and what that is worth: measured before any training."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.data.check import MASKS
from homogcl.methods.base import Sizes
from homogcl.methods.homogcl import ClosedForm
from homogcl.methods.inference import without_labels
from homogcl.presets.resolve import resolve
from homogcl.runs.run import Run
from homogcl.runs.scores import scores
from homogcl.runs.train import fit_run

METHOD = "homogcl"
SIMPLEST = "propagation"  # what a training has to beat
COMPARED = ("raw", SIMPLEST, METHOD)
LEAST_LIKENESS = 0.6  # 0.5: the ends of an edge are like any nodes of the same degrees
FEWEST_TO_TELL = 200  # edges; of fewer, the part that is held out says nothing


@dataclass(frozen=True)
class Likeness:
    """How edges that were held out compare with pairs of nodes of the same degrees.

    Attributes:
        edges: How many edges were held out.
        share: Of comparisons in which the ends of an edge are more alike than the pair.
        error: The standard error of the share.
        trust: What the method makes of it, from 0 (edges are left aside) to 1.
    """

    edges: int
    share: float
    error: float
    trust: float

    @property
    def measured(self) -> str:
        """What was measured, in one line."""
        return (
            f"{self.edges:,} edges held out: their ends are more alike than nodes of the same "
            f"degrees in {self.share:.0%} ± {2 * self.error:.0%} of cases (chance: 50%)"
        )


@dataclass(frozen=True)
class ProbeTrial:
    """Linear probes on validation nodes of embeddings that take no training by steps."""

    nodes: int
    accuracies: Mapping[str, float]  # by method

    @property
    def measured(self) -> str:
        """What was measured, in one line."""
        parts = ", ".join(f"{name} {value:.1%}" for name, value in self.accuracies.items())
        return f"accuracy of {self.nodes:,} validation nodes: {parts}, ± {self.margin:.1%}"

    @property
    def margin(self) -> float:
        """Two standard errors of a difference between two of the accuracies."""
        best = max(self.accuracies.values())
        return 2 * math.sqrt(2 * best * (1 - best) / self.nodes)

    @property
    def choice(self) -> str:
        """The best method, or the default if the best is less than half a standard error ahead."""
        best = max(self.accuracies, key=self.accuracies.__getitem__)
        worth = self.accuracies[best] - self.accuracies[METHOD]
        return best if worth > self.margin / 4 else METHOD

    @property
    def simplest_is_enough(self) -> bool:
        """Whether nothing is ahead of averages over neighborhoods."""
        return self.accuracies[SIMPLEST] >= max(self.accuracies.values())

    @property
    def is_sure(self) -> bool:
        """Whether the choice is better than each other one beyond chance."""
        others = [value for name, value in self.accuracies.items() if name != self.choice]
        return self.accuracies[self.choice] > max(others) + self.margin


def likeness(graph: Data, seed: int = 0) -> Likeness | None:
    """Return how alike the ends of held-out edges are, by features that neighbors agree on.

    Labels are not looked at. Pairs of the same degrees leave nothing to degrees alone. None where
    there are too few edges, or too few pairs without one, to tell.
    """
    if graph.edge_index.size(1) // 2 < FEWEST_TO_TELL:
        return None
    bare = without_labels(graph)
    method = ClosedForm(ClosedForm.Config(), Sizes.of(bare))
    method.prepare(bare, stream(seed, "prepare"))
    share, count = float(method.likeness), method.held_out_edges
    if not count:
        return None
    return Likeness(count, share, math.sqrt(share * (1 - share) / count), method.trust)


def trial(graph: Data, seed: int = 0) -> ProbeTrial | None:
    """Return the accuracies on validation nodes; None without labels or a split."""
    if any(graph.get(key) is None for key in ("y", *MASKS)) or not graph.val_mask.any():
        return None

    def accuracy(name: str) -> float:
        trained = fit_run(Run.of(name, resolve(name, ""), graph, seed))
        return scores(trained.method, graph, seed, ("probe",))["val_accuracy"]

    return ProbeTrial(int(graph.val_mask.sum()), {name: accuracy(name) for name in COMPARED})
