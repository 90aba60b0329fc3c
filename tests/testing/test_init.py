"""`check_method` accepts a method that keeps the contract and names the checks that fail."""

import importlib
from pathlib import Path

import pytest

from homogcl.core.extensions import third_party
from homogcl.methods.registry import method_names
from homogcl.testing import CHECKS, check_method
from tests.broken import (
    Linear,
)


def test_a_good_method_passes_every_check() -> None:
    passed = check_method(Linear)
    # It takes no neighbors, for which there are two checks, wraps no method and takes batches.
    assert len(passed) == len(CHECKS) - 4


def test_a_method_of_another_package_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As pip would install it: a module, and metadata that name it."""
    package = tmp_path / "masked_method-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: masked-method\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[homogcl.methods]\nmasked = masked:Masked\n")
    template = Path(__file__).parents[2] / "docs" / "template" / "masked.py"
    (tmp_path / "masked.py").write_text(template.read_text("utf-8"))
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    third_party.cache_clear()
    try:
        assert "masked" in method_names()
        passed = check_method("masked")
    finally:
        third_party.cache_clear()
    for name in ("masked", "masked+homogcl", "masked+hard", "masked+adaptive"):
        assert f"{name}: loss_falls" in passed
