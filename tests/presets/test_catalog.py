"""The catalog gives the settings that the classes give, wherever it gives any."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from homogcl.core.errors import UnknownName
from homogcl.data.datasets import data_names
from homogcl.methods.names import METHODS, PLUGINS
from homogcl.presets.catalog import Setting, catalog, overview, published_nodes
from homogcl.presets.resolve import resolve
from homogcl.presets.sections import preset_by_size, preset_names


def names(base: str) -> list[str]:
    return [base, *(f"{base}+{plugin}" for plugin in catalog().methods[base].plugins)]


def presets_of(method: str, data: str) -> Iterator[str | None]:
    """Every preset that goes with a method on a data set, and none."""
    yield None
    parts = {method, method.partition("+")[0], method.replace("+hard", "+homogcl"), "homogcl"}
    for name, section, _ in preset_names():
        if name in parts - ({"homogcl"} if "+" not in method else set()):
            of_data, _, alternative = section.partition("/")
            if alternative and of_data in (data, "default"):
                yield alternative


@pytest.mark.parametrize("base", METHODS)
def test_settings_are_those_of_the_classes(base: str) -> None:
    for method in names(base):
        for data in data_names():
            for preset in presets_of(method, data):
                quick = overview(method, data, preset, Path("nowhere"))
                assert quick is not None
                by_size = preset or preset_by_size(method, data, published_nodes(data))
                slow = resolve(method, data, {}, by_size)
                # As JSON, so that 1 and 1.0 differ, and in the same order.
                assert json.dumps(quick.values) == json.dumps(slow.flat())
                assert quick.source == slow.source
                assert quick.preset == by_size


def test_tuples_stay_tuples() -> None:
    quick = overview("bgrl", "arxiv", root=Path("nowhere"))
    slow = resolve("bgrl", "arxiv").flat()
    assert quick is not None
    assert {k: type(v) for k, v in quick.values.items()} == {k: type(v) for k, v in slow.items()}


@pytest.mark.parametrize("method", ["gracee", "gcn+homogcl", "grace+homogcl+hard"])
def test_what_classes_must_judge_is_left_to_them(method: str) -> None:
    assert overview(method, "cora") is None


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownName, match="data set 'coraa'"):
        overview("grace", "coraa")
    with pytest.raises(UnknownName, match="plug-in 'homo'"):
        overview("grace+homo", "cora")
    with pytest.raises(UnknownName, match="preset 'cora/best'"):
        overview("grace", "cora", "best")


def test_own_graph_gets_the_defaults_whatever_it_is_called(tmp_path: Path) -> None:
    own, default = overview("grace", str(tmp_path / "cora.csv")), resolve("grace", "")
    assert own is not None
    assert own.values == default.flat()


def test_data_set_without_its_features_has_them_made(tmp_path: Path) -> None:
    folder = tmp_path / "ogbn_arxiv"
    for name in ("raw/edge", "raw/node-label", *(f"split/time/{s}" for s in ("train", "valid"))):
        (folder / f"{name}.csv.gz").parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.csv.gz").touch()
    whole = overview("bgrl", "arxiv", root=tmp_path)
    (folder / "split/time/test.csv.gz").touch()
    bare = overview("bgrl", "arxiv", root=tmp_path)
    assert whole is not None
    assert bare is not None
    assert bare.values == {**whole.values, "features": "structural"}
    assert whole.values["features"] != "structural"


def test_sizes_are_those_of_published_data_sets_only() -> None:
    assert published_nodes("cora") == 2708
    assert published_nodes("demo") == published_nodes("cora.csv") == 0


@pytest.mark.parametrize(
    ("kind", "value", "typed"),
    [
        ("float", 1, 1.0),
        ("float | None", 2, 2.0),
        ("int", 1, 1),
        ("bool", True, True),
        ("float", True, True),
        ("tuple[int, ...]", [5, 6], (5, 6)),
        ("float | None", None, None),
    ],
)
def test_values_take_the_type_of_their_setting(kind: str, value: object, typed: object) -> None:
    result = Setting(None, kind).typed(value)
    assert result == typed
    assert type(result) is type(typed)


def test_plug_ins_are_all_described() -> None:
    assert set(catalog().plugins) == set(PLUGINS)
