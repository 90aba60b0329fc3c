"""Operations are counted exactly, and three sizes give any other."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from homogcl.advice.flops import Operations, counted, through
from homogcl.data.load import citation_graph
from homogcl.losses import Workspace, info_nce
from homogcl.losses.contrast.negatives import AllPairs, Sampled
from homogcl.losses.contrast.sampled import Columns
from homogcl.nn.encoders import Encoder, EncoderConfig
from homogcl.nn.sparse import Pattern, pair_products


def test_a_product_and_its_backward_pass() -> None:
    a, b = torch.ones(3, 5, requires_grad=True), torch.ones(5, 7, requires_grad=True)
    assert counted(lambda: a @ b).products == 2 * 3 * 5 * 7
    assert counted(lambda: torch.autograd.backward((a @ b).sum())).products == 3 * 2 * 3 * 5 * 7
    assert counted(lambda: torch.addmm(torch.ones(7), a, b)).products == 2 * 3 * 5 * 7


def test_sparse_products_count_what_is_filled() -> None:
    matrix = torch.tensor([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]]).to_sparse_csr()
    rows = torch.ones(3, 4)
    assert counted(lambda: matrix @ rows) == Operations(sparse=2 * 3 * 4)
    pattern = Pattern.of(torch.tensor([[0, 1, 1], [1, 0, 2]]), 3)
    assert counted(lambda: pair_products(rows, rows, pattern)).sparse == 2 * 3 * 4


def test_elements_are_those_read_or_written_and_views_are_free() -> None:
    x = torch.ones(6, 4)
    assert counted(lambda: x.exp()) == Operations(elements=24)
    assert counted(lambda: x.sum()) == Operations(elements=24)
    assert counted(lambda: x.t()[:2].reshape(-1)[:1].view(1)).products == 0
    assert counted(lambda: x.view(4, 6)) == Operations()


def test_an_encoder_costs_what_its_sizes_say() -> None:
    graph = citation_graph(50, 3, 20, seed=0)
    graph.x = graph.x.to_dense() if graph.x.is_sparse_csr else graph.x
    encoder = Encoder(EncoderConfig(hidden_dim=8, out_dim=4), 20)
    found = counted(lambda: encoder(graph))
    edges = graph.edge_index.size(1)
    assert found.products == 2 * 50 * (20 * 8 + 8 * 4)
    assert found.sparse == 2 * edges * (8 + 4)


def test_the_exact_loss_compares_all_pairs() -> None:
    n, d, tile = 12, 5, 4
    u, v = torch.randn(2, n, d, requires_grad=True).unbind()

    def step(budget: int) -> None:
        negatives = AllPairs(Workspace(budget), tile=tile)
        torch.autograd.backward(info_nce(u, v, 0.5, negatives=negatives))

    # All of A Bᵀ; of A Aᵀ and B Bᵀ the tiles on and above the diagonal.
    pairs = n * n + 2 * (n * (n + tile) // 2)
    diagonal = 2 * n * tile  # these tiles serve their rows alone
    forward, backward = 2 * pairs * d, 2 * (2 * pairs - diagonal) * d
    assert counted(lambda: step(2**20)).products == forward + backward
    assert counted(lambda: step(0)).products == 2 * forward + backward


def test_the_sampled_loss_compares_with_the_columns_alone() -> None:
    n, d, m = 12, 5, 3
    u, v = torch.randn(2, n, d, requires_grad=True).unbind()
    columns = Columns(torch.arange(m), torch.full((m,), n / m))

    def step() -> None:
        torch.autograd.backward(info_nce(u, v, 0.5, negatives=Sampled(columns)))

    once = 2 * (2 * n) * (2 * m) * d
    # Forward and both gradients.
    assert counted(step).products == 3 * once


coefficient = st.integers(0, 1000)


@given(st.tuples(coefficient, coefficient, coefficient), st.integers(1, 10**6))
def test_a_parabola_goes_through_three_sizes(c: tuple[int, int, int], n: int) -> None:
    def cost(size: int) -> Operations:
        parabola = float(c[0] + c[1] * size + c[2] * size**2)
        return Operations(parabola, float(c[1] * size), parabola)

    at = through({size: cost(size) for size in (10, 20, 30)})
    assert at(n).products == pytest.approx(cost(n).products, rel=1e-6, abs=1e-3)
    assert at(n).sparse == pytest.approx(cost(n).sparse)
    assert at(n).elements == pytest.approx(cost(n).elements, rel=1e-6, abs=1e-3)


def test_nothing_falls_below_zero() -> None:
    falling = {size: Operations(100.0 - size, 0.0, 100.0 - size) for size in (10, 20, 30)}
    assert through(falling)(1000) == Operations()
