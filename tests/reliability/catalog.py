"""What may go wrong, by name: every fault, graph and input that the tests here must count.

`docs/reliability.md` shows one row for each name, in this order. A test counts under a name with
the fixture `count`; a name without a count, or a count without a name, is an error.
"""

from __future__ import annotations

FAULTS = (
    "kill -9 at a random moment",
    "kill -9 inside a save",
    "kill -9 of a freshly started program",
    "kill -9 of a grid of runs",
    "kill -9 inside an import",
    "SIGTERM",
    "SIGINT",
    "disk full at a point of a write",
    "writing denied at a point of a write",
    "file size limit of the system",
    "folder that may not be written",
    "data file gone",
    "data file changed",
    "two processes in one run folder",
    "out of memory",
    "newest checkpoint damaged",
    "file of a run folder damaged",
    "checkpoint of other settings, data or version",
    "number that is not finite",
    "loss of power in a write",
    "loss of power in a checkpoint",
    "loss of power in an export",
    "loss of power in an import",
    "loss of power at the end of a run",
    "loss of power in an index",
    "loss of power in a graph on disk",
    "slow link between hosts",
    "link between hosts lost",
    "host killed",
)

GRAPHS = (
    "one node",
    "no edges",
    "two nodes",
    "isolated nodes",
    "fewer nodes than clusters",
    "all features equal",
    "all features zero",
    "temperature 0.001",
    "temperature 1000",
    "duplicate edges",
    "self-loops",
    "directed edges",
)

INPUTS = (
    "edges as CSV",
    "edges as bytes",
    "features as CSV",
    "Parquet",
    "npz of a published data set",
    "npz and npy of features",
    "Planetoid pickle",
    "GraphML",
    "graph.toml",
    "--set",
    "command line",
    "run record",
    "checkpoint",
    "config.json of a run",
    "saved embedder",
)

NAMES = {"fault": FAULTS, "graph": GRAPHS, "input": INPUTS}
