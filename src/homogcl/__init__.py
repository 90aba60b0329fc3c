"""Node embeddings from a graph without labels: HomoGCL and the methods it is compared with."""

from homogcl.core.errors import UserError
from homogcl.data.load import load
from homogcl.data.own.graph import read_own
from homogcl.evaluate.neighbors import nearest_neighbors
from homogcl.homophily.clusters import centroids
from homogcl.homophily.edges import EdgeSaliency, edge_saliency
from homogcl.homophily.plugins.homogcl import HomoGCL
from homogcl.homophily.positives import Positives
from homogcl.homophily.saliency import homophily_loss, saliency, soft_assignment
from homogcl.losses import info_nce
from homogcl.runs.embedder import Embedder
from homogcl.runs.transform import AddEmbeddings
from homogcl.views.augment import augment, drop_edges, mask_features

__version__ = "0.1.0"

__all__ = [
    "AddEmbeddings",
    "EdgeSaliency",
    "Embedder",
    "HomoGCL",
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
