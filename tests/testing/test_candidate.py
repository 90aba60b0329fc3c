"""Candidates: small, seeded, and alone or under each plug-in."""

from __future__ import annotations

import torch
from torch_geometric.data import Data

from homogcl.methods.base import Sizes
from homogcl.methods.registry import plugin_names
from homogcl.testing.candidate import NARROW, candidate, with_plugins
from tests.broken import Linear
from tests.graphs import same


def test_registered_method_has_its_preset_but_narrow_layers(block_graph: Data) -> None:
    each = candidate("grace")
    method = each.new(block_graph)
    assert each.name == "grace"
    widths = {size for p in method.parameters() for size in p.shape if p.dim() == 2}
    assert max(widths) == NARROW
    assert method.embed(block_graph).shape == (60, NARROW)


def test_part_that_sets_in_late_is_there_from_the_first_step(block_graph: Data) -> None:
    assert candidate("progcl").new(block_graph).config.start_epoch == 0  # type: ignore[union-attr]


def test_class_is_built_by_its_defaults_and_the_seed_alone(block_graph: Data) -> None:
    each = candidate(Linear)
    assert each.name == "Linear"
    states = []
    for noise, seed in ((0, 2), (1, 2), (0, 3)):
        torch.manual_seed(noise)
        states.append(dict(each.new(block_graph, seed).state_dict()))
    assert same(states[0], states[1])
    assert not same(states[0], states[2])


def test_schedule_is_short_and_shows_in_a_few_steps() -> None:
    each = candidate("bgrl")
    quick = each.schedule(7)
    assert (quick.epochs, quick.learning_rate, quick.warmup_epochs) == (7, 0.01, 0)
    changed = {"epochs", "learning_rate", "warmup_epochs"}
    assert quick.model_dump(exclude=changed) == each.train.model_dump(exclude=changed)


def test_training_moves_the_parameters(block_graph: Data) -> None:
    each = candidate(Linear)
    start, trained, again = (
        dict(method.state_dict())
        for method in (
            each.new(block_graph, 1),
            each.trained(block_graph, 1),
            each.trained(block_graph, 1),
        )
    )
    assert not same(start, trained)
    assert same(trained, again)


def test_plugins_are_put_on_what_takes_positives(block_graph: Data) -> None:
    sizes = Sizes.of(block_graph)
    assert [each.name for each in with_plugins(candidate(Linear), sizes)] == ["Linear"]
    plain, *plugged = with_plugins(candidate("grace"), sizes)
    assert [each.name for each in plugged] == [f"grace+{name}" for name in plugin_names()]
    base = dict(plain.new(block_graph).state_dict())
    for each in plugged:
        state = each.new(block_graph).state_dict()
        assert same(base, {key: state[f"base.{key}"] for key in base})
