"""The usual way computes the same losses."""

from __future__ import annotations

import pytest
import torch

from benchmarks.usual import usual, with_usual_modules
from homogcl.core.seeds import stream
from homogcl.data.synthetic import citation_graph
from homogcl.methods.registry import Sizes, build, total
from homogcl.nn.activations import PReLU
from homogcl.nn.encoders import Encoder
from homogcl.presets.resolve import resolve


@pytest.mark.parametrize("name", ["grace", "grace+adaptive", "ccassg", "bgrl"])
def test_losses_are_the_same_from_the_first_weights_on(name: str) -> None:
    graph = citation_graph(60, 3, 30, seed=0)
    small = {"hidden_dim": 8, "out_dim": 4}
    settings = resolve(name, "demo", small).method
    ours, theirs = build(name, settings, Sizes.of(graph), 0), usual(name, settings, Sizes.of(graph))
    losses = [
        total(each.objective(each.views(graph, stream(0, "augment"))), each.term_weights())
        for each in (ours, theirs)
    ]
    torch.testing.assert_close(losses[0], losses[1], rtol=1e-4, atol=1e-5)


def test_targets_stay_frozen_and_no_part_of_ours_is_left() -> None:
    graph = citation_graph(60, 3, 30, seed=0)
    settings = resolve("bgrl", "demo", {"hidden_dim": 8, "out_dim": 4}).method
    theirs = with_usual_modules(build("bgrl", settings, Sizes.of(graph), 0))
    assert not any(isinstance(m, PReLU | Encoder) for m in theirs.modules())
    assert not any(p.requires_grad for p in theirs.get_submodule("target").parameters())
    loss = total(theirs.objective(theirs.views(graph, stream(0, "augment"))), {})
    loss.backward()  # type: ignore[no-untyped-call]
    theirs.after_step(0.5)
