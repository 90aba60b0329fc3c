"""Beyond the paper: when homophily helps, and what makes it help."""

from __future__ import annotations

from reproduction.artifact import Artifact
from reproduction.study.encoders import ENCODERS
from reproduction.study.generated import GENERATED
from reproduction.study.goals import GOALS
from reproduction.study.levers import LEVER_ARTIFACTS
from reproduction.study.training import TRAINING

STUDY: dict[str, Artifact] = {
    each.name: each for each in (*LEVER_ARTIFACTS, TRAINING, GENERATED, ENCODERS, *GOALS)
}
