"""What is installed is what the source holds, and the study is not in the wheel."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from fnmatch import fnmatch
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

import homogcl

PROJECT = Path(__file__).parents[1]


REPRODUCTION = PROJECT / "reproduction"
ROOT_FILES = ("pyproject.toml", "README.md", "LICENSE")
BESIDE_THE_CODE = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")


def project_file(folder: Path = PROJECT) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


def data_files() -> list[str]:
    """Every file of the package that is not Python, relative to the package."""
    root = PROJECT / "src" / "homogcl"
    return sorted(
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    )


def test_version_is_the_declared_one() -> None:
    assert homogcl.__version__ == project_file()["project"]["version"]


@pytest.mark.parametrize(
    ("folder", "ending"),
    [("presets", ".toml"), ("pages", ".html"), (".", "py.typed")],
)
def test_package_data_are_found_as_resources(folder: str, ending: str) -> None:
    names = [entry.name for entry in resources.files("homogcl").joinpath(folder).iterdir()]
    assert any(name.endswith(ending) for name in names)


def test_every_data_file_is_declared() -> None:
    patterns = project_file()["tool"]["setuptools"]["package-data"]["homogcl"]
    undeclared = [
        name for name in data_files() if not any(fnmatch(name, pattern) for pattern in patterns)
    ]
    assert undeclared == []


def test_every_dependency_is_pinned() -> None:
    pins = {
        line.split("==")[0].lower().replace("_", "-")
        for line in (PROJECT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line
    }
    project = project_file()["project"]
    needs = chain(
        project["dependencies"],
        *project["optional-dependencies"].values(),
        project_file(REPRODUCTION)["project"]["dependencies"],
    )
    names = {item.split(">=")[0].lower().replace("_", "-") for item in needs}
    assert {name for name in names if not name.startswith("homogcl")} - pins == set()


def pins(name: str) -> dict[str, str]:
    """The version of each package in a file of pins."""
    text = (PROJECT / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)==([\w.+]+)", text, re.M))


def test_lock_has_the_versions_of_the_constraints() -> None:
    """A stale lock is renewed by `make lock`."""
    lock = (PROJECT / "requirements.lock").read_text(encoding="utf-8")
    unhashed = set(re.findall(r"pinned by version only: ([\w-]+):", lock))
    assert unhashed == {"torch", "atheris", "llvmlite", "numba", "pynndescent", "umap-learn"}
    wanted = {n: v for n, v in pins("constraints.txt").items() if n not in unhashed}
    assert pins("requirements.lock") == wanted


def test_everything_in_the_lock_has_a_hash() -> None:
    lock = (PROJECT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[\w.-]+==)", lock)[1:]
    assert len(entries) == len(pins("requirements.lock"))
    for entry in entries:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry.split()[0]


def names_in_wheel(source: Path, folder: Path) -> set[str]:
    """Build the wheel of the project in `source` and return the files that it would install."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*command, str(source)], check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    return {name for name in names if ".dist-info/" not in name}


def test_wheel_holds_the_package_and_nothing_of_the_study(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ROOT_FILES:
        shutil.copy(PROJECT / name, source)
    for name in ("src", "reproduction"):
        shutil.copytree(PROJECT / name, source / name, ignore=BESIDE_THE_CODE)
    code = {path.relative_to(source / "src") for path in source.rglob("src/homogcl/**/*.py")}
    package = {path.as_posix() for path in code} | {f"homogcl/{name}" for name in data_files()}
    assert names_in_wheel(source, tmp_path) == package
    assert not any(name.endswith(".csv") for name in package)


def test_wheel_of_the_reproduction_holds_its_code_and_the_printed_numbers(tmp_path: Path) -> None:
    source = tmp_path / "reproduction"
    shutil.copytree(REPRODUCTION, source, ignore=BESIDE_THE_CODE)
    files = {path.relative_to(tmp_path).as_posix() for path in source.rglob("*.*")}
    names = names_in_wheel(source, tmp_path)
    assert names == files - {"reproduction/pyproject.toml"}
    assert "reproduction/reported/classification.csv" in names


def test_source_holds_what_the_wheel_is_built_of_and_no_tests(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in (*ROOT_FILES, "MANIFEST.in", "CHANGELOG.md", "constraints.txt"):
        shutil.copy(PROJECT / name, source)
    shutil.copytree(PROJECT / "src", source / "src", ignore=BESIDE_THE_CODE)
    (source / "tests").mkdir()
    (source / "tests" / "test_all.py").touch()
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path]
    subprocess.run([*map(str, command), str(source)], check=True, capture_output=True)
    [archive] = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as content:
        names = {name.partition("/")[2] for name in content.getnames()}
    package = {path.relative_to(source).as_posix() for path in source.rglob("src/homogcl/**/*.py")}
    assert package | {f"src/homogcl/{name}" for name in data_files()} <= names
    assert {"README.md", "LICENSE", "CHANGELOG.md", "constraints.txt"} <= names
    assert not any(name.startswith("tests") for name in names)


def workflow() -> dict[Any, Any]:
    text = (PROJECT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    loaded: dict[Any, Any] = yaml.safe_load(text)
    return loaded


def test_release_is_published_by_trust_and_holds_no_secret() -> None:
    text = (PROJECT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert not re.search(r"secrets\.|password:|token:(?! write)", text)
    jobs = workflow()["jobs"]
    assert workflow()["permissions"] == {}
    assert jobs["build"]["permissions"] == {"contents": "read"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["environment"] == "pypi"
    assert jobs["publish"]["needs"] == "build"


def test_release_begins_with_a_tag_and_every_step_is_known() -> None:
    plan = workflow()
    assert plan[True] == {"push": {"tags": ["v*"]}}  # YAML reads the key `on` as true
    for job in plan["jobs"].values():
        assert job["runs-on"] == "ubuntu-latest"
        assert job["timeout-minutes"] <= 30
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step)
            # An action of a named version; text of the event never becomes part of a command.
            assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v1)", step.get("uses", "a/b@v1"))
            assert "${{" not in step.get("run", "")
    commands = [step.get("run", "") for step in plan["jobs"]["build"]["steps"]]
    assert any("python -m build" in command for command in commands)
    assert any(".ci/first-minute dist" in command for command in commands)


def test_a_tag_that_is_not_the_version_is_refused() -> None:
    steps = workflow()["jobs"]["build"]["steps"]
    [check] = [step["run"] for step in steps if step.get("name", "").startswith("Refuse a tag")]
    version = project_file()["project"]["version"]
    for tag, code in ((f"v{version}", 0), (f"v{version}1", 1), ("v9.9.9", 1)):
        tried = subprocess.run(
            ["sh", "-c", check],
            cwd=PROJECT,
            env={"GITHUB_REF_NAME": tag, "PATH": "/usr/bin:/bin"},
            capture_output=True,
        )
        assert tried.returncode == code, tag
