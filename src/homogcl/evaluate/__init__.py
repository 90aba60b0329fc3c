"""What an embedding is worth: arrays in, dictionaries of floats out."""

from __future__ import annotations

from homogcl.evaluate.cluster import cluster_scores
from homogcl.evaluate.probe import ProbeConfig, linear_probe, predictions

__all__ = ["ProbeConfig", "cluster_scores", "linear_probe", "predictions"]
