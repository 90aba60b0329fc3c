"""From a graph to a run folder and what is made of one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from homogcl.cli.files import with_files
from homogcl.cli.options import Batch, Data, Json, OtherData, Preset, Root, Seed, Set, Task

if TYPE_CHECKING:
    from homogcl.training.loop import Epoch


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the page.")] = Path("homogcl-demo"),
    seed: Seed = 0,
) -> None:
    """Compare GRACE with GRACE+HomoGCL on the embedded graph: a table and a page to open."""
    from homogcl.pages.demo import demo as run_demo

    run_demo(out, seed)


@with_files
def train(
    method: str,
    data: Data,
    files: Mapping[str, object],
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(help="Run folder.")] = None,
    settings: Set = None,
    preset: Preset = None,
    resume: Annotated[bool, typer.Option(help="Go on from the newest checkpoint.")] = False,
    tensorboard: Annotated[Path | None, typer.Option(help="Folder for TensorBoard.")] = None,
    save_every: Annotated[
        str, typer.Option(help="Epochs or minutes between checkpoints: 50, 10m or 50,10m.")
    ] = "50,10m",
    root: Root = None,
    batch: Batch = None,
    nproc: Annotated[int, typer.Option(help="Processes to share the work.")] = 1,
    max_restarts: Annotated[
        int, typer.Option(min=0, help="How often to go on after a process died.")
    ] = 0,
) -> None:
    """Train METHOD on DATA and keep weights, embeddings and log in a run folder.

    SIGINT and SIGTERM stop it after a checkpoint, from which --resume goes on to the same bits.
    """
    from homogcl.cli.forecast import foretell
    from homogcl.cli.launch import launch
    from homogcl.core.distributed import joined, was_restarted
    from homogcl.core.settings import parse_batch, parse_overrides
    from homogcl.pages import terminal
    from homogcl.runs import curves
    from homogcl.runs.folder import RunFolder
    from homogcl.runs.log import Log
    from homogcl.runs.request import Request
    from homogcl.runs.train import OnEpoch, ready
    from homogcl.runs.train import train as train_spec
    from homogcl.training.checkpoint import Checkpoints, parse_intervals

    overrides = {**parse_overrides(settings or []), **(parse_batch(batch) if batch else {})}
    spec = Request(method, data, seed, overrides, preset, root=root, files=files)
    spec.settings()
    folder = RunFolder(out or Path("runs") / f"{spec.name}-{method}-s{seed}")
    checkpoints = Checkpoints(folder.checkpoints, **parse_intervals(save_every))
    if nproc != 1:
        more = ["--save-every", save_every]
        more += ["--tensorboard", str(tensorboard)] if tensorboard else []
        launch(spec, folder, nproc, max_restarts, more, resume=resume)
        return
    with joined() as ranks:
        with ranks.first_before_others():
            graph = spec.graph()
        spec = spec.for_size(int(graph.num_nodes or 0))
        ready(spec, graph, ranks)
        if not ranks.is_first:
            train_spec(spec, graph=graph, checkpoints=checkpoints, ranks=ranks)
            return
        foretell(spec, graph)
        with ExitStack() as opened:
            followers: list[OnEpoch] = []
            if tensorboard:
                followers.append(opened.enter_context(curves.tensorboard(tensorboard)))
            opened.enter_context(folder.locked())
            folder.begin(spec, graph, resume=resume or was_restarted())
            if "report" in graph:
                terminal.say(f"{spec.name}: {graph.report}")
            shown = opened.enter_context(terminal.training(f"{method} on {spec.name}"))
            followers += [Log(folder.path), shown]

            def follow(epoch: Epoch) -> None:
                for each in followers:
                    each(epoch)

            trained = train_spec(
                spec, graph=graph, on_epoch=follow, checkpoints=checkpoints, ranks=ranks
            )
            folder.finish(trained)
    terminal.say(
        f"trained {method} on {spec.name} in {trained.seconds:.1f} s; run folder: {folder.path}"
    )


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
    from homogcl.pages import terminal
    from homogcl.runs.folder import RunFolder
    from homogcl.runs.train import link_prediction, scores

    folder = RunFolder(run)
    spec = folder.spec(root, data, files)
    graph = folder.graph(spec)
    if task is Task.links:
        with terminal.training(
            f"{spec.method} on {spec.name} without a tenth of its edges"
        ) as show:
            metrics = link_prediction(spec, graph, show)
    else:
        metrics = scores(folder.method(), graph, spec.seed, (task.value,))
    terminal.result({"task": task.value, **metrics}, as_json=as_json)


@with_files
def embed(
    run: Path,
    files: Mapping[str, object],
    output: Annotated[Path, typer.Option("--output", "-o", help=".npy, .csv or .parquet")],
    data: OtherData = None,
    root: Root = None,
) -> None:
    """Write the embeddings of a run's graph, or of another one, with the nodes' ids."""
    from homogcl.data.load import original_ids
    from homogcl.methods.inference import embeddings
    from homogcl.pages import terminal
    from homogcl.runs.export import FORMATS, check_ending, write_embeddings
    from homogcl.runs.folder import RunFolder

    check_ending(output, FORMATS)
    folder = RunFolder(run)
    graph = folder.graph(folder.spec(root, data, files))
    z = embeddings(folder.method(), graph).cpu().numpy()
    for path in write_embeddings(output, original_ids(graph), z):
        terminal.say(f"wrote {path}")
