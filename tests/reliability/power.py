"""What a disk may hold after a loss of power: every file operation recorded, every state made.

While code runs, `Recorder` notes what becomes of the files in a folder: contents written, names
made, changed and removed, and what was flushed by `fsync`. A file system promises that a flushed
file has its content and that a flushed folder has its names; what was not flushed may be lost,
whole or in part, and names may change in another order. `states` makes each folder that a loss of
power after any of the operations may leave.

Files that DuckDB writes are taken as they are at that moment: it flushes them itself, which cannot
be seen from here.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Names = dict[str, int]  # files of a folder: number by name
Tree = dict[str, bytes | None]  # contents by path; None is a folder
_WRITES = os.O_WRONLY | os.O_RDWR
_UNSEEN = ".duckdb"  # in the names of files whose flushing is not seen


@dataclass(frozen=True)
class Change:
    """A name that was made, removed or renamed in a folder, in one piece."""

    removed: str | None
    made: str | None
    number: int  # of the file or folder


@dataclass
class Moment:
    """All that is known of a disk after an operation."""

    flushed: dict[str, Names]  # names by folder, as flushed
    changes: dict[str, list[Change]]  # of each folder since
    contents: dict[int, bytes | None]  # of each file now
    safe: dict[int, bytes]  # of each file, as flushed


@dataclass
class Recorder:
    """Follows the files below a folder."""

    root: Path
    moments: list[Moment] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._numbers = itertools.count()
        self._names: dict[str, Names] = {}
        self._contents: dict[int, bytes | None] = {}
        self._renames: list[tuple[str, str]] = []
        self._changes: dict[str, list[Change]] = {}
        self._look()
        # What is there at the start has lasted for long.
        self._flushed = {folder: dict(names) for folder, names in self._names.items()}
        self._safe = {n: c for n, c in self._contents.items() if c is not None}
        self._changes.clear()

    def look(self) -> None:
        """Note what has changed since the last look."""
        if self._look():
            self._note()

    def rename(self, source: str, target: str) -> None:
        """Note that a name is about to be changed."""
        self.look()
        self._renames.append((source, target))

    def flush(self, path: Path) -> None:
        """Note that a file, or the names in a folder, are flushed."""
        self.look()
        if not path.is_relative_to(self.root):
            return
        if path.is_dir():
            key = self._key(path)
            self._flushed[key] = dict(self._names.get(key, {}))
            self._changes.pop(key, None)
        else:
            number = self._names[self._key(path.parent)][path.name]
            content = self._contents[number]
            assert content is not None
            self._safe[number] = content
        self._note()

    def _note(self) -> None:
        self.moments.append(
            Moment(
                {folder: dict(names) for folder, names in self._flushed.items()},
                {folder: list(changes) for folder, changes in self._changes.items()},
                dict(self._contents),
                dict(self._safe),
            )
        )

    def _look(self) -> bool:
        before = (repr(self._changes), dict(self._contents))
        for source, target in self._renames:
            folder, old, new = os.path.dirname(source), *map(os.path.basename, (source, target))
            names = self._names.get(self._key(Path(folder)), {})
            if old in names and not os.path.lexists(source):
                number = names.pop(old)
                names[new] = number
                self._changes.setdefault(self._key(Path(folder)), []).append(
                    Change(old, new, number)
                )
        self._renames.clear()
        for place in [self.root, *(p for p in sorted(self.root.rglob("*")) if p.is_dir())]:
            self._look_into(place)
        return before != (repr(self._changes), dict(self._contents))

    def _look_into(self, folder: Path) -> None:
        key = self._key(folder)
        names = self._names.setdefault(key, {})
        here = {path.name: path for path in folder.iterdir()}
        for name in [name for name in names if name not in here]:
            self._changes.setdefault(key, []).append(Change(name, None, names.pop(name)))
        for name, path in here.items():
            if name not in names:
                names[name] = next(self._numbers)
                self._changes.setdefault(key, []).append(Change(None, name, names[name]))
            content = None if path.is_dir() else path.read_bytes()
            self._contents[names[name]] = content
            if _UNSEEN in name and content is not None:
                self._safe[names[name]] = content

    def _key(self, folder: Path) -> str:
        return os.path.relpath(folder, self.root)


_active: list[Recorder] = []
_CHANGES = ("os.remove", "os.mkdir", "os.rmdir", "os.truncate")


def _is_written(flags: object) -> bool:
    return isinstance(flags, int) and bool(flags & _WRITES)


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if not _active:
        return
    recorder, _active[:] = _active[0], []  # what it does itself is not heard
    try:
        if event == "os.rename":
            recorder.rename(os.fspath(arguments[0]), os.fspath(arguments[1]))
        elif event in _CHANGES or (event == "open" and _is_written(arguments[2])):
            recorder.look()
    finally:
        _active[:] = [recorder]


sys.addaudithook(_heard)


@contextmanager
def recorded(root: Path) -> Iterator[Recorder]:
    """Give a recorder of everything that happens to files below `root` inside the block."""
    recorder = Recorder(root.resolve())
    flush = os.fsync

    def fsync(handle: int) -> None:
        flush(handle)
        _active.clear()
        recorder.flush(Path(os.readlink(f"/proc/self/fd/{handle}")))
        _active[:] = [recorder]

    os.fsync = fsync  # type: ignore[assignment]
    _active[:] = [recorder]
    try:
        yield recorder
    finally:
        _active.clear()
        os.fsync = flush
    recorder.look()


def states(recorder: Recorder, last: bool = False) -> Iterator[Tree]:
    """Yield each different tree that a loss of power may leave, after any operation or the last."""
    different = set()
    for moment in recorder.moments[-1:] if last else recorder.moments:
        for tree in _states_after(moment):
            mark = hash(tuple(sorted((path, content) for path, content in tree.items() if content)))
            mark = hash((mark, tuple(sorted(tree))))
            if mark not in different:
                different.add(mark)
                yield tree


def write(tree: Tree, folder: Path) -> Path:
    """Write a tree of files and return its folder."""
    folder.mkdir(parents=True)
    for path, content in sorted(tree.items()):
        place = folder / path
        if content is None:
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    return folder


def _states_after(moment: Moment) -> Iterator[Tree]:
    folders = sorted({*moment.flushed, *moment.changes})
    choices = [_names(moment, folder) for folder in folders]
    for combination in itertools.product(*choices):
        yield from _trees(moment, dict(zip(folders, combination, strict=True)))


def _names(moment: Moment, folder: str) -> list[Names]:
    """Return the names that a folder may have: any of the changes since its flush may be lost."""
    possible: list[Names] = []
    changes = moment.changes.get(folder, [])
    for kept in itertools.product([False, True], repeat=len(changes)):
        names = dict(moment.flushed.get(folder, {}))
        for change in itertools.compress(changes, kept):
            if change.removed is not None:
                names.pop(change.removed, None)
            if change.made is not None:
                names[change.made] = change.number
        if names not in possible:
            possible.append(names)
    return possible


def _trees(moment: Moment, names: dict[str, Names]) -> Iterator[Tree]:
    files: list[tuple[str, list[bytes | None]]] = []
    todo = [(".", names.get(".", {}))]
    while todo:
        folder, inside = todo.pop()
        for name, number in inside.items():
            path = os.path.normpath(os.path.join(folder, name))
            content = moment.contents.get(number)
            if content is None:
                files.append((path, [None]))
                todo.append((path, names.get(path, {})))
            else:
                files.append((path, _contents(content, moment.safe.get(number))))
    for contents in itertools.product(*(possible for _, possible in files)):
        yield {path: content for (path, _), content in zip(files, contents, strict=True)}


def _contents(now: bytes, safe: bytes | None) -> list[bytes | None]:
    """Return what a file may hold: what was flushed, what was written, or a part of it."""
    if now == safe:
        return [now]
    torn = now[: len(now) // 2]
    possible = [safe or b"", now, b"", torn, torn + bytes(len(now) - len(torn))]
    return list(dict.fromkeys(possible))
