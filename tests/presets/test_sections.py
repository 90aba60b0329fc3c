"""Presets are merged from general to special, and named with their sources."""

import pytest

from homogcl.core.errors import UnknownName
from homogcl.presets import sections
from homogcl.presets.sections import preset_settings

FILES = {
    "base": {
        "default": {"source": "A", "width": 1, "rate": 1},
        "default/large": {"source": "L", "rate": 9},
        "cora": {"source": "B", "width": 2},
        "cora/best": {"source": "C", "width": 3},
    },
    "homogcl": {"default": {"source": "H", "clusters": 5}},
    "base+homogcl": {"cora": {"source": "A", "clusters": 7}},
}


@pytest.fixture(autouse=True)
def files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "_read", lambda name: FILES.get(name, {}))


@pytest.mark.parametrize(
    ("method", "data", "preset", "settings", "source"),
    [
        ("base", "mine", None, {"width": 1, "rate": 1}, "A"),
        ("base", "cora", None, {"width": 2, "rate": 1}, "A; B"),
        ("base", "cora", "best", {"width": 3, "rate": 1}, "A; C"),
        ("base", "mine", "large", {"width": 1, "rate": 9}, "A; L"),
        ("base", "cora", "large", {"width": 2, "rate": 9}, "A; L; B"),
        ("base+homogcl", "cora", None, {"width": 2, "rate": 1, "clusters": 7}, "A; B; H"),
        ("base+hard", "mine", None, {"width": 1, "rate": 1, "clusters": 5}, "A; H"),
    ],
)
def test_what_is_more_special_prevails(
    method: str, data: str, preset: str | None, settings: dict[str, int], source: str
) -> None:
    assert preset_settings(method, data, preset) == (settings, source)


def test_settings_of_one_call_are_not_those_of_the_next() -> None:
    preset_settings("base", "cora")[0]["width"] = 100
    assert preset_settings("base", "cora")[0]["width"] == 2


def test_preset_of_another_data_set_is_refused_with_what_there_is() -> None:
    with pytest.raises(UnknownName, match=r"preset 'photo/best' \(did you mean: cora/best\?\)"):
        preset_settings("base", "photo", "best")
