"""Presets are merged from general to special, and named with their sources."""

from pathlib import Path

import pytest

from homogcl.core.errors import UnknownName, UserError
from homogcl.presets import sections
from homogcl.presets.sections import file_settings, preset_file, preset_settings

FILES = {
    "base": {
        "default": {"source": "A", "width": 1, "rate": 1},
        "default/large": {"source": "L", "rate": 9},
        "cora": {"source": "B", "width": 2},
        "cora/best": {"source": "C", "width": 3},
    },
    "+homogcl": {"default": {"source": "H", "clusters": 5}},
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


def test_a_file_gives_settings_for_all_graphs_and_for_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[default]\nsource = "me"\nepochs = 3\nout_dim = 4\n[cora]\nepochs = 5\n')
    assert preset_file(str(path)) == path
    assert preset_file("mine.toml") == Path("mine.toml")
    assert preset_file("official") is None
    assert preset_file(None) is None
    assert file_settings(path, "cora") == {"epochs": 5, "out_dim": 4}
    assert file_settings(path, "other") == {"epochs": 3, "out_dim": 4}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("epochs = 3", "epochs stands in no section"),
        ("[other]\nepochs = 3", r"has no section \[default\] or \[cora\]"),
        ("[default", "is no preset"),
        (None, "cannot read the preset"),
    ],
)
def test_a_file_that_is_no_preset_is_named(text: str | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match=said):
        file_settings(path, "cora")
