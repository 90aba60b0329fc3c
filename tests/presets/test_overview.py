"""An overview has the settings that the classes give, wherever there is one."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from homogcl.core.errors import UnknownName
from homogcl.data.catalog import data_names
from homogcl.methods.names import METHODS
from homogcl.presets.catalog import catalog
from homogcl.presets.overview import overview
from homogcl.presets.resolve import resolve
from homogcl.presets.sections import preset_names
from homogcl.runs.request import Request


def names(base: str) -> list[str]:
    return [base, *(f"{base}+{plugin}" for plugin in catalog().methods[base].plugins)]


def presets_of(method: str, data: str) -> Iterator[str | None]:
    """Every preset that goes with a method on a data set, and none."""
    yield None
    base, _, plugin = method.partition("+")
    files = {base, "+homogcl", f"{base}+homogcl"} if plugin else {base}
    for name, section, _ in preset_names():
        of_data, _, alternative = section.partition("/")
        if name in files and alternative and of_data in (data, "default"):
            yield alternative


@pytest.mark.parametrize("base", METHODS)
def test_settings_are_those_of_the_classes(base: str) -> None:
    nowhere = Path("nowhere")
    for method in names(base):
        for data in (name for name in data_names() if name != "demo"):
            for preset in presets_of(method, data):
                quick = overview(method, data, preset, nowhere)
                assert quick is not None
                slow = Request(method, data, preset=preset, root=nowhere).resolve().settings
                # As JSON, so that 1 and 1.0 differ, and in the same order.
                assert json.dumps(quick.values) == json.dumps(slow.flat())
                assert quick.source == slow.source
                assert quick.preset == slow.preset


@pytest.mark.parametrize(("data", "name"), [("demo", "demo"), ("mine.csv", "")])
def test_size_that_no_list_has_is_left_to_the_graph(data: str, name: str) -> None:
    assert overview("grace", data) is None
    quick = overview("bgrl", data)
    assert quick is not None
    assert json.dumps(quick.values) == json.dumps(resolve("bgrl", name).flat())


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
    own, default = overview("bgrl", str(tmp_path / "cora.csv")), resolve("bgrl", "")
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
