"""Embeddings projected into the plane, so that near nodes lie near each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from homogcl.core.errors import UnknownName
from homogcl.core.extras import optional
from homogcl.core.seeds import integer, numpy_stream

Floats = npt.NDArray[np.floating]

_INPUT_DIM = 50  # components that t-SNE sees, as is usual for it; more cost time and add noise
_GUIDES = 3  # projected nodes that place one that is not


@dataclass(frozen=True)
class Projector:
    """A way to project."""

    title: str  # what it is called
    fit: Callable[[Floats, int], Floats]  # unit rows [N, d] and a seed to positions [N, 2]
    whole: int = 2**31  # the most nodes of which all are projected
    sample: int = 2**31  # of more nodes, so many are projected and place the rest


@dataclass(frozen=True)
class Projection:
    """Positions in the plane, [N, 2], and a sentence that says how they came about."""

    points: npt.NDArray[np.float32]
    origin: str


def project(z: Floats, way: str, seed: int) -> Projection:
    """Return the embeddings `z` [N, d] in the plane, by the cosine between them.

    `way` is one of `PROJECTORS`; random starts and samples are drawn from the stream "layout".
    """
    if way not in PROJECTORS:
        raise UnknownName("map", way, PROJECTORS)
    how, state = PROJECTORS[way], integer(seed, "layout")
    rows = normalize(np.asarray(z, dtype=np.float32))
    if len(rows) <= how.whole:
        return Projection(_centered(how.fit(rows, state)), f"{how.title} of all nodes")
    few = np.sort(numpy_stream(seed, "layout").choice(len(rows), how.sample, replace=False))
    origin = (
        f"{how.title} of {how.sample:,} random nodes; each other node is placed among "
        f"the {_GUIDES} of them with the most similar embeddings"
    )
    return Projection(_centered(_placed(rows, few, how.fit(rows[few], state))), origin)


def _placed(rows: Floats, few: npt.NDArray[np.int64], positions: Floats) -> Floats:
    """Return all rows' positions: those of `few` as they are, others as means of their guides'."""
    distances, guides = NearestNeighbors(n_neighbors=_GUIDES).fit(rows[few]).kneighbors(rows)
    weights = 1 / np.maximum(distances, 1e-3)
    weights /= weights.sum(axis=1, keepdims=True)
    points: Floats = (weights[:, :, None] * positions[guides]).sum(axis=1)
    points[few] = positions
    return points


def _pca(rows: Floats, state: int) -> Floats:
    if len(rows) < 2:
        return np.zeros((len(rows), 2))
    points = PCA(min(2, *rows.shape), random_state=state).fit_transform(rows)
    return np.pad(points, ((0, 0), (0, 2 - points.shape[1])))


def _tsne(rows: Floats, state: int) -> Floats:
    start = _pca(rows, state)
    if len(rows) < 4:
        return start
    # t-SNE's own scale for a start; without spread there is nothing to scale.
    start = (1e-4 / max(float(start[:, 0].std()), 1e-12) * start).astype(np.float32)
    if min(rows.shape) > _INPUT_DIM:
        rows = PCA(_INPUT_DIM, random_state=state).fit_transform(rows)
    perplexity = min(30.0, (len(rows) - 1) / 3)
    tsne = TSNE(perplexity=perplexity, init=start, random_state=state)
    points: Floats = tsne.fit_transform(rows)
    return points


def _umap(rows: Floats, state: int) -> Floats:
    umap = optional("umap", "--map umap needs umap-learn: pip install 'homogcl[umap]'")
    if len(rows) < 4:
        return _pca(rows, state)
    neighbors = min(15, len(rows) - 1)
    # A start on the scale of UMAP's own, which tiny or unconnected graphs do not have; the noise
    # gives both axes a width.
    start = 10 * _centered(_pca(rows, state))
    start += np.random.default_rng(state).normal(0, 1e-3, start.shape).astype(np.float32)
    map_of = umap.UMAP(n_neighbors=neighbors, init=start, random_state=state, n_jobs=1)
    points: Floats = map_of.fit_transform(rows)
    return points


def _centered(points: Floats) -> npt.NDArray[np.float32]:
    """Return `points` around the origin, the farthest coordinate at 1."""
    points = points - (points.min(axis=0) + points.max(axis=0)) / 2
    farthest = float(np.abs(points).max()) if points.size else 0.0
    return (points / (farthest or 1.0)).astype(np.float32)


PROJECTORS: Mapping[str, Projector] = {
    "tsne": Projector("t-SNE", _tsne, whole=20_000, sample=10_000),
    "umap": Projector("UMAP", _umap),
    "pca": Projector("PCA", _pca),
}
