"""What every method promises, checked on every registered one and under every plug-in."""

from __future__ import annotations

import pytest
from torch_geometric.data import Data

from homogcl.methods.registry import (
    config_classes,
    method_class,
    method_names,
    plugins_of,
    summary,
)
from homogcl.testing import Candidate, Check, candidate, checks_of

BASES = method_names()
PLUGGED = [f"{base}+{plugin}" for base in BASES for plugin in plugins_of(method_class(base))]
CONTRACT = [
    pytest.param(each, check, id=f"{name}-{each.name}")
    for each in map(candidate, [*BASES, *PLUGGED])
    for name, check in checks_of(each)
]


@pytest.mark.parametrize(("each", "check"), CONTRACT)
def test_promise(each: Candidate, check: Check, block_graph: Data) -> None:
    check(each, block_graph)


@pytest.mark.parametrize("name", [*BASES, *PLUGGED])
def test_settings_are_frozen_and_refuse_what_they_do_not_know(name: str) -> None:
    for config in config_classes(name):
        assert config.model_config["frozen"]
        assert config.model_config["extra"] == "forbid"


@pytest.mark.parametrize("name", BASES)
def test_docstring_starts_with_one_sentence(name: str) -> None:
    assert method_class(name).__doc__
    assert summary(name).endswith(".")


def test_no_two_methods_share_a_display_name() -> None:
    names = [method_class(name).name for name in BASES]
    assert len(set(names)) == len(names)
