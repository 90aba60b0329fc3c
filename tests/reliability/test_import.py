"""An import that is killed at any point looks like no graph, and goes on to the same graph."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from homogcl.core.faults import IMPORT_POINTS
from homogcl.data.mapped import INDEX, is_mapped
from tests.data.streamed.tables import odd_tables, write
from tests.reliability.conftest import Count
from tests.reliability.processes import command

IMPORT = (
    *("to-disk", "edges.parquet", "graph", "--memory", "2GB", "--nodes", "nodes.parquet"),
    *("--features", "age,team,fan", "--label", "field", "--weight", "times"),
)


@pytest.mark.parametrize("point", IMPORT_POINTS)
def test_a_killed_import_goes_on(point: str, tmp_path: Path, count: Count, soak: int) -> None:
    write(tmp_path, *odd_tables())
    assert command(tmp_path, *IMPORT[:2], "whole", *IMPORT[3:]).code == 0
    rounds = 0
    times = (1, 3) if soak == 1 else range(1, 10)
    for time in times:
        folder = tmp_path / f"{time}"
        folder.mkdir()
        write(folder, *odd_tables())
        ended = command(folder, *IMPORT, fault=f"kill@{point}:{time}")
        if ended.code == 0:  # there are fewer such moments
            break
        assert ended.code == -signal.SIGKILL
        # The very last moment is after the index was written.
        if not is_mapped(folder / "graph"):
            assert command(folder, *IMPORT).code == 0
        texts = [
            path.read_text() for path in (folder / "graph" / INDEX, tmp_path / "whole" / INDEX)
        ]
        assert texts[0] == texts[1]
        rounds += 1
    assert rounds
    count("kill -9 inside an import", rounds=rounds, survived=rounds)
