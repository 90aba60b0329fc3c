"""The command line: one function a command, each of which only calls and shows."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from homogcl import display
from homogcl.data import data_names
from homogcl.demo import demo as run_demo
from homogcl.errors import UnknownName, UserError
from homogcl.export import write_embeddings
from homogcl.methods import method_class, method_names, plugin_names, summary
from homogcl.presets import preset_names, resolve
from homogcl.report.readme import TABLES, named_table
from homogcl.report.readme import insert as insert_table
from homogcl.report.table import to_csv, to_latex, to_markdown
from homogcl.run import RunSpec, run_cell, scores
from homogcl.run import train as train_spec
from homogcl.runfolder import Log, RunFolder
from homogcl.settings import parse_overrides
from homogcl.train import Epoch, embeddings

app = typer.Typer(
    name="homogcl",
    help="Node embeddings from a graph without labels: HomoGCL and the methods it builds on.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Root = Annotated[Path | None, typer.Option(help="Folder of the data sets (else $HOMOGCL_DATA).")]
Set = Annotated[list[str] | None, typer.Option("--set", help="key=value; may be repeated.")]
Preset = Annotated[str | None, typer.Option(help="An alternative preset, such as official.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Seed = Annotated[int, typer.Option(min=0, help="Root seed of every random stream.")]


class Task(StrEnum):
    """What an embedding is evaluated on."""

    probe = "probe"
    cluster = "cluster"


class Listing(StrEnum):
    """What can be listed."""

    methods = "methods"
    datasets = "datasets"
    presets = "presets"


class Format(StrEnum):
    """How a table is written."""

    markdown = "markdown"
    latex = "latex"
    csv = "csv"


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the page.")] = Path("homogcl-demo"),
    seed: Seed = 0,
) -> None:
    """Compare GRACE with GRACE+HomoGCL on the embedded graph: a table and a page to open."""
    run_demo(out, seed)


@app.command()
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


@app.command()
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


@app.command()
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


@app.command()
def run(
    methods: list[str],
    data: Annotated[list[str], typer.Option("--data", help="Data set; may be repeated.")],
    seeds: Annotated[int, typer.Option(min=1, help="Seeds 0 to n-1.")] = 5,
    results: Annotated[Path, typer.Option(help="Folder of records.")] = Path("results"),
    settings: Set = None,
    preset: Preset = None,
    tasks: Annotated[list[Task] | None, typer.Option("--task", help="What to score.")] = None,
    milestones: Annotated[str, typer.Option(help="Epochs to probe at, such as 20,50.")] = "",
    root: Root = None,
) -> None:
    """Train and evaluate every method on every data set and seed; finished cells are skipped."""
    overrides = parse_overrides(settings or [])
    epochs = _epochs(milestones)
    scored = tuple(task.value for task in tasks or Task)
    cells = [
        RunSpec(method, name, seed, overrides, preset, epochs, scored, root)
        for name in data
        for method in methods
        for seed in range(seeds)
    ]
    for spec in cells:
        spec.settings()  # what is wrong is said before the first hour, not after it
    with display.grid(len(cells)) as show:
        for spec in cells:
            record, ran = run_cell(spec, results, show.epoch(f"{spec.method} on {spec.data}"))
            show.cell(record, ran=ran)


@app.command()
def table(
    name: str,
    results: Annotated[Path, typer.Option(help="Folder of records.")] = Path("results"),
    form: Annotated[Format, typer.Option("--format", help="How to write it.")] = Format.markdown,
    insert: Annotated[Path | None, typer.Option(help="File with markers to fill in.")] = None,
) -> None:
    """Print a table made of records, or put it between its markers in a file."""
    if name not in TABLES:
        raise UnknownName("table", name, TABLES)
    made = named_table(name, results)
    if insert is not None:
        insert_table(insert, name, made)
        display.say(f"wrote the table {name} into {insert}")
        return
    write = {Format.markdown: to_markdown, Format.latex: to_latex, Format.csv: to_csv}[form]
    typer.echo(write(made))


@app.command("list")
def list_names(what: Listing, as_json: Json = False) -> None:
    """List the methods, the data sets or the presets."""
    rows: dict[str, list[dict[str, str]]] = {
        "methods": [
            {
                "name": name,
                "plug-ins": " ".join(f"+{p}" for p in plugin_names())
                if method_class(name).expands_positives
                else "",
                "learns from": method_class(name).training_data,
                "what": summary(name),
            }
            for name in (method_names() if what is Listing.methods else [])
        ],
        "datasets": [{"name": name} for name in data_names()],
        "presets": [
            {"method": method, "section": section, "source": source}
            for method, section, source in preset_names()
        ],
    }
    display.rows(rows[what.value], as_json=as_json)


@app.command()
def show(method: str, data: str, preset: Preset = None, as_json: Json = False) -> None:
    """Show the settings of METHOD on DATA and where they come from."""
    settings = resolve(method, data, preset=preset)
    if as_json:
        typer.echo(json.dumps({**settings.flat(), "source": settings.source}))
        return
    display.result(settings.flat(), as_json=False)
    display.say(f"source: {settings.source}")


def main() -> None:
    """Run the command line: a user's mistake is one line and exit code 2."""
    try:
        app()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(2)


def _epochs(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise UserError(f"--milestones {text!r}: give whole numbers such as 20,50,100") from None
