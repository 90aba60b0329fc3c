"""One host against two, on graphs that take a moment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks import hosts
from homogcl.core.errors import UserError
from homogcl.data.mapped import open_mapped, write_mapped
from homogcl.data.shared_rows import SharedRows
from tests.hosts import lacking


def test_rows_compare_one_host_with_two(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[int, int, int]] = []

    def fake(graphs: Sequence[Path], processes: int, words: Sequence[str]) -> hosts.Taken:
        opened = [open_mapped(graph) for graph in graphs]
        cut = [graph.x.share.number for graph in opened if isinstance(graph.x, SharedRows)]
        assert cut in ([], [1, 2])
        assert words[:2] == ["--set", "hidden_dim=8"]
        calls.append((len(graphs), processes, len(cut)))
        return hosts.Taken(8.0 / (len(graphs) * processes), 2.0 + len(cut) / 100, 0.25)

    monkeypatch.setattr(hosts, "_trained", fake)
    monkeypatch.setattr(hosts, "lacking", str)
    rows = {what: value for what, value, _ in hosts.over_hosts(300, 400, ["hidden_dim=8"])}
    assert calls == [(1, 1, 0), (2, 1, 0), (1, 1, 0), (1, 2, 0), (2, 1, 0), (2, 1, 2)]
    assert rows["exact, pairs shared: one over two"] == 2.0
    assert rows["batches shared: one host over two, shares"] == 2.0
    assert rows["batches shared: share of an epoch without a batch, shares, %"] == 25.0
    differences = [value for what, value in rows.items() if "difference" in what]
    assert differences == pytest.approx([0.0, 0.0, 1.0])


def test_machines_without_namespaces_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "lacking", lambda: "network namespaces need root")
    with pytest.raises(UserError, match="need root; measure hosts where they are allowed"):
        hosts.over_hosts()


@pytest.mark.skipif(bool(lacking()), reason=lacking() or "there are hosts")
def test_a_training_on_a_host_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "EPOCHS", 2)
    graph = write_mapped(hosts._graph(300), tmp_path / "graph")
    words = ["--set", "hidden_dim=8", "--set", "out_dim=4", "--batch", "parts:150"]
    taken = hosts._trained([graph], 1, words)
    assert taken.seconds > 0
    assert 0 < taken.loss < 20
    assert 0 <= taken.waiting <= 1
    assert [path.name for path in tmp_path.iterdir()] == ["graph"]
    with pytest.raises(UserError, match=r"a training failed, on .*no-such-setting"):
        hosts._trained([graph], 1, ["--set", "no-such-setting=1"])
