"""From a graph to a run folder and what is made of one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from homogcl import display
from homogcl.cli.options import Json, Preset, Root, Seed, Set, Task
from homogcl.demo import demo as run_demo
from homogcl.errors import UserError
from homogcl.export import write_embeddings
from homogcl.run import RunSpec, scores
from homogcl.run import train as train_spec
from homogcl.runfolder import Log, RunFolder
from homogcl.settings import parse_overrides
from homogcl.train import Epoch, embeddings


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the page.")] = Path("homogcl-demo"),
    seed: Seed = 0,
) -> None:
    """Compare GRACE with GRACE+HomoGCL on the embedded graph: a table and a page to open."""
    run_demo(out, seed)


def train(
    method: str,
    data: str,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(help="Run folder.")] = None,
    settings: Set = None,
    preset: Preset = None,
    resume: Annotated[bool, typer.Option(help="Go on from the newest checkpoint.")] = False,
    root: Root = None,
) -> None:
    """Train METHOD on DATA and keep weights, embeddings and log in a run folder."""
    overrides = parse_overrides(settings or [])
    spec = RunSpec(method, data, seed, overrides, preset, root=root)
    folder = RunFolder(out or Path("runs") / f"{data}-{method}-s{seed}")
    spec.settings()
    spec.graph()
    folder.begin(spec, resume=resume)
    log = Log(folder)
    with display.training(f"{method} on {data}") as show:

        def follow(epoch: Epoch) -> None:
            log(epoch)
            show(epoch)

        trained = train_spec(spec, on_epoch=follow, checkpoint_folder=folder.checkpoints)
    folder.finish(trained)
    display.say(f"trained {method} on {data} in {trained.seconds:.1f} s; run folder: {folder.path}")


def evaluate(
    run: Path,
    task: Annotated[Task, typer.Option(help="What to score.")] = Task.probe,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Score the embeddings of a run on its data set's labels."""
    folder = RunFolder(run)
    spec = folder.spec(root)
    metrics = scores(folder.method(), spec.graph(), spec.seed, (task.value,))
    display.result({"task": task.value, **metrics}, as_json=as_json)


def embed(
    run: Path,
    output: Annotated[Path, typer.Option("--output", "-o", help=".npy, .csv or .parquet")],
    data: Annotated[str | None, typer.Option(help="Another data set to embed.")] = None,
    root: Root = None,
) -> None:
    """Write the embeddings of a run's graph, or of another one, with the nodes' ids."""
    folder = RunFolder(run)
    spec = folder.spec(root)
    method = folder.method()
    if data is not None and data != spec.data:
        if method.transductive:
            raise UserError(f"{method.name} knows only the graph it was trained on, not {data}")
        spec = RunSpec(spec.method, data, spec.seed, spec.overrides, root=root)
    graph = spec.graph()
    trained_on = folder.sizes().features
    if graph.num_features != trained_on:
        raise UserError(f"{spec.data} has {graph.num_features} features, the run has {trained_on}")
    z = embeddings(method, graph).cpu().numpy()
    for path in write_embeddings(output, range(len(z)), z):
        display.say(f"wrote {path}")
