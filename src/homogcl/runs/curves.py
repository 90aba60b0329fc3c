"""Training curves for TensorBoard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from homogcl.core.errors import UserError
from homogcl.runs.train import OnEpoch
from homogcl.training.loop import Epoch


@contextmanager
def tensorboard(folder: Path) -> Iterator[OnEpoch]:
    """Give what writes the loss, each of its terms and the seconds of an epoch to `folder`."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise UserError("--tensorboard needs it: pip install 'homogcl[tensorboard]'") from None
    writer = SummaryWriter(str(folder))

    def write(epoch: Epoch) -> None:
        values = {"loss": epoch.loss, "seconds": epoch.seconds}
        values |= {f"terms/{name}": value for name, value in epoch.terms.items()}
        for name, value in values.items():
            writer.add_scalar(name, value, epoch.number)

    try:
        yield write
    finally:
        writer.close()
