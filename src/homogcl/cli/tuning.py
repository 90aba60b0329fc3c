"""A search for settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from homogcl.advice.tune import BEST, Search, Trial, best, search
from homogcl.cli.files import with_files
from homogcl.cli.options import Data, Json, Root, Seed, Set
from homogcl.core.config import parse_overrides
from homogcl.pages import terminal
from homogcl.runs.request import Request


class Criterion(StrEnum):
    """What settings are chosen by."""

    val = "val"
    label_free = "label-free"


@with_files
def tune(
    method: str,
    data: Data,
    files: Mapping[str, object],
    trials: Annotated[int, typer.Option(min=1, help="In all, those done before included.")] = 20,
    criterion: Annotated[Criterion, typer.Option(help="What to choose by.")] = Criterion.val,
    settings: Set = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the search.")] = None,
    seed: Seed = 0,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Search settings of METHOD on DATA by validation accuracy, or without any label."""
    overrides = parse_overrides(settings or [])
    spec = Request(method, data, seed, overrides, root=root, files=files)
    what = Search(method, spec.name, criterion.value, overrides, seed)
    graph = spec.resolve(by_size=False).graph
    folder = out or Path("tune") / f"{spec.name}-{method}-{criterion.value}-s{seed}"

    def follow(trial: Trial) -> None:
        shown = "not finite" if trial.score is None else f"{trial.score:.4f}"
        terminal.note(f"trial {trial.number}: {shown}")

    done = search(what, graph, trials, folder, follow)
    winner = best(done)
    if as_json:
        result = {"criterion": criterion.value, "best": asdict(winner)}
        terminal.result({**result, "trials": [asdict(trial) for trial in done]}, as_json=True)
        return
    terminal.rows([_row(trial, criterion.value) for trial in _ordered(done)], as_json=False)
    flags = " ".join(f"--set {key}={value:.6g}" for key, value in winner.settings.items())
    terminal.say(f"\nbest: homogcl train {method} {data} {flags}")
    terminal.say(f"as a preset: {folder / BEST}")


def _ordered(trials: list[Trial]) -> list[Trial]:
    return sorted(trials, key=lambda trial: -1.0 if trial.score is None else -trial.score - 1.0)


def _row(trial: Trial, criterion: str) -> dict[str, str]:
    score = "not finite" if trial.score is None else f"{trial.score:.4f}"
    values = " ".join(f"{key}={value:.4g}" for key, value in trial.settings.items())
    return {"trial": str(trial.number), criterion: score, "settings": values}
