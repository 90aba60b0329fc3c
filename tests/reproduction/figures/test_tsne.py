"""Embeddings in the plane."""

from __future__ import annotations

from pathlib import Path

import pytest

from homogcl.core.errors import UserError
from reproduction.catalog import FIGURES
from reproduction.layout_training import LayoutTraining
from tests.figure_records import keep_all


def test_missing_or_damaged_points_are_refused(tmp_path: Path) -> None:
    training = keep_all("tsne", tmp_path, quick=True)[0]
    assert isinstance(training, LayoutTraining)
    training.points_path(tmp_path).write_bytes(b"no archive")
    with pytest.raises(UserError, match="holds no points"):
        FIGURES["tsne"].write(tmp_path, tmp_path, True)
    training.points_path(tmp_path).unlink()
    with pytest.raises(UserError, match="python -m reproduction tsne"):
        FIGURES["tsne"].write(tmp_path, tmp_path, True)
