"""A method to be checked: how to build it, and how it is trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import torch
from torch_geometric.data import Data

from homogcl.core.seeds import integer
from homogcl.methods.base import Method, Sizes
from homogcl.methods.registry import build, plugin, plugins_of
from homogcl.presets.resolve import resolve
from homogcl.training.loop import TrainConfig, fit

NARROW = 16  # widths of the networks that are checked


@dataclass(frozen=True)
class Candidate:
    """A method to be checked: how to build it, and how it is trained."""

    name: str
    make: Callable[[Sizes, int], Method]  # from sizes and a seed
    train: TrainConfig

    def new(self, graph: Data, seed: int = 0) -> Method:
        """Return it untrained."""
        return self.make(Sizes.of(graph), seed)

    def schedule(self, epochs: int) -> TrainConfig:
        """Return its training, shorter and at a rate that shows in a few steps."""
        quick = {"epochs": epochs, "learning_rate": 0.01, "warmup_epochs": 0}
        return self.train.model_copy(update=quick)

    def trained(self, graph: Data, seed: int = 0, epochs: int = 3) -> Method:
        """Return it after a few steps."""
        return fit(self.new(graph, seed), graph, self.schedule(epochs), seed=seed)


def candidate(method: str | type[Method]) -> Candidate:
    """Return a registered method under its preset for unknown graphs, or a class, narrowed."""
    if isinstance(method, str):
        preset = resolve(method, "my-graph")
        settings = resolve(method, "my-graph", _small(preset.method))

        def from_name(sizes: Sizes, seed: int) -> Method:
            return build(method, settings.method, sizes, seed)

        return Candidate(method, from_name, settings.train)
    defaults = method.Config().model_dump()
    config = method.Config(**{**defaults, **_small(defaults)})

    def from_class(sizes: Sizes, seed: int) -> Method:
        with torch.random.fork_rng():
            torch.manual_seed(integer(seed, "init"))
            return method(config, sizes)

    return Candidate(method.__name__, from_class, TrainConfig())


def with_plugins(each: Candidate, sizes: Sizes) -> list[Candidate]:
    """Return the candidate, and the same under each plug-in that it can be put under."""
    return [each, *(_plugged(each, name) for name in plugins_of(each.make(sizes, 0)))]


def _plugged(each: Candidate, name: str) -> Candidate:
    named = plugin(name)

    def wrapped(sizes: Sizes, seed: int) -> Method:
        method: Method = named.wrap(each.make(sizes, seed), named.wrap.Config(**named.settings))
        return method

    return replace(each, name=f"{each.name}+{name}", make=wrapped)


def _small(settings: Mapping[str, object]) -> dict[str, object]:
    """Return the widths among `settings` that are too large for a small graph, made small.

    A part that would set in after more steps than a check takes is there from the first one.
    """
    widths = {
        key: NARROW
        for key, value in settings.items()
        if key.endswith("_dim") and isinstance(value, int) and value > NARROW
    }
    return {**widths, **({"start_epoch": 0} if "start_epoch" in settings else {})}
