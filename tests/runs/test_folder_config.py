"""What a run folder's configuration says, and what differs between two."""

from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from homogcl.presets.resolve import resolve
from homogcl.runs.folder_config import config_of, differing, epochs_in
from homogcl.runs.request import Request
from homogcl.runs.run import Run
from homogcl.testing import block_graph


def test_it_names_the_run_and_where_its_weights_come_from() -> None:
    request = Request("grace", "demo", 2, {"epochs": 3}, warm_start=Path("before"))
    config = config_of(request.resolve())
    assert (config["method"], config["data"], config["seed"]) == ("grace", "demo", 2)
    assert epochs_in(config) == 3
    assert config["warm_start"] == str(Path("before").resolve())
    assert "warm_start" not in config_of(Request("grace", "demo").resolve())


def test_a_graph_in_memory_has_no_name() -> None:
    with pytest.raises(UserError, match="a graph in memory has no name"):
        config_of(Run.of("raw", resolve("raw", ""), block_graph()))


def test_differences_are_named_once_at_any_depth() -> None:
    before = {"seed": 0, "settings": {"epochs": 1, "x": 2}, "overrides": {"epochs": 1}}
    now = {"seed": 0, "settings": {"epochs": 2, "x": 2}, "overrides": {}, "new": 1}
    assert differing(before, now) == ["new", "epochs"]
    assert differing(before, before) == []
