"""One root seed, many named random streams.

Initialization, augmentation, clustering, split and probe draw from streams of their own, so that
changing how often one of them draws leaves the others as they were.
"""

from __future__ import annotations

import zlib

import numpy as np
import torch


def integer(seed: int, name: str) -> int:
    """Return a 31-bit seed for libraries that want an integer."""
    sequence = np.random.SeedSequence([seed, zlib.crc32(name.encode())])
    return int(sequence.generate_state(1)[0] >> 1)


def stream(seed: int, name: str, device: torch.device | str = "cpu") -> torch.Generator:
    """Return the torch generator of the stream `name` below the root `seed`."""
    generator = torch.Generator(device=device)
    generator.manual_seed(integer(seed, name))
    return generator


def numpy_stream(seed: int, name: str) -> np.random.Generator:
    """Return the numpy generator of the stream `name` below the root `seed`."""
    return np.random.default_rng(np.random.SeedSequence([seed, zlib.crc32(name.encode())]))


def drawn_seed(rng: torch.Generator) -> int:
    """Draw a 31-bit seed from `rng`."""
    return int(torch.randint(2**31, (1,), generator=rng, device=rng.device))


def branch(rng: torch.Generator, name: str) -> int:
    """Return a 31-bit seed that follows from `name` and the state of `rng`, which stays."""
    copy = torch.Generator(device=rng.device)
    copy.set_state(rng.get_state())
    return integer(int(torch.randint(2**62, (1,), generator=copy, device=rng.device)), name)
