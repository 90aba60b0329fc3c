"""Beyond the paper: when homophily helps, and what makes it help."""

from __future__ import annotations

from homogcl.reproduce.artifact import Artifact
from homogcl.reproduce.study.encoders import ENCODERS
from homogcl.reproduce.study.generated import GENERATED
from homogcl.reproduce.study.goals import GOALS
from homogcl.reproduce.study.levers import LEVER_ARTIFACTS
from homogcl.reproduce.study.training import TRAINING

STUDY: dict[str, Artifact] = {
    each.name: each for each in (*LEVER_ARTIFACTS, TRAINING, GENERATED, ENCODERS, *GOALS)
}
