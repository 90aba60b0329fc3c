"""Shares of a mapped graph: each host has the features of a range of nodes, and asks for others.

Edges, labels and ids are whole in each share, so that batches are drawn as from the whole graph.
"""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.arrays import array_file
from homogcl.core.distributed import Ranks
from homogcl.core.errors import UserError
from homogcl.core.exchange import Exchange
from homogcl.core.files import open_atomically, write_json
from homogcl.data.mapped import INDEX, Index, read_index, refuse_arrays
from homogcl.data.shared_rows import Share, SharedRows

_BLOCK = 2**22  # numbers that are copied together


def write_share(whole: Path, folder: Path, share: Share) -> Index:
    """Write a share of the graph in the folder `whole` as a folder for `open_mapped`.

    Its description is that of the graph, with the same hash.
    """
    index = read_index(whole)
    if index.share is not None:
        raise UserError(f"{whole} is share {index.share} of a graph; cut the whole one")
    if "x" not in index.arrays:
        raise UserError(f"{whole}: sparse features are not cut into shares; copy it whole")
    if share.count > index.nodes:
        raise UserError(f"{whole}: {share.count} shares are more than its {index.nodes} nodes")
    refuse_arrays(folder)
    for name in [*index.arrays, *index.names]:
        path = whole / f"{name}.npy"
        if name == "x":
            _copy_rows(path, folder / path.name, share.nodes(index.nodes))
            continue
        with path.open("rb") as source, open_atomically(folder / path.name) as target:
            shutil.copyfileobj(source, target, _BLOCK)
    described = json.loads((whole / INDEX).read_bytes())
    write_json(folder / INDEX, {**described, "share": share.model_dump()})
    return index.model_copy(update={"share": share})


def _copy_rows(source: Path, target: Path, rows: range) -> None:
    x = np.load(source, mmap_mode="r", allow_pickle=False)
    step = max(1, _BLOCK // max(1, x.shape[1]))
    with array_file(target, x.dtype, x.shape[1]) as file:
        for start in range(rows.start, rows.stop, step):
            file.append(x[start : min(start + step, rows.stop)])
        file.shape = (len(rows), x.shape[1])


@contextmanager
def connected(graph: Data, ranks: Ranks) -> Iterator[Data]:
    """Give the graph with features from all shares, where this process has a share of it.

    Inside the block, rows are taken by all processes at the same time. Where it ends, the others
    serve the first process until it has left the block too.
    """
    x = graph.get("x")
    here = x.share if isinstance(x, SharedRows) else None
    shares = ranks.gather(None if here is None else str(here))
    if not any(shares):
        yield graph
        return
    if here is None or sorted(map(str, shares)) != _all_of(here.count):
        held = ", ".join(share or "whole" for share in shares)
        raise UserError(
            f"the processes have {held} of the graph: as many as there are shares must train, "
            "each with another one"
        )
    assert isinstance(x, SharedRows)
    exchange = Exchange(ranks, x.own)
    rows = _Shares.of(x, shares, exchange).rows
    result = copy.copy(graph)
    result.x = SharedRows.of((x.size(0), x.size(1)), here, x.own, rows)
    yield result
    if ranks.is_first:
        exchange.end()
    else:
        exchange.serve()


def _all_of(count: int) -> list[str]:
    return sorted(f"{number + 1}/{count}" for number in range(count))


@dataclass(frozen=True)
class _Shares:
    """Rows of all shares, from the processes that have them."""

    x: SharedRows
    ranks: list[int]  # which process has which share
    exchange: Exchange

    @classmethod
    def of(cls, x: SharedRows, shares: Sequence[str | None], exchange: Exchange) -> _Shares:
        """Return what finds rows, where `shares` are those of all processes."""
        ranks = [shares.index(f"{number + 1}/{len(shares)}") for number in range(len(shares))]
        return cls(x, ranks, exchange)

    def rows(self, nodes: Tensor) -> Tensor:
        """Return the features of `nodes` [n] in their order, [n, d]; all processes ask at once."""
        starts = self.x.share.starts(self.x.size(0))
        share = torch.searchsorted(starts, nodes, right=True) - 1
        number, mine = nodes - starts[share], self.x.share.number - 1
        places = [(share == each).nonzero().squeeze(1) for each in range(len(self.ranks))]
        wanted = [number[:0]] * len(self.ranks)
        for each, rank in enumerate(self.ranks):
            if each != mine:
                wanted[rank] = number[places[each]]
        others = self.exchange.rows(wanted)
        own = self.x.own(number[places[mine]])
        result = own.new_empty(len(nodes), own.size(1))
        for each, rank in enumerate(self.ranks):
            result[places[each]] = own if each == mine else others[rank]
        return result
