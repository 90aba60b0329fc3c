"""Run records made by hand for the tests of results and reports."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from homogcl.runs.record import Record, settings_sha256


def make_record(settings: Mapping[str, JsonValue] | None = None, **changes: object) -> Record:
    """Return a record of a run that ended well, with other `settings` or fields where given."""
    settings = {"train": {"epochs": 20}} if settings is None else settings
    fields: dict[str, object] = {
        "method": "grace+homogcl",
        "data": "cora",
        "seed": 0,
        "settings": settings,
        "settings_sha256": settings_sha256(settings),
        "resolved": settings,
        "data_sha256": "a" * 64,
        "split": "public",
        "split_sha256": "b" * 64,
        "versions": {"python": "3.11.7"},
        "machine": {"cpu_count": 2, "platform": "Linux x86_64"},
        "seconds": 1.5,
        "peak_memory_bytes": 10**9,
        "metrics": {"test_accuracy": 0.8, "val_accuracy": 0.79},
        "terms": {"contrast": 6.5},
    }
    return Record.model_validate(fields | changes)
