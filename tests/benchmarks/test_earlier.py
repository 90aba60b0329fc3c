"""Earlier commits are checked out beside the present one, and gone afterwards."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks import earlier


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of one commit, whose benchmarks print one number."""
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "__init__.py").touch()
    (tmp_path / "benchmarks" / "__main__.py").write_text(
        'import json, sys\nprint("noise")\nprint(json.dumps({sys.argv[2]: float(sys.argv[3])}))\n'
    )
    for call in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "one"],
    ):
        subprocess.run(["git", "-C", str(tmp_path), *call], check=True)
    return tmp_path


def test_a_commit_is_measured_by_its_own_code_and_leaves_nothing(repository: Path) -> None:
    with earlier.checkout("HEAD", repository) as place:
        assert (place / "benchmarks").is_dir()
        assert earlier.measured(place, "step", "2") == {"step": 2.0}
    assert not place.exists()
    listed = subprocess.run(
        ["git", "-C", str(repository), "worktree", "list"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(listed.stdout.splitlines()) == 1


@pytest.mark.parametrize("has_bfloat16", [True, False])
def test_ratios_and_memory_are_compared(
    monkeypatch: pytest.MonkeyPatch, has_bfloat16: bool
) -> None:
    @contextmanager
    def checkout(commit: str) -> Iterator[Path]:
        yield Path(commit)

    def measured(root: Path, name: str, *arguments: str) -> dict[str, float]:
        if name == "step":
            return {"peak_bytes": 1.0 if root == earlier._ROOT else 2.0}
        if name == "sampled_and_dense":
            assert root == Path(earlier.SPEED)
            return {"ratio_ours": 20.0}
        assert root == earlier._ROOT
        return {"preset": 25.0, "refresh": 30.0} | ({"bfloat16": 50.0} if has_bfloat16 else {})

    monkeypatch.setattr(earlier, "checkout", checkout)
    monkeypatch.setattr(earlier, "measured", measured)
    rows = {what: (value, held) for what, value, held in earlier.earlier()}
    over = f"dense over ours, over that of {earlier.SPEED}"
    assert rows[f"photo, sampled: {over}"] == (1.25, "at least 1.4")
    assert rows[f"photo, sampled, refresh=5: {over}"] == (1.5, "at least 1.4")
    rounded = rows.get(f"photo, sampled, refresh=5, bfloat16: {over}")
    assert rounded == ((2.5, "at least 2") if has_bfloat16 else None)
    memory = [value for what, value in rows.items() if "memory" in what]
    assert memory == [(0.5, "at most 1.1")] * 3
