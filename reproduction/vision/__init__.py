"""SimCLR on images: the other side of the paper's comparison of vision with graphs."""

from reproduction.vision.images import ImageData, Images, images_at_hand, load_images
from reproduction.vision.network import ResNet
from reproduction.vision.simclr import SimCLR, SimCLRConfig, VisionEpoch, train_simclr
from reproduction.vision.transforms import TransformConfig, transform

__all__ = [
    "ImageData",
    "Images",
    "ResNet",
    "SimCLR",
    "SimCLRConfig",
    "TransformConfig",
    "VisionEpoch",
    "images_at_hand",
    "load_images",
    "train_simclr",
    "transform",
]
