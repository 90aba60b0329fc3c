"""What parts of an encoder, and of the form of its embeddings, are worth with and without S."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from homogcl.methods.forms import LAST
from homogcl.pages.table import Table
from homogcl.runs.record import Record
from homogcl.runs.request import Request
from reproduction.artifact import Artifact, Training, write_table
from reproduction.figures.runs import records_folder
from reproduction.form_training import FormTraining, in_form
from reproduction.levers import ADAPTIVE
from reproduction.paper.untrained import untrained_note, untrained_runs, with_notes
from reproduction.plan import QUICK_DATA, quick_settings
from reproduction.study.gains import Variant, by_seed, existing_records, gains_table
from reproduction.study.unseen import FEW, NARROW

NAME, TITLE = "encoder-parts", "What parts of an encoder are worth to GRACE, with and without S"
TITLES = ("Positives", "Data set", "Encoder")
SEEDS: Final = {"cora": 3, "citeseer": 3, "photo": 1}
_FOLDER: Final = "study/encoder-parts"
PLAIN: Final = "two layers"
# The parts of encoders; dropout is a setting of the study's plug-in.
ENCODERS: Final[Mapping[str, Mapping[str, object]]] = {
    PLAIN: {},
    "no edges (MLP)": {"encoder": "mlp"},
    "one wide layer": {"num_layers": 1, "out_dim": 512},
    "BatchNorm": {"norm": "batch"},
    "dropout": {"dropout": 0.5},
}
# What stands side by side, of two layers.
FORMS: Final[Mapping[str, str]] = {
    "both layers": "layers",
    "last layer, X": "last+x/unit",
    "both layers, X, ÂX": "layers+x+ax/unit",
}
# The same without neighbors and with them by S; without, the plug-in gives them no weight.
POSITIVES: Final[Mapping[str, tuple[str, Mapping[str, object]]]] = {
    "itself": ("", {**ADAPTIVE, "saliency_scale": 0.0}),
    "neighbors, by S": ("+adaptive", ADAPTIVE),
}
_Group = tuple[str, str, str]  # positives, data set, encoder


def _groups(quick: bool) -> dict[_Group, list[Training]]:
    folder = records_folder(_FOLDER, quick=quick)

    def training(data: str, positives: str, encoder: str, seed: int) -> Training:
        plugin, levers = POSITIVES[positives]
        parts = ENCODERS[encoder]
        method = "grace+levers" if "dropout" in parts else f"grace{plugin}"
        usual = {**NARROW, "share_products": False} if data == "photo" else FEW
        settings = {
            **usual,
            **(quick_settings(method) if quick else {}),
            **(levers if "dropout" in parts else {}),
            **parts,
        }
        forms = tuple(FORMS.values()) if encoder == PLAIN else ()
        return FormTraining(Request(method, data, seed, settings, tasks=("probe",)), folder, forms)

    return {
        (positives, data, encoder): [
            training(data, positives, encoder, seed) for seed in range(SEEDS.get(data, 1))
        ]
        for data in ((QUICK_DATA,) if quick else SEEDS)
        for positives in POSITIVES
        for encoder in ENCODERS
    }


def encoder_parts(results: Path, *, quick: bool = False) -> Table:
    """Return accuracies by encoder and form, and gains over two layers whose last one counts."""
    groups = {place: existing_records(results, group) for place, group in _groups(quick).items()}
    rows: dict[_Group, list[Record]] = {}
    for (positives, data, encoder), records in groups.items():
        rows[positives, data, encoder] = [in_form(record, LAST) for record in records]
        for name, form in FORMS.items() if encoder == PLAIN else ():
            rows[positives, data, name] = [in_form(record, form) for record in records]
    variants = [
        Variant(place, runs, () if place[-1] == PLAIN else rows[(*place[:-1], PLAIN)])
        for place, runs in rows.items()
    ]
    untrained = untrained_runs(results)
    table = gains_table(TITLES, variants, untrained)
    return with_notes(table, *untrained_note(untrained, tuple(SEEDS)))


def _write(results: Path, out: Path, quick: bool) -> list[Path]:
    return write_table(out, NAME, TITLE, encoder_parts(results, quick=quick))


ENCODER_PARTS = Artifact(NAME, TITLE, lambda quick: by_seed(_groups(quick).values()), _write)
