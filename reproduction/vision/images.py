"""Images to train on: a part of CIFAR-10 if available, else small digits."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from homogcl.core.errors import UserError
from homogcl.data.published.root import data_root

ImageData = Literal["cifar10", "digits"]
CIFAR = Path("cifar10") / "cifar10_subset_10k_2k.npz"


@dataclass(frozen=True)
class Images:
    """Labeled images with values in 0..1; `sha256` is the hash of their file."""

    name: str
    train: Tensor  # [n, channels, height, width]
    train_y: Tensor  # int64 [n]
    test: Tensor
    test_y: Tensor
    sha256: str

    @property
    def channels(self) -> int:
        """The number of values per pixel."""
        return self.train.size(1)


def available_images(root: Path | None = None) -> ImageData:
    """Return which images are available: CIFAR-10 if its file is in the root, else digits."""
    return "cifar10" if (data_root(root) / CIFAR).exists() else "digits"


def load_images(root: Path | None = None, name: ImageData | None = None) -> Images:
    """Return images by name: CIFAR-10's part under the data root, or scikit-learn's digits.

    Args:
        root: Folder of all data sets; by default that of `homogcl.load`.
        name: Which images; by default CIFAR-10 if available, else digits.
    """
    path = data_root(root) / CIFAR
    if (name or available_images(root)) == "digits":
        return _digits()
    if not path.exists():
        raise UserError(f"no part of CIFAR-10 at {path}: put the file there, or take the digits")
    return _cifar(path)


def _cifar(path: Path) -> Images:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in ("x_train", "y_train", "x_test", "y_test")}
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise UserError(f"{path} is not the expected part of CIFAR-10: {error}") from None
    return Images(
        "cifar10",
        _scaled(arrays["x_train"], 255),
        torch.from_numpy(arrays["y_train"].astype(np.int64)),
        _scaled(arrays["x_test"], 255),
        torch.from_numpy(arrays["y_test"].astype(np.int64)),
        hashlib.sha256(path.read_bytes()).hexdigest(),
    )


def _digits(test: int = 360) -> Images:
    from sklearn.datasets import load_digits

    digits = load_digits()
    x = _scaled(digits.images[..., None], 16)
    y = torch.from_numpy(digits.target.astype(np.int64))
    digest = hashlib.sha256(np.ascontiguousarray(digits.images).tobytes()).hexdigest()
    return Images("digits", x[:-test], y[:-test], x[-test:], y[-test:], digest)


def _scaled(pixels: np.ndarray[tuple[int, ...], np.dtype[np.generic]], largest: int) -> Tensor:
    """Return images [n, height, width, channels] as [n, channels, height, width] in 0..1."""
    values = torch.from_numpy(np.ascontiguousarray(pixels, dtype=np.float32)) / largest
    return values.permute(0, 3, 1, 2).contiguous()
