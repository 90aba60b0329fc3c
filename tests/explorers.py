"""Small pages to look at, for tests of their text and in a browser."""

import numpy as np

from homogcl.pages.charts import SaliencyHistogram
from homogcl.pages.explore_page import (
    Edges,
    Explorer,
    Features,
    LowestEdges,
    Nearest,
    Nodes,
)


def lattice(side: int) -> np.ndarray:
    """Points of a square lattice from -1 to 1, row by row from below, [side², 2]."""
    ticks = np.linspace(-1.0, 1.0, side)
    x, y = np.meshgrid(ticks, ticks)
    return np.stack([x.ravel(), y.ravel()], axis=1)


def explorer(
    side: int = 5,
    *,
    ids: list[str] | None = None,
    labels: np.ndarray | None = None,
    class_names: list[str] | None = None,
    name: str = "run",
) -> Explorer:
    """A ring of side² nodes on a lattice: each has two neighbors, of saliency 1 and 0.25.

    Of two features, the first is 1 at node 4 alone; the second is 10 at node 0, 61 at node 6 and
    30 elsewhere.
    """
    n = side * side
    around = np.arange(n)
    targets = np.stack([(around + 1) % n, (around - 1) % n], axis=1)
    return Explorer(
        title=name,
        nodes=Nodes(
            ids=ids or [f"node-{i}" for i in range(n)],
            points=lattice(side),
            clusters=around % 3,
            degrees=np.full(n, 2),
            labels=labels,
            class_names=class_names or [],
            saliency=np.where(around == 0, np.nan, around / n),
        ),
        edges=Edges(2 * np.arange(n + 1), targets.ravel(), np.tile([1.0, 0.25], n)),
        nearest=Nearest(np.stack([(around + 2) % n, (around + 5) % n], 1), np.full((n, 2), 0.5)),
        histogram=SaliencyHistogram(
            np.array([0.0, 0.5, 1.0]), np.array([3, 9]), np.array([6, 1]), np.array([0, 2])
        ),
        lowest=LowestEdges(np.arange(20), np.arange(20) + 1, np.linspace(0.1, 0.29, 20)),
        features=Features(
            names=[name, "age"],
            total=2,
            rest=np.array([0.0, 30.0]),
            low=np.array([0.0, 10.0]),
            high=np.array([1.0, 61.0]),
            offsets=np.array([0, 1, 3]),
            nodes=np.array([4, 0, 6]),
            levels=np.array([255, 0, 255]),
        ),
        scores={name: name},
        advice=[name],
        curves={name: [3.0, 2.0, float("nan"), 1.0]},
        facts={name: name},
        settings={name: name},
        notes=[name],
    )
