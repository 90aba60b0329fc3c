"""Tables as streams of blocks: files, folders and globs of them."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from homogcl.core.errors import UserError, nearest
from homogcl.data.own.files import PARQUET, TOML
from homogcl.data.own.tables import (
    DELIMITERS,
    LISTS,
    MemoryTable,
    arrow,
    ending,
    text_table,
)

ROWS: Final = 2**16  # of a block
_TEXT: Final = 2**24  # bytes of a block of text
_ENDINGS: Final = (*DELIMITERS, *LISTS, *PARQUET)


class Stream(Protocol):
    """A table whose rows come in blocks, as often as they are asked for, in the same order."""

    @property
    def place(self) -> str:
        """What it is called in messages."""

    @property
    def names(self) -> list[str]:
        """Its columns' names."""

    def blocks(self) -> Iterator[MemoryTable]:
        """Yield its rows, each block with the place of its own."""

    def state(self) -> Mapping[str, object]:
        """Return what tells whether it is still the same, without any secret."""


@dataclass(frozen=True)
class FileStream:
    """The rows of one or many files that have the same columns."""

    place: str
    paths: tuple[Path, ...]
    names: list[str]
    names_optional: bool  # whether a first line of nothing but numbers is a row

    def blocks(self) -> Iterator[MemoryTable]:
        """Yield the rows of one file after the other."""
        for path in self.paths:
            if sorted(columns_of(path, self.names_optional)) != sorted(self.names):
                raise UserError(
                    f"{path}: has other columns than {self.paths[0]}: "
                    f"{', '.join(columns_of(path, self.names_optional))}"
                )
            yield from _blocks(path, self.names_optional)

    def state(self) -> Mapping[str, object]:
        """Return the files' sizes and the times of their last change."""
        stats = {str(path.resolve()): path.stat() for path in self.paths}
        return {path: [stat.st_size, stat.st_mtime_ns] for path, stat in stats.items()}


def file_stream(place: Path, *, names_optional: bool) -> FileStream:
    """Return the stream of a file, of the files in a folder, or of those that a glob names."""
    paths = _paths(place)
    for path in paths:
        if ending(path) not in _ENDINGS:
            raise UserError(f"{path}: unknown kind of file{nearest(ending(path), _ENDINGS)}")
    return FileStream(str(place), paths, columns_of(paths[0], names_optional), names_optional)


def columns_of(path: Path, names_optional: bool) -> list[str]:
    """Return the names of a file's columns."""
    if ending(path) not in PARQUET:
        return text_table(path, names_optional=names_optional).names
    names: list[str] = _parquet(path).schema_arrow.names
    return names


def is_pattern(place: Path) -> bool:
    """Return whether a name stands for several files: a glob or a folder without `graph.toml`."""
    if place.is_dir():
        return not (place / TOML).exists() and any(
            ending(each) in _ENDINGS for each in place.iterdir()
        )
    return not place.exists() and glob.has_magic(str(place))


def _paths(place: Path) -> tuple[Path, ...]:
    if place.is_dir():
        paths: Sequence[Path] = sorted(p for p in place.rglob("*") if ending(p) in _ENDINGS)
    elif not place.exists() and glob.has_magic(str(place)):
        paths = sorted(Path(each) for each in glob.glob(str(place), recursive=True))
    else:
        paths = [place]
    if not paths:
        raise UserError(f"{place}: no file of a table is there")
    if not paths[0].is_file():
        raise UserError(f"{paths[0]}: there is no such file")
    return tuple(paths)


def _blocks(path: Path, names_optional: bool) -> Iterator[MemoryTable]:
    if ending(path) not in PARQUET:
        yield from text_table(path, names_optional=names_optional).blocks(_TEXT)
        return
    pa = arrow()
    rows = 0
    try:
        for batch in _parquet(path).iter_batches(ROWS):
            # Text that is no UTF-8, or lengths that lead outside, would otherwise show much later.
            batch.validate(full=True)
            names = batch.schema.names
            yield MemoryTable(path, dict(zip(names, batch.columns, strict=True)), rows_before=rows)
            rows += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from None


def _parquet(path: Path) -> Any:
    pa = arrow()
    try:
        return pa.parquet.ParquetFile(path, memory_map=False)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: is no Parquet file: {str(error).splitlines()[0]}") from None
