"""Small pages to look at, for tests of their text and in a browser."""

import numpy as np

from homogcl.pages.charts import SaliencyHistogram
from homogcl.pages.explore_page import Edges, Explorer, Nearest, Nodes


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
    """A ring of side² nodes on a lattice: each has two neighbors, of saliency 1 and 0.25."""
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
        ),
        edges=Edges(2 * np.arange(n + 1), targets.ravel(), np.tile([1.0, 0.25], n)),
        nearest=Nearest(np.stack([(around + 2) % n, (around + 5) % n], 1), np.full((n, 2), 0.5)),
        histogram=SaliencyHistogram(
            np.array([0.0, 0.5, 1.0]), np.array([3, 9]), np.array([6, 1]), np.array([0, 2])
        ),
        curves={name: [3.0, 2.0, float("nan"), 1.0]},
        facts={name: name},
        settings={name: name},
        notes=[name],
    )
