"""Figure 3: one step of HomoGCL, drawn from a real step of the code.

The sizes in the boxes come from a step on the generated graph; the picture of soft clusters comes
from the functions of the training. Nothing is trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from homogcl.core.seeds import stream
from homogcl.homophily.saliency import saliency, soft_assignment
from homogcl.runs.request import Request
from homogcl.runs.train import new_method
from reproduction.artifact import Artifact, Training
from reproduction.figures.drawing import BLACK, BLUE, CLASSES, GRAY, GREEN, ORANGE, draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HALF_WIDTH = 0.66  # of a box


@dataclass(frozen=True)
class Box:
    """A value or an operation: text, center, color and half the height of its box."""

    text: str
    at: tuple[float, float]
    color: str
    half_height: float = 0.36


@dataclass(frozen=True)
class Pipeline:
    """The boxes of one step by name, and the arrows between them."""

    boxes: dict[str, Box]
    arrows: tuple[tuple[str, str], ...]


def pipeline(seed: int = 0) -> Pipeline:
    """Return the picture of one step of GRACE with HomoGCL on the generated graph."""
    run = Request("grace+homogcl", "demo", seed).resolve(by_size=False)
    graph = run.graph
    method: Any = new_method(run)  # its base and its settings are no part of the contract
    base = method.base
    views = method.views(graph, stream(seed, "augment"))
    with torch.no_grad():
        terms = list(method.objective(views))
        u, v = base.compared(views.base)
        h, r, s = method.embed(graph), method.assignment(graph), method.edge_scores(graph)
    weights = method.term_weights()
    total = " + ".join(f"{weights.get(term, 1.0):g} · {term}" for term in terms)
    first, second = views.base.first, views.base.second
    matrices = [p for name, p in base.encoder.named_parameters() if name.endswith("weight")]
    layers = [graph.num_features, *(weight.size(1) for weight in matrices)]
    encoder = f"shared {base.config.encoder.upper()}\n{' → '.join(map(str, layers))}"
    config = method.config
    contrast, homophily = terms
    boxes = {
        "G": Box(f"graph G\n{int(graph.num_nodes or 0):,} nodes", (0, 0), BLUE, half_height=1.46),
        "G1": Box(f"view G₁\n{_edges(first.edge_index)}", (1.6, 1.1), BLUE),
        "G2": Box(f"view G₂\n{_edges(second.edge_index)}", (1.6, 0), BLUE),
        "G0": Box(f"G itself\n{_edges(graph.edge_index)}", (1.6, -1.1), BLUE),
        "encoder": Box(encoder, (3.2, 0), GRAY, half_height=1.46),
        "U": Box(f"U\n{_shape(u)}", (4.8, 1.1), BLUE),
        "V": Box(f"V\n{_shape(v)}", (4.8, 0), BLUE),
        "H": Box(f"H\n{_shape(h)}", (4.8, -1.1), BLUE),
        "R": Box(
            f"R  {_shape(r)}\nk = {config.num_clusters}, 2σ² = {config.two_sigma_sq:g}",
            (6.4, -1.1),
            GREEN,
        ),
        "S": Box(f"saliency S\nof {len(s):,} edges", (6.4, 0), GREEN),
        "contrast": Box(f"loss {contrast}\nneighbors weigh S", (6.4, 1.1), ORANGE),
        "homophily": Box(f"loss {homophily}\nR alike on edges", (8.0, -1.1), ORANGE),
        "J": Box(f"J = {total.replace(' + ', chr(10) + '+ ')}", (8.0, 0), ORANGE),
    }
    arrows = (
        *(("G", "G1"), ("G", "G2"), ("G", "G0"), ("G1", "encoder"), ("G2", "encoder")),
        *(
            ("G0", "encoder"),
            ("encoder", "U"),
            ("encoder", "V"),
            ("encoder", "H"),
            ("H", "R"),
            ("R", "S"),
        ),
        *(("U", "contrast"), ("V", "contrast"), ("S", "contrast"), ("R", "homophily")),
        *(("contrast", "J"), ("homophily", "J")),
    )
    return Pipeline(boxes, arrows)


def _edges(edge_index: Tensor) -> str:
    return f"{edge_index.size(1):,} edges"


def _shape(values: Tensor) -> str:
    return " × ".join(f"{size:,}" for size in values.shape)


def _ends(start: Box, end: Box) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ends of an arrow; it is horizontal if a box is tall enough."""
    (x, y), (to_x, to_y) = start.at, end.at
    if abs(y - to_y) <= start.half_height:
        y = to_y
    elif abs(y - to_y) <= end.half_height:
        to_y = y
    return (x, y), (to_x, to_y)


def _draw_boxes(axes: Axes, picture: Pipeline) -> None:
    from matplotlib.patches import FancyBboxPatch

    patches = {}
    for name, box in picture.boxes.items():
        x, y = box.at
        patches[name] = FancyBboxPatch(
            (x - _HALF_WIDTH, y - box.half_height),
            2 * _HALF_WIDTH,
            2 * box.half_height,
            boxstyle="round,pad=0,rounding_size=0.08",
            facecolor=f"{box.color}22",
            edgecolor=box.color,
            linewidth=1.2,
            zorder=2,
        )
        axes.add_patch(patches[name])
        axes.text(x, y, box.text, ha="center", va="center", fontsize=7.5, zorder=3)
    for start, end in picture.arrows:
        tail, head = _ends(picture.boxes[start], picture.boxes[end])
        axes.annotate(
            "",
            head,
            tail,
            arrowprops={
                "arrowstyle": "-|>",
                "color": BLACK,
                "linewidth": 0.8,
                "patchA": patches[start],
                "patchB": patches[end],
                "shrinkA": 1,
                "shrinkB": 1,
            },
            zorder=1,
        )
    axes.set_xlim(-0.75, 8.75)
    axes.set_ylim(-1.6, 1.6)
    axes.axis("off")


@dataclass(frozen=True)
class SoftClusters:
    """Nodes in the plane [N, 2], centroids [k, 2], edges [2, E], and 2σ²."""

    nodes: Tensor
    centroids: Tensor
    edges: Tensor
    two_sigma_sq: float


def _example() -> SoftClusters:
    nodes = torch.tensor(
        [
            *([-1.1, 0.3], [-0.7, 0.9], [-0.1, 0.1], [0.15, 0.75], [1.0, 0.4], [0.6, 1.0]),
            *([0.7, -0.3], [-0.6, -0.5], [0.1, -1.1], [-0.35, -1.2], [0.45, -0.85]),
        ]
    )
    pairs = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 5), (4, 5), (4, 6), (2, 7), (7, 9), (8, 9)]
    pairs += [(8, 10), (6, 10), (2, 6)]
    both = torch.tensor(sorted([*pairs, *((j, i) for i, j in pairs)])).t()
    centroids = torch.tensor([[-0.8, 0.5], [0.75, 0.4], [0.0, -1.0]])
    return SoftClusters(nodes, centroids, both, 0.4)


def _draw_clusters(axes: Axes, example: SoftClusters) -> None:
    from matplotlib.colors import to_rgb

    colors = torch.tensor([to_rgb(CLASSES[i]) for i in range(len(example.centroids))])
    span = torch.linspace(-1.5, 1.5, 200)
    grid = torch.cartesian_prod(span, span).flip(1)
    soft = soft_assignment(grid, example.centroids, example.two_sigma_sq)
    ground = (soft @ colors).view(200, 200, 3) * 0.3 + 0.7
    axes.imshow(ground.numpy(), extent=(-1.5, 1.5, -1.5, 1.5), origin="lower", zorder=0)
    r = soft_assignment(example.nodes, example.centroids, example.two_sigma_sq)
    for (i, j), s in zip(
        example.edges.t().tolist(), saliency(r, example.edges).tolist(), strict=True
    ):
        if i < j:
            (left, low), (right, high) = example.nodes[i].tolist(), example.nodes[j].tolist()
            axes.plot([left, right], [low, high], color=BLACK, linewidth=0.3 + 2.2 * s, zorder=1)
            middle = ((left + right) / 2, (low + high) / 2)
            label = axes.text(*middle, f"{s:.2f}", fontsize=5.5, zorder=4)
            label.set(ha="center", va="center")
            label.set_bbox({"boxstyle": "round,pad=0.1", "facecolor": "white", "linewidth": 0})
    x, y = example.nodes.t().numpy()
    axes.scatter(x, y, s=45, c=(r @ colors).numpy(), edgecolors=BLACK, zorder=3)
    x, y = example.centroids.t().numpy()
    axes.scatter(x, y, s=70, marker="X", c="white", edgecolors=BLACK, zorder=2)
    axes.set_axis_off()


def _trainings(quick: bool) -> list[Training]:
    return []


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    picture = pipeline()

    def paint(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, width_ratios=[3.4, 1])
        _draw_boxes(left, picture)
        left.set_title("(a) one step of GRACE with HomoGCL on the demo graph")
        _draw_clusters(right, _example())
        right.set_title("(b) R as color, S on edges")

    return draw(out, "pipeline", (11, 3.2), paint)


PIPELINE = Artifact("pipeline", "Figure 3", _trainings, _write)
