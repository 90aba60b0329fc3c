"""All tables and figures by name: those of the paper, and those of the study beyond it."""

from __future__ import annotations

from homogcl.core.errors import UnknownName
from reproduction.artifact import Artifact
from reproduction.figures.augmentation import AUGMENTATION
from reproduction.figures.message_passing import MESSAGE_PASSING
from reproduction.figures.pipeline import PIPELINE
from reproduction.figures.saliency import SALIENCY
from reproduction.figures.sensitivity import SENSITIVITY
from reproduction.figures.similarity import SIMILARITY
from reproduction.figures.tsne import TSNE
from reproduction.paper.published_budgets import PUBLISHED_BUDGETS
from reproduction.paper.tables import PAPER_TABLES
from reproduction.paper.text_proxy import TEXT_PROXY
from reproduction.study.advice import ADVICE
from reproduction.study.batches import BATCHES
from reproduction.study.budgets import BUDGETS
from reproduction.study.cold_start import COLD_START
from reproduction.study.edge_scores import EDGE_SCORES
from reproduction.study.encoder_parts import ENCODER_PARTS
from reproduction.study.encoders import ENCODERS
from reproduction.study.forecast import FORECAST
from reproduction.study.form import FORM
from reproduction.study.forms import FORMS
from reproduction.study.generated import GENERATED
from reproduction.study.goals import GOALS
from reproduction.study.levers import LEVER_ARTIFACTS
from reproduction.study.neighbor_methods import NEIGHBOR_METHODS
from reproduction.study.probes import PROBES
from reproduction.study.propagation_grid import PROPAGATION_GRID
from reproduction.study.refresh import REFRESH
from reproduction.study.rivals import RIVALS
from reproduction.study.robustness import ROBUSTNESS
from reproduction.study.training import TRAINING
from reproduction.study.unseen import UNSEEN
from reproduction.study.wrong_edges import WRONG_EDGES

# In the paper's order.
FIGURES: dict[str, Artifact] = {
    each.name: each
    for each in (
        *(AUGMENTATION, SIMILARITY, MESSAGE_PASSING, PIPELINE, SALIENCY, SENSITIVITY, TSNE),
    )
}
STUDY: dict[str, Artifact] = {
    each.name: each
    for each in (
        *(PROBES, BUDGETS, FORMS, *LEVER_ARTIFACTS, TRAINING, GENERATED, ENCODERS),
        *(FORM, RIVALS, WRONG_EDGES, EDGE_SCORES, COLD_START, ADVICE, FORECAST, PROPAGATION_GRID),
        *(UNSEEN, NEIGHBOR_METHODS, ROBUSTNESS, ENCODER_PARTS, BATCHES, REFRESH, *GOALS),
    )
}
# Beside the paper's tables: its large graph on other features, and what its rows took.
SUPPLEMENTS: dict[str, Artifact] = {each.name: each for each in (TEXT_PROXY, PUBLISHED_BUDGETS)}
ARTIFACTS: dict[str, Artifact] = {**PAPER_TABLES, **SUPPLEMENTS, **FIGURES}  # of the paper
GROUPS: dict[str, dict[str, Artifact]] = {"all": ARTIFACTS, "study": STUDY}
NAMES = (*ARTIFACTS, *STUDY, *GROUPS)


def artifacts_called(names: list[str]) -> list[Artifact]:
    """Return the artifacts called `names`, each once; `all` and `study` are groups."""
    singles = {**ARTIFACTS, **STUDY}
    artifacts: dict[str, Artifact] = {}
    for name in names:
        if name not in NAMES:
            raise UnknownName("table or figure", name, set(NAMES))
        artifacts |= GROUPS.get(name) or {name: singles[name]}
    return list(artifacts.values())
