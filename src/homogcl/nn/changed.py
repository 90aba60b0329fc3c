"""Views whose features are made of a graph's: some columns are zero, or nodes are shuffled."""

from __future__ import annotations

import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.core.csr import csr_tensor
from homogcl.nn.sparse import take_rows


class ChangedView(Data):  # type: ignore[misc]
    """A view with features of its own, which are computed when somebody first asks for `x`.

    They are those of `source` [N, d] with zeros in the columns `masked` [m] and in the order
    `order` [N] of the nodes, where it has these. Encoders that share the product of `source` need
    no more than that.
    """

    @property
    def x(self) -> Tensor:
        """The features, [N, d]."""
        if "x" not in self._store:
            with torch.enable_grad():  # what serves a backward pass also serves without
                self._store["x"] = self._changed()
        x: Tensor = self._store["x"]
        return x

    @x.setter
    def x(self, x: Tensor) -> None:
        for name in ("source", "masked", "order"):  # say nothing of other features
            self._store.pop(name, None)
        self._store["x"] = x

    @property
    def num_node_features(self) -> int:
        """The number of columns of `x`."""
        return int((self.source if "source" in self else self.x).size(1))

    def _changed(self) -> Tensor:
        x: Tensor = self.source
        if "masked" in self:
            x = _without_columns(x, self.masked)
        return take_rows(x, self.order) if "order" in self else x


def changed_view(
    view: Data, source: Tensor, masked: Tensor | None = None, order: Tensor | None = None
) -> ChangedView:
    """Return `view` with features that are made of `source`."""
    # Without x, the number of nodes would be guessed from the edges.
    parts = {**view.to_dict(), "x": None, "num_nodes": view.num_nodes}
    parts |= {"source": source, "masked": masked, "order": order}
    return ChangedView(**{name: part for name, part in parts.items() if part is not None})


def source_features(view: Data) -> Tensor:
    """Return the features that those of `view` are made of, [N, d]."""
    is_changed = isinstance(view, ChangedView) and "source" in view
    x: Tensor = view.source if is_changed else view.x
    return x


def _without_columns(x: Tensor, masked: Tensor) -> Tensor:
    """Return `x` [N, d] with zeros in the columns `masked` [m]."""
    scale = x.new_ones(x.size(1), layout=torch.strided).index_fill_(0, masked, 0)
    if x.layout != torch.sparse_csr:
        return x * scale
    columns = x.col_indices()
    values = x.values() * scale[columns.long()]
    return csr_tensor(x.crow_indices(), columns, values, (x.size(0), x.size(1)))
