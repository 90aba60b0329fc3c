"""An encoder without edges that learns from one with edges, which is then no longer needed."""

from __future__ import annotations

import statistics
import time
from typing import Final

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.positives import Combine, Positives
from homogcl.losses import info_nce
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.methods.inference import embeddings
from homogcl.methods.negatives import ContrastNegatives, ContrastViews, NegativesConfig
from homogcl.nn.encoders import Encoder, EncoderConfig
from homogcl.nn.sparse import Pattern, with_pattern
from homogcl.training.loop import TrainConfig, fit
from homogcl.views.augment import TwoViews, mask_features

_MASK: Final = 0.1  # of the columns of X, at each step
_TEMPERATURE: Final = 0.5
_TRAINING: Final = TrainConfig(epochs=100, learning_rate=1e-3)
_NEGATIVES: Final = 256
_ROUNDS: Final = 9


class Student(Method):
    """A perceptron whose positives are a teacher's vectors of a node and of its neighbors.

    The contrast is GRACE's, between the student's vectors of masked features and the teacher's of
    the clean graph, averaged over a node and its neighbors, which together weigh as one. GraphECL
    (Xiao et al., 2024) trains both at once; here the teacher is trained before.
    """

    name = "Student"

    class Config(EncoderConfig, NegativesConfig):
        """Settings of the perceptron and of the negatives."""

    def __init__(self, config: Config, sizes: Sizes, targets: Tensor) -> None:
        """Build the perceptron for the teacher's vectors `targets`, [N, out_dim]."""
        super().__init__()
        self.encoder = Encoder(config, sizes.features)
        self.negatives = ContrastNegatives(config, config.out_dim)
        self.targets = targets

    def views(self, graph: Data, rng: torch.Generator) -> ContrastViews:
        """Return the graph with masked features, and the clean one."""
        masked = mask_features(graph, _MASK, rng)
        return self.negatives.draw(TwoViews(masked, with_pattern(graph)), rng)

    def objective(self, views: ContrastViews, positives: Positives = Positives.none()) -> Terms:
        """Return the contrast with the teacher's vectors."""
        edges = views.second.edge_index
        ones = torch.ones(edges.size(1), dtype=self.targets.dtype)
        near = Positives(
            edges, ones, combine=Combine.MEAN, pattern_hint=Pattern.of_graph(views.second)
        )
        u = self.encoder(views.first)
        negatives = self.negatives.of(views, u, self.sharing)
        return {"contrast": info_nce(u, self.targets, _TEMPERATURE, (near, near), negatives)}


def student_of(teacher: Method, graph: Data, seed: int, hidden_dim: int = 256) -> Student:
    """Return a perceptron that has learned from a trained method's vectors of `graph`."""
    targets = embeddings(teacher, graph)
    config = Student.Config(
        encoder="mlp",
        hidden_dim=hidden_dim,
        out_dim=targets.size(1),
        negatives="sampled",
        num_negatives=min(_NEGATIVES, targets.size(0)),
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        student = Student(config, Sizes.of(graph), targets)
    fit(student, graph, _TRAINING, seed=seed)
    return student


def nodes_per_second(*methods: Method, graph: Data) -> list[float]:
    """Return how many nodes of `graph` each method embeds in a second, the median of some rounds.

    The methods take turns, so that a machine which others use is slow for all of them alike.
    """
    seconds: list[list[float]] = [[] for _ in methods]
    for _ in range(_ROUNDS + 1):
        for method, taken in zip(methods, seconds, strict=True):
            start = time.perf_counter()
            embeddings(method, graph)
            taken.append(time.perf_counter() - start)
    return [int(graph.num_nodes or 0) / statistics.median(taken[1:]) for taken in seconds]
