"""Methods with the manners of scikit-learn: fit, transform, clone, save and load."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.files import write_atomically
from homogcl.data.check import MASKS, validate
from homogcl.data.edges import undirected
from homogcl.data.features import compact, normalize
from homogcl.data.own.graph import read_own
from homogcl.data.structural import structural_features
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import Method, Sizes, build, method_class, split_name
from homogcl.presets.resolve import Settings, resolve
from homogcl.presets.sections import NO_DATA_SET, preset_by_size
from homogcl.runs.compatibility import Learned, for_method
from homogcl.runs.folder import RunFolder
from homogcl.training.loop import Epoch, fit

Graph: TypeAlias = Data | str | Path

FORMAT = 2


class Embedder:
    """Learns vectors for the nodes of a graph.

    A graph is a `Data` with `edge_index` and, if it has features, `x`; or the path of files that
    `read_own` takes. Edges are taken both ways and features normalized as in training.

    Attributes:
        method: A method's name, with plug-ins behind plus signs.
        seed: Root seed of every random stream.
        settings: Settings that differ from the method's defaults.
        method_: The trained method.
        params_: The parameters that it was trained with.
        settings_: All settings that it was trained with.
        sizes_: The numbers of nodes, features and classes of the graph it was trained on.
        learned_: What else there is to know of that graph, to judge another one by.
        loss_curve_: The loss of each epoch.
    """

    method_: Method
    params_: dict[str, Any]
    settings_: Settings
    sizes_: Sizes
    learned_: Learned
    loss_curve_: list[float]

    def __init__(self, method: str = "grace+homogcl", *, seed: int = 0, **settings: object) -> None:
        """Keep the parameters; `fit` checks them.

        Args:
            method: A method's name, with plug-ins behind plus signs.
            seed: Root seed of every random stream.
            **settings: Settings of the method, its training and the features' normalization.
        """
        self.method = method
        self.seed = seed
        self.settings = settings

    def __repr__(self) -> str:
        """Return the call that makes this embedder, before it is fitted."""
        given = "".join(f", {key}={value!r}" for key, value in self.settings.items())
        return f"Embedder({self.method!r}, seed={self.seed}{given})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters by name; `deep` is there by convention."""
        return {"method": self.method, "seed": self.seed, **self.settings}

    def set_params(self, **params: Any) -> Self:
        """Replace parameters by name and return the embedder; what was learned stays."""
        self.method = params.pop("method", self.method)
        self.seed = params.pop("seed", self.seed)
        self.settings = {**self.settings, **params}
        return self

    def fit(self, graph: Graph, y: object = None) -> Self:
        """Train the method on `graph` and return the embedder; `y` is there by convention."""
        settings = resolve(self.method, NO_DATA_SET, self.settings)
        given = _input(graph, settings, self.seed, labels_for=self.method)
        sizes = Sizes.of(given)
        by_size = preset_by_size(self.method, NO_DATA_SET, sizes.nodes)
        settings = resolve(self.method, NO_DATA_SET, self.settings, by_size)
        method = build(self.method, settings.method, sizes, self.seed)
        losses: list[float] = []

        def follow(epoch: Epoch) -> None:
            losses.append(epoch.loss)

        fit(method, given, settings.train, seed=self.seed, on_epoch=follow)
        self.method_, self.params_, self.settings_ = method.eval(), self.get_params(), settings
        self.sizes_, self.learned_, self.loss_curve_ = sizes, Learned.of(given), losses
        return self

    def transform(self, graph: Graph) -> npt.NDArray[np.float32]:
        """Return the nodes' vectors, [N, d'], of the training graph or of a new one.

        A new graph is refused where the method knows only the nodes it has seen, and where the
        features were made of the edges: those of two graphs do not mean the same.
        """
        self._check_fitted()
        given = _input(graph, self.settings_, self.params_["seed"])
        given = for_method(given, self.method_, self.learned_)
        vectors: npt.NDArray[np.float32] = embeddings(self.method_, given).cpu().numpy()
        return vectors

    def fit_transform(self, graph: Graph, y: object = None) -> npt.NDArray[np.float32]:
        """Train on `graph` and return its nodes' vectors, [N, d']."""
        return self.fit(graph).transform(graph)

    def save(self, path: str | Path) -> Path:
        """Write the fitted embedder to one file and return its path.

        The file has the format safetensors, with everything but the weights as JSON in its header.
        """
        self._check_fitted()
        state = {key: value.contiguous() for key, value in self.method_.state_dict().items()}
        flat = self.settings_.flat()
        header = {
            "format": FORMAT,
            "params": {key: flat.get(key, value) for key, value in self.params_.items()},
            "resolved": flat,
            "sizes": asdict(self.sizes_),
            "learned": asdict(self.learned_),
            "loss_curve": self.loss_curve_,
        }
        return write_atomically(Path(path), save(state, {"homogcl": json.dumps(header)}))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the embedder that `save` wrote, or that of a run folder; nothing is executed."""
        if Path(path).is_dir():
            return cls._of_run(RunFolder(Path(path)))
        try:
            with safe_open(path, framework="pt") as file:
                header = json.loads((file.metadata() or {})["homogcl"])
                state = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
            if header["format"] != FORMAT:
                raise UserError(f"{path}: has the format {header['format']}, not {FORMAT}")
            return cls._restored(header, state)
        except OSError as error:
            raise UserError(f"{path}: cannot be read ({error.strerror or error})") from None
        except (SafetensorError, KeyError, ValueError, TypeError, RuntimeError) as error:
            reason = str(error).splitlines()[0]
            raise UserError(f"{path}: holds no embedder: {reason}") from None

    @classmethod
    def _restored(cls, header: dict[str, Any], state: dict[str, Tensor]) -> Self:
        made = cls(**header["params"])
        made.params_ = made.get_params()
        # The resolved settings are complete, so that later defaults cannot change the method.
        made.settings_ = resolve(made.method, NO_DATA_SET, header["resolved"])
        made.sizes_ = Sizes(**header["sizes"])
        made.method_ = build(made.method, made.settings_.method, made.sizes_, made.seed).eval()
        made.method_.load_state_dict(state)
        made.learned_ = Learned.read(header["learned"])
        made.loss_curve_ = header["loss_curve"]
        return made

    @classmethod
    def _of_run(cls, folder: RunFolder) -> Self:
        spec, settings = folder.spec(), folder.resolved()
        made = cls(spec.method, seed=spec.seed, **settings.flat())
        made.params_, made.settings_, made.sizes_ = made.get_params(), settings, folder.sizes()
        made.method_, made.learned_ = folder.method(), folder.learned()
        made.loss_curve_ = folder.curves().get("loss", [])
        return made

    def _check_fitted(self) -> None:
        if not hasattr(self, "method_"):
            raise UserError("this embedder has learned nothing yet: call fit first")


def _input(graph: Graph, settings: Settings, seed: int, labels_for: str | None = None) -> Data:
    """Return the graph prepared, with labels only for a method that learns from them."""
    if not isinstance(graph, Data):
        graph = read_own(graph, seed=seed).graph()
    edge_index, x, weight = (graph.get(key) for key in ("edge_index", "x", "edge_weight"))
    made = Data(x=x, edge_index=edge_index)
    made.structural = bool(graph.get("structural"))
    wanted = settings.data.features == "structural" and not made.structural
    if edge_index is not None and (x is None or wanted):
        made.x, made.structural = _structural(graph, seed), True
    made.feature_names = graph.get("feature_names") or []
    if weight is not None:
        made.edge_weight = weight
    if labels_for and "Y" in method_class(split_name(labels_for)[0]).training_data:
        for key in ("y", *MASKS):
            if graph.get(key) is None:
                raise UserError(f"{labels_for} learns from labels, but the graph has no {key}")
            made[key] = graph[key]
        for key in MASKS:
            # -1 says that a node has no label, which nothing can be learned from.
            made[key] = made[key] & (made.y >= 0)
    validate(made, "the graph")
    made.edge_index, weight = undirected(made.edge_index, made.x.size(0), weight)
    if weight is not None:
        made.edge_weight = weight.to(torch.float32)
    made.x = normalize(compact(made.x), settings.data.features)
    return made


def _structural(graph: Data, seed: int) -> Tensor:
    nodes = int(graph.num_nodes or 0)
    edge_index, weight = undirected(graph.edge_index, nodes, graph.get("edge_weight"))
    return structural_features(edge_index, nodes, seed=seed, edge_weight=weight)
