"""The training loop, the only one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal

import torch
from pydantic import Field
from torch import Tensor, nn
from torch_geometric.data import Data

from homogcl.core.distributed import ALONE, Ranks, Sharing, average_gradients
from homogcl.core.errors import UserError
from homogcl.core.precision import Precision, arithmetic, products_in
from homogcl.core.seeds import integer, stream
from homogcl.core.signals import held_back
from homogcl.data.check import check_features
from homogcl.data.mapped import is_on_disk
from homogcl.data.shared_rows import SharedRows
from homogcl.homophily.selection import rank_of_directions
from homogcl.methods.base import Method, total
from homogcl.methods.inference import embeddings, without_labels
from homogcl.nn.encoders import shared_inputs
from homogcl.nn.sparse import with_pattern
from homogcl.training.ahead import Ahead, ahead
from homogcl.training.checkpoint import Checkpoints, State
from homogcl.training.stopping import CHECK_EVERY, has_settled
from homogcl.views.subgraphs import BatchConfig, Batches, check_batches, smallest_batch


class TrainConfig(BatchConfig):
    """How a method is trained."""

    epochs: int = Field(default=50, ge=0)  # each one step on the full graph, or all batches
    learning_rate: float = Field(default=1e-3, gt=0, le=1e6)
    weight_decay: float = Field(default=0.0, ge=0, le=1e6)
    optimizer: Literal["adam", "adamw"] = "adam"
    gradient_norm: float = Field(default=0.0, ge=0)  # longer gradients are cut to it; 0: none is
    schedule: Literal["constant", "cosine"] = "constant"
    warmup_epochs: int = Field(default=0, ge=0)
    settle: float = Field(default=0.0, ge=0, lt=1)  # stop if the rank changes by less; 0: never
    precision: Precision = "float32"  # of dense products
    # Views share the first layer's X W, which is faster and rounds otherwise; None: if X is dense.
    share_products: bool | None = None


class NotFinite(UserError):
    """A feature, a term of the loss, a gradient or a parameter is NaN or infinite."""


@dataclass(frozen=True)
class Epoch:
    """Means over the steps of one epoch, for logs and progress bars."""

    number: int  # from 1
    total: int
    loss: float
    terms: dict[str, float]
    seconds: float
    waiting: float | None = None  # seconds of it without a batch, where a thread reads ahead


def check_fits(method: Method, graph: Data, config: TrainConfig, ranks: Ranks = ALONE) -> None:
    """Refuse, in one line, a training that the method or the graph does not allow."""
    nodes = int(graph.num_nodes or 0)
    if config.batch != "full" and not method.takes_batches:
        raise UserError(f"{method.name} sees the whole graph at each step: it takes batch=full")
    if config.batch == "full" and isinstance(graph.get("x"), SharedRows):
        raise UserError("shares of a graph are trained by batches: --batch neighbors:1024, or such")
    arithmetic(config.precision, graph.edge_index.device)
    check_batches(nodes, config, ranks)
    smallest = smallest_batch(nodes, config, ranks)
    normalizes = any(isinstance(module, nn.BatchNorm1d) for module in method.modules())
    if normalizes and smallest == 1:
        raise UserError(f"{method.name} normalizes over the nodes and needs at least two of them")
    method.check(smallest)


def fit(
    method: Method,
    graph: Data,
    config: TrainConfig,
    *,
    seed: int,
    on_epoch: Callable[[Epoch], None] | None = None,
    checkpoints: Checkpoints | None = None,
    ranks: Ranks = ALONE,
) -> Method:
    """Train `method` on `graph` in place and return it.

    Labels are hidden from methods that do not declare them. With `settle`, training stops once
    the embeddings' effective rank hardly changes, see `training.stopping`. With `checkpoints`,
    training resumes from the newest one and ends at the same bits as without the interruption;
    SIGINT and SIGTERM then raise `Interrupted` after the epoch and its checkpoint.

    Args:
        method: The method to train.
        graph: The clean graph.
        config: Length of the training, optimizer, and batches.
        seed: Root seed of the streams "prepare", "augment", "dropout" and "batch".
        on_epoch: Called after each epoch, in the first process.
        checkpoints: Where to save, how often, and where to resume from.
        ranks: The processes that train together; each of them calls this function.
    """
    check_fits(method, graph, config, ranks)
    graph = graph if "Y" in method.training_data else without_labels(graph)
    _check_features(graph)
    method.prepare(graph, stream(seed, "prepare", graph.edge_index.device))
    parameters = [p for p in method.parameters() if p.requires_grad]
    if not parameters:
        return method
    batches = Batches(with_pattern(graph) if config.batch == "full" else graph, config, ranks)
    method.check(batches.smallest)
    kind = torch.optim.AdamW if config.optimizer == "adamw" else torch.optim.Adam
    optimizer = kind(parameters, lr=config.learning_rate, weight_decay=config.weight_decay)
    state = State(method, optimizer, stream(seed, "augment", graph.edge_index.device))
    sharing = Sharing(pairs=ranks)
    if config.batch != "full":
        sharing = Sharing(nodes=ranks, whole=int(graph.num_nodes or 0))
    products = products_in(arithmetic(config.precision, graph.edge_index.device))
    sharing_steps = _shared(method, sharing)
    with torch.random.fork_rng(), products, sharing_steps, _signals(checkpoints) as signal_of:
        # Layers such as dropout draw from torch's own generator.
        torch.manual_seed(integer(seed, "dropout"))
        index = _resumed(state, checkpoints, ranks)
        while index < config.epochs and not has_settled(state.effective_ranks, config.settle):
            start_time = time.perf_counter()
            _align(state, sharing.nodes, f"of epoch {index}", seed)
            rng = stream(seed, f"batch {index}")
            first, per_epoch = index * batches.per_epoch, batches.per_epoch
            with _batches(batches.epoch(rng), is_on_disk(graph)) as parts:
                steps = [
                    _step(state, batch, config, first + number, per_epoch)
                    for number, batch in enumerate(parts)
                ]
            loss, terms = _means([step for each in ranks.gather(steps) for step in each])
            index += 1
            if config.settle and index % CHECK_EVERY == 0:
                rank = ranks.first(rank_of_directions(embeddings(method, graph)))
                state.effective_ranks.append(rank)
            if on_epoch and ranks.is_first:
                seconds = time.perf_counter() - start_time
                waiting = parts.waited if isinstance(parts, Ahead) else None
                on_epoch(Epoch(index, config.epochs, loss, terms, seconds, waiting))
            if checkpoints:
                # After the log, so that the log is never behind the checkpoint.
                signal = max(ranks.gather(signal_of() or 0)) or None
                settled = has_settled(state.effective_ranks, config.settle)
                last = index == config.epochs or settled
                checkpoints.after_epoch(state if ranks.is_first else None, index, last, signal)
    return method


def learning_rate(config: TrainConfig, step: int, per_epoch: int = 1) -> float:
    """Return the learning rate of a step (from 0): linear warm-up, then constant or cosine to 0."""
    warmup, total_steps = config.warmup_epochs * per_epoch, config.epochs * per_epoch
    if step < warmup:
        return config.learning_rate * (step + 1) / warmup
    if config.schedule == "constant":
        return config.learning_rate
    done = (step - warmup) / max(1, total_steps - warmup)
    return config.learning_rate * 0.5 * (1 + math.cos(math.pi * done))


def fixed_length(method: Method, config: TrainConfig) -> str | None:
    """Return why a finished training cannot be extended, or None."""
    if config.schedule != "constant":
        return f"schedule={config.schedule} has ended with the last epoch"
    if method.follows_progress:
        return f"{method.name} changes with the share of epochs done"
    return None


@contextmanager
def _shared(method: Method, sharing: Sharing) -> Iterator[None]:
    """Let `method` share its steps with other processes inside the block, and with none after."""
    method.share(sharing)
    try:
        yield
    finally:
        method.share(Sharing())


def _signals(checkpoints: Checkpoints | None) -> AbstractContextManager[Callable[[], int | None]]:
    """Hold signals back if a checkpoint must be written before they act."""
    return held_back() if checkpoints else nullcontext(lambda: None)


def _batches(
    batches: Iterator[Data], on_disk: bool
) -> AbstractContextManager[Ahead[Data] | Iterator[Data]]:
    """Return the batches of an epoch; a thread builds those of a graph on disk ahead of steps.

    Each batch draws from a seed of its own, so that the bits are the same.
    """
    return ahead(batches) if on_disk else nullcontext(batches)


def _check_features(graph: Data) -> None:
    try:
        # A graph on disk may be larger than memory; the step that reads a bad number stops.
        if isinstance(graph.get("x"), Tensor) and not is_on_disk(graph):
            check_features(graph.x, "x")
    except UserError as error:
        raise NotFinite(f"training stopped before step 1: {error}") from None


@dataclass(frozen=True)
class _Step:
    """The loss of one step, and its terms."""

    loss: float
    terms: dict[str, float]


def _step(state: State, graph: Data, config: TrainConfig, step: int, per_epoch: int) -> _Step:
    method, optimizer = state.method, state.optimizer
    method.train()
    for group in optimizer.param_groups:
        group["lr"] = learning_rate(config, step, per_epoch)
    optimizer.zero_grad(set_to_none=True)
    terms = objective(method, method.views(with_pattern(graph), state.rng), config)
    values = {name: float(term.detach()) for name, term in terms.items()}
    for name, value in values.items():
        if not math.isfinite(value):
            raise NotFinite(f"training stopped at step {step + 1}: the term {name!r} is {value}")
    weights = method.term_weights()
    total(terms, weights).backward()  # type: ignore[no-untyped-call]
    for name, parameter in method.named_parameters():
        if parameter.grad is not None and not bool(parameter.grad.isfinite().all()):
            raise NotFinite(
                f"training stopped at step {step + 1}: the gradient of {name} is not finite"
            )
    trained = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    average_gradients(trained, method.sharing.ranks)
    if config.gradient_norm:
        nn.utils.clip_grad_norm_(trained, config.gradient_norm)
    optimizer.step()
    for name, parameter in method.named_parameters():
        if parameter.requires_grad and not bool(parameter.isfinite().all()):
            raise NotFinite(f"training stopped at step {step + 1}: {name} is no longer finite")
    loss = sum(weights.get(name, 1.0) * value for name, value in values.items())
    method.after_step((step + 1) / (config.epochs * per_epoch))
    return _Step(loss, values)


def objective(method: Method, views: Any, config: TrainConfig) -> dict[str, Tensor]:
    """Return the terms of the loss on `views`, as `method.views` drew them."""
    with nullcontext() if config.share_products is False else shared_inputs(method):
        return method.objective(views)


def _means(steps: list[_Step]) -> tuple[float, dict[str, float]]:
    """Return the mean loss of an epoch, and each term's mean over the steps that have it."""
    names = dict.fromkeys(name for step in steps for name in step.terms)
    by_name = {name: [s.terms[name] for s in steps if name in s.terms] for name in names}
    terms = {name: sum(values) / len(values) for name, values in by_name.items()}
    return sum(step.loss for step in steps) / len(steps), terms


def _resumed(state: State, checkpoints: Checkpoints | None, ranks: Ranks) -> int:
    """Set all processes to the newest checkpoint, read by the first, and return its epoch."""
    if checkpoints is None:
        return 0
    return checkpoints.put_back(
        state, ranks.first(checkpoints.newest() if ranks.is_first else None)
    )


def _align(state: State, nodes: Ranks, name: str, seed: int) -> None:
    """Start an epoch with one state and different draws in processes that have their own batches.

    Parameters agree already; buffers such as running statistics are copied from the first process,
    whose state is saved. Each process seeds its random streams anew, so that a training that
    resumes at this epoch draws the same.
    """
    if nodes.size == 1:
        return
    method = state.method
    buffers = {
        key: value
        for key, value in method.state_dict().items()
        if key not in dict(method.named_parameters())
    }
    method.load_state_dict(nodes.first(buffers), strict=False)
    state.rng.manual_seed(integer(seed, f"augment {name} rank {nodes.rank}"))
    torch.manual_seed(integer(seed, f"dropout {name} rank {nodes.rank}"))
