"""Node embeddings from a graph without labels: HomoGCL and the methods it is compared with."""

from homogcl.augment import augment, drop_edges, mask_features
from homogcl.data import load
from homogcl.data.own import read_own
from homogcl.edge_saliency import EdgeSaliency, edge_saliency
from homogcl.embedder import Embedder
from homogcl.errors import UserError
from homogcl.evaluate import nearest_neighbors
from homogcl.homophily import centroids, homophily_loss, saliency, soft_assignment
from homogcl.objectives import info_nce
from homogcl.positives import Positives
from homogcl.transform import AddEmbeddings

__version__ = "0.1.0"

__all__ = [
    "AddEmbeddings",
    "EdgeSaliency",
    "Embedder",
    "Positives",
    "UserError",
    "augment",
    "centroids",
    "drop_edges",
    "edge_saliency",
    "homophily_loss",
    "info_nce",
    "load",
    "mask_features",
    "nearest_neighbors",
    "read_own",
    "saliency",
    "soft_assignment",
]
