"""AFGRL: no augmentation; positives are nearest nodes that an edge or a cluster confirms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize
from torch_geometric.data import Data

from homogcl.core.nearest import nearest_rows
from homogcl.core.seeds import drawn_seed
from homogcl.homophily.clusters import centroids
from homogcl.homophily.positives import Combine, Positives
from homogcl.losses.bootstrap import target_decay
from homogcl.losses.neighbors import neighbor_term
from homogcl.losses.real_positives import real_positives
from homogcl.methods.base import Method, Sizes, Terms
from homogcl.nn.activations import PReLU
from homogcl.nn.encoders import Activation, Encoder, EncoderConfig, move_target, target_of
from homogcl.nn.pair_products import pair_products


@dataclass(frozen=True)
class SeededGraph:
    """The clean graph, and a seed for k-means."""

    graph: Data
    cluster_seed: int


class AFGRL(Method):
    """Augmentation-free self-supervised learning on graphs (Lee et al., 2022).

    Student and target encode the same clean graph to H_θ and H_ξ. B_i are the k nodes whose h_ξ
    is nearest to h_θ,i by cosine, node i itself first. The positives P_i are the nodes of B_i that
    are adjacent to i (or i itself), or share a cluster with i in at least one of several k-means
    runs over the normalized H_ξ. With z the predictions from H_θ, the loss is the mean over the
    pairs j ∈ P_i of

        (2 - 2 cos(z_i, h_ξ,j)) + (2 - 2 cos(z_j, h_ξ,i))

    The target is an exponential moving average of the student, as in BGRL; its cosine schedule
    advances once per step (in the authors' code once per parameter). The k-means runs start from
    random nodes and, in later steps, from their last centroids (the authors' code starts anew
    from the same nodes at each step). The search for B works block by block.

    With `positives` the term `neighbors` is the same loss on those pairs, without its constant:
    -(1/|E|) Σ_ij S_ij (2 cos(z_i, h_ξ,j) + 2 cos(z_j, h_ξ,i)).
    """

    name = "AFGRL"
    follows_progress = True
    combines = frozenset({Combine.TERM})

    class Config(EncoderConfig):
        num_layers: int = 1
        out_dim: int = 512
        activation: Activation = "prelu"
        last_activation: bool = True
        norm: Literal["none", "batch", "layer"] = "batch"
        norm_momentum: float = 0.01
        predictor_dim: int = 1024  # hidden width of the predictor
        momentum: float = 0.9  # of the target at the start
        nearest: int = 4  # |B_i|, the node itself among them
        num_centroids: int = 100  # of each k-means run; never more than there are nodes
        num_clusterings: int = 5  # k-means runs
        first_iterations: int = 20  # of each k-means run in the first step
        later_iterations: int = 2  # the same, in each later step

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features)
        self.predictor = nn.Sequential(
            _linear(config.out_dim, config.predictor_dim),
            nn.BatchNorm1d(config.predictor_dim),
            PReLU(),
            _linear(config.predictor_dim, config.out_dim),
        )
        self.target = target_of(self.encoder)
        self.clusterings = torch.empty(0)  # centroids of the last step, [runs, k, d]

    def views(self, graph: Data, rng: torch.Generator) -> SeededGraph:
        """Return the clean graph."""
        return SeededGraph(graph, drawn_seed(rng))

    def objective(self, views: SeededGraph, positives: Positives = Positives.none()) -> Terms:
        """Return the loss over the nearest positives, and the term of neighbors if any."""
        near = self.accept(positives)
        student = self.encoder(views.graph)
        with torch.no_grad():
            h = normalize(self.target(views.graph))
            own = torch.arange(len(h), device=h.device)
            unit, k = normalize(student), self.config.nearest
            nearest, _ = nearest_rows(unit, h, k, own=own, own_first=True)
            labels = self._labels(h, views.cluster_seed)
            pairs = real_positives(nearest, labels, views.graph.edge_index)
        z = normalize(self.predictor(student))
        both = pair_products(z, h, pairs) + pair_products(h, z, pairs)
        # The pairs come in both directions, so both cosines have the same mean.
        term = {name: 4 * loss for name, loss in neighbor_term(near, (z, h)).items()}
        return {"bootstrap": (4 - 2 * both).mean(), **term}

    def after_step(self, progress: float) -> None:
        """Let the target follow."""
        move_target(self.target, self.encoder, target_decay(self.config.momentum, progress))

    def get_extra_state(self) -> Tensor:
        """Return the centroids, from which the next step starts."""
        return self.clusterings

    def set_extra_state(self, state: Tensor) -> None:
        """Restore the centroids."""
        self.clusterings = state

    def _labels(self, h: Tensor, seed: int) -> Tensor:
        """Return each node's cluster in each k-means run, [runs, N], and keep the centroids."""
        config, rng = self.config, torch.Generator(device=h.device).manual_seed(seed)
        starts, iterations = self.clusterings, config.later_iterations
        if starts.numel() == 0:
            runs = range(config.num_clusterings)
            orders = [torch.randperm(h.size(0), generator=rng, device=rng.device) for _ in runs]
            starts = torch.stack([h[order[: config.num_centroids]] for order in orders])
            iterations = config.first_iterations
        clusterings = [centroids(h, start.size(0), rng, start, iterations) for start in starts]
        self.clusterings = torch.stack(clusterings)
        return torch.stack([torch.cdist(h, c).argmin(1) for c in clusterings])


def _linear(fan_in: int, fan_out: int) -> nn.Linear:
    """Return a layer with the authors' initial values."""
    layer = nn.Linear(fan_in, fan_out)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.constant_(layer.bias, 0.01)
    return layer
