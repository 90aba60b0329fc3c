"""A training on a graph of which `inspect` says whether its neighbors belong together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from torch_geometric.data import Data

from homogcl.advice.neighborhoods import METHOD, likeness
from homogcl.core.errors import UserError
from homogcl.data.catalog import plain_name
from homogcl.data.load import citation_graph, load
from homogcl.data.rewired import rewired
from homogcl.data.shares import demo_shares
from homogcl.data.summary import summarize
from homogcl.runs.grid import find_record, record_of
from homogcl.runs.log import OnEpoch
from homogcl.runs.record import Record, write_record
from homogcl.runs.request import Request
from homogcl.runs.run import Run
from homogcl.runs.scores import scores
from homogcl.runs.train import fit_run

LIKENESS = "likeness"
VALIDATION_NODES = "validation_nodes"
ADJUSTED = "adjusted_homophily"


@dataclass(frozen=True)
class AdviceTraining:
    """A method on a data set, or on a generated graph of some size.

    The default's record also has `likeness`, what `inspect` measures without labels, the number of
    validation nodes, and the adjusted homophily, which labels tell.

    Attributes:
        spec: What is trained; its data set names the shares of a generated graph.
        folder: Where the record goes, below the folder of results.
        nodes: Of the generated graph; None for the data set itself.
        wrong: Share of the generated edges that lead to nodes drawn by chance.
    """

    spec: Request
    folder: str
    nodes: int | None = None
    wrong: float = 0.0

    @property
    def name(self) -> str:
        """The data set, and nodes and wrong edges of a generated graph: `demo-h30-n1000-w50`."""
        size = "" if self.nodes is None else f"-n{self.nodes}"
        wrong = f"-w{round(100 * self.wrong)}" if self.wrong else ""
        return f"{self.spec.name}{size}{wrong}"

    @property
    def label(self) -> str:
        """Method, data set and seed."""
        return f"{self.spec.method} on {self.name}, seed {self.spec.seed}"

    def path(self, results: Path) -> Path:
        """Return where the record lies below the folder `results`."""
        return self._resolve().record_path(results / self.folder)

    def find_record(self, results: Path) -> Record | None:
        """Return the record below the folder `results`, or None unless it is complete."""
        record = find_record(self._resolve(), results / self.folder)
        measured = record is not None and ADJUSTED in record.metrics
        return record if measured or self.spec.method != METHOD else None

    def run(self, results: Path, on_epoch: OnEpoch | None = None) -> tuple[Record, bool]:
        """Train, evaluate, measure the likeness and record, unless there is a record."""
        if (record := self.find_record(results)) is not None:
            return record, False
        run = self._resolve()
        trained = fit_run(run, on_epoch=on_epoch)
        metrics = scores(trained.method, trained.graph, run.seed, run.tasks, form=trained.form)
        if run.method == METHOD:
            measured = likeness(run.graph, run.seed)
            metrics |= {LIKENESS: measured.share} if measured is not None else {}
            metrics[VALIDATION_NODES] = float(run.graph.val_mask.sum())
            metrics[ADJUSTED] = float(summarize(run.graph).adjusted_homophily or 0.0)
        record = record_of(run, trained, metrics)
        write_record(results / self.folder, record)
        return record, True

    def _resolve(self) -> Run:
        run, nodes = self.spec.resolve(by_size=False), self.nodes
        if nodes is None:
            return run

        @cache
        def graph() -> Data:
            whole = generated(self.spec.data, nodes, run.seed)
            return rewired(whole, self.wrong, run.seed) if self.wrong else whole

        return replace(run, name=self.name, load=graph)


def generated(name: str, nodes: int, seed: int) -> Data:
    """Return the generated graph whose shares `name` states, with `nodes` nodes.

    The seed draws the graph and its split.
    """
    shares = demo_shares(plain_name(name))
    if shares is None:
        raise UserError(f"{name} names no generated graph, such as demo-h30-t60")
    homophily, topics = shares
    graph = citation_graph(nodes, homophily=homophily, topic_share=topics, seed=seed)
    return load(graph, features="raw", split="random", seed=seed)
