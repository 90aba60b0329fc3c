"""The table of parts of an encoder, and its trainings."""

from __future__ import annotations

from pathlib import Path

from reproduction.form_training import FormTraining
from reproduction.study.encoder_parts import (
    ENCODER_PARTS,
    ENCODERS,
    FORMS,
    PLAIN,
    POSITIVES,
    SEEDS,
    encoder_parts,
)


def test_base_and_plug_in_differ_in_their_positives_alone() -> None:
    trainings = ENCODER_PARTS.trainings(False)
    assert len(trainings) == len(ENCODERS) * len(POSITIVES) * sum(SEEDS.values())
    assert len({each.path(Path("results")) for each in trainings}) == len(trainings)
    settings: dict[tuple[object, ...], list[dict[str, object]]] = {}
    for each in trainings:
        assert isinstance(each, FormTraining)
        flat = each.spec.settings().flat()
        parts = (flat["encoder"], flat["num_layers"], flat["norm"], flat.get("dropout"))
        settings.setdefault((each.spec.data, each.spec.seed, *parts), []).append(flat)
    for alone, plugged in settings.values():
        alone.pop("saliency_scale", None)  # 0 in a plug-in that stands for none
        assert alone.items() <= plugged.items()


def test_the_quick_form_is_made_and_written(tmp_path: Path) -> None:
    for training in ENCODER_PARTS.trainings(True):
        training.run(tmp_path)
    table = encoder_parts(tmp_path, quick=True)
    assert len(table.rows) == len(POSITIVES) * (len(ENCODERS) + len(FORMS))
    plain = [row for row in table.rows if row[2] == PLAIN]
    assert all(row[-2] is None for row in plain)
    assert all(row[-2] is not None for row in table.rows if row not in plain)
    files = ENCODER_PARTS.write(tmp_path, tmp_path / "out", True)
    assert sorted(path.suffix for path in files) == [".csv", ".md", ".tex"]
