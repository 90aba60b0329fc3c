"""Names lead to classes, and to the presets that those share."""

from importlib.metadata import EntryPoint

import pytest

from homogcl.core.errors import UnknownName
from homogcl.methods import names
from homogcl.methods.registry import method_class, plugin


@pytest.mark.parametrize("name", names.METHODS)
def test_every_method_is_where_its_name_says(name: str) -> None:
    module, _, attribute = names.METHODS[name].partition(":")
    assert (method_class(name).__module__, method_class(name).__name__) == (module, attribute)


@pytest.mark.parametrize("name", names.PLUGINS)
def test_plug_in_has_the_presets_of_its_class(name: str) -> None:
    assert names.preset_name(name) == plugin(name).wrap.__name__.lower()


def test_plug_in_of_another_package_has_the_presets_of_its_class_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entry = EntryPoint("soft", "other.package:SoftNeighbors", "homogcl.plugins")
    monkeypatch.setattr(names, "third_party", lambda group: {entry.name: entry})
    assert names.preset_name("soft") == "softneighbors"
    assert "soft" in names.plugin_names()


def test_unknown_plug_in_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"plug-in 'homogc' \(did you mean: homogcl\?\)"):
        names.preset_name("homogc")
