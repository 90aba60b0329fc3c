"""What a plug-in adds to encoders that see no edges or few."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record
from reproduction.tables.goals import chance_of_gain, mean

NONE = "none"  # layers of message passing
_METRIC = "test_accuracy"
_ALONE, _PAPER, _ADAPTIVE = "Alone", "HomoGCL", "Adaptive"
_Row = tuple[str, str, str]  # base, data set, layers


def encoders_table(records: Iterable[Record], data: Sequence[str]) -> Table:
    """Return accuracies of bases alone, with the plug-in and with its adaptive variant.

    Beside either variant stands the p-value of a paired t-test over the seeds.

    Args:
        records: Runs that differ in the encoder and in the plug-in alone.
        data: Which data sets, in which order.
    """
    groups: dict[_Row, dict[str, list[Record]]] = {}
    for record in records:
        base, _, plugin = record.method.partition("+")
        edges = record.setting("encoder") != "mlp"
        layers = str(record.setting("num_layers")) if edges else NONE
        adaptive = record.setting("variant") == "adaptive"
        kind = _ADAPTIVE if adaptive else _PAPER if plugin else _ALONE
        groups.setdefault((base, record.data, layers), {}).setdefault(kind, []).append(record)

    def place(row: _Row) -> tuple[bool, int, bool]:
        base, name, layers = row
        return base != "grace", data.index(name), layers != NONE

    columns = ("Base", "Data set", "Layers", _ALONE, _PAPER, "p", _ADAPTIVE, "p, adaptive")
    rows = tuple((*row, *_cells(groups[row])) for row in sorted(groups, key=place))
    return Table(columns, rows, decimals=1)


def _cells(runs: dict[str, list[Record]]) -> tuple[Cell, ...]:
    alone = runs.get(_ALONE, [])
    cells: list[Cell] = [mean(alone, _METRIC)]
    for kind in (_PAPER, _ADAPTIVE):
        with_it = runs.get(kind, [])
        cells += [mean(with_it, _METRIC), chance_of_gain(alone, with_it, _METRIC)]
    return tuple(cells)
