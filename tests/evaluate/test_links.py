"""Scores of links, against counting."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from homogcl.core.held_out import Links
from homogcl.evaluate.links import link_scores


@given(st.integers(0, 2**31))
@settings(max_examples=25, deadline=None)
def test_auc_and_ap_are_counted_by_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((12, 3))
    pairs = torch.tensor(list(itertools.combinations(range(12), 2))).t()[:, rng.permutation(66)]
    links = Links(torch.ones(0, dtype=torch.bool), pairs[:, :9], pairs[:, 9:18])
    unit = z / np.linalg.norm(z, axis=1, keepdims=True)
    edges, others = ((unit[p[0]] * unit[p[1]]).sum(1) for p in (links.edges, links.others))
    wins = [a > b for a in edges for b in others]
    ranked = sorted([(-c, True) for c in edges] + [(-c, False) for c in others])
    hits = np.cumsum([is_edge for _, is_edge in ranked])
    precisions = [hits[at] / (at + 1) for at, (_, is_edge) in enumerate(ranked) if is_edge]
    scored = link_scores(z, links)
    assert scored["link_auc"] == pytest.approx(np.mean(wins))
    assert scored["link_ap"] == pytest.approx(np.mean(precisions))
    assert set(scored) == {"link_auc", "link_ap"}


def test_perfect_and_opposite_embeddings() -> None:
    links = Links(
        torch.ones(2).bool(), torch.tensor([[0, 2], [1, 3]]), torch.tensor([[0, 1], [2, 3]])
    )
    apart = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    assert link_scores(apart, links) == {"link_auc": 1.0, "link_ap": 1.0}
    crossed = Links(links.remaining, links.others, links.edges)
    assert link_scores(apart, crossed)["link_auc"] == 0.0
