"""Features on a common scale: by column for numbers, by row for counts of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse
import torch
from torch import Tensor

from homogcl.core.errors import OtherFeatures, UserError
from homogcl.data.features import FeatureKind, compact, normalize, sparse_features

Rule = Literal["standard", "robust"]
# What a column can be: a number, a truth value that stays as it is, or the count of a word.
Role = Literal["number", "flag", "word"]

FAR: Final = 10.0  # robust deviations from the median: a value beyond is far, and cut there
MANY: Final = 16  # columns that are mostly zero make a bag of words
NORMAL: Final = 1.349  # interquartile range of a normal distribution in standard deviations
Floats = npt.NDArray[np.float64]


_T = TypeVar("_T")


class Each(Protocol):
    """Calls a function with each of some places, one after the other as `map`, or in threads."""

    def __call__(self, function: Callable[[int], _T], places: Iterable[int], /) -> Iterable[_T]:
        """Return what the function returns, in the order of the places."""


class FeatureColumns(Protocol):
    """Columns of numbers, such as a list of arrays."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> Floats: ...


@dataclass(frozen=True)
class Number:
    """A column that is shifted and scaled; a robust one is cut where it lies far off."""

    column: int
    rule: Rule
    center: float
    scale: float


@dataclass(frozen=True)
class Scaling:
    """What is done to the columns of a feature matrix; those it does not name stay as they are.

    Attributes:
        width: The number of columns, or 0 if any number will do.
        words: The columns that are divided by the sum of their absolute values in a row.
        numbers: The columns that are shifted and scaled.
    """

    width: int = 0
    words: tuple[int, ...] | Literal["all"] = ()
    numbers: tuple[Number, ...] = field(default=(), repr=False)

    def apply(self, x: Tensor) -> Tensor:
        """Return features [N, d] on this scale, in CSR where few entries are filled."""
        if self.width and x.size(1) != self.width:
            raise OtherFeatures(
                f"this graph has {x.size(1)} features, but {self.width} were learned from"
            )
        if self.words == "all":
            return normalize(x)
        if not self.words and not self.numbers:
            return x
        places = np.array([number.column for number in self.numbers], dtype=np.int64)
        if not ({*places.tolist(), *self.words} <= {*range(x.size(1))}):
            raise UserError("the scale of the features names columns that are not there")
        if x.layout == torch.sparse_csr:
            return self._sparse(x, places)
        scaled = x.clone()
        scaled[:, places] = torch.from_numpy(self._scaled(x[:, places].double().numpy()))
        words = torch.tensor(self.words, dtype=torch.int64)
        scaled[:, words] = normalize(x[:, words])
        return compact(scaled)

    def rules(self, width: int) -> list[str]:
        """Return what is done to each of so many columns, in a word or two."""
        places = range(width) if self.words == "all" else self.words
        rules = {
            **dict.fromkeys(places, "divided by the row's sum"),
            **{number.column: str(number.rule) for number in self.numbers},
        }
        return [rules.get(column, "as it is") for column in range(width)]

    def _scaled(self, values: Floats) -> npt.NDArray[np.float32]:
        """Return the values of the number columns, [N, numbers], shifted, scaled and cut."""
        center, scale, limit = (
            np.array([part(number) for number in self.numbers], dtype=np.float64)
            for part in (
                lambda number: number.center,
                lambda number: number.scale,
                lambda number: FAR if number.rule == "robust" else np.inf,
            )
        )
        return np.clip((values - center) / scale, -limit, limit).astype(np.float32)

    def _sparse(self, x: Tensor, places: npt.NDArray[np.int64]) -> Tensor:
        matrix = _scipy(x).tocsc()
        words = np.array(self.words, dtype=np.int64)
        others = np.setdiff1d(np.arange(x.size(1)), np.concatenate([places, words]))
        bag = normalize(sparse_features(matrix[:, words].tocsr()))
        parts = [matrix[:, places], _scipy(bag), matrix[:, others]]
        if self.numbers:
            parts[0] = self._scaled(parts[0].toarray().astype(np.float64))
        order = np.argsort(np.concatenate([places, words, others]))
        together = scipy.sparse.hstack([scipy.sparse.csc_matrix(part) for part in parts], "csc")
        return compact(sparse_features(together[:, order].tocsr()))


def scaling_of(x: Tensor, kind: FeatureKind, roles: Sequence[Role] = ()) -> Scaling:
    """Return the scaling of features [N, d] that `kind` asks for.

    "row" divides every row by its sum; "raw" and "structural" change nothing; "standard" scales
    numbers to mean 0 and deviation 1, "robust" to median 0 and interquartile range 1.349, cut at
    10. "auto" looks at the data: columns that are never negative and mostly zero, if there are
    16 or more, are words, and so is any other that is never negative and of their size; words are
    divided by their sum in the row. Columns of nothing but 0 and 1 stay as they are. All others
    are numbers: robust if a value lies more than ten robust deviations from the median, else
    standard.

    Args:
        x: Dense or CSR.
        kind: What is asked for.
        roles: What each column is, where that is known; a number is looked at.
    """
    if kind == "row":
        return Scaling(words="all")
    if kind in ("raw", "structural") or x.size(0) == 0:
        return Scaling()
    return _scaling(_Looks.of(x), kind, roles)


def scaling_of_columns(
    columns: FeatureColumns, kind: FeatureKind, roles: Sequence[Role], each: Each = map
) -> Scaling:
    """Return what `scaling_of` returns, of columns that are looked at one by one.

    Args:
        columns: The columns of dense features, [N] each, which may be read when they are asked for.
        kind: What is asked for.
        roles: What each column is.
        each: Goes through the columns.
    """
    if kind == "row":
        return Scaling(words="all")
    if kind in ("raw", "structural") or len(columns) == 0 or len(columns[0]) == 0:
        return Scaling()
    return _scaling(_Looks.of_columns(columns, roles, each), kind, roles, each)


def _scaling(looks: _Looks, kind: FeatureKind, roles: Sequence[Role], each: Each = map) -> Scaling:
    width = len(looks.low)
    is_number = np.array([role == "number" for role in roles] or [True] * width, dtype=bool)
    is_word = np.array([role == "word" for role in roles] or [False] * width, dtype=bool)
    if kind == "auto":
        is_word |= looks.words(is_number)
    if is_word.all():
        return Scaling(words="all")
    is_number &= ~is_word & ~looks.flag
    rules: dict[FeatureKind, Rule] = {"standard": "standard", "robust": "robust"}
    places = np.flatnonzero(is_number).tolist()
    numbers = tuple(each(lambda column: looks.number(column, rules.get(kind)), places))
    return Scaling(width, tuple(np.flatnonzero(is_word).tolist()), numbers)


@dataclass(frozen=True)
class _Looks:
    """What the columns of a matrix look like."""

    matrix: Any  # of numpy, or CSC of scipy, or columns on disk
    low: Floats
    high: Floats
    share: Floats  # of entries that are not zero
    flag: npt.NDArray[np.bool_]  # whether nothing but 0 and 1 is there

    @classmethod
    def of(cls, x: Tensor) -> _Looks:
        if x.layout != torch.sparse_csr:
            values = x.double().numpy()
            flag = ((values == 0) | (values == 1)).all(axis=0)
            return cls(values, values.min(0), values.max(0), (values != 0).mean(0), flag)
        matrix = _scipy(x).tocsc()
        low, high = (part.toarray().reshape(-1) for part in (matrix.min(0), matrix.max(0)))
        other = matrix.copy()
        other.data = (matrix.data != 1).astype(np.float64)
        flag = np.asarray(other.sum(0)).reshape(-1) == 0
        return cls(matrix, low, high, np.diff(matrix.indptr) / x.size(0), flag)

    @classmethod
    def of_columns(cls, columns: FeatureColumns, roles: Sequence[Role], each: Each) -> _Looks:
        def look(place: int) -> tuple[float, float, float, bool]:
            if roles[place] != "number":  # nothing else is looked at
                return 0.0, 0.0, 0.0, True
            values = columns[place]
            flag = bool(((values == 0) | (values == 1)).all())
            return float(values.min()), float(values.max()), float((values != 0).mean()), flag

        low, high, share, flag = np.array([*each(look, range(len(columns)))]).T
        return cls(_Columns(columns), low, high, share, flag.astype(bool))

    def words(self, among: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return which columns are words."""
        positive = among & (self.low >= 0)
        rare = positive & (self.share <= 0.5)
        if rare.sum() < MANY:
            return np.zeros_like(rare)
        usual = float(np.median(self.high[rare]))
        # A count that is mostly there may be a common word; an age beside words is far larger.
        size = np.where(rare, 1000 * usual, 10 * usual)
        return positive & (self.high <= size)

    def number(self, column: int, forced: Rule | None) -> Number:
        """Return how a column is scaled."""
        if scipy.sparse.issparse(self.matrix):
            # To shift a sparse column would fill it.
            size = np.sqrt(self.matrix[:, [column]].power(2).mean())
            return Number(column, "standard", 0.0, float(size) or 1.0)
        values = self.matrix[:, column]
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
        # Where most values are the same, the range of the middle half says nothing.
        robust = 0.0 if (values == middle).mean() > 0.5 else (high - low) / NORMAL
        far = robust > 0 and float(np.abs(values - middle).max()) > FAR * robust
        rule = forced or ("robust" if far else "standard")
        if rule == "robust" and robust > 0:
            return Number(column, "robust", float(middle), float(robust))
        deviation = float(values.std())
        # Rounding leaves a constant column a deviation that is nearly but not quite zero.
        constant = deviation <= 1e-12 * float(np.abs(values).max())
        return Number(column, "standard", float(values.mean()), 1.0 if constant else deviation)


@dataclass(frozen=True)
class _Columns:
    """Columns as a matrix of which one column at a time is read."""

    columns: FeatureColumns

    def __getitem__(self, place: tuple[slice, int]) -> Floats:
        return self.columns[place[1]]


def _scipy(x: Tensor) -> scipy.sparse.csr_matrix:
    parts = (x.values().numpy(), x.col_indices().numpy(), x.crow_indices().numpy())
    return scipy.sparse.csr_matrix(parts, shape=tuple(x.shape))
