"""Try every form of a graph and every kind of column, and write the results into own-data.md."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse
import torch
from torch_geometric.data import Data, HeteroData, InMemoryDataset

from homogcl import Embedder, Tables, UserError, load
from homogcl.core.files import write_atomically
from homogcl.data.own.ids import some

PAGE = Path(__file__).parent / "own-data.md"
SIZE = 60
IDS = [f"ü{number}" for number in range(SIZE)]
PAIRS = np.array([(i, (i + s) % 20 + 20 * (i // 20)) for i in range(SIZE) for s in (1, 3, 7)])
X = np.random.default_rng(0).normal([40, 3], [10, 1], (SIZE, 2))
EDGES = pd.DataFrame(
    {
        "source": [IDS[i] for i in PAIRS[:, 0]],
        "target": [IDS[i] for i in PAIRS[:, 1]],
        "weight": 1.0 + PAIRS[:, 0] % 3,
    }
)
NODES = pd.DataFrame({"id": IDS, "age": X[:, 0], "size": X[:, 1]})
INDEX = torch.from_numpy(PAIRS.T.copy())
SMALL: dict[str, Any] = {"epochs": 1, "hidden_dim": 8, "out_dim": 4, "num_clusters": 3}


def _networkx() -> Any:
    graph = nx.from_pandas_edgelist(EDGES, edge_attr="weight")
    nx.set_node_attributes(graph, dict(zip(IDS, X[:, 0], strict=True)), "age")
    return graph


def _attributed() -> Any:
    graph = _networkx()
    values = {
        "x": X.tolist(),
        "color": ["red", "blue"] * (SIZE // 2),
        "label": [number // 20 for number in range(SIZE)],
        "style": [{}] * SIZE,
    }
    for name, each in values.items():
        nx.set_node_attributes(graph, dict(zip(IDS, each, strict=True)), name)
    return graph


def _igraph() -> Any:
    graph = igraph.Graph(n=SIZE, edges=PAIRS.tolist())
    graph.vs["name"], graph.vs["age"] = IDS, X[:, 0].tolist()
    return graph


def _hetero() -> Any:
    graph = HeteroData()
    graph["person"].x = torch.from_numpy(X).float()
    graph["person", "knows", "person"].edge_index = INDEX
    graph["person", "likes", "thing"].edge_index = torch.tensor([[0, 1], [1, 0]])
    return graph


class _Graphs(InMemoryDataset):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.data, self.slices = self.collate(
            [Data(x=torch.from_numpy(X).float(), edge_index=INDEX)]
        )


class _DGLGraph:
    """Stands in for DGL's, with the same methods."""

    ntypes, etypes, canonical_etypes = ["_N"], ["_E"], [("_N", "_E", "_N")]
    ndata, edata = {"feat": torch.from_numpy(X).float()}, {"weight": torch.ones(len(PAIRS))}

    def edges(self) -> tuple[torch.Tensor, torch.Tensor]:
        return INDEX[0], INDEX[1]

    def num_nodes(self) -> int:
        return SIZE


_DGLGraph.__module__ = "dgl.heterograph"
HETERO = _hetero()

INPUTS: dict[str, Callable[[], Any]] = {
    "a table of edges, pandas": lambda: EDGES,
    "a table of edges, polars": lambda: pl.DataFrame(EDGES.to_dict("list")),
    "`Tables(edges, nodes)`, pandas": lambda: Tables(EDGES, NODES),
    "`Tables(edges, nodes)`, ids in the index": lambda: Tables(EDGES, NODES.set_index("id")),
    "`Tables(edges, nodes)`, polars": lambda: Tables(
        pl.DataFrame(EDGES.to_dict("list")), pl.DataFrame(NODES.to_dict("list"))
    ),
    "numpy, `[E, 2]`": lambda: PAIRS,
    "numpy, `[2, E]`": lambda: PAIRS.T,
    "numpy, `(edges, x)`": lambda: (PAIRS, X),
    "scipy, sparse adjacency": lambda: scipy.sparse.coo_array(
        (np.ones(len(PAIRS)), PAIRS.T), shape=(SIZE, SIZE)
    ),
    "networkx, numbers at nodes": _networkx,
    "networkx, also vectors `x`, texts, `label` and objects": _attributed,
    "igraph, numbers at nodes": _igraph,
    "torch `edge_index`": lambda: INDEX,
    "torch, `(edge_index, x)`": lambda: (INDEX, torch.from_numpy(X)),
    "torch, a dict": lambda: {"edge_index": INDEX, "x": torch.from_numpy(X)},
    "torch_geometric `Data`": lambda: Data(x=torch.from_numpy(X).float(), edge_index=INDEX),
    "torch_geometric `Dataset` of one graph": _Graphs,
    "torch_geometric, a relation of a `HeteroData`": lambda: HETERO["person", "knows", "person"],
    "torch_geometric `HeteroData` of two relations": lambda: HETERO,
    "DGL (an object with its methods; DGL itself is not installed here)": _DGLGraph,
    "a list": lambda: [1, 2],
    "a table whose ends have no names": lambda: pd.DataFrame({c: [1] for c in "abcd"}),
    "`Tables` whose ids do not match": lambda: Tables(EDGES, NODES.assign(id=range(SIZE))),
}


def _cells(values: list[Any], **settings: Any) -> Tables:
    nodes = pd.DataFrame({"id": IDS, "column": (values * SIZE)[:SIZE]})
    return Tables(EDGES, nodes, **settings)


_BAG = pd.DataFrame(
    {"id": IDS} | {f"w{j}": [(i * j) % 7 == 1 for i in range(SIZE)] for j in range(20)}
).replace({True: 2, False: 0})

COLUMNS: dict[str, Callable[[], Tables]] = {
    "numbers": lambda: _cells(X[:, 0].tolist()),
    "numbers with a heavy tail": lambda: _cells([*range(1, 20), 10_000]),
    "0 and 1": lambda: _cells([0, 1]),
    "counts of 20 words": lambda: Tables(EDGES, _BAG),
    "truth values": lambda: _cells([True, False, False]),
    "yes and no": lambda: _cells(["yes", "no"]),
    "dates": lambda: _cells(pd.date_range("2024-01-01", periods=SIZE).tolist()),
    "dates as text": lambda: _cells([f"2024-05-{day:02}" for day in range(1, 31)]),
    "categories": lambda: _cells(["red", "blue", "blue"]),
    "categories, one of them rare": lambda: _cells(["rare", *["red", "blue"] * SIZE]),
    "numbers, `kinds={'column': 'category'}`": lambda: _cells(
        [10115, 10117], kinds={"column": "category"}
    ),
    "text": lambda: _cells([f"likes {'cats' if i % 2 else 'dogs'}, no. {i}" for i in range(SIZE)]),
    "texts without a common word": lambda: _cells([f"n{i}" for i in range(SIZE)]),
    "numbers, one of them misspelled": lambda: _cells(
        [*["1.5", "2.5"] * (SIZE // 2 - 1), "3", "4,5"]
    ),
    "numbers with gaps": lambda: _cells([1.5, 2.5, None, 4.5, 3.5]),
    "numbers with gaps, `missing='drop'`": lambda: _cells([1.5, 2.5, None], missing="drop"),
    "numbers with gaps, `missing='fill'`": lambda: _cells([1.5, 2.5, None], missing="fill"),
    "a node without a row": lambda: Tables(EDGES, NODES.iloc[1:]),
    "a node without a row, `missing='drop'`": lambda: Tables(EDGES, NODES.iloc[1:], missing="drop"),
    "a node without a row, `missing='fill'`": lambda: Tables(EDGES, NODES.iloc[1:], missing="fill"),
}


def _report(held: Any) -> str:
    return str(load(held).get("report") or "")


def input_rows() -> Iterator[tuple[str, ...]]:
    """Yield each form of a graph with the shape of its vectors, their ids, and the features."""
    for name, held in INPUTS.items():
        try:
            embedder = Embedder("grace+homogcl", **SMALL)
            shape = embedder.fit_transform(held()).shape
        except UserError as error:
            yield name, "refused", "", str(error)
            continue
        features = (
            "made of the edges" if embedder.model_.graph.structural else str(embedder.recipe_)
        )
        notes = [note for note in _report(held()).split("; ") if "not used" in note]
        told = "; ".join([features, *notes])
        yield name, f"{shape[0]} vectors", some(embedder.ids_[:2]), told


def column_rows() -> Iterator[tuple[str, ...]]:
    """Yield each kind of column with what became of it, as a saved embedder has it too."""
    for name, tables in COLUMNS.items():
        try:
            report = load(tables()).report
        except UserError as error:
            yield name, f"refused: {error}"
            continue
        with tempfile.TemporaryDirectory() as folder:
            embedder = Embedder("raw").fit(tables())
            saved = Embedder.load(embedder.save(Path(folder) / "e"))
            same = np.array_equal(saved.transform(tables()), embedder.transform(tables()))
        notes = report.partition("; ")[2].removeprefix("features: ")
        yield name, notes if same else f"{notes}, but otherwise once it was saved"


TABLES: dict[str, tuple[tuple[str, ...], Callable[[], Iterator[tuple[str, ...]]]]] = {
    "inputs": (("Input", "result", "ids", "features, or why it is refused"), input_rows),
    "columns": (("Column", "what became of it"), column_rows),
}


def filled(text: str) -> str:
    """Return the page with each table between its markers written anew."""
    for name, (titles, rows) in TABLES.items():
        lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
        lines += [f"| {' | '.join(cells)} |" for cells in rows()]
        start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        before, _, rest = text.partition(start)
        text = f"{before}{start}\n" + "\n".join(lines) + f"\n{end}{rest.partition(end)[2]}"
    return text


if __name__ == "__main__":
    write_atomically(PAGE, filled(PAGE.read_text("utf-8")).encode())
