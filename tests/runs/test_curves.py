"""What is written for TensorBoard reads back as it was."""

import sys
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from homogcl.core.errors import UserError
from homogcl.runs.curves import tensorboard
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
