"""Steps in turns, and the products of a step by themselves."""

from __future__ import annotations

import pytest
import torch

from benchmarks import steps
from homogcl.nn.sparse import sparse


def test_steps_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "_WARM", 1)
    order: list[str] = []
    taken = steps.in_turns({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, 2)
    assert order == ["a", "b", "a", "b", "a", "b"]
    assert [len(each) for each in taken.values()] == [2, 2]
    assert steps.over({"a": [2.0, 6.0, 8.0], "b": [1.0, 2.0, 8.0]}, "a", "b") == 2.0


def test_products_are_recorded_and_computed_again() -> None:
    a, b = torch.randn(4, 3, requires_grad=True), torch.randn(3, 2)
    matrix = sparse(torch.eye(4).to_sparse_csr())
    with steps.recorded() as products:
        (a @ b).sum().backward()  # type: ignore[no-untyped-call]
        matrix.csr @ b.new_ones(4, 2)
    dense = [each for each in products if not each.is_sparse]
    assert [each.is_sparse for each in products] == [False, False, True]
    again = dense[0]()
    assert isinstance(again, torch.Tensor)
    torch.testing.assert_close(again, (a @ b).detach())


PLUGIN_KEYS = {"seconds", "homogcl", "homogcl, 5", "adaptive", "adaptive, 5"}


def test_measures_run_on_a_small_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "_WARM", 1)
    assert set(steps.plugin_steps("grace", "demo", 1)) == PLUGIN_KEYS
    assert set(steps.encoder_steps("demo", 1)) == {"seconds", "sage", "gat", "mlp"}
    taken = steps.bgrl_step("demo", 1)
    assert set(taken) == {"seconds", "share", "own_share", "kernels", "usual", "seconds_auto"}
    assert all(value > 0 for value in taken.values())


def test_rows_name_what_they_are_held_to(monkeypatch: pytest.MonkeyPatch) -> None:
    values = dict.fromkeys(
        (
            *PLUGIN_KEYS,
            "share",
            "own_share",
            "kernels",
            "usual",
            "seconds_auto",
            "sage",
            "gat",
            "mlp",
        ),
        1.0,
    )
    monkeypatch.setattr(steps, "measure", lambda *_: values)
    assert ("photo, bgrl: +adaptive over it, refresh=5", 1.0, "at most 1.15") in steps.plugins()
    assert ("computers: torch_geometric's layers over ours", 1.0, "at least 2") in steps.bgrl()
    assert ("sage over gcn", 1.0, "at most 1.5") in steps.encoders()
