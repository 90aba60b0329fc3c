"""HomoGCL in closed form: features reduced to what neighbors agree on, then averaged."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated

import torch
from pydantic import Field, PositiveFloat
from sklearn.metrics import roc_auc_score
from sklearn.utils.extmath import randomized_svd
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.core.errors import UserError
from homogcl.core.held_out import Links, hold_out
from homogcl.core.seeds import branch
from homogcl.homophily.agreement import Directions, Moments, directions, moments
from homogcl.methods.base import Method, Sizes
from homogcl.methods.propagation import Powers
from homogcl.methods.slabs import column_slabs, dense_rows
from homogcl.nn.layers import Normalized
from homogcl.nn.sparse import Pattern, pair_products, take_rows
from homogcl.nn.unit_rows import of_length

Ridges = Annotated[tuple[PositiveFloat, ...], Field(min_length=1)]  # ε, to choose from

_HELD_OUT = 0.2  # of the edges choose ridge and trust
_MOST_HELD_OUT = 20_000  # edges are enough for that
_CHANCE, _SURE = 0.5, 0.75  # areas under ROC at which neighbors deserve no trust, and all of it
_MOST_ROWS = 2**16  # from which the axes of wide features are found


class ClosedForm(Method):
    """HomoGCL in closed form: neighbors are positives, and the optimum is computed at once.

    Rows of X are scaled to length 1, centered and reduced to their leading axes. On these the
    directions W are found on which neighbors agree most (`homophily.agreement`), with agreements a:

        Z = [(1 - (1 - w) c) L(X), c L(Y), c² L(Â Y), c³ L(Â² Y), ...],   Y = X W |a|^sharpness

    where L scales rows to length 1. Edges held out of the graph choose the ridge of the directions
    and tell the trust c in neighbors: it grows from 0 to 1 with the share of these edges that are
    more alike in Â² Y than pairs of the same degrees. On a graph of random edges only X is left.

    Neighbors are compared before they are averaged, unlike in a contrast of two GCN views. Nothing
    is trained by steps. Nodes without edges are embedded by their features.
    """

    name = "Closed-form HomoGCL"

    class Config(Config):
        """Settings of the directions and of the blocks."""

        out_dim: int = Field(default=256, ge=1)  # columns per block
        powers: Powers = (0, 1, 2, 3, 4)
        feature_weight: float = Field(default=0.3, gt=0, le=1)  # w, of X where c is 1
        sharpness: float = Field(default=2.0, ge=0)
        ridges: Annotated[tuple[PositiveFloat, ...], Field(min_length=1)] = (
            0.1,
            0.3,
            1.0,
            3.0,
            10.0,
        )
        axes: int = Field(default=1024, ge=1)  # of X that directions are made of

    features: Tensor  # from rows of length 1 to the leading axes of X, [d, k]
    features_mean: Tensor  # [k]
    weight: Tensor  # from rows of length 1 to Y, [d, k]
    weight_mean: Tensor  # [k]
    ridge: Tensor
    likeness: Tensor  # area under ROC of held-out edges; 1/2 is chance

    def __init__(self, config: Config, sizes: Sizes) -> None:
        """Make room for the directions."""
        super().__init__()
        self.config = config
        width = min(config.out_dim, config.axes, sizes.features, max(1, sizes.nodes))
        for name in ("features", "weight"):
            self.register_buffer(name, torch.zeros(sizes.features, width))
            self.register_buffer(f"{name}_mean", torch.zeros(width))
        self.register_buffer("ridge", torch.tensor(config.ridges[0]))
        self.register_buffer("likeness", torch.tensor(_CHANCE))

    @property
    def trust(self) -> float:
        """The trust c in neighbors, from 0 to 1."""
        return min(1.0, max(0.0, (float(self.likeness) - _CHANCE) / (_SURE - _CHANCE)))

    def prepare(self, graph: Data, rng: torch.Generator) -> None:
        """Choose the ridge by held-out edges, and find the directions of the whole graph."""
        basis = _basis(graph, self.config.axes, rng)
        t = _projected(graph, basis)
        mean = t.mean(dim=0)
        t -= mean
        ridge, likeness = self._choice(graph, t, rng)
        self.ridge.fill_(ridge)
        self.likeness.fill_(likeness)
        of = _moments(t, graph)
        k = self.weight.size(1)
        leading = of.axes[:, -k:].flip(1).float()
        scaled = self._scaled(directions(of, ridge, k))
        for name, columns in (("features", leading), ("weight", scaled)):
            getattr(self, name).copy_(basis @ columns)
            getattr(self, f"{name}_mean").copy_(mean @ columns)

    def _scaled(self, of: Directions) -> Tensor:
        """Return the directions, each as long as neighbors agree on it, [r, k]."""
        return (of.weight * of.agreement.abs() ** self.config.sharpness).float()

    def _choice(self, graph: Data, t: Tensor, rng: torch.Generator) -> tuple[float, float]:
        """Return the ridge that held-out edges speak for, and their area under ROC.

        Of all ridges whose area is the best within its standard error it is the largest.
        """
        ridges = sorted(self.config.ridges)
        try:
            links = held_out(graph, rng)
        except UserError:  # hardly an edge, or hardly a pair without one
            return ridges[-1], _CHANCE
        rest = Data(x=graph.x, edge_index=graph.edge_index[:, links.kept])
        if graph.edge_weight is not None:
            rest.edge_weight = graph.edge_weight[links.kept]
        of, average = _moments(t, rest), _operator(rest)
        areas = {
            ridge: _area(average(average(t @ self._scaled(choice))), links)
            for ridge in ridges
            for choice in [directions(of, ridge, self.weight.size(1))]
        }
        best = max(areas.values())
        error = math.sqrt(best * (1 - best) / links.edges.size(1))
        return max(ridge for ridge, area in areas.items() if area >= best - error), best

    def embed(self, graph: Data) -> Tensor:
        """Return the blocks side by side, [N, (1 + number of powers) k]."""
        powers, trust = self.config.powers, self.trust
        h = self._agreeing(graph)
        x = _projected(graph, self.features) - self.features_mean
        blocks = [(1 - (1 - self.config.feature_weight) * trust) * of_length(x, 1.0)]
        average = _operator(graph)
        for power in range(powers[-1] + 1):
            h = h if power == 0 else average(h)
            if power in powers:
                blocks.append(trust ** (power + 1) * of_length(h, 1.0))
        return torch.cat(blocks, dim=1)

    def edge_scores(self, graph: Data) -> Tensor | None:
        """Return the cosines of Â² Y along the edges, brought to 0 to 1, [E]; None if untrained."""
        if not self.weight.any():
            return None
        average = _operator(graph)
        y = of_length(average(average(self._agreeing(graph))), 1.0)
        return (1 + pair_products(y, y, Pattern.of(graph.edge_index, len(y)))) / 2

    def _agreeing(self, graph: Data) -> Tensor:
        """Return Y, [N, k]."""
        return _projected(graph, self.weight) - self.weight_mean


def _operator(graph: Data) -> Callable[[Tensor], Tensor]:
    normalized = Normalized.of(graph)
    return lambda h: normalized(h, h.new_zeros(1))


def _moments(t: Tensor, graph: Data) -> Moments:
    return moments(t, _operator(graph), column_slabs(*t.shape))


def _projected(graph: Data, basis: Tensor) -> Tensor:
    """Return the features' rows, scaled to length 1, times `basis` [d, r], [N, r]."""
    t = basis.new_empty(graph.x.size(0), basis.size(1))
    for rows, part in dense_rows(graph):
        t[rows] = of_length(part, 1.0) @ basis
    return t


def _basis(graph: Data, axes: int, rng: torch.Generator) -> Tensor:
    """Return the leading axes of the rows of length 1, [d, r]; all coordinates if they are few."""
    nodes, width = graph.x.shape
    if width <= axes:
        return torch.eye(width, device=graph.x.device)
    rows = torch.arange(0, nodes, -(-nodes // _MOST_ROWS), device=graph.x.device)
    sample = of_length(take_rows(graph.x, rows).to_dense(), 1.0)
    seed = int(torch.randint(2**31, (1,), generator=rng, device=rng.device))
    _, _, v = randomized_svd(
        sample.cpu().numpy(), min(axes, len(rows)), n_iter=2, transpose=False, random_state=seed
    )
    return torch.from_numpy(v.T.copy()).to(graph.x.device)


def held_out(graph: Data, rng: torch.Generator) -> Links:
    """Return held-out edges, and as many pairs of their ends: nodes of the same degrees."""
    edges = graph.edge_index.size(1) // 2
    share = min(_HELD_OUT, _MOST_HELD_OUT / max(1, edges))
    if rng.device.type != "cpu":  # edges and pairs are drawn there
        rng = torch.Generator().manual_seed(branch(rng, "held out"))
    links = hold_out(graph.edge_index, int(graph.num_nodes or 0), rng, share)
    count = links.edges.size(1)
    source, target = links.edges
    swapped = torch.rand(count, generator=rng) < 0.5
    source, target = torch.where(swapped, target, source), torch.where(swapped, source, target)
    others = torch.stack([source, target[torch.randperm(count, generator=rng)]])
    return Links(links.kept, links.edges, others)


def _area(z: Tensor, links: Links) -> float:
    """Return the area under ROC of cosines of `z` [N, d] between held-out edges and other pairs."""
    unit = of_length(z, 1.0).cpu()
    pairs = torch.cat([links.edges, links.others], dim=1)
    cosines = (unit[pairs[0]] * unit[pairs[1]]).sum(dim=1)
    is_edge = torch.arange(pairs.size(1)) < links.edges.size(1)
    return float(roc_auc_score(is_edge.numpy(), cosines.numpy()))
