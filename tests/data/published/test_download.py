"""Raw files: read where they lie, downloaded whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from homogcl.data.published import download
from homogcl.data.published.download import raw_files
from homogcl.data.published.sources import PublishedCounts, Source

TWO = Source(
    title="Two",
    folder="two/raw",
    files=("a.npz", "b.npz"),
    url="https://example.org/two",
    reader="npz",
    counts=PublishedCounts(1, 2, 3, 4),
)


def test_files_that_lie_there_are_read_and_nothing_is_asked_of_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / TWO.folder
    folder.mkdir(parents=True)
    for name in TWO.files:
        (folder / name).write_bytes(name.encode())
    monkeypatch.delattr(download, "fetch")
    assert [file.content for file in raw_files(TWO, tmp_path)] == [b"a.npz", b"b.npz"]


def test_only_missing_files_are_asked_for_and_none_is_placed_unless_all_are_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / TWO.folder
    folder.mkdir(parents=True)
    (folder / "a.npz").write_bytes(b"a")
    urls = []

    def serve(url: str) -> bytes:
        urls.append(url)
        return b"no archive"

    monkeypatch.delenv("HOMOGCL_OFFLINE", raising=False)
    monkeypatch.setattr(download, "fetch", serve)
    monkeypatch.setattr(Source, "parse", refuse)
    with pytest.raises(UserError, match="refused"):
        raw_files(TWO, tmp_path)
    assert urls == ["https://example.org/two/b.npz"]
    assert [path.name for path in folder.iterdir()] == ["a.npz"]


def refuse(*_: object) -> None:
    raise UserError("refused")


def test_counts_are_named_in_words() -> None:
    assert str(TWO.counts) == "1 nodes, 2 directed edges, 3 features and 4 classes"
