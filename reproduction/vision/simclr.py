"""SimCLR: two random views of an image are each other's positive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from pydantic import Field
from torch import Tensor, nn

from homogcl.core.seeds import integer, stream
from homogcl.losses import info_nce
from homogcl.nn.encoders import projector
from reproduction.pair_similarity import Similarities, mean_similarities
from reproduction.vision.network import ResNet
from reproduction.vision.transforms import TransformConfig, transform


class SimCLRConfig(TransformConfig):
    """Settings of SimCLR."""

    widths: tuple[int, ...] = (32, 64, 128)
    stem_stride: int = Field(
        default=1, ge=1
    )  # 2 halves the images' sides, at a quarter of the cost
    projector_dim: int = Field(default=64, ge=1)
    temperature: float = Field(default=0.5, gt=0)  # τ
    augmentation: bool = True  # without it both views are the image itself
    batch_size: int = Field(default=256, ge=2)
    epochs: int = Field(default=20, ge=0)
    learning_rate: float = Field(default=1e-3, gt=0)


@dataclass(frozen=True)
class VisionEpoch:
    """Means over the batches of one pass over the images."""

    number: int  # from 1
    loss: float
    similarities: Similarities


class SimCLR(nn.Module):
    """A simple framework for contrastive learning of visual representations (Chen et al., 2020).

    NT-Xent over a batch is the loss of GRACE on a graph without edges: the only positive of a view
    is the other view of its image, and all other views are negatives. So the same kernel serves
    both. Representations are the network's output before the projector.
    """

    def __init__(self, config: SimCLRConfig, channels: int) -> None:
        """Build the network and the projector."""
        super().__init__()
        self.config = config
        self.network = ResNet(channels, config.widths, config.stem_stride)
        self.projector = projector(self.network.out_dim, config.projector_dim)

    def views(self, images: Tensor, rng: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return two views of each image."""
        if not self.config.augmentation:
            return images, images
        return transform(images, self.config, rng), transform(images, self.config, rng)

    def project(self, images: Tensor) -> Tensor:
        """Return the vectors that the loss compares, [n, d]."""
        z: Tensor = self.projector(self.network(images))
        return z

    def embed(self, images: Tensor, batch_size: int = 1000) -> Tensor:
        """Return the representations in evaluation mode, [n, d], without gradient."""
        training = self.training
        self.eval()
        with torch.no_grad():
            parts = [
                self.network(images[i : i + batch_size]) for i in range(0, len(images), batch_size)
            ]
        self.train(training)
        return torch.cat(parts)


def train_simclr(
    images: Tensor,
    config: SimCLRConfig,
    seed: int,
    on_epoch: Callable[[VisionEpoch], None] | None = None,
) -> SimCLR:
    """Return SimCLR trained on `images` [n, channels, height, width] with Adam.

    Args:
        images: The images, without labels.
        config: Settings of network, views and training.
        seed: Root seed of the streams "init", "order" and "augment".
        on_epoch: Called after each pass over the images.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(integer(seed, "init"))
        model = SimCLR(config, images.size(1))
    order_rng, view_rng = stream(seed, "order"), stream(seed, "augment")
    optimizer = torch.optim.Adam(model.parameters(), lr=config.learning_rate)
    for epoch in range(1, config.epochs + 1):
        model.train()
        batches: list[tuple[float, Similarities]] = []
        order = torch.randperm(len(images), generator=order_rng)
        # An incomplete batch would have fewer negatives than the others.
        for i in range(0, max(1, len(order) - config.batch_size + 1), config.batch_size):
            batch = images[order[i : i + config.batch_size]]
            first, second = model.views(batch, view_rng)
            u = model.project(first)
            # Without augmentation both views are the same and need one pass.
            v = u if second is first else model.project(second)
            loss = info_nce(u, v, config.temperature)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            batches.append((loss.item(), mean_similarities(u, v)))
        if on_epoch:
            on_epoch(_summary(epoch, batches))
    return model


def _summary(epoch: int, batches: list[tuple[float, Similarities]]) -> VisionEpoch:
    count = len(batches)
    similarities = Similarities(
        sum(each.positive for _, each in batches) / count,
        sum(each.negative for _, each in batches) / count,
    )
    return VisionEpoch(epoch, sum(loss for loss, _ in batches) / count, similarities)
