"""Libraries of near vectors, compared on few of them."""

import pytest
import torch

from benchmarks import index


def test_what_is_installed_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "NODES", 600)
    monkeypatch.setattr(index, "ASKED", 60)
    monkeypatch.setattr(index, "WIDTH", 16)
    threads = torch.get_num_threads()
    rows = {what: value for what, value, _ in index.index()}
    torch.set_num_threads(threads)
    assert rows["faiss: recall"] > 0.95
    assert rows["ours (faiss, 8 bits, compared again): recall"] > 0.95
    assert all(value > 0 for value in rows.values())


def test_rows_have_length_one() -> None:
    z = index.clustered(50, 8)
    torch.testing.assert_close(z.norm(dim=1), torch.ones(50))
