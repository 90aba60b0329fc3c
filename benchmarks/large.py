"""Tables beyond memory, end to end: import, an epoch, the closed form, vectors, an index.

`python -m benchmarks large --nodes 500000,5000000` measures sizes; each has ten times as many edges
as nodes, string ids and 64 features, and every stage is a process of its own. The tables are made
in `$TMPDIR/homogcl-large` and removed once a size is done; what was measured stays there, so that a
command that was killed goes on with the stage that it was in, at the same commit.
"""

from __future__ import annotations

import json
import math
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from benchmarks.process import Measured, measure
from homogcl.cli import app
from homogcl.core.errors import UserError
from homogcl.core.files import write_atomically
from homogcl.core.memory import peak_bytes, reset_peak
from homogcl.data.streamed.graph import stream_graph, tables_of
from homogcl.data.streamed.store import threads
from homogcl.runs.folder import RunFolder
from homogcl.runs.index import make_index
from homogcl.runs.origin import current_commit

Row = tuple[str, float, str]  # what, its value, what it is held to
SIZES = (100_000, 500_000)
MEMORY = 4_000_000_000
EDGES, FEATURES, GROUPS = 10, 64, 100  # edges of a node, its features; groups of nodes
BLOCK = 500_000  # rows that are generated together
STAGES = ("sort", "import", "epoch", "vectors", "index", "closed")
NAMES = {"closed": "closed form"}  # of stages, where they are not their own
SETTINGS = (
    *("epochs=1", "fanout=[5]", "negatives=sampled", "num_negatives=256"),
    *("hidden_dim=64", "out_dim=64"),
)
TRAIN = [word for setting in SETTINGS for word in ("--set", setting)]


def sizes_of(arguments: list[str]) -> tuple[list[str], Sequence[int]]:
    """Return the names of parts among arguments, and the numbers behind --nodes."""
    if "--nodes" not in arguments:
        return arguments, SIZES
    at = arguments.index("--nodes")
    texts = "".join(arguments[at + 1 : at + 2]).split(",")
    if not all(text.isdigit() for text in texts):
        raise UserError("write the sizes as --nodes 100000,500000")
    return arguments[:at] + arguments[at + 2 :], [int(text) for text in texts]


def large(sizes: Sequence[int] = SIZES) -> list[Row]:
    """Return seconds and memory from tables to an index, and how they grow."""
    taken: dict[int, dict[str, Measured]] = {}
    rows: list[Row] = []
    for nodes in sizes:
        taken[nodes] = _measured(nodes)
        for stage in STAGES:
            result, name = taken[nodes][stage], NAMES.get(stage, stage)
            rows += [
                (f"N = {nodes:,}: {name}, minutes", result["seconds"] / 60, ""),
                (f"N = {nodes:,}: {name}, GB", result["bytes"] / 1e9, "under 4"),
            ]
        ratio = taken[nodes]["import"]["seconds"] / taken[nodes]["sort"]["seconds"]
        rows.append((f"N = {nodes:,}: import over DuckDB's sort", ratio, "at most 3"))
        waiting = 100 * taken[nodes]["epoch"]["waiting"]
        rows.append((f"N = {nodes:,}: share of an epoch without a batch, %", waiting, ""))
        index = taken[nodes]["index"]
        rows.append((f"N = {nodes:,}: recall of 10 nearest", index["recall"], "at least 0.95"))
        rows.append((f"N = {nodes:,}: exact search over index", index["exact_over_index"], ""))
    first, last = min(taken), max(taken)
    for stage in STAGES if last > first else ():
        growth = taken[last][stage]["seconds"] / taken[first][stage]["seconds"]
        exponent = math.log(growth) / math.log(last / first)
        rows.append((f"exponent of {NAMES.get(stage, stage)} in N", exponent, "at most 1.1"))
    return rows


def _measured(nodes: int) -> dict[str, Measured]:
    """Return what each stage takes; stages that were measured before are not measured again."""
    folder = Path(tempfile.gettempdir()) / "homogcl-large" / f"{current_commit()}-{nodes}"
    file, tables = folder / "measured.json", folder / "tables"
    taken: dict[str, Measured] = json.loads(file.read_text()) if file.exists() else {}
    for stage in ("tables", *STAGES):
        if stage not in taken:
            arguments = [nodes] if stage == "tables" else []
            taken[stage] = measure(f"large_{stage}", *arguments, str(tables))
            write_atomically(file, json.dumps(taken).encode())
    shutil.rmtree(tables, ignore_errors=True)
    return taken


def large_tables(nodes: int, folder: str) -> Measured:
    """Write edges and nodes as folders of Parquet: groups with centers, most edges inside them."""
    rng = np.random.default_rng(0)
    names = np.char.add("user-", (np.arange(nodes) * 2_654_435_761 % 2**32).astype(str))
    centers = rng.normal(size=(GROUPS, FEATURES)).astype(np.float32)
    edges, listed = _empty(folder, "edges"), _empty(folder, "nodes")
    for part, start in enumerate(range(0, nodes, BLOCK)):
        stop = min(start + BLOCK, nodes)
        noise = rng.normal(size=(stop - start, FEATURES)).astype(np.float32)
        x = centers[np.arange(start, stop) % GROUPS] + 2 * noise
        columns = {f"x{j}": x[:, j] for j in range(FEATURES)}
        table = pa.table({"id": names[start:stop], **columns})
        pa.parquet.write_table(table, listed / f"{part:04}.parquet")
    for part, start in enumerate(range(0, EDGES * nodes, BLOCK)):
        count = min(BLOCK, EDGES * nodes - start)
        source, target = rng.integers(0, nodes, (2, count))
        inside = rng.random(count) < 0.8
        target = np.where(inside, target - target % GROUPS + source % GROUPS, target) % nodes
        table = pa.table({"follower": names[source], "followed": names[target]})
        pa.parquet.write_table(table, edges / f"{part:04}.parquet")
    return {"nodes": nodes}


def large_sort(folder: str) -> Measured:
    """Sort the table of edges by DuckDB alone."""
    import duckdb

    place = _empty(folder, "sorted")

    def sort() -> None:
        with duckdb.connect(str(place / "table.duckdb")) as database:
            database.execute(f"set memory_limit = '{MEMORY // 10**6}MB'")
            database.execute(f"set threads = {threads()}")
            database.execute(
                f"create table sorted as select * from read_parquet('{folder}/edges/*.parquet') "
                "order by follower, followed"
            )

    result = _timed(sort)
    shutil.rmtree(place)
    return result


def large_import(folder: str) -> Measured:
    """Bring the tables to a graph on disk."""
    tables, graph = (
        tables_of(f"{folder}/edges", {"nodes": f"{folder}/nodes"}),
        _empty(folder, "graph"),
    )
    return _timed(lambda: stream_graph(tables, graph, MEMORY, lambda stage, rows: None))


def large_epoch(folder: str) -> Measured:
    """Train one epoch of grace+adaptive by batches, and embed all nodes."""
    run = ("train", "grace+adaptive", f"{folder}/graph", "--out", str(_empty(folder, "run")))
    result = _timed(lambda: _command(*run, "--batch", "neighbors:4096", *TRAIN))
    log = json.loads(Path(f"{folder}/run/metrics.jsonl").read_text().splitlines()[-1])
    return {**result, "waiting": log["waiting"] / log["seconds"]}


def large_closed(folder: str) -> Measured:
    """Compute the closed form, and embed all nodes by it."""
    run = ("train", "homogcl", f"{folder}/graph", "--out", str(_empty(folder, "closed")))
    return _timed(lambda: _command(*run))


def large_vectors(folder: str) -> Measured:
    """Write the vectors with their ids to Parquet."""
    return _timed(lambda: _command("embed", f"{folder}/run", "-o", f"{folder}/z.parquet"))


def large_index(folder: str) -> Measured:
    """Index the vectors, and look for the 10 nearest of 1,000 nodes both ways."""
    reports: list[Any] = []
    result = _timed(lambda: reports.append(make_index(RunFolder(Path(folder) / "run"), 10)))
    [report] = reports
    ratio = report.exact_over_index
    seconds = {"seconds": report.seconds, "recall": report.recall, "exact_over_index": ratio}
    return {**result, **seconds}


def _empty(folder: str, name: str) -> Path:
    """Return a folder without what a killed stage left in it."""
    place = Path(folder) / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    return place


def _timed(work: Callable[[], object]) -> Measured:
    reset_peak()
    start = time.perf_counter()
    work()
    return {"seconds": time.perf_counter() - start, "bytes": peak_bytes()}


def _command(*words: str) -> None:
    """Run a command of the package in this process, unheard."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        app(list(words), standalone_mode=False)
