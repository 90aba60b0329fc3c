"""The paper's figures, each from its runs to its files."""

from __future__ import annotations

from reproduction.artifact import Artifact
from reproduction.figures.augmentation import AUGMENTATION
from reproduction.figures.message_passing import MESSAGE_PASSING
from reproduction.figures.pipeline import PIPELINE
from reproduction.figures.saliency import SALIENCY
from reproduction.figures.sensitivity import SENSITIVITY
from reproduction.figures.similarity import SIMILARITY
from reproduction.figures.tsne import TSNE

# In the paper's order.
FIGURES: dict[str, Artifact] = {
    each.name: each
    for each in (
        *(AUGMENTATION, SIMILARITY, MESSAGE_PASSING, PIPELINE, SALIENCY, SENSITIVITY, TSNE),
    )
}
