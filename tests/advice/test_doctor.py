"""What `doctor` finds is what is there."""

import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from homogcl.advice import doctor
from homogcl.advice.doctor import Finding
from homogcl.core.memory import available_bytes
from homogcl.data.published.sources import SOURCES

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))[
    "project"
]


def by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


def test_it_asks_for_what_the_project_declares() -> None:
    assert [str(each) for each in doctor.requirements()] == PROJECT["dependencies"]
    assert PROJECT["requires-python"] == f">={doctor.PYTHON}"


def test_it_knows_every_extra_of_users() -> None:
    extras = PROJECT["optional-dependencies"]
    assert set(doctor.EXTRAS) == set(extras) - {"dev", "docs", "soak"}
    for name in doctor.EXTRAS:
        assert [f"{r.name}{r.specifier}" for r in doctor.requirements(name)] == extras[name]


def test_here_everything_needed_is_there() -> None:
    assert [finding.name for finding in doctor.environment() if finding.stops] == []


@pytest.mark.parametrize(
    ("installed", "ok"), [("1.99", False), ("2.6", True), ("2.13.0+cpu", True), ("3.0", True)]
)
def test_versions_are_compared_as_versions(
    monkeypatch: pytest.MonkeyPatch, installed: str, ok: bool
) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: installed)
    torch = by_name(doctor.environment())["torch"]
    assert torch.ok == ok
    assert torch.stops == (not ok)


def test_a_missing_package_stops_and_a_missing_extra_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert by_name(doctor.environment())["torch"].stops
    extra = by_name(doctor.extras())["walks"]
    assert not extra.ok
    assert not extra.stops
    assert "homogcl[walks]" in extra.advice


def placed(root: Path, name: str, files: int) -> None:
    folder = root / SOURCES[name].folder
    folder.mkdir(parents=True)
    for file in SOURCES[name].files[:files]:
        (folder / file).touch()


def test_complete_and_incomplete_data_sets_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOMOGCL_OFFLINE", "1")
    placed(tmp_path, "photo", 1)
    placed(tmp_path, "cora", 7)
    findings = by_name(doctor.data(tmp_path))
    assert findings["photo"].ok
    cora = findings["cora"]
    assert cora.state == "1 of 8 files missing"
    assert SOURCES["cora"].files[-1] in cora.advice
    assert SOURCES["cora"].files[0] not in cora.advice
    assert str(tmp_path / "planetoid/Cora/raw") in cora.advice
    assert not any(finding.stops for finding in findings.values())


def test_a_data_set_that_the_network_brings_needs_nothing_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOMOGCL_OFFLINE", raising=False)
    placed(tmp_path, "cora", 7)
    findings = by_name(doctor.data(tmp_path))
    assert findings["photo"].state == "downloaded when first used"
    assert findings["photo"].advice == ""
    assert "downloaded when first used, into" in findings["cora"].advice
    monkeypatch.setenv("HOMOGCL_OFFLINE", "1")
    assert SOURCES["photo"].files[0] in by_name(doctor.data(tmp_path))["photo"].advice


def test_a_root_that_is_a_file_stops(tmp_path: Path) -> None:
    assert not by_name(doctor.data(tmp_path / "later"))["root"].stops
    (tmp_path / "file").touch()
    assert by_name(doctor.data(tmp_path / "file"))["root"].stops


def test_self_test_trains_a_step() -> None:
    assert doctor.self_test().ok


def test_self_test_reports_what_fails() -> None:
    def fails() -> None:
        raise RuntimeError("no kernel\nat line 3")

    finding = doctor.self_test(fails)
    assert finding.stops
    assert finding.state == "RuntimeError: no kernel"


@pytest.mark.parametrize(
    ("limit", "free"),
    [("max", 8 * 2**30), (str(5 * 2**30), 4 * 2**30), (str(2**29), 0)],
)
def test_free_memory_is_that_of_the_container(tmp_path: Path, limit: str, free: int) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text(f"MemTotal: {16 * 2**20} kB\nMemAvailable: {8 * 2**20} kB\n")
    assert available_bytes(meminfo, tmp_path / "none") == 8 * 2**30
    files: dict[str, Any] = {
        "memory.max": limit,
        "memory.current": 3 * 2**29,
        "memory.stat": f"anon 5\ninactive_file {2**29}",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(f"{text}\n")
    assert available_bytes(meminfo, tmp_path) == free
    assert available_bytes(tmp_path / "nowhere") is None
