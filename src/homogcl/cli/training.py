"""From a graph to a run folder and what is made of one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from homogcl.cli.files import with_files
from homogcl.cli.options import Data, Form, Json, OtherData, Preset, Root, Seed, Task
from homogcl.cli.settings import with_settings


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the page.")] = Path("homogcl-demo"),
    seed: Seed = 0,
) -> None:
    """Compare four methods on an embedded graph, also with wrong edges: a table and a page."""
    from homogcl.pages.demo import demo as run_demo

    run_demo(out, seed)


@with_files
@with_settings
def train(
    method: str,
    data: Data,
    files: Mapping[str, object],
    overrides: Mapping[str, object],
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(help="Run folder.")] = None,
    preset: Preset = None,
    resume: Annotated[
        bool, typer.Option(help="Go on from the newest checkpoint, also with more --epochs.")
    ] = False,
    warm_start: Annotated[
        Path | None, typer.Option(help="Run folder whose weights to begin with.")
    ] = None,
    tensorboard: Annotated[Path | None, typer.Option(help="Folder for TensorBoard.")] = None,
    save_every: Annotated[
        str, typer.Option(help="Epochs or minutes between checkpoints: 50, 10m or 50,10m.")
    ] = "50,10m",
    root: Root = None,
    nproc: Annotated[int, typer.Option(help="Processes to share the work.")] = 1,
    max_restarts: Annotated[
        int, typer.Option(min=0, help="How often to go on after a process died.")
    ] = 0,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask before a training of hours.")
    ] = False,
) -> None:
    """Train METHOD on DATA and keep weights, embeddings and log in a run folder.

    SIGINT and SIGTERM stop it after a checkpoint, from which --resume goes on to the same bits.
    """
    from homogcl.cli.launch import Processes, launch, train_here
    from homogcl.runs.folder import RunFolder
    from homogcl.runs.request import Request
    from homogcl.training.checkpoint import parse_intervals

    request = Request(
        method, data, seed, overrides, preset, root=root, files=files, warm_start=warm_start
    )
    folder = RunFolder(out or Path("runs") / f"{request.name}-{method}-s{seed}")
    intervals = parse_intervals(save_every)
    asks = not yes and sys.stdin.isatty() and sys.stderr.isatty()
    confirm = partial(typer.confirm, err=True) if asks else None
    if nproc == 1:
        train_here(request, folder, intervals, tensorboard, resume=resume, confirm=confirm)
        return
    options = ["--save-every", save_every]
    options += ["--tensorboard", str(tensorboard)] if tensorboard else []
    processes = Processes(nproc, max_restarts)
    launch(request, folder, processes, options, resume=resume, confirm=confirm)


@with_files
def evaluate(
    run: Path,
    files: Mapping[str, object],
    task: Annotated[Task, typer.Option(help="What to score.")] = Task.probe,
    data: OtherData = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Score a run's embeddings on labels, or its method on edges held out of a new training."""
    from contextlib import nullcontext
    from dataclasses import replace

    from homogcl.pages import terminal
    from homogcl.runs.folder import RunFolder
    from homogcl.runs.grid import score_run
    from homogcl.runs.tasks import task as task_of

    folder = RunFolder(run)
    model = folder.model()
    resolved = folder.run(folder.request(root, data, files), model)
    title = f"{resolved.title} without a tenth of its edges"
    progress = terminal.training(title) if task_of(task.value).retrains else nullcontext()
    with progress as show:
        part = replace(resolved, tasks=(task.value,))
        metrics = score_run(part, model.method, model.form, show)
    terminal.result({"task": task.value, **metrics}, as_json=as_json)
    if any(value > 0 for name, value in metrics.items() if name.endswith("at_edge")):
        terminal.note(
            "note: the probe's penalty is the strongest or the weakest that it tries; a "
            "classifier with one beyond them may read more from these embeddings"
        )


@with_files
def embed(
    run: Path,
    files: Mapping[str, object],
    output: Annotated[Path, typer.Option("--output", "-o", help=".npy, .csv or .parquet")],
    data: OtherData = None,
    cold_start: Annotated[
        Path | None,
        typer.Option(help="File of nodes without edges, embedded by their features alone."),
    ] = None,
    form: Form = None,
    root: Root = None,
) -> None:
    """Write the embeddings of a run's graph, or of other nodes, with the nodes' ids."""
    from homogcl.core.errors import UserError
    from homogcl.data.names import original_ids
    from homogcl.methods.inference import embeddings
    from homogcl.pages import terminal
    from homogcl.runs.export import FORMATS, check_ending, write_embeddings
    from homogcl.runs.folder import RunFolder
    from homogcl.runs.forms import settled_form

    check_ending(output, FORMATS)
    if cold_start is not None and data is not None:
        raise UserError("--cold-start has no edges, and --data has some: give one of them")
    folder = RunFolder(run)
    if cold_start is None:
        model, graph = folder.model_and_graph(root, data, files)
    else:
        model = folder.model()
        graph = folder.rows(cold_start, files, model)
    form = settled_form(form or model.form, model.method, graph, model.seed)
    z = embeddings(model.method, graph, form).cpu()
    for path in write_embeddings(output, original_ids(graph), z, form):
        terminal.say(f"wrote {path}, form {form}")
