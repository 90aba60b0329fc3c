"""Steps of trainings in turns: plug-ins, encoders, and BGRL beside its limits."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from benchmarks.measures import Measured, built, one_step
from benchmarks.process import measure
from benchmarks.usual import with_usual_modules
from homogcl.core.precision import products_in

Row = tuple[str, float, str]
Step = Callable[[], object]

_WARM = 8  # first steps move more nodes between clusters than the rest of a training does
_aten = torch.ops.aten
_PRODUCTS = {_aten.mm, _aten.addmm, _aten.addmm_, _aten.sparse_sampled_addmm}


def plugins() -> list[Row]:
    """Return what plug-ins add to a step of their base, with the presets of three graphs."""
    rows: list[Row] = []
    for base in ("grace", "bgrl"):
        for data in ("photo", "computers", "pubmed"):
            taken = measure("plugin_steps", base, data)
            of = f"{data}, {base}"
            rows += [
                (f"{of}: seconds of a step", taken["seconds"], ""),
                (f"{of}: +homogcl over it", taken["homogcl"], ""),
                (f"{of}: +homogcl over it, refresh=5", taken["homogcl, 5"], "at most 1.35"),
                (f"{of}: +adaptive over it", taken["adaptive"], ""),
                (f"{of}: +adaptive over it, refresh=5", taken["adaptive, 5"], "at most 1.15"),
            ]
    return rows


def bgrl() -> list[Row]:
    """Compare a step of BGRL with its own products alone, and with torch_geometric's layers."""
    rows: list[Row] = []
    for data in ("photo", "computers"):
        taken = measure("bgrl_step", data)
        rows += [
            (f"{data}: seconds of a step", taken["seconds"], ""),
            (f"{data}: its products by torch's kernels, over it", taken["share"], ""),
            (
                f"{data}: its products by the kernels that it takes, over it",
                taken["own_share"],
                "at least 0.8",
            ),
            (f"{data}: dense products, torch's kernels over those it takes", taken["kernels"], ""),
            (f"{data}: torch_geometric's layers over ours", taken["usual"], "at least 2"),
            (f"{data}: seconds of a step with precision=auto", taken["seconds_auto"], ""),
        ]
    return rows


def encoders() -> list[Row]:
    """Return steps of GRACE on Photo with other encoders over that with graph convolutions."""
    taken = measure("encoder_steps", "photo")
    held = {"sage": "at most 1.5", "gat": "at most 3"}
    rows = [("seconds of a step with gcn", taken["seconds"], "")]
    return rows + [(f"{each} over gcn", taken[each], held.get(each, "")) for each in _OTHERS]


_OTHERS = ("sage", "gat", "mlp")


def plugin_steps(base: str, data: str, rounds: int = 3) -> Measured:
    """Return the seconds of a step of `base`, and those of its plug-ins over it.

    Five steps at a time are timed, in which a plug-in with `refresh=5` weighs the edges once.
    """
    steps = {base: _five(one_step(*built(base, data)))}
    for plugin in ("homogcl", "adaptive"):
        name = f"{base}+{plugin}"
        steps[plugin] = _five(one_step(*built(name, data)))
        steps[f"{plugin}, 5"] = _five(one_step(*built(name, data, "refresh=5")))
    taken = in_turns(steps, rounds, warm=_WARM // 4)
    ratios = {name: over(taken, name, base) for name in steps if name != base}
    return {"seconds": statistics.median(taken[base]) / 5, **ratios}


def _five(step: Step) -> Step:
    return lambda: [step() for _ in range(5)]


def encoder_steps(data: str, rounds: int = 15) -> Measured:
    """Return the seconds of a step of GRACE with gcn, and those of other encoders over it."""
    kinds = ("gcn", *_OTHERS)
    steps = {kind: one_step(*built("grace", data, f"encoder={kind}")) for kind in kinds}
    taken = in_turns(steps, rounds)
    ratios = {kind: over(taken, kind, "gcn") for kind in _OTHERS}
    return {"seconds": statistics.median(taken["gcn"]), **ratios}


def bgrl_step(data: str, rounds: int = 15) -> Measured:
    """Return the seconds of BGRL's step, its products' share of it, and the usual way's over it."""
    method, graph, config = built("bgrl", data)
    ours = one_step(method, graph, config)
    usual_method, *rest = built("bgrl", data)
    usual = one_step(with_usual_modules(usual_method), *rest)
    auto = one_step(*built("bgrl", data, "precision=auto"))
    ours()
    with recorded() as products:
        ours()
    dense = [each for each in products if not each.is_sparse]
    sparse = [each for each in products if each.is_sparse]
    steps: dict[str, Step] = {
        "ours": ours,
        "auto": auto,
        "usual": usual,
        "dense": lambda: [each() for each in dense],
        "own dense": lambda: in_float32(dense),
        "sparse": lambda: [each() for each in sparse],
    }
    taken = in_turns(steps, rounds)
    sparse_share = over(taken, "sparse", "ours")
    return {
        "seconds": statistics.median(taken["ours"]),
        "share": over(taken, "dense", "ours") + sparse_share,
        "own_share": over(taken, "own dense", "ours") + sparse_share,
        "kernels": over(taken, "dense", "own dense"),
        "usual": over(taken, "usual", "ours"),
        "seconds_auto": statistics.median(taken["auto"]),
    }


def in_float32(products: Sequence[Product]) -> None:
    """Compute products by the kernels that a training in float32 takes."""
    with products_in("float32"):
        for product in products:
            product()


def in_turns(
    steps: Mapping[str, Step], rounds: int, warm: int | None = None
) -> dict[str, list[float]]:
    """Return the seconds of each step in each round, after some to warm up.

    A machine that others use is faster in one minute than in the next; steps of the same round
    meet the same machine.
    """
    for step in steps.values():
        for _ in range(_WARM if warm is None else warm):
            step()
    taken: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            started = time.perf_counter()
            step()
            taken[name].append(time.perf_counter() - started)
    return taken


def over(taken: Mapping[str, Sequence[float]], name: str, base: str) -> float:
    """Return the median of the ratios of two steps over the rounds."""
    return statistics.median(a / b for a, b in zip(taken[name], taken[base], strict=True))


class Product:
    """One matrix product of a step, which can be computed again by itself."""

    def __init__(self, func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Remember the operation with its operands."""
        self._func, self._kwargs = func, kwargs
        self._args = [x.detach() if isinstance(x, Tensor) else x for x in args]
        left = [x for x in args if isinstance(x, Tensor)][-2]
        sampled = func.overloadpacket is _aten.sparse_sampled_addmm
        self.is_sparse = sampled or left.layout != torch.strided

    def __call__(self) -> object:
        """Compute the product again."""
        with torch.no_grad():
            return self._func(*self._args, **self._kwargs)


class _Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.products: list[Product] = []

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func.overloadpacket in _PRODUCTS:
            self.products.append(Product(func, args, kwargs or {}))
        return func(*args, **(kwargs or {}))


@contextmanager
def recorded() -> Iterator[list[Product]]:
    """Collect the matrix products that are computed inside the block, backward ones included."""
    with _Recorder() as recorder:
        yield recorder.products
