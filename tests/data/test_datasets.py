"""A data set is known by its name, and a user's own graph by its path."""

from pathlib import Path

import pytest

from homogcl.core.errors import UnknownName
from homogcl.data.datasets import demo_shares, graph_name, official_name, own_path, plain_name


@pytest.mark.parametrize(
    ("name", "official"),
    [
        ("cora", "cora"),
        ("Cora_ML", "coraml"),
        ("ogbn-arxiv", "arxiv"),
        ("Demo", "demo"),
        ("demo-h80-t60", "demo"),
        ("DEMO_T30", "demo-t30"),
    ],
)
def test_names_are_forgiving(name: str, official: str) -> None:
    assert official_name(name) == official
    assert graph_name(name) == official
    assert own_path(name) is None


def test_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"data set 'coraa' \(did you mean: cora"):
        official_name("coraa")


def test_file_called_as_a_data_set_is_neither_it_nor_its_records() -> None:
    assert own_path("./cora") == Path("cora")
    assert graph_name("./cora") == "cora-own"
    assert graph_name(Path("photo")) == "photo-own"


@pytest.mark.parametrize("name", ["demoh", "demoh1000", "demot30h70", "demo h70", "xdemo"])
def test_other_words_name_no_generated_graph(name: str) -> None:
    assert demo_shares(plain_name(name)) is None
