"""The log of a training: it reads back as it was written, also after an interruption."""

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from homogcl.core.errors import UserError
from homogcl.runs.log import Log, read_curves, tensorboard
from homogcl.training.loop import Epoch


def test_every_term_of_every_epoch_is_written(tmp_path: Path) -> None:
    with tensorboard(tmp_path) as write:
        for number in (1, 2, 3):
            write(Epoch(number, 3, 1.0 / number, {"contrast": 2.0, "homophily": 0.5}, 0.25))
    read = EventAccumulator(str(tmp_path)).Reload()
    assert set(read.Tags()["scalars"]) == {"loss", "seconds", "terms/contrast", "terms/homophily"}
    assert [(e.step, e.value) for e in read.Scalars("loss")] == [
        (1, 1.0),
        (2, 0.5),
        (3, pytest.approx(1 / 3)),
    ]
    assert [e.value for e in read.Scalars("terms/homophily")] == [0.5] * 3


def test_without_tensorboard_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(UserError, match=r"homogcl\[tensorboard\]"), tensorboard(tmp_path):
        pass


def epoch(number: int, **terms: float) -> Epoch:
    return Epoch(number, 9, 1.0 / number, terms, 0.25)


def test_curves_are_what_was_logged(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log(epoch(1, contrast=2.0))
    log(epoch(2, contrast=1.5, homophily=0.5))
    curves = read_curves(tmp_path)
    assert curves["loss"] == [1.0, 0.5]
    assert curves["contrast"] == [2.0, 1.5]
    assert math.isnan(curves["homophily"][0])
    assert curves["homophily"][1] == 0.5
    assert set(curves) == {"loss", "contrast", "homophily"}


def test_seconds_without_a_batch_are_no_curve(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log(replace(epoch(1, contrast=2.0), waiting=0.125))
    assert json.loads((tmp_path / "metrics.jsonl").read_text())["waiting"] == 0.125
    assert set(read_curves(tmp_path)) == {"loss", "contrast"}


def test_a_resumed_log_replaces_what_was_logged_past_the_checkpoint(tmp_path: Path) -> None:
    before = Log(tmp_path)
    for number in (1, 2, 3, 4):
        before(epoch(number, contrast=0.0))
    after = Log(tmp_path)
    for number in (3, 4, 5):
        after(epoch(number, contrast=1.0))
    assert read_curves(tmp_path)["contrast"] == [0.0, 0.0, 1.0, 1.0, 1.0]


def test_no_log_has_no_curves_and_a_damaged_line_is_named(tmp_path: Path) -> None:
    assert read_curves(tmp_path) == {}
    (tmp_path / "metrics.jsonl").write_text('{"epoch": 1, "loss": 1.0}\n{"epo')
    with pytest.raises(UserError, match="line 2, is not valid JSON"):
        read_curves(tmp_path)
