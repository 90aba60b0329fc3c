"""A small residual network for small images."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional


class Block(nn.Module):
    """Two 3x3 convolutions with a skip connection, a 1x1 convolution if sizes differ."""

    def __init__(self, fan_in: int, fan_out: int, stride: int) -> None:
        """Build the convolutions."""
        super().__init__()
        self.first = nn.Conv2d(fan_in, fan_out, 3, stride, padding=1, bias=False)
        self.second = nn.Conv2d(fan_out, fan_out, 3, padding=1, bias=False)
        self.first_norm, self.second_norm = nn.BatchNorm2d(fan_out), nn.BatchNorm2d(fan_out)
        same = stride == 1 and fan_in == fan_out
        self.around = nn.Identity() if same else nn.Conv2d(fan_in, fan_out, 1, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return the sum of the convolutions and the skip connection."""
        h = functional.relu(self.first_norm(self.first(x)))
        return functional.relu(self.second_norm(self.second(h)) + self.around(x))


class ResNet(nn.Module):
    """A 3x3 stem, one stage per width, each after the first at half the size, and a mean."""

    def __init__(
        self, channels: int, widths: tuple[int, ...] = (32, 64, 128), stem_stride: int = 1
    ) -> None:
        """Build the stages."""
        super().__init__()
        self.out_dim = widths[-1]
        self.stem = nn.Sequential(
            nn.Conv2d(channels, widths[0], 3, stem_stride, padding=1, bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(),
        )
        before = (widths[0], *widths[:-1])
        self.stages = nn.Sequential(
            *(
                Block(fan_in, fan_out, 1 if i == 0 else 2)
                for i, (fan_in, fan_out) in enumerate(zip(before, widths, strict=True))
            )
        )

    def forward(self, images: Tensor) -> Tensor:
        """Return a vector for each image, [n, out_dim]."""
        h: Tensor = self.stages(self.stem(images)).mean(dim=(2, 3))
        return h
