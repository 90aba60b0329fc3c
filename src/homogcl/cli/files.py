"""The options that say what is what in a user's own files, for every command that reads some.

Of these, `--features` also gives a data set another file of features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from homogcl.cli.options import with_options

OPTIONS = {
    "source": "Column of the edges' one end.",
    "target": "Column of the edges' other end.",
    "weight": "Column of the edges' weights.",
    "nodes": "File of nodes.",
    "id": "Column of the nodes' ids.",
    "features": "File of features, also for a data set, or columns of the nodes: age,size",
    "label": "Column of labels in the file of nodes.",
    "split": "Column in the file of nodes that says train, val or test.",
    "kinds": "What columns of features are: zip=category,bio=text",
    "missing": "What becomes of missing cells and rows: error, drop or fill.",
}


def with_files(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the options of `graph.toml`; it gets those in use as `files`."""
    annotations = {
        name: Annotated[str | None, typer.Option(help=f"Own files: {what}")]
        for name, what in OPTIONS.items()
    }
    return with_options(command, "files", annotations, _files)


def _files(**texts: str | None) -> dict[str, object]:
    return {name: _value(name, text) for name, text in texts.items() if text is not None}


def as_words(files: Mapping[str, object]) -> list[str]:
    """Return the words of a command line that say `files` again."""
    words = []
    for name, value in files.items():
        if isinstance(value, Mapping):
            text = ",".join(f"{column}={kind}" for column, kind in value.items())
        else:
            text = ",".join(value) if isinstance(value, list) else str(value)
        words += [f"--{name}", text]
    return words


def _value(name: str, text: str) -> str | list[str] | dict[str, str]:
    if name == "kinds":
        return _kinds(text)
    if name == "features" and not _is_file(Path(text)):
        return [column.strip() for column in text.split(",")]
    # In `graph.toml` a file stands beside the edges; on the command line, where the user is.
    if name in ("nodes", "features") and Path(text).expanduser().exists():
        return str(Path(text).expanduser().resolve())
    return text


def _kinds(text: str) -> dict[str, str]:
    """Return kinds by the names of columns, from `column=kind,column=kind`."""
    from homogcl.core.errors import UserError

    pairs = [part.rpartition("=") for part in text.split(",")]
    for column, equals, _ in pairs:
        if not equals or not column.strip():
            raise UserError(f"--kinds {text!r}: write it as column=kind,column=kind")
    return {column.strip(): kind.strip() for column, _, kind in pairs}


def _is_file(path: Path) -> bool:
    """Return whether a name ends as files of features do; else it is a list of columns."""
    from homogcl.data.own.features import ARRAYS
    from homogcl.data.own.files import PARQUET
    from homogcl.data.own.tables import DELIMITERS, LISTS, ending

    return ending(path) in (*DELIMITERS, *LISTS, *PARQUET, *ARRAYS)
