"""Whoever looks for the tests of a module finds them by its path, and the other way round."""

import ast
from collections.abc import Set as AbstractSet
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[1]

# Each folder of modules, and the folder of their tests.
MIRRORS = {
    "src/homogcl": "tests",
    "reproduction": "tests/reproduction",
    "benchmarks": "tests/benchmarks",
}

# Folders of tests that run across modules: pages in a real browser, every method, slow oracles,
# what can break.
ACROSS = ("browser", "contract", "reference", "reliability")

# Tests of the repository itself.
OF_THE_REPOSITORY = (
    "test_cluster.py",
    "test_docs.py",
    "test_import_flow.py",
    "test_mirror.py",
    "test_packaging.py",
)

# What has no counterpart yet, by its path in the repository.
EXCEPTIONS: tuple[str, ...] = ()


def place_of_tests(module: PurePosixPath) -> PurePosixPath:
    """Return where the tests of a module belong: `a/b.py` has `a/test_b.py`.

    `__init__.py` and `__main__.py` have `test_init.py` and `test_main.py`.
    """
    return module.with_name(f"test_{module.stem.strip('_')}.py")


def without_tests(
    modules: AbstractSet[PurePosixPath], tests: AbstractSet[PurePosixPath]
) -> set[PurePosixPath]:
    """Return the modules that have no file of tests; both have paths in their own folder."""
    return {module for module in modules if place_of_tests(module) not in tests}


def without_module(
    modules: AbstractSet[PurePosixPath], tests: AbstractSet[PurePosixPath]
) -> set[PurePosixPath]:
    """Return the files of tests that belong to no module."""
    return set(tests) - {place_of_tests(module) for module in modules}


def holds_code(source: str) -> bool:
    """Return whether a module defines a function or a class."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return any(isinstance(node, kinds) for node in ast.walk(ast.parse(source)))


def below(folder: str, pattern: str) -> set[PurePosixPath]:
    """Return the files below a folder of the repository, by their paths in it."""
    root = ROOT / folder
    return {PurePosixPath(path.relative_to(root).as_posix()) for path in root.rglob(pattern)}


def modules_of(folder: str) -> set[PurePosixPath]:
    """Return the modules below a folder that hold code."""
    return {
        module
        for module in below(folder, "*.py")
        if holds_code((ROOT / folder / module).read_text("utf-8"))
    }


def mirroring_tests(folder: str) -> set[PurePosixPath]:
    """Return the files of tests below a folder that are to mirror modules."""
    elsewhere = {*ACROSS, *(mirror.rpartition("/")[2] for mirror in MIRRORS.values())}
    tests = below(folder, "test_*.py")
    if folder != "tests":
        return tests
    return {
        test
        for test in tests
        if test.parts[0] not in elsewhere and str(test) not in OF_THE_REPOSITORY
    }


def offenses(source: str, mirror: str) -> set[str]:
    """Return the modules without tests and the tests without module, by path."""
    every, coded, tests = below(source, "*.py"), modules_of(source), mirroring_tests(mirror)
    alone = {f"{source}/{module}" for module in without_tests(coded, tests)}
    return alone | {f"{mirror}/{test}" for test in without_module(every, tests)}


@pytest.mark.parametrize(("source", "mirror"), MIRRORS.items())
def test_modules_and_tests_mirror_each_other(source: str, mirror: str) -> None:
    assert offenses(source, mirror) - set(EXCEPTIONS) == set()


def test_every_exception_is_still_one() -> None:
    now = {each for pair in MIRRORS.items() for each in offenses(*pair)}
    assert set(EXCEPTIONS) - now == set()


def paths(*names: str) -> set[PurePosixPath]:
    """Return names as paths."""
    return set(map(PurePosixPath, names))


@pytest.mark.parametrize(
    ("module", "test"),
    [
        ("errors.py", "test_errors.py"),
        ("core/errors.py", "core/test_errors.py"),
        ("data/own/tables.py", "data/own/test_tables.py"),
        ("cli/__init__.py", "cli/test_init.py"),
        ("__main__.py", "test_main.py"),
    ],
)
def test_place_of_the_tests_follows_from_that_of_the_module(module: str, test: str) -> None:
    assert place_of_tests(PurePosixPath(module)) == PurePosixPath(test)


def test_what_mirrors_is_left_alone() -> None:
    modules = paths("core/errors.py", "cli/__init__.py")
    tests = paths("core/test_errors.py", "cli/test_init.py")
    assert without_tests(modules, tests) == set()
    assert without_module(modules, tests) == set()


def test_module_without_tests_is_found() -> None:
    modules = paths("core/errors.py", "core/files.py")
    # A test of the same name elsewhere is none.
    tests = paths("core/test_errors.py", "data/test_files.py", "test_files.py")
    assert without_tests(modules, tests) == paths("core/files.py")


def test_tests_without_module_are_found() -> None:
    modules = paths("core/errors.py", "core/files.py")
    tests = paths("core/test_errors.py", "core/test_error.py", "test_errors.py")
    assert without_module(modules, tests) == paths("core/test_error.py", "test_errors.py")


@pytest.mark.parametrize(
    ("source", "holds"),
    [
        ('"""Only words."""', False),
        ("from a import b\n__all__ = ['b']\nLIMIT = 3", False),
        ("def f() -> None: ...", True),
        ("class A: ...", True),
        ("async def f() -> None: ...", True),
        ("if True:\n    def f() -> None: ...", True),
    ],
)
def test_code_is_a_function_or_a_class(source: str, holds: bool) -> None:
    assert holds_code(source) is holds
