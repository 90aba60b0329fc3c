"""The probe's seconds beside those of Adam's probe and of scikit-learn at the same optimum."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
from sklearn.linear_model import LogisticRegression
from torch import Tensor

from benchmarks.process import measure
from homogcl.core.seeds import stream
from homogcl.data.load import load
from homogcl.evaluate.adam_probe import AdamProbeConfig, adam_probe
from homogcl.evaluate.logistic import Regression
from homogcl.evaluate.probe import linear_probe
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import Sizes, build
from homogcl.runs.request import Request
from homogcl.runs.train import fit_run

Row = tuple[str, float, str]
Measured = dict[str, float]

DATA = ("cora", "citeseer", "pubmed", "photo", "computers")
EMBEDDINGS = {"raw": 0, "random": 0, "ccassg": 5}  # epochs of training, enough to leave its mark
ROUNDS = 3


def probe() -> list[Row]:
    """Compare the probe with Adam's and with scikit-learn at the same optimum."""
    rows: list[Row] = []
    for data in DATA:
        for method in EMBEDDINGS:
            taken = measure("probe_seconds", data, method)
            title = f"{data}, {method}"
            rows += [
                (f"{title}: seconds of the probe", taken["ours"], ""),
                (f"{title}: Adam's over ours", taken["adam"] / taken["ours"], "at least 1"),
                (
                    f"{title}: scikit-learn over ours, one penalty",
                    taken["sklearn"] / taken["one_penalty"],
                    "",
                ),
                (f"{title}: scikit-learn's loss minus ours", taken["loss_gap"], ""),
            ]
    taken = measure("arxiv_probe_seconds")
    size = f"{taken['rows']:,.0f} x {taken['columns']:.0f}"
    return [*rows, (f"arxiv, {size}: seconds", taken["ours"], "under 60")]


def probe_seconds(data: str, method: str) -> Measured:
    """Return the seconds of each probe on the embeddings of a method."""
    run = Request(method, data, 0, {"epochs": EMBEDDINGS[method]}).resolve()
    graph = run.graph
    z = embeddings(fit_run(run).method, graph)
    split = (graph.train_mask, graph.val_mask, graph.test_mask)
    scores: dict[str, float] = {}
    ours, adam = _least_seconds(
        lambda: scores.update(linear_probe(z, graph.y, split)),
        lambda: adam_probe(z, graph.y, split, AdamProbeConfig(), stream(0, "probe")),
    )
    x, y = z[graph.train_mask].double(), graph.y[graph.train_mask]
    return {"ours": ours, "adam": adam, **_one_penalty(x, y, scores["probe_penalty"])}


def arxiv_probe_seconds() -> Measured:
    """Return the seconds of the probe on an untrained encoder's 256 columns on arXiv."""
    graph = load("arxiv")
    settings = {"hidden_dim": 256, "out_dim": 256}
    z = embeddings(build("random", settings, Sizes.of(graph), 0), graph)
    start = time.perf_counter()
    linear_probe(z, graph.y, (graph.train_mask, graph.val_mask, graph.test_mask))
    seconds = time.perf_counter() - start
    return {"ours": seconds, "rows": float(graph.train_mask.sum()), "columns": float(z.size(1))}


def _one_penalty(x: Tensor, y: Tensor, penalty: float) -> Measured:
    """Return the seconds of one optimum by us and by scikit-learn, and how their losses differ."""
    weight_of_norm = penalty * float((x - x.mean(dim=0)).square().sum(dim=1).mean())
    oracle = LogisticRegression(C=1 / (weight_of_norm * len(x)), tol=1e-6, max_iter=100_000)
    one_penalty, sklearn = _least_seconds(
        lambda: Regression(x, y).solve(penalty), lambda: oracle.fit(x.numpy(), y.numpy())
    )

    def loss(weight: Tensor, bias: Tensor) -> float:
        entropy = torch.nn.functional.cross_entropy(x @ weight + bias, y)
        return float(entropy + weight_of_norm / 2 * weight.square().sum())

    ours = Regression(x, y).solve(penalty)
    theirs = torch.from_numpy(oracle.coef_.T), torch.from_numpy(oracle.intercept_)
    gap = loss(*theirs) - loss(ours.weight, ours.bias)
    return {"one_penalty": one_penalty, "sklearn": sklearn, "loss_gap": gap}


def _least_seconds(*steps: Callable[[], object]) -> list[float]:
    """Return the least seconds of each step, which take turns so that all have the same luck."""
    taken: list[list[float]] = [[] for _ in steps]
    for _ in range(ROUNDS):
        for step, times in zip(steps, taken, strict=True):
            start = time.perf_counter()
            step()
            times.append(time.perf_counter() - start)
    return [min(times) for times in taken]
