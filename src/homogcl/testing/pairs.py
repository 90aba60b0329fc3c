"""The check of a pair: a method and the same method under a plug-in differ in the plug-in alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.seeds import stream
from homogcl.methods.base import Method
from homogcl.nn.layers import dense
from homogcl.testing.candidate import Candidate
from homogcl.testing.contract import require

STEPS = 3


def plugin_leaves_the_views_of_its_base(candidate: Candidate, graph: Data) -> None:
    """A base draws the same bits under a plug-in as alone, and its objective receives them."""
    plugged, part = candidate.prepared(graph)
    alone = base_of(candidate.new(graph))
    alone.prepare(part, stream(0, "prepare"))
    base, rng, own_rng = base_of(plugged), stream(0, "augment"), stream(0, "augment")
    objective = base.objective
    received: list[list[object]] = []

    def listen(views: Any, *rest: Any) -> dict[str, Tensor]:
        received.append(list(leaves(views)))
        return objective(views, *rest)

    with torch.random.fork_rng(devices=[]), patch.object(base, "objective", listen):
        torch.manual_seed(0)
        for step in range(1, STEPS + 1):
            own = list(leaves(alone.views(part, own_rng)))
            plugged.objective(plugged.views(part, rng))
            same_state = torch.equal(rng.get_state(), own_rng.get_state())
            require(same_state, f"it draws from the generator of its base in step {step}")
            equal = all(_equal(each, own) for each in received)
            require(equal, f"its base received other views than its own in step {step}")
            received.clear()


def base_of(method: Method) -> Method:
    """Return the method that a plug-in wraps."""
    base = method.base
    assert isinstance(base, Method)
    return base


def leaves(value: Any) -> Iterator[object]:
    """Yield the tensors and plain values inside `value`, whatever holds them."""
    if isinstance(value, Tensor):
        yield dense(value)
    elif isinstance(value, Data):
        yield from leaves(value.to_dict())
    elif isinstance(value, Mapping):
        for key in sorted(value):
            yield key
            yield from leaves(value[key])
    elif isinstance(value, list | tuple):
        for each in value:
            yield from leaves(each)
    elif hasattr(value, "__dict__"):
        yield from leaves(vars(value))
    else:
        yield value


def _equal(left: list[object], right: list[object]) -> bool:
    return all(
        torch.equal(a, b) if isinstance(a, Tensor) and isinstance(b, Tensor) else a == b
        for a, b in zip_longest(left, right)
    )
