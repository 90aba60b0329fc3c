"""The data root: where it is, and how files get there."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from homogcl.data.load import load
from homogcl.data.published.root import RawFile, data_root, fetch, is_offline, read, sha256


def test_root_is_the_argument_then_the_variable_then_the_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOMOGCL_DATA", str(tmp_path / "variable"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert data_root(tmp_path) == tmp_path
    assert data_root() == tmp_path / "variable"
    monkeypatch.delenv("HOMOGCL_DATA")
    assert data_root() == tmp_path / "cache" / "homogcl"


def test_fetch_gives_the_bytes_or_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"\x00\x01")
    assert fetch((tmp_path / "there").as_uri()) == b"\x00\x01"
    with pytest.raises(OSError, match="No such file"):
        fetch((tmp_path / "absent").as_uri())


def test_hash_is_over_the_files_in_the_order_of_their_names(
    planetoid_root: Callable[[dict[str, bytes]], Path], tiny_parts: dict[str, bytes]
) -> None:
    graph = load("citeseer", planetoid_root({}))
    expected = hashlib.sha256(b"".join(tiny_parts[part] for part in sorted(tiny_parts)))
    assert graph.sha256 == expected.hexdigest()
    assert graph.name == "citeseer"


def test_cache_is_below_home_where_no_variable_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("HOMOGCL_DATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_root() == tmp_path / ".cache" / "homogcl"
    assert data_root("~/graphs") == tmp_path / "graphs"


@pytest.mark.parametrize(
    ("value", "offline"), [(None, False), ("", False), ("0", False), ("1", True), ("yes", True)]
)
def test_downloads_are_forbidden_by_any_value_but_0(
    value: str | None, offline: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is None:
        monkeypatch.delenv("HOMOGCL_OFFLINE", raising=False)
    else:
        monkeypatch.setenv("HOMOGCL_OFFLINE", value)
    assert is_offline() is offline


def test_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"\x00\xff")
    assert read(tmp_path / "there") == RawFile(tmp_path / "there", b"\x00\xff")
    for path, reason in ((tmp_path / "absent", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(UserError, match=rf"{path}: cannot be read \({reason}"):
            read(path)


def test_hash_does_not_depend_on_the_order_in_which_files_are_given() -> None:
    files = [RawFile(Path(place) / name, name.encode()) for place, name in ("zb", "ya", "xc")]
    expected = hashlib.sha256(b"abc").hexdigest()
    assert sha256(files) == sha256(files[::-1]) == expected
