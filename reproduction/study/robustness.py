"""Where S should matter: positives on graphs with wrong edges, and graphs cleaned of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from homogcl.pages.metric_cells import after_holm, gain, mean_cell
from homogcl.pages.table import Cell, Table
from homogcl.runs.record import Record, Summary
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, Training, write_table
from reproduction.figures.drawing import (
    BLACK,
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    PURPLE,
    VERMILION,
    draw,
)
from reproduction.figures.runs import TITLES, records_folder
from reproduction.levers import ALIKE
from reproduction.plan import QUICK_DATA, quick_settings
from reproduction.planted_training import PlantedTraining
from reproduction.study.gains import TEST, by_seed, existing_records
from reproduction.study.unseen import FEW
from reproduction.study.wrong_edges import SHARES, WRONG_EDGES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME, TITLE = "robustness", "Positives on graphs with wrong edges"
DATA: Final = ("cora", "citeseer")
SEEDS: Final = 3
BASE, EQUAL, SALIENT, CLEANED = "GRACE", "all alike", "by S", "cleaned"
# Method, its settings, whether it sees the cleaned graph, and its color.
KINDS: Final[Mapping[str, tuple[str, Mapping[str, object], bool, str]]] = {
    BASE: ("grace", FEW, False, GRAY),
    EQUAL: ("grace+levers", {**FEW, **ALIKE}, False, ORANGE),
    SALIENT: ("grace+adaptive", FEW, False, VERMILION),
    CLEANED: ("grace", FEW, True, BLUE),
    "raw": ("raw", {}, False, BLACK),
    "propagation": ("propagation", {}, False, PURPLE),
    "homogcl": ("homogcl", {}, False, GREEN),
}
# Who is held to whom.
PAIRS: Final = ((BASE, EQUAL), (BASE, SALIENT), (EQUAL, SALIENT), (BASE, CLEANED))
COLUMNS = ("Data set", "Wrong edges", *KINDS, *(f"{new} over {old}" for old, new in PAIRS))
_Group = tuple[str, str, str]  # data set, share of wrong edges, kind


def robustness_table(groups: Mapping[_Group, Sequence[Record]]) -> Table:
    """Return test accuracies by share of wrong edges, and paired differences.

    Args:
        groups: Runs by data set, share of wrong edges and kind.
    """
    rows = list(dict.fromkeys((data, share) for data, share, _ in groups))

    def runs(row: tuple[str, str], kind: str) -> Sequence[Record]:
        return groups.get((*row, kind), ())

    gains, notes = after_holm(
        {
            (f"{new} over {old}", data, share): gain(runs((data, share), old), cleaned)
            for data, share in rows
            for old, new in PAIRS
            if (cleaned := runs((data, share), new))
        }
    )

    def mean(row: tuple[str, str], kind: str) -> Cell:
        of_kind = runs(row, kind)
        # A cleaned graph has another name; what is untrained saw it before.
        among = [
            run.model_copy(update={"data": of_kind[0].data})
            for untrained in ("raw", "propagation")
            for run in runs(row, untrained)
            if of_kind
        ]
        return mean_cell(of_kind, TEST, among)

    def cells(row: tuple[str, str]) -> list[Cell]:
        means = [mean(row, kind) for kind in KINDS]
        return [*means, *(gains.get((f"{new} over {old}", *row)) for old, new in PAIRS)]

    return Table(COLUMNS, tuple((*row, *cells(row)) for row in rows), decimals=1, notes=notes)


def _groups(quick: bool) -> dict[_Group, list[Training]]:
    # The table of wrong edges has its records there too, some of which are those needed here.
    folder = records_folder(f"study/{WRONG_EDGES.name}", quick=quick)

    def training(kind: str, data: str, share: float, seed: int) -> Training:
        method, settings, is_cleaned, _ = KINDS[kind]
        short = quick_settings(method) if quick else {}
        all_settings = {"split": "random", **settings, **short}
        spec = Request(method, data, seed, all_settings, tasks=("probe",))
        return PlantedTraining(spec, folder, share, is_cleaned)

    return {
        (data, f"{share:.0%}", kind): [
            training(kind, data, share, seed) for seed in range(1 if quick else SEEDS)
        ]
        for data in ((QUICK_DATA,) if quick else DATA)
        for share in (SHARES[-1:] if quick else SHARES)
        for kind in (list(KINDS)[:-1] if quick else KINDS)
    }


def robustness(results: Path, *, quick: bool = False) -> Table:
    """Return the table from the folder of records `results`."""
    return robustness_table(_found(results, quick))


def _found(results: Path, quick: bool) -> dict[_Group, list[Record]]:
    return {place: existing_records(results, group) for place, group in _groups(quick).items()}


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    runs = _found(results, quick)
    data = (QUICK_DATA,) if quick else DATA

    def panel(axes: Axes, name: str) -> None:
        for kind, (_, _, _, color) in KINDS.items():
            means = {
                100 * share: cell
                for share in SHARES
                if isinstance(
                    cell := mean_cell(runs.get((name, f"{share:.0%}", kind), ()), TEST), Summary
                )
            }
            axes.errorbar(
                list(means),
                [each.mean for each in means.values()],
                [each.std or 0.0 for each in means.values()],
                color=color,
                marker="o",
                markersize=4,
                capsize=2,
                label=kind,
            )
        axes.set_title(TITLES[name])
        axes.set_xlabel("planted edges (%)")
        axes.grid(alpha=0.3)

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, len(data), squeeze=False)[0]
        for axes, name in zip(panels, data, strict=True):
            panel(axes, name)
        panels[0].set_ylabel("test accuracy (%)")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4)

    files = write_table(out, NAME, TITLE, robustness_table(runs))
    return [*files, *draw(out, NAME, (3.5 * len(data), 3.6), paint)]


ROBUSTNESS = Artifact(NAME, TITLE, lambda quick: by_seed(_groups(quick).values()), _write)
