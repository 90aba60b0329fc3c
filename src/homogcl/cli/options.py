"""Options that several commands share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from homogcl.runs.tasks import task_names

Root = Annotated[Path | None, typer.Option(help="Folder of the data sets (else $HOMOGCL_DATA).")]
Set = Annotated[list[str] | None, typer.Option("--set", help="key=value; may be repeated.")]
Preset = Annotated[
    str | None, typer.Option(help="Another preset, such as official, or a .toml file.")
]
Batch = Annotated[
    str | None,
    typer.Option(help="KIND[:SIZE]: full, parts, neighbors or metis, such as neighbors:1024."),
]
Form = Annotated[
    str | None,
    typer.Option(help="What embeddings consist of: last, layers+ax/unit and the like, or auto."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Data = Annotated[str, typer.Argument(help="A data set's name, or the path of your own graph.")]
OtherData = Annotated[
    str | None, typer.Option("--data", help="Another graph, or where the run's own one lies now.")
]


def _checked_table(path: Path | None) -> Path | None:
    """Return where a table is to be written; refuse the name of a file that is no table."""
    if path is not None:
        from homogcl.runs.export import TABLES, check_ending

        check_ending(path, TABLES)
    return path


OutputTable = Annotated[
    Path | None,
    typer.Option("--output", "-o", callback=_checked_table, help=".csv or .parquet"),
]
Seed = Annotated[int, typer.Option(min=0, help="Root seed of every random stream.")]


def with_options(
    command: Callable[..., None],
    parameter: str,
    annotations: Mapping[str, Any],
    value: Callable[..., object],
) -> Callable[..., None]:
    """Return the command with options in place of one of its parameters.

    Args:
        command: A command of typer.
        parameter: The parameter that typer does not know.
        annotations: The options by name, as typer takes them; None is the default of each.
        value: Makes the parameter's value of the options, which it gets by name.
    """
    own = inspect.signature(command, eval_str=True)
    parameters = [each for each in own.parameters.values() if each.name != parameter]
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in annotations.items()
    ]

    @functools.wraps(command)
    def wrapped(**arguments: Any) -> None:
        texts = {name: arguments.pop(name) for name in annotations}
        command(**arguments, **{parameter: value(**texts)})

    signature = own.replace(parameters=[*parameters, *options])
    wrapped.__signature__ = signature  # type: ignore[attr-defined]  # which typer reads
    wrapped.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
    return wrapped


if TYPE_CHECKING:

    class Task(StrEnum):
        """The name of a task; which there are is known when the command line starts."""

        probe = "probe"

else:
    Task = StrEnum("Task", [(name.replace("-", "_"), name) for name in task_names()])
