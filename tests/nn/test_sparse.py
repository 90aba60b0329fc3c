import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.nn.sparse import (
    Pattern,
    entries,
    join_means,
    product,
    propagate,
    sparse,
    take_rows,
    with_pattern,
)

SIZES = st.integers(1, 7)


def random_pairs(rows: int, cols: int, density: float, seed: int) -> tuple[Tensor, Tensor]:
    """Random distinct pairs, sorted by row and then by column, two of [P]."""
    rng = torch.Generator().manual_seed(seed)
    row, col = (torch.rand(rows, cols, generator=rng) < density).nonzero(as_tuple=True)
    return row, col


def scattered(row: Tensor, col: Tensor, value: Tensor, size: tuple[int, int]) -> Tensor:
    """The dense matrix with `value` at the pairs, one entry at a time."""
    dense = torch.zeros(size, dtype=value.dtype)
    for i, j, number in zip(row.tolist(), col.tolist(), value.tolist(), strict=True):
        dense[i, j] = number
    return dense


@given(rows=SIZES, cols=SIZES, density=st.sampled_from([0.0, 0.3, 1.0]), seed=st.integers(0, 99))
def test_pattern_gives_the_matrix_and_its_transpose(
    rows: int, cols: int, density: float, seed: int
) -> None:
    row, col = random_pairs(rows, cols, density, seed)
    value = torch.arange(1.0, row.numel() + 1)
    dense = scattered(row, col, value, (rows, cols))
    pattern = Pattern.at(row, col, (rows, cols))
    assert torch.equal(pattern.matrix(value).to_dense(), dense)
    assert torch.equal(pattern.transposed_matrix(value).to_dense(), dense.t())
    both = pattern.with_values(value)
    assert torch.equal(both.csr.to_dense(), dense)
    assert torch.equal(both.transposed.to_dense(), dense.t())


@given(rows=SIZES, cols=SIZES, density=st.sampled_from([0.0, 0.3, 1.0]), seed=st.integers(0, 99))
def test_product_and_its_gradient_are_the_dense_ones(
    rows: int, cols: int, density: float, seed: int
) -> None:
    rng = torch.Generator().manual_seed(seed)
    row, col = random_pairs(rows, cols, density, seed)
    value = torch.randn(row.numel(), generator=rng, dtype=torch.float64)
    dense = scattered(row, col, value, (rows, cols))
    x = torch.randn(cols, 3, generator=rng, dtype=torch.float64, requires_grad=True)
    upstream = torch.randn(rows, 3, generator=rng, dtype=torch.float64)

    result = product(Pattern.at(row, col, (rows, cols)).with_values(value), x)
    (grad,) = torch.autograd.grad(result, x, upstream)
    torch.testing.assert_close(result, dense @ x)
    torch.testing.assert_close(grad, dense.t() @ upstream)


@given(nodes=SIZES, density=st.sampled_from([0.0, 0.3, 1.0]), seed=st.integers(0, 99))
def test_propagate_and_its_gradients_are_the_dense_ones(
    nodes: int, density: float, seed: int
) -> None:
    rng = torch.Generator().manual_seed(seed)
    row, col = random_pairs(nodes, nodes, density, seed)
    value = torch.randn(row.numel(), generator=rng, dtype=torch.float64)
    dense = scattered(row, col, value, (nodes, nodes))
    loops = torch.rand(nodes, 1, generator=rng, dtype=torch.float64)
    x = torch.randn(nodes, 3, generator=rng, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(3, generator=rng, dtype=torch.float64, requires_grad=True)
    upstream = torch.randn(nodes, 3, generator=rng, dtype=torch.float64)
    matrix = Pattern.at(row, col, (nodes, nodes)).with_values(value)
    ours, plain = propagate(matrix, x, loops, bias), dense @ x + loops * x + bias
    torch.testing.assert_close(ours, plain)
    torch.testing.assert_close(
        torch.autograd.grad(ours, (x, bias), upstream),
        torch.autograd.grad(plain, (x, bias), upstream),
    )


def test_gradients_agree_with_finite_differences() -> None:
    row, col = random_pairs(4, 5, 0.4, seed=1)
    pattern = Pattern.at(row, col, (4, 5))
    b = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    value = torch.randn(row.numel(), dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda x: product(pattern.with_values(value), x), (b,))


def test_non_contiguous_gradient_is_taken() -> None:
    row, col = random_pairs(4, 5, 0.5, seed=3)
    matrix = Pattern.at(row, col, (4, 5)).with_values(torch.rand(row.numel()))
    x = torch.randn(5, 3, requires_grad=True)
    # The gradient of a sum is one number spread over the whole shape.
    (grad,) = torch.autograd.grad(product(matrix, x).sum(), x)
    torch.testing.assert_close(grad, matrix.csr.to_dense().sum(0)[:, None].expand(5, 3))


@pytest.mark.parametrize("index", [torch.int32, torch.int64])
def test_csr_tensors_of_both_index_types_are_taken(index: torch.dtype) -> None:
    dense = torch.tensor([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
    csr = dense.to_sparse_csr()
    csr = torch.sparse_csr_tensor(
        csr.crow_indices().to(index),
        csr.col_indices().to(index),
        csr.values(),
        size=(4, 3),
        check_invariants=True,
    )
    ready = sparse(csr)
    assert torch.equal(ready.csr.to_dense(), dense)
    assert torch.equal(ready.transposed.to_dense(), dense.t())
    x = torch.eye(3)
    assert torch.equal(product(ready, x), dense)


def test_matrix_without_any_entry_gives_zeros() -> None:
    empty = sparse(torch.zeros(3, 2).to_sparse_csr())
    x = torch.ones(2, 4, requires_grad=True)
    result = product(empty, x)
    (grad,) = torch.autograd.grad(result.sum(), x)
    assert torch.equal(result, torch.zeros(3, 4))
    assert torch.equal(grad, torch.zeros(2, 4))


def test_pattern_of_a_graph_has_its_sources_as_rows() -> None:
    edge_index = torch.tensor([[0, 0, 2], [1, 2, 0]])
    dense = Pattern.of(edge_index, 4).matrix(torch.ones(3)).to_dense()
    assert torch.equal(dense.nonzero().t(), edge_index)
    assert dense.shape == (4, 4)


@given(rows=SIZES, cols=SIZES, density=st.sampled_from([0.0, 0.3, 1.0]), seed=st.integers(0, 99))
def test_taken_rows_are_those_of_the_dense_matrix(
    rows: int, cols: int, density: float, seed: int
) -> None:
    row, col = random_pairs(rows, cols, density, seed)
    value = torch.arange(1.0, row.numel() + 1)
    dense = scattered(row, col, value, (rows, cols))
    matrix = Pattern.at(row, col, (rows, cols)).with_values(value)
    rng = torch.Generator().manual_seed(seed)
    some = torch.randint(rows, (9,), generator=rng)  # some twice, in no order
    assert torch.equal(take_rows(dense, some), dense[some])
    assert torch.equal(take_rows(matrix.csr, some).to_dense(), dense[some])
    assert torch.equal(matrix.part(1, rows).csr.to_dense(), dense[1:])
    assert torch.equal(matrix.part(0, 1).transposed.to_dense(), dense[:1].t())
    place, position = entries(matrix.csr.crow_indices(), some)
    assert torch.equal(value[position], torch.cat([dense[i][dense[i] > 0] for i in some]))
    assert torch.equal(place, torch.repeat_interleave((dense[some] > 0).sum(1)))


PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=6)


@given(pairs=PAIRS, doubled=st.booleans())
def test_pairs_are_taken_where_a_loop_finds_them_sorted_both_ways_once(
    pairs: list[tuple[int, int]], doubled: bool
) -> None:
    if doubled:  # else hardly any list would be right
        pairs = sorted({pair for i, j in pairs for pair in ((i, j), (j, i))})
    is_right = (
        pairs == sorted(set(pairs))
        and all((j, i) in pairs for i, j in pairs)
        and all(i != j for i, j in pairs)
    )
    edge_index = torch.tensor(pairs, dtype=torch.long).view(-1, 2).t()
    if is_right:
        pattern = Pattern.both_ways(edge_index, 4)
        assert torch.equal(torch.stack([pattern.row, pattern.col]), edge_index)
        return
    with pytest.raises(UserError, match=r"^(edge_index|pair \d+ of edge_index)"):
        Pattern.both_ways(edge_index, 4)


@pytest.mark.parametrize(
    ("row", "col", "reason"),
    [
        ([1, 0], [0, 1], "edge_index is not sorted by source"),
        ([0, 0, 1, 2], [2, 1, 0, 0], r"pair 1 of edge_index, \(0, 1\), is out of order"),
        ([0, 1, 1, 2], [1, 0, 2, 0], r"pair 2 of edge_index, \(1, 2\), lacks its reverse"),
        ([0, 1, 1], [1, 0, 1], r"pair 2 of edge_index, \(1, 1\), joins a node with itself"),
        ([0, 0, 1, 1], [1, 1, 0, 0], r"pair 1 of edge_index, \(0, 1\), is there twice"),
        ([0, 3], [3, 0], "edge_index has node 3, but there are 3 nodes"),
    ],
)
def test_the_first_wrong_pair_is_named(row: list[int], col: list[int], reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        Pattern.both_ways(torch.tensor([row, col]), 3)


@given(
    nodes=SIZES,
    density=st.sampled_from([0.0, 0.3, 1.0]),
    share=st.sampled_from([0.0, 0.5, 1.0]),
    seed=st.integers(0, 99),
)
def test_a_part_of_a_pattern_is_the_pattern_of_the_part(
    nodes: int, density: float, share: float, seed: int
) -> None:
    edge_index = torch.stack(random_pairs(nodes, nodes, density, seed))
    survives = torch.rand(edge_index.size(1), generator=torch.Generator().manual_seed(seed)) < share
    some = edge_index[:, survives]
    part, new = Pattern.of(edge_index, nodes).part(survives, some), Pattern.of(some, nodes)
    assert part.size == new.size
    for name in ("row", "col", "crow", "columns", "to_transposed"):
        assert torch.equal(getattr(part, name), getattr(new, name))
    for name in ("transposed_crow", "transposed_columns"):
        assert torch.equal(getattr(part, name), getattr(new, name))
        assert getattr(part, name).dtype == torch.int32


def test_a_graph_keeps_its_pattern_and_another_one_has_its_own() -> None:
    graph = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
    known = with_pattern(graph)
    assert "pattern" not in graph
    assert Pattern.of_graph(known) is known.pattern is with_pattern(known).pattern
    known.edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    known.num_nodes = 3
    assert Pattern.of_graph(known).row.numel() == 4
    unsorted = Data(edge_index=torch.tensor([[1, 0], [0, 1]]), num_nodes=2)
    assert with_pattern(unsorted) is unsorted


@given(nodes=SIZES, density=st.sampled_from([0.0, 0.4, 1.0]), seed=st.integers(0, 99))
def test_joined_means_and_their_gradients_are_the_dense_ones(
    nodes: int, density: float, seed: int
) -> None:
    row, col = random_pairs(nodes, nodes, density, seed)
    rng = torch.Generator().manual_seed(seed)
    value = torch.rand(row.numel(), generator=rng, dtype=torch.float64)
    matrix = Pattern.at(row, col, (nodes, nodes)).with_values(value)
    dense = scattered(row, col, value, (nodes, nodes))
    sizes = ((nodes, 3), (nodes, 3), (3,))
    own, near, bias = (
        torch.rand(size, generator=rng, dtype=torch.float64, requires_grad=True) for size in sizes
    )
    ours, plain = join_means(own, matrix, near, bias), own + dense @ near + bias
    torch.testing.assert_close(ours, plain)
    grad = torch.rand(nodes, 3, generator=rng, dtype=torch.float64)
    for mine, other in zip(
        torch.autograd.grad(ours, (own, near, bias), grad),
        torch.autograd.grad(plain, (own, near, bias), grad),
        strict=True,
    ):
        torch.testing.assert_close(mine, other)


def test_propagate_takes_a_gradient_of_few_rows_as_any_other() -> None:
    rng = torch.Generator().manual_seed(0)
    row, col = random_pairs(300, 300, 0.05, 0)
    pattern = Pattern.at(row, col, (300, 300))
    matrix = pattern.with_values(torch.randn(row.numel(), dtype=torch.float64, generator=rng))
    x = torch.randn(300, 3, dtype=torch.float64, generator=rng, requires_grad=True)
    loops = torch.randn(300, 1, dtype=torch.float64, generator=rng)
    bias = torch.randn(3, dtype=torch.float64, generator=rng, requires_grad=True)
    grad = torch.zeros(300, 3, dtype=torch.float64)
    grad[[3, 77, 299]] = torch.randn(3, 3, dtype=torch.float64, generator=rng)
    ours = torch.autograd.grad(propagate(matrix, x, loops, bias), (x, bias), grad)
    expected = matrix.csr.to_dense().t() @ grad + loops * grad
    torch.testing.assert_close(ours, (expected, grad.sum(0)))
