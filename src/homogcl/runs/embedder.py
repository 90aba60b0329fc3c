"""Methods with the manners of scikit-learn: fit, transform, clone, save and load."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.check import MASKS, validate
from homogcl.data.edges import undirected
from homogcl.data.features import compact
from homogcl.data.held.graph import HeldGraph, as_graph
from homogcl.data.names import original_ids
from homogcl.data.recipe import Recipe, scale_features
from homogcl.data.structural import features_of_edges
from homogcl.methods.forms import AUTO
from homogcl.methods.registry import Method, Sizes, method_class, split_name
from homogcl.presets.resolve import Settings, resolve
from homogcl.presets.sections import NO_DATA_SET, preset_by_size
from homogcl.runs.compatibility import TrainingGraph, in_order
from homogcl.runs.folder import RunFolder
from homogcl.runs.model import TrainedModel
from homogcl.runs.run import Run
from homogcl.runs.train import fit_run
from homogcl.training.loop import Epoch

Graph: TypeAlias = HeldGraph


class Embedder:
    """Learns vectors for the nodes of a graph.

    A graph is whatever `as_graph` takes: tables, arrays, graphs of other packages, a `Data`, or the
    path of files. Edges are taken both ways and features scaled as in training.

    Attributes:
        method: A method's name, with plug-ins behind plus signs.
        seed: Root seed of every random stream.
        settings: Settings that differ from the method's defaults.
        model_: The trained model, once there is one.
        ids_: The ids of the nodes it was trained on, in the order of their vectors.
    """

    model_: TrainedModel
    ids_: list[Any]

    def __init__(self, method: str = "grace+homogcl", *, seed: int = 0, **settings: object) -> None:
        """Keep the parameters; `fit` checks them.

        Args:
            method: A method's name, with plug-ins behind plus signs.
            seed: Root seed of every random stream.
            **settings: Settings of the method, its training, the features' normalization, and the
                `form` of the vectors.
        """
        self.method = method
        self.seed = seed
        self.settings = settings

    def __repr__(self) -> str:
        """Return the call that makes this embedder, before it is fitted."""
        settings = "".join(f", {key}={value!r}" for key, value in self.settings.items())
        return f"Embedder({self.method!r}, seed={self.seed}{settings})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters by name; `deep` is there by convention."""
        return {"method": self.method, "seed": self.seed, **self.settings}

    def set_params(self, **params: Any) -> Self:
        """Replace parameters by name and return the embedder; what was learned stays."""
        self.method = params.pop("method", self.method)
        self.seed = params.pop("seed", self.seed)
        self.settings = {**self.settings, **params}
        return self

    @property
    def method_(self) -> Method:
        """The trained method."""
        return self.model_.method

    @property
    def settings_(self) -> Settings:
        """All settings that the method was trained with."""
        return self.model_.settings

    @property
    def recipe_(self) -> Recipe | None:
        """What was done to the features of the training graph, and is done to those of others."""
        return self.model_.graph.recipe

    @property
    def loss_curve_(self) -> list[float]:
        """The loss per epoch."""
        return self.model_.loss_curve

    def fit(self, graph: Graph, y: object = None) -> Self:
        """Train the method on `graph` and return the embedder; `y` is there by convention."""
        settings = resolve(self.method, NO_DATA_SET, self.settings)
        data = _input(graph, settings, self.seed, labels_for=self._use_of_labels(settings))
        sizes = Sizes.of(data)
        if preset := preset_by_size(self.method, NO_DATA_SET, sizes.nodes):
            settings = resolve(self.method, NO_DATA_SET, self.settings, preset)
        losses: list[float] = []

        def follow(epoch: Epoch) -> None:
            losses.append(epoch.loss)

        run = Run.of(self.method, settings, data, self.seed)
        trained = fit_run(run, on_epoch=follow)
        self.model_ = TrainedModel(
            name=self.method,
            seed=self.seed,
            settings=run.in_form(trained.form).settings,
            overrides=tuple(self.settings),
            sizes=sizes,
            graph=TrainingGraph.of(data),
            method=trained.method.eval(),
            loss_curve=losses,
        )
        self.ids_ = data.ids
        return self

    def transform(self, graph: Graph) -> npt.NDArray[np.float32]:
        """Return the nodes' vectors, [N, d'], of the training graph or of a new one.

        A new graph is refused where the method knows only the nodes it has seen, and where the
        features were made of the edges: those of two graphs do not mean the same.
        """
        model = self._fitted()
        data = _input(graph, model.settings, model.seed, trained_on=model.graph)
        vectors: npt.NDArray[np.float32] = model.embed(data).cpu().numpy()
        return vectors

    def fit_transform(self, graph: Graph, y: object = None) -> npt.NDArray[np.float32]:
        """Train on `graph` and return its nodes' vectors, [N, d']."""
        return self.fit(graph).transform(graph)

    def save(self, path: str | Path) -> Path:
        """Write the fitted embedder to one file, as run folders hold it, and return its path."""
        return self._fitted().save(Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the embedder that `save` wrote, or that of a run folder; nothing is executed."""
        place = Path(path)
        model = RunFolder(place).model() if place.is_dir() else TrainedModel.load(place)
        embedder = cls(model.name, seed=model.seed, **model.parameters)
        embedder.model_ = model
        return embedder

    def _use_of_labels(self, settings: Settings) -> str | None:
        """Return what labels are used for, if they are."""
        if "Y" in method_class(split_name(self.method)[0]).training_data:
            return f"{self.method} learns from labels"
        return "form=auto is chosen by labels" if settings.embedding.form == AUTO else None

    def _fitted(self) -> TrainedModel:
        if not hasattr(self, "model_"):
            raise UserError("this embedder has learned nothing yet: call fit first")
        return self.model_


def _input(
    held: Graph,
    settings: Settings,
    seed: int,
    labels_for: str | None = None,
    trained_on: TrainingGraph | None = None,
) -> Data:
    """Return the graph prepared, with labels only where something is said to use them.

    Features are prepared as those of the graph that was trained on, if there is one.
    """
    recipe = None if trained_on is None else trained_on.recipe_for_others
    graph = as_graph(held, seed=seed, recipe=recipe)
    edge_index, x, weight = (graph.get(key) for key in ("edge_index", "x", "edge_weight"))
    result = Data(x=x, edge_index=edge_index)
    result.structural = bool(graph.get("structural"))
    replaced = settings.data.features == "structural" and not result.structural
    if edge_index is not None and (x is None or replaced):
        result.x, result.structural = features_of_edges(graph, seed), True
    else:
        for key in ("feature_names", "columns", "recipe"):
            if graph.get(key) is not None:
                result[key] = graph[key]
    if weight is not None:
        result.edge_weight = weight
    if labels_for:
        for key in ("y", *MASKS):
            if graph.get(key) is None:
                raise UserError(f"{labels_for}, but the graph has no {key}")
            result[key] = graph[key]
        for key in MASKS:
            # -1 says that a node has no label, which nothing can be learned from.
            result[key] = result[key] & (result.y >= 0)
    validate(result, "the graph")
    result.edge_index, weight = undirected(result.edge_index, result.x.size(0), weight)
    if weight is not None:
        result.edge_weight = weight.to(torch.float32)
    result.x, result.ids = compact(result.x), original_ids(graph)
    if trained_on is not None:
        result = in_order(result, trained_on.feature_names)
    scale_features(result, settings.data.features, recipe)
    return result
