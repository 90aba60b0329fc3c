"""Features of which each of several processes holds those of a range of nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from pydantic import Field, ValidationError, model_validator
from torch import Tensor

from homogcl.core.config import Config
from homogcl.core.errors import UserError

# What is known of features without their rows, as torch names it.
_KNOWN = {
    *("shape", "dtype", "device", "layout", "ndim", "is_sparse", "is_sparse_csr", "is_nested"),
    *("requires_grad", "size", "dim", "numel", "__len__"),
}


class Share(Config):
    """One of some ranges of nodes, all of about the same length."""

    number: int = Field(ge=1)  # from 1
    count: int = Field(ge=1)

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Share:
        if self.number > self.count:
            raise ValueError(f"there is no share {self.number} of {self.count}")
        return self

    def __str__(self) -> str:
        """Return the share as people write it, such as 1/4."""
        return f"{self.number}/{self.count}"

    def starts(self, total: int) -> Tensor:
        """Return where the ranges of all shares begin, and the end of the last, [count + 1]."""
        return torch.arange(self.count + 1) * total // self.count

    def nodes(self, total: int) -> range:
        """Return the nodes of this share, of so many in all."""
        first, end = self.starts(total)[self.number - 1 : self.number + 1].tolist()
        return range(first, end)


def parse_share(text: str) -> Share:
    """Return the share that a text such as 1/4 says.

    >>> str(parse_share("2/4"))
    '2/4'
    """
    try:
        number, count = map(int, text.split("/"))
        return Share(number=number, count=count)
    except (ValueError, ValidationError):
        raise UserError(f"--share {text!r}: write it as 1/4, the first of four") from None


class SharedRows(Tensor):
    """Features [N, d] whose shape is known here, and whose rows come from where they are.

    `nn.sparse.take_rows` gives some rows, and only where all processes take rows at the same time.
    Whatever else would read them, such as a product with all rows, is refused in one line.

    Attributes:
        share: The share that is here.
        own: Returns rows of this share by their numbers in it, [n, d].
        rows: Returns rows by the numbers of their nodes, [n, d].
    """

    share: Share
    own: Callable[[Tensor], Tensor]
    rows: Callable[[Tensor], Tensor]

    @classmethod
    def of(
        cls,
        shape: tuple[int, int],
        share: Share,
        own: Callable[[Tensor], Tensor],
        rows: Callable[[Tensor], Tensor] | None = None,
    ) -> SharedRows:
        """Return features of that shape; without `rows`, nobody can take any yet."""
        kind = own(torch.empty(0, dtype=torch.int64)).dtype
        x = torch.empty(1, dtype=kind).expand(shape).as_subclass(cls)
        x.share, x.own, x.rows = share, own, rows or _refuse
        return x

    def __repr__(self) -> str:  # type: ignore[override]  # torch adds an argument
        """Return the shape and the share."""
        return f"SharedRows({tuple(self.shape)}, share {self.share})"

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Tell what is known without rows, and refuse the rest."""
        owner = getattr(func, "__self__", func)  # of an attribute, its descriptor
        if getattr(owner, "__name__", "") not in _KNOWN:
            _refuse()
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))


def _refuse(_: Tensor | None = None) -> Tensor:
    raise UserError("here is a share of the features, and this needs all: give a whole copy")
