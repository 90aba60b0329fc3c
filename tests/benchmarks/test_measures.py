"""The measures on small graphs: each gives the numbers that the tables show."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow
import pytest
import torch

from benchmarks import measures
from homogcl.methods.registry import build

SMALL = ("hidden_dim=8", "out_dim=4")


@pytest.fixture
def _threads() -> Iterator[None]:
    """Put the numbers of threads back, which some measures set for their process."""
    before = (torch.get_num_threads(), pyarrow.cpu_count())
    yield
    torch.set_num_threads(before[0])
    pyarrow.set_cpu_count(before[1])


def test_seconds_are_the_median_of_all_steps_but_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    def timed(step: object, repeats: int) -> list[float]:
        asked.append(repeats)
        return [9.0, 1.0, 2.0]

    monkeypatch.setattr(measures, "timed", timed)
    assert measures.seconds_of(lambda: None, 3) == 2.0
    assert asked == [3]


@pytest.mark.parametrize("method", ["grace+homogcl", "raw"])
def test_step_is_measured_with_the_settings_that_were_changed(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    widths: list[int] = []

    def watched(*arguments: object, **named: object) -> object:
        built = build(*arguments, **named)  # type: ignore[arg-type]
        widths.extend(p.size(1) for p in built.parameters() if p.dim() == 2)
        return built

    monkeypatch.setattr(measures, "build", watched)
    taken = measures.step(method, "demo", 1, *(SMALL if method != "raw" else ()))
    assert set(taken) == {"seconds", "bytes", "peak_bytes"}
    assert taken["seconds"] >= 0
    assert taken["peak_bytes"] >= taken["bytes"] >= 0
    assert set(widths) == (set() if method == "raw" else {8, 4})


@pytest.mark.usefixtures("_threads")
@pytest.mark.parametrize("ids", ["numbers", "names"])
def test_reading_own_files_is_measured(ids: str) -> None:
    taken = measures.own_files(ids, edges=300, nodes=40)
    assert set(taken) == {"seconds", "processor_seconds", "structural_seconds", "bytes"}
    assert all(value >= 0 for value in taken.values())


@pytest.mark.parametrize("has", [True, False])
def test_ways_of_sampling_are_timed_where_the_machine_has_them(
    monkeypatch: pytest.MonkeyPatch, has: bool
) -> None:
    monkeypatch.setattr("homogcl.core.precision.has_bfloat16", lambda: has)
    monkeypatch.setattr(measures, "has_bfloat16", lambda: has)
    # A dense step takes twenty seconds, sampled ones one and, at every fifth, six: two on average.
    monkeypatch.setattr(measures, "seconds_of", lambda *_: 20.0)
    monkeypatch.setattr(measures, "timed", lambda step, repeats: [1.0] * (repeats - 1) + [6.0])
    taken = measures.sampled_ways("demo")
    assert taken == dict.fromkeys(["preset", "refresh", *["bfloat16"] * has], 10.0)
