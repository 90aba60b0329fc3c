"""Node embeddings from a graph without labels: HomoGCL and the methods it is compared with.

A public name loads its module, and torch with it, when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from homogcl.runs.request import Request
    from homogcl.runs.train import train_run
    from homogcl.runs.transform import AddEmbeddings
    from homogcl.views.augment import augment, drop_edges, mask_features

__version__ = "0.1.0"

__all__ = [
    "AddEmbeddings",
    "EdgeSaliency",
    "Embedder",
    "HomoGCL",
    "Positives",
    "Request",
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
    "train_run",
]

_MODULES = {
    "AddEmbeddings": "runs.transform",
    "EdgeSaliency": "homophily.edges",
    "Embedder": "runs.embedder",
    "HomoGCL": "homophily.plugins.homogcl",
    "Positives": "homophily.positives",
    "Request": "runs.request",
    "UserError": "core.errors",
    "augment": "views.augment",
    "centroids": "homophily.clusters",
    "drop_edges": "views.augment",
    "edge_saliency": "homophily.edges",
    "homophily_loss": "homophily.saliency",
    "info_nce": "losses",
    "load": "data.load",
    "mask_features": "views.augment",
    "nearest_neighbors": "evaluate.neighbors",
    "read_own": "data.own.graph",
    "saliency": "homophily.saliency",
    "soft_assignment": "homophily.saliency",
    "train_run": "runs.train",
}

# Type checkers read the imports above; to them, any other attribute stays an error.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Return a public name from its module, and keep it."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Return the public names, those not loaded yet included."""
    return sorted({*globals(), *__all__})
