"""A trained model and its one file: weights in safetensors, everything else in the header."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.config import first_problem
from homogcl.core.errors import UserError, first_line
from homogcl.core.files import write_atomically
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import Method, Sizes, build
from homogcl.presets.resolve import Settings, resolve
from homogcl.presets.sections import NO_DATA_SET
from homogcl.runs.compatibility import TrainingGraph, for_method
from homogcl.runs.run import Run

FORMAT: Final = 3
KEY = "homogcl"  # of the header
# What a file raises that is damaged or holds something else.
_BROKEN = (SafetensorError, UserError, KeyError, ValueError, TypeError, RuntimeError, OverflowError)


@dataclass(frozen=True)
class _Header:
    """Everything but the weights, as it is written."""

    format: Literal[3]
    method: str
    seed: Annotated[int, Field(ge=0)]
    settings: dict[str, Any]
    overrides: tuple[str, ...]
    sizes: Sizes
    graph: TrainingGraph
    loss_curve: list[float]


@dataclass(frozen=True)
class TrainedModel:
    """A trained method and what is needed to embed with it or to train it again.

    Attributes:
        name: The method's name, with plug-ins behind plus signs.
        seed: Root seed that it was trained with.
        settings: All settings that it was trained with.
        overrides: Names of the settings that an embedder of this model is made with.
        sizes: The numbers of nodes, features and classes of the training graph.
        graph: Properties of the training graph that a new graph must match.
        method: The method with its weights, in evaluation mode.
        loss_curve: The loss per epoch.
    """

    name: str
    seed: int
    settings: Settings
    overrides: tuple[str, ...]
    sizes: Sizes
    graph: TrainingGraph
    method: Method
    loss_curve: list[float]

    @classmethod
    def of(
        cls, run: Run, method: Method, loss_curve: list[float], overrides: Iterable[str]
    ) -> TrainedModel:
        """Return the model that a run made of `method`."""
        return cls(
            name=run.method,
            seed=run.seed,
            settings=run.settings,
            overrides=tuple(overrides),
            sizes=Sizes.of(run.graph),
            graph=TrainingGraph.of(run.graph),
            method=method.eval(),
            loss_curve=loss_curve,
        )

    @property
    def parameters(self) -> dict[str, object]:
        """The settings that an embedder of this model is made with."""
        settings = self.settings.flat()
        return {key: settings[key] for key in self.overrides}

    @property
    def form(self) -> str:
        """What the embeddings consist of."""
        return self.settings.embedding.form

    def takes(self, graph: Data) -> Data:
        """Return `graph` in the form that the method takes, or refuse it with a reason."""
        return for_method(graph, self.method, self.graph)

    def embed(self, graph: Data) -> Tensor:
        """Return the vectors of the nodes of the training graph or of a new one, [N, d']."""
        return embeddings(self.method, self.takes(graph), self.form)

    def save(self, path: Path) -> Path:
        """Write the model to one file, whole or not at all, and return its path."""
        weights = {key: value.contiguous() for key, value in self.method.state_dict().items()}
        header = _Header(
            FORMAT,
            self.name,
            self.seed,
            self.settings.flat(),
            self.overrides,
            self.sizes,
            self.graph,
            list(self.loss_curve),
        )
        return write_atomically(path, save(weights, {KEY: json.dumps(asdict(header))}))

    @classmethod
    def load(cls, path: Path) -> TrainedModel:
        """Return the model that `save` wrote; nothing in the file is executed."""
        try:
            with safe_open(path, framework="pt") as file:
                content = json.loads((file.metadata() or {})[KEY])
                weights = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
            _check_format(content)
            return cls._restored(TypeAdapter(_Header).validate_python(content), weights)
        except OSError as error:
            raise UserError(f"{path}: cannot be read ({error.strerror or error})") from None
        except ValidationError as error:
            reason = first_problem(error, "header")
            raise UserError(f"{path}: holds no trained model: {reason}") from None
        except _BROKEN as error:
            raise UserError(f"{path}: holds no trained model: {first_line(error)}") from None

    @classmethod
    def _restored(cls, header: _Header, weights: dict[str, Tensor]) -> TrainedModel:
        # The settings are complete, so that later presets and defaults cannot change the method.
        settings = resolve(header.method, NO_DATA_SET, header.settings)
        method = build(header.method, settings.method, header.sizes, header.seed)
        method.load_state_dict(weights)
        if foreign := set(header.overrides) - set(settings.flat()):
            raise ValueError(f"{header.method} has no setting {min(foreign)!r}")
        return cls(
            header.method,
            header.seed,
            settings,
            header.overrides,
            header.sizes,
            header.graph,
            method.eval(),
            header.loss_curve,
        )


def _check_format(content: object) -> None:
    number = content.get("format") if isinstance(content, dict) else None
    if isinstance(number, int) and number != FORMAT:
        raise ValueError(f"it has the format {number}, not {FORMAT}")
