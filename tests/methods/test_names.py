"""Names lead to classes, which are not loaded before they are asked for."""

from importlib.metadata import EntryPoint

import pytest

from homogcl.methods import names
from homogcl.methods.registry import method_class, plugin


@pytest.mark.parametrize("name", names.METHODS)
def test_every_method_is_where_its_name_says(name: str) -> None:
    module, _, attribute = names.METHODS[name].partition(":")
    assert (method_class(name).__module__, method_class(name).__name__) == (module, attribute)


@pytest.mark.parametrize("name", names.PLUGINS)
def test_every_plug_in_is_where_its_name_says_and_shares_the_presets_that_it_says(
    name: str,
) -> None:
    shipped, wrap = names.PLUGINS[name], plugin(name).wrap
    assert f"{wrap.__module__}:{wrap.__name__}" == shipped.place
    assert wrap.presets == shipped.presets
    assert set(shipped.settings) <= set(wrap.Config.model_fields)


def test_plug_in_of_another_package_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("soft", "other.package:SoftNeighbors", "homogcl.plugins")
    monkeypatch.setattr(names, "third_party", lambda group: {entry.name: entry})
    assert names.plugin_names() == sorted([*names.PLUGINS, "soft"])
