"""Images from a file, and digits where there is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from homogcl.core.errors import UserError
from reproduction.vision.images import CIFAR, load_images


def test_digits_stand_in_where_the_file_is_missing(tmp_path: Path) -> None:
    images = load_images(tmp_path)
    assert images.name == "digits"
    assert images.train.shape == (1437, 1, 8, 8)
    assert len(images.test) == len(images.test_y) == 360
    assert float(images.train.min()) == 0
    assert float(images.train.max()) == 1
    assert len(images.sha256) == 64


def test_the_file_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / CIFAR).parent.mkdir()
    pixels = np.arange(2 * 4 * 4 * 3, dtype=np.uint8).reshape(2, 4, 4, 3)
    labels = np.array([3, 1], dtype=np.uint8)
    np.savez(tmp_path / CIFAR, x_train=pixels, y_train=labels, x_test=pixels[:1], y_test=labels[:1])
    images = load_images(tmp_path)
    assert images.name == "cifar10"
    assert images.channels == 3
    assert images.train_y.tolist() == [3, 1]
    # Row 2, column 3, channel 1 of the second image.
    assert float(images.train[1, 1, 2, 3]) == pytest.approx(pixels[1, 2, 3, 1] / 255)


@pytest.mark.parametrize("content", [b"no archive", b""])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / CIFAR).parent.mkdir()
    (tmp_path / CIFAR).write_bytes(content)
    with pytest.raises(UserError, match="cifar10_subset"):
        load_images(tmp_path)


def test_images_may_be_asked_for_by_name(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cifar10_subset"):
        load_images(tmp_path, "cifar10")
    (tmp_path / CIFAR).parent.mkdir()
    (tmp_path / CIFAR).write_bytes(b"not looked at")
    assert load_images(tmp_path, "digits").name == "digits"
