"""Readers of files from strangers, what they usually read, and how that is spoiled."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from hypothesis import strategies as st

from homogcl.core.errors import UserError
from homogcl.core.memory import shortage
from homogcl.data.load import load
from homogcl.data.own.graph import read_own
from homogcl.methods.base import Sizes
from homogcl.runs.embedder import Embedder
from homogcl.runs.folder import RunFolder
from homogcl.runs.record import read_record
from homogcl.training.checkpoint import Checkpoints, State
from tests.data import conftest as planetoid
from tests.records import make_record
from tests.toys import Toy

# What a file has no business doing to the one who reads it.
_FORBIDDEN = ("os.system", "os.exec", "os.fork", "os.posix_spawn", "subprocess.", "socket.", "pty.")
_watched: list[list[str]] = []


def _audit(event: str, _: tuple[object, ...]) -> None:
    if _watched and event.startswith(_FORBIDDEN):
        _watched[-1].append(event)


sys.addaudithook(_audit)


@contextmanager
def watched() -> Iterator[list[str]]:
    """Give the list of everything that is forbidden to files and yet happens."""
    _watched.append([])
    try:
        yield _watched[-1]
    finally:
        _watched.pop()


def outcome(read: Callable[[], object], folder: Path) -> str:
    """Return "read" or "refused"; a traceback, code that runs or a new file is an error."""
    before = sorted(folder.rglob("*"))
    line: str | None = None
    with watched() as events:
        try:
            read()
        except UserError as error:
            line = str(error)
        except (MemoryError, RuntimeError) as error:
            line = shortage(error)
            if line is None:
                raise
    assert line is None or len(line.splitlines()) == 1, line
    assert events == []
    assert sorted(folder.rglob("*")) == before
    return "read" if line is None else "refused"


@dataclass(frozen=True)
class Reader:
    """A file's good content, its name, and what reads it in a folder."""

    name: str
    good: bytes
    read: Callable[[Path], object]
    beside: Mapping[str, bytes] | None = None

    def try_out(self, content: bytes, folder: Path) -> str:
        """Return what becomes of `content` in place of the good one."""
        for name, data in {**(self.beside or {}), self.name: content}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return outcome(lambda: self.read(folder), folder)


def spoiled(good: bytes) -> st.SearchStrategy[bytes]:
    """Bytes that were good until some were flipped, cut, repeated or replaced."""
    place = st.integers(0, max(len(good) - 1, 0))
    change = st.tuples(place, st.sampled_from(["flip", "cut", "insert", "repeat", "end"]))
    noise = st.binary(max_size=8)

    def apply(changes: list[tuple[tuple[int, str], bytes]]) -> bytes:
        data = bytearray(good)
        for (at, kind), extra in changes:
            at = min(at, len(data))
            if kind == "flip" and data and at < len(data):
                data[at] ^= extra[0] if extra else 1
            elif kind == "cut":
                del data[at : at + len(extra) + 1]
            elif kind == "insert":
                data[at:at] = extra
            elif kind == "repeat":
                data[at:at] = data[at : at + 40]
            elif kind == "end":
                del data[max(at, 1) :]
        return bytes(data)

    changed = st.lists(st.tuples(change, noise), min_size=1, max_size=4).map(apply)
    return changed | st.binary(max_size=200)


def _parquet(**columns: Any) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def photo_arrays() -> dict[str, Any]:
    """A graph of three nodes in the arrays of the data set Photo."""
    starts = np.array([0, 1, 2, 3])
    return {
        **{"adj_data": np.ones(3), "adj_indices": np.array([1, 2, 1]), "adj_indptr": starts},
        **{"attr_data": np.ones(3), "attr_indices": np.array([0, 1, 0]), "attr_indptr": starts},
        **{"adj_shape": np.array([3, 3]), "attr_shape": np.array([3, 2])},
        "labels": np.array([0, 1, 0]),
    }


def planetoid_parts() -> dict[str, bytes]:
    """The parts of a graph of ten nodes, as old pickles."""
    make: Any = planetoid.tiny_parts
    parts: dict[str, bytes] = make.__wrapped__() if hasattr(make, "__wrapped__") else make()
    return parts


EDGES = b"source,target,weight\na,b,1\nb,c,2.5\nc,a,1\nd,d,3\n"
NODES = b"id,label,split\na,x,train\nb,y,val\nc,x,test\nd,,\n"
FEATURES = b"id,f1,f2\na,1,2\nb,0,-1\nc,3e2,0\nd,1,1\n"
TOML = (
    b'edges = "edges.csv"\nnodes = "nodes.csv"\nfeatures = "features.csv"\n'
    b'label = "label"\nsplit = "split"\nweight = "weight"\n'
)
GRAPHML = b"""<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="edge" attr.name="w" attr.type="double"/>
<graph edgedefault="undirected"><node id="a"/><node id="b"/>
<edge source="a" target="b"><data key="d0">1.5</data></edge></graph></graphml>"""
OWN = {"edges.csv": EDGES, "nodes.csv": NODES, "features.csv": FEATURES, "graph.toml": TOML}
PHOTO = "amazon/Photo/raw/amazon_electronics_photo.npz"


def read_folder(folder: Path) -> object:
    """Read the user's graph that `graph.toml` describes."""
    return read_own(folder)


def own_file(name: str, good: bytes) -> Reader:
    """Return the reader of a single file of edges."""
    return Reader(name, good, lambda folder: read_own(folder / name))


def checkpoint_content() -> dict[str, Any]:
    """A checkpoint of a toy."""
    state = toy_state()
    return {
        "epoch": 1,
        "fingerprint": {},
        "method": dict(state.method.state_dict()),
        "optimizer": state.optimizer.state_dict(),
        "rng": state.rng.get_state(),
        "torch_rng": torch.get_rng_state(),
    }


def saved(content: object) -> bytes:
    """What `torch.save` writes."""
    buffer = io.BytesIO()
    torch.save(content, buffer)
    return buffer.getvalue()


def toy_state() -> State:
    """A toy and its optimizer before the first step."""
    method = Toy(Sizes(4, 3))
    return State(method, torch.optim.Adam([method.weight]), torch.Generator())


def read_checkpoint(folder: Path) -> object:
    """Restore a toy from the bytes in `checkpoint`, under the name that their hash asks for."""
    data = (folder / "checkpoint").read_bytes()
    digest = hashlib.sha256(data).hexdigest()[:16]
    path = folder / f"epoch-00000001-{digest}.pt"
    path.write_bytes(data)
    try:
        with torch.random.fork_rng(devices=[]):
            checkpoints = Checkpoints(folder)
            return checkpoints.put_back(toy_state(), checkpoints.newest())
    finally:
        path.unlink()


def run_config() -> dict[str, Any]:
    """The configuration of a run that was trained on four nodes."""
    return {
        "method": "random",
        "data": "demo",
        "seed": 0,
        "overrides": {"epochs": 1},
        "preset": None,
        "settings": {"method": RUN_SETTINGS, "train": {}, "data": {}},
    }


def read_run(folder: Path) -> object:
    """Read a run folder as `embed` does, as far as it goes without the data."""
    run = RunFolder(folder)
    return run.request(), run.settings(), run.model()


RUN_SETTINGS = {"hidden_dim": 4, "out_dim": 2}


def embedder_bytes(folder: Path) -> bytes:
    """What a fitted embedder saves."""
    edges = torch.tensor([[0, 1, 2], [1, 2, 0]])
    data = planetoid_graph(edges)
    path = Embedder("random", hidden_dim=4, out_dim=2).fit(data).save(folder / "embedder")
    content = path.read_bytes()
    path.unlink()
    return content


def planetoid_graph(edge_index: torch.Tensor) -> Any:
    """A graph of three nodes."""
    from torch_geometric.data import Data

    return Data(x=torch.eye(3), edge_index=edge_index)


def readers(folder: Path) -> dict[str, Reader]:
    """Every reader of bytes by the name in the catalog; `folder` is for scratch."""
    table = {"source": pa.array(["a", "b"]), "target": pa.array(["b", "c"])}
    record = make_record().model_dump_json().encode()
    return {
        "edges as bytes": own_file("edges.csv", EDGES),
        "features as CSV": Reader("features.csv", FEATURES, read_folder, OWN),
        "Parquet": own_file("edges.parquet", _parquet(**table)),
        "npz of a published data set": Reader(
            PHOTO, _npz(**photo_arrays()), lambda folder: load("photo", folder)
        ),
        "npz and npy of features": Reader(
            "features.npz",
            _npz(x=np.ones((4, 2), np.float32), ids=np.array(["a", "b", "c", "d"])),
            read_folder,
            OWN | {"graph.toml": TOML.replace(b"features.csv", b"features.npz")},
        ),
        "Planetoid pickle": Reader(
            "planetoid/CiteSeer/raw/ind.citeseer.allx",
            planetoid_parts()["allx"],
            lambda folder: load("citeseer", folder),
            {f"planetoid/CiteSeer/raw/ind.citeseer.{k}": v for k, v in planetoid_parts().items()},
        ),
        "GraphML": own_file("graph.graphml", GRAPHML),
        "graph.toml": Reader("graph.toml", TOML, read_folder, OWN),
        "run record": Reader("r.json", record, lambda folder: read_record(folder / "r.json")),
        "checkpoint": Reader("checkpoint", saved(checkpoint_content()), read_checkpoint),
        "config.json of a run": Reader(
            "config.json",
            json.dumps(run_config()).encode(),
            read_run,
            {"model.safetensors": embedder_bytes(folder)},
        ),
        "saved embedder": Reader(
            "e.safetensors",
            embedder_bytes(folder),
            lambda folder: Embedder.load(folder / "e.safetensors"),
        ),
    }
