"""Attention by sparse products against loops in float64."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import leaky_relu

from homogcl.nn.attention import attend, attention, pairs_into
from homogcl.nn.encoders import in_blocks
from tests.networks import encoder, random_graph


def scores(nodes: int, heads: int, seed: int) -> tuple[Tensor, Tensor]:
    rng = torch.Generator().manual_seed(seed)
    toward, away = torch.randn(2, nodes, heads, dtype=torch.float64, generator=rng)
    return toward.requires_grad_(), away.requires_grad_()


def test_pairs_are_those_of_edges_and_loops_by_target() -> None:
    graph = random_graph(0)
    pairs = pairs_into(graph)
    source, target = graph.edge_index.tolist()
    expected = [*zip(target, source, strict=True), *((i, i) for i in range(12))]
    entries = list(zip(pairs.row.tolist(), pairs.col.tolist(), strict=True))
    assert sorted(entries) == sorted(expected)
    assert pairs.row.tolist() == sorted(pairs.row.tolist())


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 999), heads=st.integers(1, 3))
def test_attention_sums_to_one_and_is_that_of_a_loop(seed: int, heads: int) -> None:
    pairs = pairs_into(random_graph(seed))
    toward, away = scores(12, heads, seed)
    alpha = attention(toward, away, pairs)
    values = torch.randn(12, heads * 2, dtype=torch.float64)
    out = attend(alpha, values, pairs).detach()
    for node in range(12):
        here = (pairs.row == node).nonzero().squeeze(1)
        near = pairs.col[here]
        expected = leaky_relu(toward[node] + away[near], 0.2).softmax(0)
        torch.testing.assert_close(alpha[here], expected)
        for head in range(heads):
            mean = expected[:, head] @ values[near, 2 * head : 2 * head + 2]
            torch.testing.assert_close(out[node, 2 * head : 2 * head + 2], mean.detach())


def test_numerical_derivative() -> None:
    pairs = pairs_into(random_graph(1))
    toward, away = scores(12, 2, 0)
    values = torch.randn(12, 4, dtype=torch.float64, requires_grad=True)

    def of(toward: Tensor, away: Tensor, values: Tensor) -> Tensor:
        return attend(attention(toward, away, pairs), values, pairs)

    assert torch.autograd.gradcheck(of, (toward, away, values))


def test_blocks_of_nodes_attend_as_all_at_once() -> None:
    graph = random_graph(2)
    ours = encoder(encoder="gat", heads=2).eval()
    with torch.no_grad():
        whole = ours(graph)
        with in_blocks(ours, 5):
            torch.testing.assert_close(ours(graph), whole)
