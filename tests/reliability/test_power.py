"""After a loss of power, whatever was not flushed may be gone: nothing whole is lost."""

from __future__ import annotations

import itertools
import os
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from homogcl.core.files import remove_partial, write_atomically
from homogcl.data.mapped import INDEX, is_mapped, write_mapped
from homogcl.methods.base import Sizes
from homogcl.methods.registry import build
from homogcl.presets.resolve import resolve
from homogcl.runs.export import write_array, write_embeddings
from homogcl.runs.folder import RunFolder
from homogcl.runs.index import index_of, make_index
from homogcl.runs.run import Run
from homogcl.training.checkpoint import Checkpoints, State
from tests.data.streamed.tables import SETTINGS, odd_tables, streamed
from tests.data.streamed.tables import write as write_tables
from tests.reliability.conftest import Count
from tests.reliability.power import recorded, states, write
from tests.toys import Toy

OLD, NEW = b"what was there before", b"what is to be there, and is longer than that"


def test_a_write_without_flushing_would_be_found_out(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "file").write_bytes(OLD)
    with recorded(root) as recorder:
        (root / "other").write_bytes(NEW)
        os.replace(root / "other", root / "file")
    contents = {tree["file"] for tree in states(recorder)}
    assert contents >= {OLD, NEW, b"", NEW[: len(NEW) // 2]}


def test_an_atomic_write_leaves_the_old_or_the_new(tmp_path: Path, count: Count) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "file").write_bytes(OLD)
    with recorded(root) as recorder:
        write_atomically(root / "file", NEW)
        write_atomically(root / "deep" / "down" / "file", NEW)
    tried = 0
    for tree in states(recorder):
        assert tree["file"] in (OLD, NEW)
        assert tree.get("deep/down/file") in (None, NEW)
        tried += 1
    assert tried > 10
    for tree in states(recorder, last=True):
        assert tree["file"] == tree["deep/down/file"] == NEW
    count("loss of power in a write", rounds=tried, survived=tried)


def test_a_checkpoint_is_the_former_or_the_new_one(
    tmp_path: Path, block_graph: Data, count: Count
) -> None:
    method = Toy(Sizes.of(block_graph))
    optimizer = torch.optim.SGD(method.parameters(), lr=0.1)
    state = State(method, optimizer, torch.Generator())
    root = tmp_path / "root"
    root.mkdir()
    checkpoints = Checkpoints(root / "checkpoint")
    checkpoints.save(state, 1)
    contents = {checkpoints.newest()}
    with recorded(root) as recorder:
        for epoch in (2, 3):
            checkpoints.save(state, epoch)
            contents.add((root / "checkpoint" / newest_name(checkpoints)).read_bytes())
    last = (root / "checkpoint" / newest_name(checkpoints)).read_bytes()
    tried = 0
    for number, tree in enumerate(states(recorder)):
        left = Checkpoints(write(tree, tmp_path / str(number)) / "checkpoint")
        remove_partial(left.folder)
        assert left.newest() in contents
        tried += 1
    assert tried > 10
    for number, tree in enumerate(states(recorder, last=True)):
        left = Checkpoints(write(tree, tmp_path / f"last-{number}") / "checkpoint")
        assert left.newest() == last
    count("loss of power in a checkpoint", rounds=tried, survived=tried)


def newest_name(checkpoints: Checkpoints) -> str:
    return max(path.name for path in checkpoints.folder.glob("epoch-*.pt"))


@pytest.mark.parametrize("ending", ["npy", "csv", "parquet"])
def test_an_export_is_whole_or_not_there(ending: str, tmp_path: Path, count: Count) -> None:
    root = tmp_path / "root"
    root.mkdir()
    z = np.random.default_rng(0).random((20, 3), np.float32)
    write_embeddings(root / f"z.{ending}", range(20, 40), 0 * z)
    before = {path.name: path.read_bytes() for path in root.iterdir()}
    with recorded(root) as recorder:
        written = write_embeddings(root / f"z.{ending}", range(20), torch.from_numpy(z))
    after = {path.name: path.read_bytes() for path in written}
    tried = 0
    for tree in states(recorder):
        left = {name: tree[name] for name in after if name in tree}
        # Vectors may stand without ids, but never with those of others.
        array = f"z.{ending}"
        assert left[array] in (before[array], after[array])
        assert left.items() <= before.items() or left.items() <= after.items()
        tried += 1
    for tree in states(recorder, last=True):
        assert {name: tree[name] for name in after} == after
    count("loss of power in an export", rounds=tried, survived=tried)


def test_an_import_is_whole_or_goes_on(tmp_path: Path, count: Count, soak: int) -> None:
    edges, nodes = odd_tables(nodes=12, rows=30)
    write_tables(tmp_path, edges, nodes)
    chosen = {**SETTINGS, "nodes": str(tmp_path / "nodes.parquet"), "weight": "times"}
    source, root = tmp_path / "edges.parquet", tmp_path / "root"
    root.mkdir()
    with recorded(root) as recorder:
        streamed(source, root / "graph", chosen)
    folder = root / "graph"
    index = (folder / INDEX).read_text()
    counts = Counter[str]()
    # There are thousands, of which each takes a moment: all of them are for a soak.
    step = 40 if soak == 1 else 1
    for number, tree in enumerate(itertools.islice(states(recorder), 0, None, step)):
        left = write(tree, tmp_path / "states" / str(number)) / "graph"
        counts["whole" if is_mapped(left) else "resumed"] += 1
        if not is_mapped(left):
            streamed(source, left, chosen)
        assert (left / INDEX).read_text() == index
        contents = {path.name: path.read_bytes() for path in left.glob("*.npy")}
        assert contents == {path.name: path.read_bytes() for path in folder.glob("*.npy")}
        shutil.rmtree(left.parent)
    assert min(counts["whole"], counts["resumed"]) > 10
    for tree in states(recorder, last=True):
        assert f"graph/{INDEX}" in tree
    count("loss of power in an import", rounds=counts.total(), survived=counts.total())


def test_a_model_never_stands_beside_other_embeddings(
    tmp_path: Path, block_graph: Data, count: Count
) -> None:
    settings = resolve("grace", "", {"epochs": 1, "hidden_dim": 8, "out_dim": 4})
    block_graph.sha256 = "0" * 64
    run = Run.of("grace", settings, block_graph)
    former, method = (build("grace", settings.method, Sizes.of(block_graph), s) for s in (0, 1))
    root = tmp_path / "root"
    root.mkdir()
    folder = RunFolder(root)
    folder.finish(run, former)
    before = contents(root)
    with recorded(root) as recorder:
        folder.finish(run, method)
    after = contents(root)
    assert set(before) == set(after) == {"model.safetensors", "embeddings.npy", "ids.json"}
    tried = 0
    for number, tree in enumerate(states(recorder)):
        left = {name: tree[name] for name in after if name in tree}
        assert left.items() <= before.items() or left.items() <= after.items()
        assert "model.safetensors" in left
        # From each of them the end of the run is written again.
        again = write(tree, tmp_path / str(number))
        remove_partial(again)
        RunFolder(again).finish(run, method)
        assert contents(again) == after
        tried += 1
    assert tried > 10
    for tree in states(recorder, last=True):
        assert {name: tree[name] for name in after} == after
    count("loss of power at the end of a run", rounds=tried, survived=tried)


def test_an_index_is_of_its_embeddings_or_does_not_count(tmp_path: Path, count: Count) -> None:
    root = tmp_path / "root"
    root.mkdir()
    rng = np.random.default_rng(0)
    for _ in range(2):  # the second time over an index of other embeddings
        write_array(root / "embeddings.npy", torch.from_numpy(rng.random((50, 4), np.float32)))
        with recorded(root) as recorder:
            make_index(RunFolder(root), k=3, asked=10)
    new = contents(root)
    counts = Counter[str]()
    for number, tree in enumerate(states(recorder)):
        left = RunFolder(write(tree, tmp_path / str(number)))
        index = index_of(left)
        counts["whole" if index else "made anew"] += 1
        if index is not None:
            assert tree["index.faiss"] == new["index.faiss"]
            assert index.index.ntotal == 50
        else:
            make_index(left, k=3, asked=10)
            assert index_of(left) is not None
    assert min(counts["whole"], counts["made anew"]) > 0
    for tree in states(recorder, last=True):
        assert {name: tree[name] for name in new} == new
    count("loss of power in an index", rounds=counts.total(), survived=counts.total())


def test_a_graph_on_disk_is_whole_or_is_none(
    tmp_path: Path, block_graph: Data, count: Count
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with recorded(root) as recorder:
        write_mapped(block_graph, root / "graph")
    whole = contents(root / "graph")
    counts = Counter[str]()
    for number, tree in enumerate(states(recorder)):
        left = write(tree, tmp_path / str(number)) / "graph"
        counts["whole" if is_mapped(left) else "written anew"] += 1
        if not is_mapped(left):
            write_mapped(block_graph, left)
            remove_partial(left)
        assert contents(left) == whole
    assert min(counts["whole"], counts["written anew"]) > 0
    for tree in states(recorder, last=True):
        assert f"graph/{INDEX}" in tree
    count("loss of power in a graph on disk", rounds=counts.total(), survived=counts.total())


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
