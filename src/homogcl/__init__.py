"""Node embeddings from a graph without labels: HomoGCL and the methods it is compared with.

A public name loads its module, and torch with it, when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homogcl.core.errors import UserError as UserError
    from homogcl.data.held.tables import Tables as Tables
    from homogcl.data.load import load as load
    from homogcl.data.own.graph import read_own as read_own
    from homogcl.evaluate.neighbors import nearest_neighbors as nearest_neighbors
    from homogcl.homophily.clusters import centroids as centroids
    from homogcl.homophily.edges import EdgeSaliency as EdgeSaliency
    from homogcl.homophily.edges import edge_saliency as edge_saliency
    from homogcl.homophily.plugins.homogcl import HomoGCL as HomoGCL
    from homogcl.homophily.positives import Positives as Positives
    from homogcl.homophily.saliency import homophily_loss as homophily_loss
    from homogcl.homophily.saliency import saliency as saliency
    from homogcl.homophily.saliency import soft_assignment as soft_assignment
    from homogcl.losses import info_nce as info_nce
    from homogcl.runs.embedder import Embedder as Embedder
    from homogcl.runs.request import Request as Request
    from homogcl.runs.scorers import scorer as scorer
    from homogcl.runs.train import train_run as train_run
    from homogcl.runs.transform import AddEmbeddings as AddEmbeddings
    from homogcl.views.augment import augment as augment
    from homogcl.views.augment import drop_edges as drop_edges
    from homogcl.views.augment import mask_features as mask_features

__version__ = "0.1.0"

_MODULES = {
    "AddEmbeddings": "runs.transform",
    "EdgeSaliency": "homophily.edges",
    "Embedder": "runs.embedder",
    "HomoGCL": "homophily.plugins.homogcl",
    "Positives": "homophily.positives",
    "Request": "runs.request",
    "Tables": "data.held.tables",
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
    "scorer": "runs.scorers",
    "soft_assignment": "homophily.saliency",
    "train_run": "runs.train",
}
__all__ = [*_MODULES]

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
