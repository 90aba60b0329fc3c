"""What was done to features before training: the same is done to those of every later graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from torch_geometric.data import Data

from homogcl.core.errors import OtherFeatures, UserError
from homogcl.data.columns import Column
from homogcl.data.features import FeatureKind
from homogcl.data.scaling import Scaling, scaling_of

LEFT_OUT = "left out, since no value stands there twice"


@dataclass(frozen=True)
class Step:
    """What was done to one column, for people."""

    column: str
    kind: str
    features: int  # columns of features that came of it
    scale: str


@dataclass(frozen=True)
class Recipe:
    """How columns became numbers, where there was a table, and how these were scaled.

    It holds nothing but texts and numbers, so that JSON keeps it.
    """

    columns: tuple[Column, ...] = ()
    scaling: Scaling = field(default_factory=Scaling)

    def steps(self) -> list[Step]:
        """Return what was done to each column of a table."""
        counts = [len(column.names) for column in self.columns]
        rules = self.scaling.rules(sum(counts))
        starts = [0, *accumulate(counts)][:-1]
        return [
            Step(column.name, column.kind, count, rules[start] if count else LEFT_OUT)
            for column, count, start in zip(self.columns, counts, starts, strict=True)
        ]

    def __str__(self) -> str:
        """Return one line: columns by what was done to them, named if they are few."""
        if not self.columns:
            return _matrix_line(self.scaling)
        groups: dict[tuple[str, str], list[Step]] = {}
        for step in self.steps():
            groups.setdefault((step.kind, step.scale), []).append(step)
        return "; ".join(_group_line(group) for group in groups.values())


def scale_features(graph: Data, kind: FeatureKind, recipe: Recipe | None = None) -> None:
    """Scale the features of `graph` as `kind` says, or as `recipe` did, and note it there.

    A graph that has been through this keeps what it has, which `graph.recipe` describes. Features
    that were made of the edges know no recipe, and are scaled by row where `kind` is "auto".
    """
    earlier: Recipe | None = graph.get("recipe")
    if earlier is not None:
        if recipe is None and kind in ("standard", "robust"):
            raise UserError(
                f"the features of this graph are scaled already ({earlier}), so that {kind} comes "
                f"too late; load it with features={kind!r}"
            )
        if earlier.scaling.words == "all" and kind != "raw":
            graph.x = earlier.scaling.apply(graph.x)
        return
    columns = tuple(graph.get("columns") or ())
    structural = bool(graph.get("structural"))
    if recipe is not None and not structural:
        scaling = recipe.scaling
    else:
        kind = "row" if kind == "auto" and structural else kind
        scaling = scaling_of(graph.x, kind, [role for each in columns for role in each.roles])
    graph.x = scaling.apply(graph.x)
    graph.recipe = Recipe(columns, scaling)


def refuse_other_columns(here: Sequence[str], training_columns: Sequence[str]) -> None:
    """Refuse feature columns other than the training graph's; their order does not matter."""
    missing = [name for name in training_columns if name not in here]
    added = [name for name in here if name not in training_columns]
    if missing or added:
        parts = [f"lacks {name!r}" for name in missing[:1]]
        parts += [f"also has {name!r}" for name in added[:1]]
        raise OtherFeatures(
            f"the columns of features are not those that were learned from: this graph "
            f"{' and '.join(parts)}"
        )


def _matrix_line(scaling: Scaling) -> str:
    if scaling.words == "all":
        return "rows divided by their sum"
    if scaling.width == 0:
        return "as they are"
    counts = Counter(scaling.rules(scaling.width))
    return ", ".join(
        f"{count:,} {'column' if count == 1 else 'columns'} {rule}"
        for rule, count in counts.most_common()
    )


def _group_line(group: Sequence[Step]) -> str:
    names = ", ".join(step.column for step in group[:5])
    more = f" and {len(group) - 5:,} more" if len(group) > 5 else ""
    features = sum(step.features for step in group)
    columns = f" in {features:,} columns" if features != len(group) else ""
    scale = "" if group[0].kind in ("category", "boolean") and features else f", {group[0].scale}"
    return f"{names}{more}: {group[0].kind}{columns}{scale}"
