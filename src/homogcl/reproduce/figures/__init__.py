"""The paper's figures, each from its runs to its files."""

from __future__ import annotations

from homogcl.reproduce.artifact import Artifact
from homogcl.reproduce.figures.augmentation import AUGMENTATION
from homogcl.reproduce.figures.message_passing import MESSAGE_PASSING
from homogcl.reproduce.figures.pipeline import PIPELINE
from homogcl.reproduce.figures.saliency import SALIENCY
from homogcl.reproduce.figures.sensitivity import SENSITIVITY
from homogcl.reproduce.figures.similarity import SIMILARITY
from homogcl.reproduce.figures.tsne import TSNE

# In the paper's order.
FIGURES: dict[str, Artifact] = {
    each.name: each
    for each in (
        *(AUGMENTATION, SIMILARITY, MESSAGE_PASSING, PIPELINE, SALIENCY, SENSITIVITY, TSNE),
    )
}
