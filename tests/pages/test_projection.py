"""Projections keep near what is near, whatever the size."""

import numpy as np
import pytest

from homogcl.core.errors import UserError
from homogcl.pages import projection
from homogcl.pages.projection import Projector, project


def groups(count: int = 3, size: int = 40) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    of = np.repeat(np.arange(count), size)
    return 5 * np.eye(count, 60)[of] + 0.3 * rng.normal(size=(len(of), 60)), of


def share_of_nearest_in_group(points: np.ndarray, of: np.ndarray) -> float:
    distance = np.linalg.norm(points[:, None] - points[None], axis=-1)
    np.fill_diagonal(distance, np.inf)
    return float((of[distance.argmin(1)] == of).mean())


@pytest.mark.parametrize("way", ["tsne", "pca"])
def test_groups_stay_together(way: str) -> None:
    z, of = groups()
    result = project(z, way, 0)
    assert share_of_nearest_in_group(result.points, of) > 0.95
    assert result.points.dtype == np.float32
    assert np.abs(result.points).max() == pytest.approx(1.0)
    assert result.origin == f"{projection.PROJECTORS[way].title} of all nodes"


def test_same_seed_gives_the_same_map() -> None:
    z, _ = groups(2, 20)
    assert np.array_equal(project(z, "tsne", 1).points, project(z, "tsne", 1).points)


def test_large_graphs_are_laid_out_by_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def fit(rows: np.ndarray, state: int) -> np.ndarray:
        sizes.append(len(rows))
        return projection.PROJECTORS["pca"].fit(rows, state)

    monkeypatch.setattr(
        projection, "PROJECTORS", {**projection.PROJECTORS, "few": Projector("Few", fit, 100, 50)}
    )
    z, of = groups()
    result = project(z, "few", 0)
    assert sizes == [50]
    assert share_of_nearest_in_group(result.points, of) > 0.95
    assert "Few of 50 random nodes" in result.origin
    # A node of the sample lies where the projection put it, and twins of it lie there too.
    twice = project(np.concatenate([z, z]), "few", 0).points
    assert len(np.unique(twice.round(3), axis=0)) <= len(z) + 50
    assert project(z[:100], "few", 0).origin == "Few of all nodes"


@pytest.mark.parametrize("way", ["tsne", "pca"])
@pytest.mark.parametrize("shape", [(1, 4), (2, 4), (3, 1), (5, 1), (6, 2), (5, 100)])
def test_smallest_graphs_have_a_map_too(way: str, shape: tuple[int, int]) -> None:
    points = project(np.random.default_rng(0).normal(size=shape), way, 0).points
    assert points.shape == (shape[0], 2)
    assert np.isfinite(points).all()


@pytest.mark.parametrize("way", ["tsne", "pca"])
def test_equal_rows_have_a_map_too(way: str) -> None:
    assert np.isfinite(project(np.ones((30, 8)), way, 0).points).all()


def test_unknown_map_is_refused() -> None:
    with pytest.raises(UserError, match=r"unknown map 'tsn' \(did you mean: tsne\?\)"):
        project(np.ones((3, 2)), "tsn", 0)


def test_umap_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "umap", None)
    with pytest.raises(UserError, match=r"pip install 'homogcl\[umap\]'"):
        project(np.ones((9, 2)), "umap", 0)
