"""Candidates: methods to check, small enough to train in a moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import torch
from torch_geometric.data import Data

from homogcl.core.seeds import integer, stream
from homogcl.methods.base import Method, Sizes
from homogcl.methods.inference import training_graph
from homogcl.methods.registry import build, plugin, plugins_of
from homogcl.presets.resolve import resolve
from homogcl.training.loop import TrainConfig, fit

NARROW = 16  # the largest width of a network


@dataclass(frozen=True)
class Candidate:
    """A method to check: how to build it and how to train it."""

    name: str
    make: Callable[[Sizes, int], Method]  # from sizes and a seed
    train: TrainConfig

    def new(self, graph: Data, seed: int = 0) -> Method:
        """Return the untrained method."""
        return self.make(Sizes.of(graph), seed)

    def prepared(self, graph: Data, seed: int = 0) -> tuple[Method, Data]:
        """Return the method, prepared but untrained, and the graph as it learns from it."""
        method = self.new(graph, seed)
        part = training_graph(method, graph)
        method.prepare(part, stream(0, "prepare"))
        return method, part

    def schedule(self, epochs: int) -> TrainConfig:
        """Return a short schedule, with a learning rate that shows an effect in a few steps."""
        quick = {"epochs": epochs, "learning_rate": 0.01, "warmup_epochs": 0}
        return self.train.model_copy(update=quick)

    def trained(self, graph: Data, seed: int = 0, epochs: int = 3) -> Method:
        """Return the method after a few steps."""
        return fit(self.new(graph, seed), graph, self.schedule(epochs), seed=seed)


def candidate(method: str | type[Method]) -> Candidate:
    """Return a candidate with narrow layers: a registered name with its defaults, or a class."""
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
    """Return the candidate, and the candidate under each plug-in that accepts it."""
    return [each, *(_plugged(each, name) for name in plugins_of(each.make(sizes, 0)))]


def _plugged(each: Candidate, name: str) -> Candidate:
    entry = plugin(name)

    def wrapped(sizes: Sizes, seed: int) -> Method:
        method: Method = entry.wrap(each.make(sizes, seed), entry.wrap.Config(**entry.settings))
        return method

    return replace(each, name=f"{each.name}+{name}", make=wrapped)


def _small(settings: Mapping[str, object]) -> dict[str, object]:
    """Return overrides for `settings` that suit a small graph and a few steps.

    Large widths become `NARROW`; a part that would start late starts at the first step.
    """
    widths = {
        key: NARROW
        for key, value in settings.items()
        if key.endswith("_dim") and isinstance(value, int) and value > NARROW
    }
    return {**widths, **({"start_epoch": 0} if "start_epoch" in settings else {})}
