"""The only optimizer loop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Literal

import torch
from pydantic import Field
from torch import Tensor, nn
from torch_geometric.data import Data

from homogcl.checkpoint import Checkpoints, State
from homogcl.config import Config
from homogcl.data.check import check_features
from homogcl.errors import UserError
from homogcl.interrupt import held_back
from homogcl.methods.base import Method, total
from homogcl.streams import integer, stream


class TrainConfig(Config):
    """How a method is trained."""

    epochs: int = Field(default=50, ge=0)  # full-graph steps
    learning_rate: float = Field(default=1e-3, gt=0, le=1e6)
    weight_decay: float = Field(default=0.0, ge=0, le=1e6)
    optimizer: Literal["adam", "adamw"] = "adam"
    schedule: Literal["constant", "cosine"] = "constant"
    warmup_epochs: int = Field(default=0, ge=0)


class NotFinite(UserError):
    """A feature, a term of the loss, a gradient or a parameter is NaN or infinite."""


@dataclass(frozen=True)
class Epoch:
    """What one step did, for logs and progress displays."""

    number: int  # from 1
    total: int
    loss: float
    terms: dict[str, float]
    seconds: float


def fit(
    method: Method,
    graph: Data,
    config: TrainConfig,
    *,
    seed: int,
    on_epoch: Callable[[Epoch], None] | None = None,
    checkpoints: Checkpoints | None = None,
) -> Method:
    """Train `method` on `graph` in place and return it.

    Labels are hidden from methods that do not declare them. With `checkpoints`, training goes on
    from the newest one there is, to the same bits as without the interruption, and SIGINT and
    SIGTERM end it only after the step and a checkpoint, by raising `Interrupted`.

    Args:
        method: What to train.
        graph: The clean graph.
        config: For how long and how fast.
        seed: Root seed of the streams "prepare", "augment" and "dropout".
        on_epoch: Called after each step.
        checkpoints: Where to save, how often, and what to resume from.
    """
    graph = graph if "Y" in method.training_data else without_labels(graph)
    _check_features(graph)
    _check_size(method, graph)
    method.prepare(graph, stream(seed, "prepare", graph.edge_index.device))
    parameters = [p for p in method.parameters() if p.requires_grad]
    if not parameters:
        return method
    optimizer = _optimizer(parameters, config)
    state = State(method, optimizer, stream(seed, "augment", graph.edge_index.device))
    with torch.random.fork_rng(), _signals(checkpoints) as came:
        # Layers such as dropout draw from torch's own generator.
        torch.manual_seed(integer(seed, "dropout"))
        done = checkpoints.restore(state) if checkpoints else 0
        for index in range(done, config.epochs):
            started = time.perf_counter()
            terms = _step(state, graph, learning_rate(config, index), index + 1)
            loss = sum(method.term_weights().get(name, 1.0) * x for name, x in terms.items())
            method.after_step((index + 1) / config.epochs)
            if on_epoch:
                seconds = time.perf_counter() - started
                on_epoch(Epoch(index + 1, config.epochs, loss, terms, seconds))
            if checkpoints:
                # After the log, so that a log always reaches as far as the checkpoint.
                checkpoints.after_epoch(state, index + 1, index + 1 == config.epochs, came())
    return method


def learning_rate(config: TrainConfig, index: int) -> float:
    """Return the rate of step `index` (from 0): linear warm-up, then constant or a cosine to 0."""
    if index < config.warmup_epochs:
        return config.learning_rate * (index + 1) / config.warmup_epochs
    if config.schedule == "constant":
        return config.learning_rate
    done = (index - config.warmup_epochs) / max(1, config.epochs - config.warmup_epochs)
    return config.learning_rate * 0.5 * (1 + math.cos(math.pi * done))


def embeddings(method: Method, graph: Data) -> Tensor:
    """Return the embeddings of the clean graph in evaluation mode, [N, d'], without gradient."""
    with _evaluation(method):
        return method.embed(graph)


def logits(method: Method, graph: Data) -> Tensor:
    """Return a supervised method's logits in evaluation mode, [N, C], without gradient."""
    with _evaluation(method):
        return method.predict(graph)


def without_labels(graph: Data) -> Data:
    """Return the graph with features, edges and weights only."""
    kept = {key: graph[key] for key in ("x", "edge_index", "edge_weight") if key in graph}
    return Data(num_nodes=graph.num_nodes, **kept)


def _signals(checkpoints: Checkpoints | None) -> AbstractContextManager[Callable[[], int | None]]:
    """Hold signals back where there is a checkpoint to write before they may act."""
    return held_back() if checkpoints else nullcontext(lambda: None)


@contextmanager
def _evaluation(method: Method) -> Iterator[None]:
    training = method.training
    method.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        method.train(training)


def _check_features(graph: Data) -> None:
    try:
        if isinstance(graph.get("x"), Tensor):
            check_features(graph.x, "x")
    except UserError as error:
        raise NotFinite(f"training stopped before step 1: {error}") from None


def _check_size(method: Method, graph: Data) -> None:
    normalizes = any(isinstance(module, nn.BatchNorm1d) for module in method.modules())
    if normalizes and graph.num_nodes == 1:
        raise UserError(f"{method.name} normalizes over the nodes and needs at least two of them")


def _step(state: State, graph: Data, rate: float, number: int) -> dict[str, float]:
    method, optimizer = state.method, state.optimizer
    method.train()
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)
    terms = method.objective(method.views(graph, state.rng))
    values = {name: float(term.detach()) for name, term in terms.items()}
    for name, value in values.items():
        if not math.isfinite(value):
            raise NotFinite(f"training stopped at step {number}: the term {name!r} is {value}")
    total(terms, method.term_weights()).backward()  # type: ignore[no-untyped-call]
    for name, parameter in method.named_parameters():
        if parameter.grad is not None and not bool(parameter.grad.isfinite().all()):
            raise NotFinite(
                f"training stopped at step {number}: the gradient of {name} is not finite"
            )
    optimizer.step()
    for name, parameter in method.named_parameters():
        if parameter.requires_grad and not bool(parameter.isfinite().all()):
            raise NotFinite(f"training stopped at step {number}: {name} is no longer finite")
    return values


def _optimizer(parameters: list[nn.Parameter], config: TrainConfig) -> torch.optim.Optimizer:
    made = torch.optim.AdamW if config.optimizer == "adamw" else torch.optim.Adam
    return made(parameters, lr=config.learning_rate, weight_decay=config.weight_decay)
