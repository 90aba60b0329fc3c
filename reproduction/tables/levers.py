"""What each setting of a plug-in does: gains over the base with everything else equal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from homogcl.core.errors import UserError
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record, summarize
from reproduction.tables.overview import paired_gain

SHIPPED = "as shipped"
# What `variant=adaptive` settles.
ADAPTIVE_KEYS = (
    *("width", "two_sigma_sq", "clustered", "saliency_gradient", "one_each", "average_neighbors"),
    "homophily_weight",
)


def levers_table(records: Iterable[Record], base: str, plugin: str, data: Sequence[str]) -> Table:
    """Return the gains over the base in accuracy, a row for each choice of settings.

    A gain is that of seeds which the base and the plugged method both have, where all settings
    that the two have in common are equal: encoder, epochs and rates among them. Beside it stands
    how well saliency tells edges within a class from others, where that was recorded.

    Args:
        records: Runs of the base and of the plugged method, the presets' first.
        base: Name of the base.
        plugin: Name of the plug-in.
        data: Which data sets, in which order.
    """
    records = list(records)
    alone = [record for record in records if record.method == base]
    plugged = [record for record in records if record.method == f"{base}+{plugin}"]
    rows: dict[str, dict[str, list[Record]]] = {}
    for name in data:
        mine = [record for record in plugged if record.data == name]
        shipped = mine[0].settings if mine else {}
        for record in mine:
            rows.setdefault(label(record, shipped), {}).setdefault(name, []).append(record)
    titles = [f"{name}, {kind}" for name in data for kind in ("validation", "test", "AUC of S")]
    cells = tuple(
        (label, *(cell for name in data for cell in _gains(runs.get(name, []), alone)))
        for label, runs in sorted(rows.items(), key=lambda row: (row[0] != SHIPPED, row[0]))
    )
    return Table((f"{base}+{plugin}", *titles), cells, decimals=2)


def _gains(runs: Sequence[Record], alone: Sequence[Record]) -> tuple[Cell, Cell, Cell]:
    if not runs:
        return None, None, None
    equal = [record for record in alone if _comparable(record, runs[0])]
    if not equal:
        shown = f"{runs[0].method} on {runs[0].data}, {label(runs[0], {})}"
        raise UserError(f"no run of the base has the settings of {shown}")
    told = [run.metrics["saliency_auc"] for run in runs if "saliency_auc" in run.metrics]
    return (
        paired_gain(equal, runs, "val_accuracy"),
        paired_gain(equal, runs, "test_accuracy"),
        summarize(told) if told else None,
    )


def _comparable(base: Record, plugged: Record) -> bool:
    """Return whether all settings that both have are equal, on the same data."""
    one, other = _flat(base.resolved), _flat(plugged.resolved)
    return base.data == plugged.data and all(
        one[key] == other[key] for key in one.keys() & other.keys()
    )


def label(record: Record, shipped: Mapping[str, JsonValue]) -> str:
    """Return the settings in which a run departs from the shipped ones."""
    given, resolved, shipped = _flat(record.settings), _flat(record.resolved), _flat(shipped)
    keys = [key for key in {**given, **shipped} if given.get(key) != shipped.get(key)]
    # What the adaptive variant stands for need not be said of it.
    implied = ADAPTIVE_KEYS if resolved.get("method.variant") == "adaptive" else ()
    values = {key.partition(".")[2]: resolved.get(key) for key in sorted(keys)}
    shown = [f"{key}={_shown(value)}" for key, value in values.items() if key not in implied]
    return ", ".join(shown) or SHIPPED


def _shown(value: JsonValue) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _flat(settings: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the settings of all parts, by `part.key`."""
    return {
        f"{part}.{key}": value
        for part, values in settings.items()
        if isinstance(values, dict)
        for key, value in values.items()
    }
