"""The arithmetic of products: what machines have, what is refused, and how far it rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from homogcl.core import precision
from homogcl.core.errors import UserError
from homogcl.core.kernels import Replacement
from homogcl.core.precision import arithmetic, has_bfloat16, has_wider_products, products_in
from homogcl.core.seeds import stream
from homogcl.data.synthetic import citation_graph
from homogcl.methods.registry import Sizes, build, total

CPU = torch.device("cpu")
_aten = torch.ops.aten
UNIT = 2.0**-8  # the rounding of a number to bfloat16 is at most this share of it


class InBfloat16(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Rounds the inputs of dense products to bfloat16, as a processor that has it does."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        factors = {_aten.mm: (0, 1), _aten.addmm: (1, 2), _aten.addmm_: (1, 2)}
        places = factors.get(func.overloadpacket, ())
        if places and all(args[i].layout == torch.strided for i in places):
            args = tuple(a.bfloat16().to(a.dtype) if i in places else a for i, a in enumerate(args))
        return func(*args, **(kwargs or {}))


def machine(monkeypatch: pytest.MonkeyPatch, *, has: bool) -> None:
    monkeypatch.setattr(precision, "has_bfloat16", lambda: has)


def test_float32_asks_nothing_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "has_bfloat16", lambda: pytest.fail("asked"))
    assert arithmetic("float32", CPU) == "float32"


def test_where_there_is_none_bfloat16_is_refused_and_auto_takes_float32(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine(monkeypatch, has=False)
    assert arithmetic("auto", CPU) == "float32"
    with pytest.raises(UserError, match=r"^precision=bfloat16: .* take precision=float32") as error:
        arithmetic("bfloat16", CPU)
    assert "\n" not in str(error.value)


def test_where_it_is_there_both_take_it(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, has=True)
    assert arithmetic("auto", CPU) == arithmetic("bfloat16", CPU) == "bfloat16"


def test_cuda_has_tf32() -> None:
    cuda = torch.device("cuda")
    assert [arithmetic(each, cuda) for each in ("float32", "bfloat16", "auto")] == [
        "float32",
        "tf32",
        "tf32",
    ]


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("flags\t\t: fpu avx512f avx512_bf16 sse\n", True),
        ("flags\t\t: fpu amx_bf16\n", True),
        ("Features\t: fp asimd bf16\n", True),
        ("flags\t\t: fpu avx512f\n", False),
        ("model name\t: bf16\n", False),
        ("", False),
    ],
)
def test_the_processor_is_taken_at_its_word(tmp_path: Path, text: str, has: bool) -> None:
    (tmp_path / "cpuinfo").write_text(text)
    assert precision._says_bfloat16(tmp_path / "cpuinfo") == has


def test_a_system_that_says_nothing_has_none(tmp_path: Path) -> None:
    assert not precision._says_bfloat16(tmp_path / "missing")
    assert not has_wider_products(tmp_path / "missing")


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("vendor_id\t: AuthenticAMD\nflags\t\t: fpu avx2 avx512f\n", True),
        ("vendor_id\t: AuthenticAMD\nflags\t\t: fpu avx2\n", False),
        ("vendor_id\t: GenuineIntel\nflags\t\t: fpu avx2 avx512f\n", False),
    ],
)
def test_onednn_multiplies_where_the_usual_library_leaves_instructions_unused(
    tmp_path: Path, text: str, has: bool
) -> None:
    (tmp_path / "cpuinfo").write_text(text)
    assert has_wider_products(tmp_path / "cpuinfo") == has


@pytest.mark.parametrize("wider", [True, False])
def test_float32_takes_another_kernel_only_where_it_is_wider(
    monkeypatch: pytest.MonkeyPatch, wider: bool
) -> None:
    monkeypatch.setattr(precision, "has_wider_products", lambda: wider)
    monkeypatch.setattr(precision, "ONEDNN", Replacement(lambda a, b: a.new_zeros(len(a), 80)))
    a, b = torch.ones(70, 90), torch.ones(90, 80)
    with products_in("float32"):
        assert float((a @ b).max()) == (0 if wider else 90)


@pytest.mark.parametrize(
    ("trial", "survives"),
    [
        ("pass", True),
        ("raise SystemExit(1)", False),
        ("import os, signal; os.kill(os.getpid(), signal.SIGILL)", False),
    ],
)
def test_a_product_that_kills_kills_another_process(trial: str, survives: bool) -> None:
    assert precision._survives(trial) == survives


def test_the_trial_tells_whether_products_round() -> None:
    # Without such instructions torch computes them by others, with the same result.
    assert precision._survives()
    assert not precision._survives(precision._TRIAL.replace('"bfloat16"', '"float32"'))


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "tf32"])
def test_products_are_as_before_after_the_block(kind: precision.Arithmetic) -> None:
    backend: Any = torch.backends.cuda.matmul
    before = backend.fp32_precision
    a = torch.randn(2, 80, 80, generator=torch.Generator().manual_seed(0))
    exact = a[0] @ a[1]
    with products_in(kind):
        assert backend.fp32_precision == ("tf32" if kind == "tf32" else before)
        assert torch.allclose(a[0] @ a[1], exact, atol=1e-4) == (kind != "bfloat16")
    assert backend.fp32_precision == before
    assert torch.equal(a[0] @ a[1], exact)


def bound(a: Tensor, b: Tensor) -> Tensor:
    """The most that rounding factors and results to bfloat16 can change a product, [n, m]."""
    return ((1 + UNIT) ** 3 - 1) * (a.abs() @ b.abs())


@given(n=st.integers(1, 9), d=st.integers(1, 40), seed=st.integers(0, 99))
def test_rounded_factors_stay_within_the_bound(n: int, d: int, seed: int) -> None:
    rng = torch.Generator().manual_seed(seed)
    a, b = (torch.randn(size, generator=rng, dtype=torch.float64) for size in ((n, d), (d, n)))
    with InBfloat16():
        rounded = a @ b
    assert bool(((rounded - a @ b).abs() <= bound(a, b) + 1e-12).all())


@pytest.mark.skipif(not has_bfloat16(), reason="the processor has no bfloat16 instructions")
def test_products_of_this_machine_stay_within_the_bound() -> None:
    rng = torch.Generator().manual_seed(0)
    a, b = torch.randn(2, 300, 300, generator=rng)
    exact, most = a.double() @ b.double(), bound(a.double(), b.double())
    with products_in("bfloat16"):
        assert bool(((a @ b - exact).abs() <= most + 1e-4).all())
        assert not torch.equal(a @ b, exact.float())


@pytest.mark.parametrize("name", ["grace", "bgrl+homogcl", "ccassg"])
def test_losses_in_bfloat16_are_near_those_of_float64(name: str) -> None:
    graph = citation_graph(200, 3, 50, seed=0)
    graph.x = graph.x.to_dense().double() if graph.x.is_sparse_csr else graph.x.double()
    method = build(name, {"hidden_dim": 32, "out_dim": 16}, Sizes.of(graph), seed=0).double()
    losses = []
    for mode in (None, InBfloat16()):
        views = method.views(graph, stream(0, "augment"))
        if mode is None:
            losses.append(float(total(method.objective(views), method.term_weights()).detach()))
        else:
            with mode:
                losses.append(float(total(method.objective(views), method.term_weights()).detach()))
    exact, rounded = losses
    assert exact != rounded
    # Two layers, a head and the loss's own products round one after another.
    assert abs(rounded - exact) <= 8 * UNIT * max(1.0, abs(exact))
