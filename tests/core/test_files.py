import os
import stat
from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from homogcl.core.files import remove_lastingly, write_atomically, write_json


def test_content_replaces_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "file.bin"
    assert write_atomically(path, b"one") == path
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("broken", ["fsync", "replace", "chmod"])
def test_failure_leaves_the_old_content_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    path = tmp_path / "file.bin"
    write_atomically(path, b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, broken, fail)
    with pytest.raises(UserError, match=r"cannot write .*file\.bin: No space left on device"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_interruption_leaves_the_old_content_and_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.bin"
    write_atomically(path, b"old")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_there_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_bytes(b"")
    remove_lastingly(tmp_path / "a", tmp_path / "b", tmp_path / "missing")
    assert list(tmp_path.iterdir()) == [tmp_path / "c"]
    remove_lastingly(tmp_path / "nowhere" / "a")

    def fail(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", fail)
    with pytest.raises(UserError, match=r"cannot remove .*c: Read-only file system"):
        remove_lastingly(tmp_path / "c")


def test_path_below_a_file_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UserError, match="cannot write"):
        write_atomically(tmp_path / "file" / "below", b"")


def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        path = write_atomically(tmp_path / "file", b"")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(before)


def test_a_folder_in_the_place_of_a_file_is_an_error_that_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder" / "x.npz").mkdir(parents=True)
    with pytest.raises(UserError, match=r"cannot write .*folder/x\.npz"):
        write_atomically(tmp_path / "folder" / "x.npz", b"")
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["x.npz"]


def test_json_is_written_whole_in_lines_that_people_read(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a" / "b.json", {"x": [1]})
    assert path.read_text() == '{\n  "x": [\n    1\n  ]\n}\n'
    assert write_json(path, [1, 2], indent=None).read_text() == "[1, 2]\n"
