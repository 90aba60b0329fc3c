"""Node embeddings from a graph without labels: HomoGCL and the methods it is compared with."""

from homogcl.augment import augment, drop_edges, mask_features
from homogcl.data import load
from homogcl.errors import UserError
from homogcl.homophily import centroids, homophily_loss, saliency, soft_assignment
from homogcl.objectives import info_nce
from homogcl.positives import Positives

__version__ = "0.1.0"

__all__ = [
    "Positives",
    "UserError",
    "augment",
    "centroids",
    "drop_edges",
    "homophily_loss",
    "info_nce",
    "load",
    "mask_features",
    "saliency",
    "soft_assignment",
]
