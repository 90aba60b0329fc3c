"""What an embedding is worth: arrays in, dictionaries of floats out."""

from __future__ import annotations

from homogcl.evaluate.cluster import cluster_scores
from homogcl.evaluate.knn import knn_scores
from homogcl.evaluate.links import Links, hold_out, link_scores
from homogcl.evaluate.neighbors import nearest_neighbors
from homogcl.evaluate.probe import ProbeConfig, linear_probe, predictions

__all__ = [
    "Links",
    "ProbeConfig",
    "cluster_scores",
    "hold_out",
    "knn_scores",
    "linear_probe",
    "link_scores",
    "nearest_neighbors",
    "predictions",
]
