"""The command that searches for settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from homogcl.cli.files import as_words, with_files
from homogcl.cli.options import Data, Json, Root, Seed
from homogcl.cli.settings import with_settings

if TYPE_CHECKING:
    from homogcl.advice.tune import Trial


@with_files
@with_settings
def tune(
    method: str,
    data: Data,
    files: Mapping[str, object],
    overrides: Mapping[str, object],
    trials: Annotated[int, typer.Option(min=1, help="In all, those done before included.")] = 20,
    criterion: Annotated[
        Literal["val", "label-free"], typer.Option(help="What to choose by.")
    ] = "val",
    out: Annotated[Path | None, typer.Option(help="Folder of the search.")] = None,
    seed: Seed = 0,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Search settings of METHOD on DATA by validation accuracy, or without any label."""
    import shlex

    from homogcl.advice.tune import BEST, Search, best, search
    from homogcl.pages import terminal
    from homogcl.runs.request import Request

    run = Request(method, data, seed, overrides, root=root, files=files, tasks=()).resolve()
    folder = out or Path("tune") / f"{run.name}-{method}-{criterion}-s{seed}"

    def follow(trial: Trial) -> None:
        terminal.note(f"trial {trial.number}: {_score_text(trial)}")

    results = search(Search(run, criterion), trials, folder, follow)
    winner = best(results)
    if as_json:
        result = {"criterion": criterion, "best": asdict(winner)}
        terminal.result({**result, "trials": [asdict(trial) for trial in results]}, as_json=True)
        return
    best_first = sorted(
        results, key=lambda trial: -1.0 if trial.score is None else -trial.score - 1
    )
    terminal.rows([_row(trial, criterion) for trial in best_first], as_json=False)
    command = ["homogcl", "train", method, data, "--preset", str(folder / BEST), *as_words(files)]
    terminal.say(f"\nbest: {shlex.join(command)}")


def _row(trial: Trial, criterion: str) -> dict[str, str]:
    values = " ".join(f"{key}={value:.4g}" for key, value in trial.settings.items())
    return {"trial": str(trial.number), criterion: _score_text(trial), "settings": values}


def _score_text(trial: Trial) -> str:
    return "not finite" if trial.score is None else f"{trial.score:.4f}"
