"""Methods with the manners of scikit-learn: fit, transform, clone, save and load."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from torch_geometric.data import Data

from homogcl.core.errors import OtherFeatures, UserError
from homogcl.data.held.graph import HeldGraph
from homogcl.data.recipe import Recipe
from homogcl.methods.forms import AUTO
from homogcl.methods.registry import Method, method_class, split_name
from homogcl.presets.resolve import Settings, resolve
from homogcl.presets.sections import NO_DATA_SET, preset_by_size
from homogcl.runs.folder import RunFolder
from homogcl.runs.graph_input import graph_input
from homogcl.runs.model import TrainedModel
from homogcl.runs.node_rows import node_rows
from homogcl.runs.run import Run
from homogcl.runs.train import fit_run
from homogcl.training.loop import Epoch

Graph: TypeAlias = HeldGraph

_OUTPUT = "_sklearn_output_config"  # where `set_output` writes what is asked for


class NotFitted(UserError, NotFittedError):  # type: ignore[misc]  # scikit-learn has no types
    """An embedder was asked for something that it has to learn first."""


class Embedder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learns vectors for the nodes of a graph.

    A graph is whatever `as_graph` takes: tables, arrays, graphs of other packages, a `Data`, or the
    path of files. Edges are taken both ways and features scaled as in training.

    What `fit` and `transform` take depends on `graph`. Without one, they take the graph itself.
    With a graph, they take nodes of it, so that scikit-learn can split them. With a function, they
    take its argument, such as a table, and the function returns the graph.

    Attributes:
        method: A method's name, with plug-ins behind plus signs.
        seed: Root seed of every random stream.
        graph: The graph whose nodes are embedded, or a function that returns one.
        settings: Settings that differ from the method's defaults.
        model_: The trained model, once there is one.
        graph_: The graph that it was trained on, as the method takes it.
        embedding_: The vectors of its nodes, [N, d'].
        ids_: The ids of the nodes it was trained on, in the order of their vectors.
    """

    model_: TrainedModel
    graph_: Data
    embedding_: npt.NDArray[np.float32]
    ids_: list[Any]

    def __init__(
        self,
        method: str = "homogcl",
        *,
        seed: int = 0,
        graph: Graph | Callable[[Any], Graph] | None = None,
        **settings: object,
    ) -> None:
        """Keep the parameters; `fit` checks them.

        Args:
            method: A method's name, with plug-ins behind plus signs.
            seed: Root seed of every random stream.
            graph: The graph whose nodes are embedded, or a function that returns one; by default
                `fit` takes the graph itself.
            **settings: Settings of the method, its training, the features' normalization, and the
                `form` of the vectors.
        """
        self.method = method
        self.seed = seed
        self.graph = graph
        self.settings = settings

    def __repr__(self) -> str:
        """Return the call that makes this embedder, before it is fitted."""
        graph = {} if self.graph is None else {"graph": self.graph}
        settings = "".join(
            f", {key}={value!r}" for key, value in {**graph, **self.settings}.items()
        )
        return f"Embedder({self.method!r}, seed={self.seed}{settings})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters by name; `deep` is there by convention."""
        return {"method": self.method, "seed": self.seed, "graph": self.graph, **self.settings}

    def set_params(self, **params: Any) -> Self:
        """Replace parameters by name and return the embedder; what was learned stays."""
        for name in ("method", "seed", "graph"):
            setattr(self, name, params.pop(name, getattr(self, name)))
        self.settings = {**self.settings, **params}
        return self

    def __sklearn_clone__(self) -> Self:
        """Return an embedder with the same parameters, which shares the graph."""
        copy = type(self)(**self.get_params())
        if hasattr(self, _OUTPUT):
            setattr(copy, _OUTPUT, dict(getattr(self, _OUTPUT)))
        return copy

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = _is_function(self.graph)
        tags.input_tags.one_d_array = self._takes_nodes
        tags.transformer_tags.preserves_dtype = []
        return tags

    @property
    def _takes_nodes(self) -> bool:
        """Whether `fit` and `transform` take nodes of a graph."""
        return self.graph is not None and not _is_function(self.graph)

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

    def fit(self, X: Any, y: object = None) -> Self:
        """Train the method and return the embedder; `y` is there by convention.

        With a `graph`, all of it is trained on: its nodes `X` only say which rows are meant, and no
        method looks at their labels.
        """
        settings = resolve(self.method, NO_DATA_SET, self.settings)
        labels_for = self._use_of_labels(settings)
        if labels_for and self.graph is not None:
            raise UserError(
                f"{labels_for}, which no split of nodes could hide: fit the graph itself"
            )
        data = graph_input(self._graph_of(X), settings, self.seed, labels_for=labels_for)
        if preset := preset_by_size(self.method, NO_DATA_SET, int(data.num_nodes or 0)):
            settings = resolve(self.method, NO_DATA_SET, self.settings, preset)
        losses: list[float] = []

        def follow(epoch: Epoch) -> None:
            losses.append(epoch.loss)

        run = Run.of(self.method, settings, data, self.seed)
        trained = fit_run(run, on_epoch=follow)
        run = run.in_form(trained.form)
        self.model_ = TrainedModel.of(run, trained.method, losses, self.settings)
        self.graph_, self.embedding_ = data, self._vectors(data)
        self.n_features_in_ = 1 if self._takes_nodes else data.num_features
        self.ids_ = data.ids
        return self

    def transform(self, X: Any) -> npt.NDArray[np.float32]:
        """Return the nodes' vectors, [N, d'], of the training graph or of a new one.

        Nodes may come without edges, as `Tables(nodes=...)`, `(None, x)` or a `Data` without
        `edge_index`: then their vectors are made of their features alone.

        With a `graph`, they are those of its nodes `X`: ids where it has any, else numbers. A new
        graph is refused where the method knows only the nodes it has seen, and where the features
        were made of the edges: those of two graphs do not mean the same.
        """
        model = self._fitted()
        if self._takes_nodes:
            rows = node_rows(X, len(self.embedding_), self.graph_.get("ids"))
            return self.embedding_[rows]
        try:
            graph = self._graph_of(X)
            data = graph_input(graph, model.settings, model.seed, trained_on=model.graph)
            vectors = self._vectors(data)
        except OtherFeatures as error:
            if not _is_function(self.graph):
                raise
            raise OtherFeatures(
                f"X has {np.shape(X)[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input: {error}"
            ) from None
        return self._by_node(vectors, data)

    def fit_transform(self, X: Any, y: object = None) -> npt.NDArray[np.float32]:
        """Train on a graph and return its nodes' vectors, [N, d']."""
        return self.fit(X, y).transform(X)

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

    def _graph_of(self, X: Any) -> Any:
        """Return the graph that `X` is, that it is made into, or whose nodes it names."""
        if self.graph is None or self._takes_nodes:
            return X if self.graph is None else self.graph
        return cast(Callable[[Any], Graph], self.graph)(X)

    def _vectors(self, data: Data) -> npt.NDArray[np.float32]:
        vectors: npt.NDArray[np.float32] = self.model_.embed(data).cpu().numpy()
        self._n_features_out = vectors.shape[1]
        return vectors

    def _by_node(self, vectors: npt.NDArray[np.float32], data: Data) -> npt.NDArray[np.float32]:
        """Return the vectors, in a table of pandas by the nodes' ids where pandas is asked for.

        scikit-learn would take the rows' names of the input, which may be a table of edges.
        """
        output = getattr(self, _OUTPUT, {}).get("transform", get_config()["transform_output"])
        if output != "pandas" or self.graph is not None:
            return vectors
        import pandas

        return cast(npt.NDArray[np.float32], pandas.DataFrame(vectors, index=data.get("ids")))

    def _fitted(self) -> TrainedModel:
        if not hasattr(self, "model_"):
            raise NotFitted("this embedder has learned nothing yet: call fit first")
        return self.model_


def _is_function(graph: object) -> bool:
    # A graph of torch_geometric can be called, too.
    return inspect.isroutine(graph) or isinstance(graph, partial)
