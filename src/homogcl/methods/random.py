"""An untrained encoder: the part of a result that comes from the architecture alone."""

from __future__ import annotations

from homogcl.methods.base import Method, Sizes
from homogcl.nn.encoders import Encoder, EncoderConfig


class RandomInit(Method):
    """Random-Init: the embeddings of an untrained encoder."""

    name = "Random-Init"

    class Config(EncoderConfig):
        """Settings of the encoder."""

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, sizes.features).requires_grad_(False)
