"""HomoGCL in closed form: features reduced to what neighborhoods agree on, then averaged."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, NamedTuple

import torch
from pydantic import AfterValidator, Field, PositiveFloat
from sklearn.metrics import roc_auc_score
from sklearn.utils.extmath import randomized_svd
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.config import Config
from homogcl.core.errors import UserError
from homogcl.core.held_out import Links, hold_out, rejoined
from homogcl.core.scratch import column_view, let_go
from homogcl.core.seeds import branch, stream
from homogcl.data.mapped import release
from homogcl.homophily.agreement import Moments, directions, moments
from homogcl.homophily.edge_scores import edge_scores
from homogcl.methods.base import Method, Sizes
from homogcl.methods.propagation import Powers, ascending
from homogcl.methods.slabs import Workspace, beside, column_slabs, dense_rows
from homogcl.nn.layers import multiply
from homogcl.nn.operators import normalized
from homogcl.nn.sparse import take_rows
from homogcl.nn.unit_rows import of_length

Ridges = Annotated[tuple[PositiveFloat, ...], Field(min_length=1)]  # ε, to choose from
Rounds = Annotated[tuple[int, ...], AfterValidator(ascending)]  # of averaging, to choose from

_HELD_OUT = 0.2  # of the edges choose ridge, rounds and trust
_MOST_HELD_OUT = 20_000  # edges are enough for that
_CHANCE, _SURE = 0.5, 0.75  # areas under ROC at which neighbors deserve no trust, and all of it
_JUDGED = 2  # rounds of averaging in which held-out edges are compared
_MOST_ROWS = 2**16  # from which the axes of wide features are found
_FEW_AXES = 512  # do for scores of edges, which take many fits


class Choice(NamedTuple):
    """What held-out edges speak for."""

    ridge: float
    rounds: int
    likeness: float  # area under ROC of the held-out edges
    edges: int  # how many were held out


class ClosedForm(Method):
    """HomoGCL in closed form: neighbors are positives, and the optimum is computed at once.

    Rows of X are scaled to length 1, centered and reduced to their leading axes. On these the
    directions W are found on which neighborhoods agree most (`homophily.agreement`), with
    agreements a. They are read twice: V = X W has all of them, each with the same variance, and
    Y = V a^sharpness the better half of them, each as long as neighborhoods agree on it.

        Z = [(1 - (1 - w) c) L(X),   c L(Y), c² L(Â Y), c³ L(Â² Y), ...,   v c² L(Â V), ...]

    where L scales rows to length 1. Few labels read Y, which is smooth; many labels read V, which
    is rich. Edges held out of the graph choose the ridge of the directions and tell the trust c in
    neighbors: it grows from 0 to 1 with the share of these edges that are more alike in Â² Y than
    pairs of the same degrees. On a graph of random edges only X is left. Of Â^k Y there are four
    rounds k, or six or eight where held-out edges are as alike after these as after two.

    Neighbors are compared before they are averaged, unlike in a contrast of two GCN views. Nothing
    is trained by steps. Nodes without edges are embedded by their features.
    """

    name = "Closed-form HomoGCL"

    class Config(Config):
        """Settings of the directions and of the blocks."""

        out_dim: int = Field(default=256, ge=1)  # columns of X and of V; Y has half as many
        rounds: Rounds = (4, 6, 8)  # the highest power of Â on Y, to choose from
        rich_powers: Powers = (1, 2, 3)  # of Â, on V
        feature_weight: float = Field(default=0.3, gt=0, le=1)  # w, of X where c is 1
        rich_weight: float = Field(default=0.6, ge=0)  # v
        sharpness: float = Field(default=2.0, ge=0)
        ridges: Ridges = (0.1, 0.3, 1.0, 3.0, 10.0)
        axes: int = Field(default=1024, ge=1)  # of X that directions are made of

    features: Tensor  # from rows of length 1 to the leading axes of X, [d, k]
    features_mean: Tensor  # [k]
    weight: Tensor  # from rows of length 1 to V, [d, k]
    weight_mean: Tensor  # [k]
    agreement: Tensor  # a, of each column of V, [k]
    ridge: Tensor
    rounds: Tensor
    likeness: Tensor  # area under ROC of held-out edges; 1/2 is chance

    def __init__(self, config: Config, sizes: Sizes) -> None:
        """Make room for the directions."""
        super().__init__()
        self.config = config
        width = min(config.out_dim, config.axes, sizes.features, max(1, sizes.nodes))
        for name in ("features", "weight"):
            self.register_buffer(name, torch.zeros(sizes.features, width))
            self.register_buffer(f"{name}_mean", torch.zeros(width))
        self.register_buffer("agreement", torch.zeros(width))
        self.register_buffer("ridge", torch.tensor(config.ridges[0]))
        self.register_buffer("rounds", torch.tensor(config.rounds[0]))
        self.register_buffer("likeness", torch.tensor(_CHANCE))
        self.held_out_edges = 0  # from which `prepare` took the likeness

    @property
    def trust(self) -> float:
        """The trust c in neighbors, from 0 to 1."""
        return min(1.0, max(0.0, (float(self.likeness) - _CHANCE) / (_SURE - _CHANCE)))

    def prepare(self, graph: Data, rng: torch.Generator) -> None:
        """Choose ridge and rounds by held-out edges, and find the directions of the whole graph."""
        basis = _basis(graph, self.config.axes, rng)
        space = Workspace.of(graph)
        t = _projected(graph, basis)
        mean = torch.stack([t[rows].sum(dim=0) for rows in space.rows(t)]).sum(dim=0) / len(t)
        for rows in space.rows(t):
            t[rows] -= mean
        choice = self._choice(graph, t, rng)
        self.ridge.fill_(choice.ridge)
        self.rounds.fill_(choice.rounds)
        self.likeness.fill_(choice.likeness)
        self.held_out_edges = choice.edges
        of = _moments(t, space, _operator(graph))
        k = self.weight.size(1)
        leading = of.axes[:, -k:].flip(1).float()
        of_graph = directions(of, choice.ridge, k)
        self.agreement.copy_(of_graph.agreement)
        for name, columns in (("features", leading), ("weight", of_graph.weight.float())):
            getattr(self, name).copy_(basis @ columns)
            getattr(self, f"{name}_mean").copy_(mean @ columns)

    def _lengths(self, agreement: Tensor) -> Tensor:
        """Return the lengths of the columns of Y: the better half of the agreements, [k / 2]."""
        return agreement[: -(-len(agreement) // 2)] ** self.config.sharpness

    def _choice(self, graph: Data, t: Tensor, rng: torch.Generator) -> Choice:
        """Return what held-out edges speak for.

        Of all ridges whose area is the best within its standard error it is the largest, and
        likewise of all rounds whose area is within it of that of two.
        """
        ridges, fewest = sorted(self.config.ridges), self.config.rounds[0]
        try:
            links = _held_out(graph, rng)
        except UserError:  # hardly an edge, or hardly a pair without one
            return Choice(ridges[-1], fewest, _CHANCE, 0)
        space, average = Workspace.of(graph), _operator(graph, links.remaining)
        of = _moments(t, space, average)
        nodes = torch.cat([links.edges, links.others], dim=1).flatten().to(t.device)

        def areas_after(rounds: Sequence[int], ridge: float) -> dict[int, float]:
            weight, a = directions(of, ridge, self.weight.size(1))
            lengths = self._lengths(a).to(t.dtype)
            ends: dict[int, list[Tensor]] = {power: [] for power in rounds}
            for some in space.columns(len(t), len(lengths)):
                h = space.product(t, weight.float(), some) * lengths[some]
                for power in range(1, rounds[-1] + 1):
                    h = average(h)
                    if power in ends:
                        ends[power].append(h[nodes])
            return {power: _area(torch.cat(h, dim=1), links) for power, h in ends.items()}

        areas = {ridge: areas_after([_JUDGED], ridge)[_JUDGED] for ridge in ridges}
        best, count = max(areas.values()), links.edges.size(1)
        error = math.sqrt(best * (1 - best) / count)
        ridge = max(each for each, area in areas.items() if area >= best - error)
        more = self.config.rounds[1:]
        later = areas_after(more, ridge) if more else {}
        alike = [power for power, area in later.items() if area >= areas[ridge] - error]
        return Choice(ridge, max([fewest, *alike]), areas[ridge], count)

    def embed(self, graph: Data) -> Tensor:
        """Return the blocks side by side."""
        config, trust, average = self.config, self.trust, _operator(graph)
        space, (x, v) = Workspace.of(graph), self._columns(graph)
        blocks: list[tuple[float, list[Tensor]]] = [(1 - (1 - config.feature_weight) * trust, [x])]
        for lengths, powers, weight in (
            (self._lengths(self.agreement), range(int(self.rounds) + 1), 1.0),
            (None, config.rich_powers, config.rich_weight),
        ):
            slabs: dict[int, list[Tensor]] = {power: [] for power in powers}
            for some in space.columns(len(v), v.size(1) if lengths is None else len(lengths)):
                h = space.columns_of(v, some)
                h = h if lengths is None else h * lengths[some]
                for power in range(powers[-1] + 1):
                    h = h if power == 0 else average(h)
                    if power in slabs:
                        slabs[power].append(space.stored(h))
            blocks += [(weight * trust ** (power + 1), each) for power, each in slabs.items()]
        return beside(space, blocks)

    def edge_scores(self, graph: Data, seed: int = 0) -> Tensor | None:
        """Return how surely the ends of each edge belong together, [E]; None if untrained.

        Each edge is judged by directions and averages of the graph without it; folds and decoys
        come from the stream "edge scores".
        """
        if not self.weight.any():
            return None
        return edge_scores(graph, lambda rest: [self.embed_anew(rest)], stream(seed, "edge scores"))

    def embed_anew(self, graph: Data) -> Tensor:
        """Return the embeddings by directions of `graph`, at the ridge and rounds of the choice."""
        few = {
            "ridges": (float(self.ridge),),
            "rounds": (int(self.rounds),),
            "axes": min(_FEW_AXES, self.config.axes),
        }
        method = ClosedForm(self.config.model_copy(update=few), Sizes.of(graph)).to(graph.x.device)
        method.prepare(graph, stream(0, "prepare", graph.x.device))
        return method.embed(graph)

    def _columns(self, graph: Data) -> tuple[Tensor, Tensor]:
        """Return X on its leading axes and V, [N, k] each."""
        both = _projected(graph, torch.cat([self.features, self.weight], dim=1))
        mean = torch.cat([self.features_mean, self.weight_mean])
        for rows in Workspace.of(graph).rows(both):
            both[rows] -= mean
        k = self.weight.size(1)
        return column_view(both, slice(0, k)), column_view(both, slice(k, 2 * k))


def _operator(graph: Data, mask: Tensor | None = None) -> Callable[[Tensor], Tensor]:
    if not graph.edge_index.size(1):  # each node is its own average
        return lambda h: h
    with torch.no_grad():
        operator = normalized(graph, mask)
    return lambda h: operator(h, h.new_zeros(1))


def _moments(t: Tensor, space: Workspace, average: Callable[[Tensor], Tensor]) -> Moments:
    return moments(t, average, column_slabs(*t.shape), space.rows)


def _projected(graph: Data, basis: Tensor) -> Tensor:
    """Return the features' rows, scaled to length 1, times `basis` [d, r], [N, r]."""
    space = Workspace.of(graph)
    if graph.x.layout == torch.sparse_csr and not space.on_disk:
        return multiply(graph.x, basis) * _scales(graph.x)
    t = space.empty((graph.x.size(0), basis.size(1)), basis)
    for rows, part in dense_rows(graph):
        t[rows] = of_length(part, 1.0) @ basis
        let_go(t)
    return t


def _scales(x: Tensor) -> Tensor:
    """Return what brings each row of sparse features to length 1, [N, 1]; 1 for a row of zeros."""
    row = torch.arange(x.size(0), device=x.device).repeat_interleave(x.crow_indices().diff())
    squares = x.values().new_zeros(x.size(0)).index_add_(0, row, x.values().square())
    return torch.where(squares > 0, squares, squares.new_ones(1)).rsqrt()[:, None]


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


def _held_out(graph: Data, rng: torch.Generator) -> Links:
    """Return held-out edges, and as many pairs of their ends: nodes of the same degrees.

    Pairs are as chance joins nodes of these degrees, so that a few of them are edges too.
    """
    edges = graph.edge_index.size(1) // 2
    share = min(_HELD_OUT, _MOST_HELD_OUT / max(1, edges))
    if rng.device.type != "cpu":  # edges and pairs are drawn there
        rng = torch.Generator().manual_seed(branch(rng, "held out"))
    nodes = int(graph.num_nodes or 0)
    links = hold_out(graph.edge_index, nodes, rng, share, lambda: release(graph))
    return replace(links, others=rejoined(links.edges, rng))


def _area(z: Tensor, links: Links) -> float:
    """Return the area under ROC of cosines between held-out edges and other pairs.

    Args:
        z: Rows of the ends of all edges and pairs, first one end of each, then the other.
        links: The edges and pairs.
    """
    a, b = of_length(z, 1.0).cpu().chunk(2)
    is_edge = torch.arange(len(a)) < links.edges.size(1)
    return float(roc_auc_score(is_edge.numpy(), (a * b).sum(dim=1).numpy()))
