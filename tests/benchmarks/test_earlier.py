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


def test_ratios_and_memory_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def checkout(commit: str) -> Iterator[Path]:
        yield Path(commit)

    def measured(root: Path, name: str, *arguments: str) -> dict[str, float]:
        now = root == earlier._ROOT
        return {"ratio_ours": 30.0 if now else 20.0, "peak_bytes": 1.0 if now else 2.0}

    monkeypatch.setattr(earlier, "checkout", checkout)
    monkeypatch.setattr(earlier, "measured", measured)
    rows = earlier.earlier()
    assert rows[2] == ("photo, sampled: the first over the second", 1.5, "at least 1.4")
    assert {row[1:] for row in rows[3:]} == {(0.5, "at most 1.1")}
