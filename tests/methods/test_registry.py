"""Methods and plug-ins by name: settings, errors of one line, and seeds."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from pydantic import PositiveInt

from homogcl.core.config import Config, validated
from homogcl.core.errors import UnknownName, UserError
from homogcl.methods import names, registry
from homogcl.methods.base import Method, Sizes
from homogcl.methods.registry import (
    build,
    config_classes,
    configure,
    method_class,
    method_names,
    plugin,
    plugin_names,
    split_name,
    summary,
)
from tests.graphs import same
from tests.toys import Fixed

SIZES = Sizes(nodes=10, features=4, classes=2)
SMALL = {"hidden_dim": 5, "out_dim": 3}


@pytest.mark.parametrize("name", method_names())
def test_method_lives_in_the_module_of_its_name(name: str) -> None:
    method = method_class(name)
    assert issubclass(method, Method)
    assert method.__module__ == f"homogcl.methods.{name}"
    assert getattr(import_module(method.__module__), method.__name__) is method


def test_every_class_of_a_method_is_registered() -> None:
    package = Path(str(registry.__file__)).parent
    classes = set()
    for path in package.glob("*.py"):
        module = import_module(f"homogcl.methods.{path.stem}")
        classes |= {
            each
            for each in vars(module).values()
            if isinstance(each, type)
            and issubclass(each, Method)
            and each.__module__ == module.__name__
            and "name" in vars(each)
        }
    assert classes == {method_class(name) for name in method_names()}


def test_names_are_sorted_and_each_stands_once() -> None:
    for listed in (method_names(), plugin_names()):
        assert listed == sorted(set(listed))


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("grace", ("grace", [])),
        ("grace+homogcl", ("grace", ["homogcl"])),
        ("a+b+c", ("a", ["b", "c"])),
        ("", ("", [])),
    ],
)
def test_plugins_stand_behind_plus_signs(name: str, parts: tuple[str, list[str]]) -> None:
    assert split_name(name) == parts


def test_unknown_names_offer_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"unknown method 'gracee' \(did you mean: grace"):
        method_class("gracee")
    with pytest.raises(UnknownName, match=r"unknown plug-in 'homgcl' \(did you mean: homogcl"):
        plugin("homgcl")
    with pytest.raises(UnknownName, match="unknown plug-in ''"):
        config_classes("grace+")


def test_flat_settings_go_to_whom_they_belong() -> None:
    base, plugged = configure("grace+homogcl", {**SMALL, "num_clusters": 7})
    assert type(base) is method_class("grace").Config
    assert base.model_dump() == {**type(base)().model_dump(), **SMALL}
    assert plugged.model_dump() == {**type(plugged)().model_dump(), "num_clusters": 7}
    assert configure("grace", {}) == [method_class("grace").Config()]


@pytest.mark.parametrize(
    ("name", "settings", "says"),
    [
        ("grace", {"temprature": 1}, r"grace has no setting 'temprature' \(did you mean: temp"),
        ("grace", {"num_clusters": 3}, "grace has no setting 'num_clusters'"),
        ("grace+homogcl", {"num_clusters": 0}, "setting num_clusters=0: input should be"),
        ("grace+hard", {"saliency": "soft"}, "saliency='soft' contradicts the name grace.hard"),
        ("raw+homogcl", {}, "Raw features has no pair positives"),
    ],
)
def test_wrong_settings_are_one_line(name: str, settings: dict[str, object], says: str) -> None:
    with pytest.raises(UserError, match=says) as caught:
        configure(name, settings)
    assert "\n" not in str(caught.value)


def test_what_a_name_stands_for_may_be_said() -> None:
    assert configure("grace+hard", {"saliency": "hard"}) == configure("grace+hard", {})


class Widths(Config):
    """Settings with a list."""

    widths: list[PositiveInt]


def test_bad_value_is_named_down_to_its_place() -> None:
    assert validated(Widths, {"widths": [2, 3]}).widths == [2, 3]
    with pytest.raises(UserError, match=r"^setting widths\.1=-3: input should be greater than 0$"):
        validated(Widths, {"widths": [2, -3, "x"]})


@pytest.mark.parametrize("name", ["grace", "bgrl", "grace+homogcl"])
def test_parameters_are_those_of_the_seed_alone(name: str) -> None:
    states = []
    for noise, seed in ((0, 3), (1, 3), (0, 4)):
        torch.manual_seed(noise)
        before = torch.get_rng_state()
        states.append(dict(build(name, SMALL, SIZES, seed).state_dict()))
        assert torch.equal(torch.get_rng_state(), before)
    assert same(states[0], states[1])
    assert not same(states[0], states[2])


def test_plugin_changes_no_parameter_of_its_base() -> None:
    base = dict(build("grace", SMALL, SIZES, seed=3).state_dict())
    plugged = dict(build("grace+homogcl", SMALL, SIZES, seed=3).state_dict())
    assert same(base, {key: plugged[f"base.{key}"] for key in base})


def test_summary_is_the_first_line_of_the_docstring() -> None:
    assert summary("raw") == "Raw node features: nothing is learned before the probe."


def test_names_of_other_packages_are_loaded_but_never_replace_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    theirs = {name: SimpleNamespace(load=lambda: Fixed) for name in ("fixed", "grace")}
    for module in (registry, names):
        monkeypatch.setattr(module, "third_party", lambda group: theirs)
    assert "fixed" in method_names()
    assert method_names().count("grace") == 1
    assert method_class("fixed") is Fixed
    assert method_class("grace").__module__ == "homogcl.methods.grace"
