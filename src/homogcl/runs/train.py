"""From a run to a trained method, in memory or in a run folder."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from torch_geometric.data import Data

from homogcl.core.distributed import ALONE, Ranks
from homogcl.core.errors import UserError
from homogcl.core.memory import peak_bytes, reset_peak
from homogcl.data.mapped_share import connected
from homogcl.methods.forms import LAST
from homogcl.methods.registry import Method, Sizes, build
from homogcl.runs import log
from homogcl.runs.folder import RunFolder
from homogcl.runs.forms import check_form, settled_form
from homogcl.runs.log import OnEpoch
from homogcl.runs.run import Run
from homogcl.runs.scores import scores
from homogcl.runs.tasks import task, tasks_at_milestones
from homogcl.training.checkpoint import Checkpoints, Intervals
from homogcl.training.loop import Epoch, check_fits, fit, fixed_length


@dataclass(frozen=True)
class Trained:
    """A trained method and what its training took."""

    method: Method
    graph: Data
    seconds: float
    peak_memory_bytes: int
    terms: dict[str, float]  # of the last epoch
    milestones: dict[str, dict[str, float]]
    epochs: int  # completed; fewer than configured if training stopped early
    form: str = LAST  # of the embeddings: as configured, or chosen where that was `auto`


def new_method(run: Run, ranks: Ranks = ALONE) -> Method:
    """Return the method of `run`, untrained or with the weights of its warm start.

    What cannot be trained or scored is refused.
    """
    method = build(run.method, run.settings.method, Sizes.of(run.graph), run.seed)
    if run.warm_start is not None:
        _warm_up(method, run.method, run.warm_start)
    check_fits(method, run.graph, run.settings.train, ranks)
    check_form(run.settings.embedding.form, method, run.graph)
    for name in run.tasks:
        if check := task(name).check:
            check(method)
    return method


def fit_run(
    run: Run,
    method: Method | None = None,
    *,
    on_epoch: OnEpoch | None = None,
    checkpoints: Checkpoints | None = None,
    ranks: Ranks = ALONE,
) -> Trained:
    """Return the method of `run`, trained in memory.

    Args:
        run: What to train.
        method: What `new_method` returned, for a caller who had to know before that it fits.
        on_epoch: Called after each epoch, in the first process.
        checkpoints: Where to leave checkpoints and to resume from, and how often; they are marked
            with the fingerprint of the run.
        ranks: The processes that train together; each of them calls this function.
    """
    method = new_method(run, ranks) if method is None else method
    follower = _Follower(run, method, on_epoch)
    if checkpoints:
        checkpoints = replace(checkpoints, fingerprint=run.fingerprint())
    reset_peak()
    started = time.perf_counter()
    fit(
        method,
        run.graph,
        run.settings.train,
        seed=run.seed,
        on_epoch=follower,
        checkpoints=checkpoints,
        ranks=ranks,
    )
    seconds, peak = time.perf_counter() - started - follower.scoring_seconds, peak_bytes()
    return Trained(
        method,
        run.graph,
        seconds,
        peak,
        follower.terms,
        follower.milestones,
        follower.epochs,
        settled_form(run.settings.embedding.form, method, run.graph, run.seed),
    )


def train_run(
    run: Run,
    folder: RunFolder | Path | str,
    *,
    resume: bool = False,
    on_epoch: OnEpoch | None = None,
    save_every: Intervals | None = None,
    tensorboard: Path | None = None,
    ranks: Ranks = ALONE,
) -> Trained:
    """Train `run` into a run folder: its model, embeddings, log and checkpoints.

    SIGINT and SIGTERM end the training after an epoch and a checkpoint, from which `resume` goes
    on to the same bits. Everything that can be refused is refused before the folder is written.

    Args:
        run: What `Request.resolve` returned.
        folder: Where to write; a folder that holds another run is refused.
        resume: Whether to go on from the newest checkpoint in the folder, also to more epochs than
            before where the schedule allows.
        on_epoch: Called after each epoch.
        save_every: Epochs or minutes between checkpoints, as `parse_intervals` returns them.
        tensorboard: Folder for TensorBoard, if any.
        ranks: The processes that train together; each of them calls this function.
    """
    folder = folder if isinstance(folder, RunFolder) else RunFolder(Path(folder))
    checkpoints = Checkpoints(folder.checkpoints, **(save_every or {}))
    check_alike(run, ranks)
    method = new_method(run, ranks)
    with ExitStack() as stack:
        run = run.on(stack.enter_context(connected(run.graph, ranks)))
        if not ranks.is_first:
            return fit_run(run, method, checkpoints=checkpoints, ranks=ranks)
        followers: list[OnEpoch] = []
        if tensorboard:
            followers.append(stack.enter_context(log.tensorboard(tensorboard)))
        stack.enter_context(folder.locked())
        folder.begin(run, resume=resume, fixed_length=fixed_length(method, run.settings.train))
        shorter = [run.of_length(each).fingerprint() for each in folder.shorter_lengths()]
        checkpoints = replace(checkpoints, shorter=shorter)
        followers += [log.Log(folder.path), *([on_epoch] if on_epoch else [])]

        def follow(epoch: Epoch) -> None:
            for each in followers:
                each(epoch)

        trained = fit_run(run, method, on_epoch=follow, checkpoints=checkpoints, ranks=ranks)
        folder.finish(run.in_form(trained.form), trained.method)
    return trained


def check_alike(run: Run, ranks: Ranks) -> None:
    """Refuse processes whose graph, settings or versions differ, as copies on several hosts may."""
    if ranks.size == 1:
        return
    first, *others = ranks.gather(run.fingerprint())
    for number, other in enumerate(others, 1):
        names = [name for name in first if other.get(name) != first[name]]
        if names:
            raise UserError(
                f"process {number} has other {', '.join(names)} than process 0: all hosts need the "
                "same graph, settings and versions"
            )


def _warm_up(method: Method, name: str, place: Path) -> None:
    """Give `method` the weights of the run in `place`, which must be of the same method."""
    model = RunFolder(place).model()
    if model.name != name:
        raise UserError(f"--warm-start {place}: it is a run of {model.name}, not of {name}")
    try:
        method.load_state_dict(model.method.state_dict())
    except RuntimeError as error:
        reason = " ".join(str(error).splitlines()[-1].split())
        raise UserError(f"--warm-start {place}: its weights do not fit: {reason}") from None


@dataclass
class _Follower:
    """Keeps the last epoch's terms, and scores the milestones."""

    run: Run
    method: Method
    on_epoch: OnEpoch | None
    epochs: int = 0
    terms: dict[str, float] = field(default_factory=dict)
    milestones: dict[str, dict[str, float]] = field(default_factory=dict)
    scoring_seconds: float = 0.0  # no part of the training's time

    def __call__(self, epoch: Epoch) -> None:
        self.epochs, self.terms = epoch.number, dict(epoch.terms)
        if epoch.number in self.run.milestones:
            started = time.perf_counter()
            tasks = tasks_at_milestones(self.run.tasks)
            graph, seed = self.run.graph, self.run.seed
            form = settled_form(self.run.settings.embedding.form, self.method, graph, seed)
            metrics = scores(self.method, graph, seed, tasks, form=form)
            self.milestones[str(epoch.number)] = metrics
            self.scoring_seconds += time.perf_counter() - started
        if self.on_epoch:
            self.on_epoch(epoch)
