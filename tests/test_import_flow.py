"""Data flows one way through the package: what stands left never imports what stands right."""

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "homogcl"

# Left to right, one row per package. What a package must not see is told by its place.
FLOW: tuple[str, ...] = (
    "core",
    "data",
    "nn",
    "views",
    "homophily",
    "losses",
    "methods",
    "homophily.plugins",  # wrap a method, so they stand right of them
    "homophily.edges",  # scores the edges of a trained method
    "training",
    "presets",
    "evaluate",
    "runs",
    "advice",
    "pages",
    "testing",
    "__init__",
    "cli",
    "__main__",
)

# Stages that see less than all that stands left of them.
ONLY: dict[str, set[str]] = {"evaluate": {"core"}}

# Pages and tables are made where no training ever runs.
NEVER_LOADS = (
    *("pages.charts", "pages.parts", "pages.comparison_page", "pages.explore_page"),
    *("pages.metric_cells", "pages.results_table", "pages.table"),
    *("methods.names", "presets.catalog"),
)

Imports = Mapping[str, set[str]]


def imports_of(source: str, module: str, is_package: bool = False) -> set[str]:
    """Every dotted name that `source` imports, wherever in the file, relative ones resolved."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*above, *([node.module] if node.module else [])])
            names |= {f"{origin}.{alias.name}" for alias in node.names}
    return names


def stage(name: str) -> str:
    """The row of the flow that a dotted name of the project belongs to."""
    parts = name.split(".")
    if ".".join(parts[1:3]) in FLOW:
        return ".".join(parts[1:3])
    return parts[1] if len(parts) > 1 else "__init__"


def package_imports() -> dict[str, set[str]]:
    """What each module of the package imports, by the module's dotted name."""
    imports = {}
    for path in ROOT.rglob("*.py"):
        parts = ("homogcl", *path.relative_to(ROOT).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        module = ".".join(parts[:-1] if is_package else parts)
        imports[module] = imports_of(path.read_text(encoding="utf-8"), module, is_package)
    return imports


def stages_seen(names: Iterable[str], stages: set[str]) -> set[str]:
    """The stages among imported `names`; a name of the package itself stands for `__init__`."""
    own = [name for name in names if name.split(".")[0] == "homogcl"]
    return {stage(name) if stage(name) in stages else "__init__" for name in own}


def offenses(imports: Imports) -> list[str]:
    """Every import that goes against the flow, as a sentence."""
    rank = {name: position for position, name in enumerate(FLOW)}
    wrong = []
    for module, names in sorted(imports.items()):
        own = stage(module)
        if own not in rank:
            wrong.append(f"{module} has no place in the flow")
            continue
        for other in sorted(stages_seen(names, set(rank)) - {own}):
            if rank[other] > rank[own]:
                wrong.append(f"{module} imports {other}, which stands right of it")
            elif own in ONLY and other not in ONLY[own]:
                wrong.append(f"{module} imports {other}, but may see only {sorted(ONLY[own])}")
    return wrong


def loaded(start: str, imports: Imports) -> set[str]:
    """The outside packages that the module `start` imports, directly or through others."""
    todo = [start]
    done: set[str] = set()
    outside: set[str] = set()
    while todo:
        module = todo.pop()
        if module in done:
            continue
        done.add(module)
        for name in imports[module]:
            if name.split(".")[0] != "homogcl":
                outside.add(name.split(".")[0])
            # `from a.b import c` names either the module a.b.c or something inside a.b.
            todo += [near for near in (name, name.rpartition(".")[0]) if near in imports]
        todo = [near for near in todo if near != "homogcl"]
    return outside


def cycles(imports: Imports) -> list[str]:
    """Modules that import themselves through others."""
    edges = {
        module: {
            next((near for near in (name, name.rpartition(".")[0]) if near in imports), module)
            for name in names
        }
        - {module}
        for module, names in imports.items()
    }

    def reaches(start: str) -> bool:
        todo, done = list(edges[start]), set()
        while todo:
            module = todo.pop()
            if module not in done:
                done.add(module)
                todo += edges[module]
        return start in done

    return sorted(module for module in edges if reaches(module))


def test_left_never_imports_right() -> None:
    assert offenses(package_imports()) == []


def test_no_module_imports_itself_through_others() -> None:
    assert cycles(package_imports()) == []


def test_flow_names_only_what_exists() -> None:
    existing = {stage(module) for module in package_imports()}
    existing |= {path.name for path in ROOT.iterdir() if path.is_dir()}
    assert set(FLOW) - existing == set()


def test_no_name_stands_twice_in_the_flow() -> None:
    assert len(FLOW) == len(set(FLOW))


@pytest.mark.parametrize("start", NEVER_LOADS)
def test_module_never_loads_torch(start: str) -> None:
    assert loaded(f"homogcl.{start}", package_imports()) & {"torch", "torch_geometric"} == set()


def test_package_never_imports_the_reproduction() -> None:
    packages = {name.split(".")[0] for names in package_imports().values() for name in names}
    assert "reproduction" not in packages


@pytest.mark.parametrize(
    ("module", "source", "names"),
    [
        ("homogcl.data.check", "import homogcl.training.loop", "stands right"),
        ("homogcl.data.check", "from homogcl.training.loop import fit", "stands right"),
        ("homogcl.data.check", "from homogcl import training", "stands right"),
        ("homogcl.data.check", "from homogcl import load", "stands right"),
        ("homogcl.data.check", "from ..training import fit", "stands right"),
        ("homogcl.data.check", "from .. import training", "stands right"),
        ("homogcl.data.check", "def f():\n    import homogcl.training.loop", "stands right"),
        (
            "homogcl.losses.infomax",
            "from homogcl.homophily.plugins import base",
            "stands right",
        ),
        ("homogcl.evaluate.probe", "from homogcl.methods.registry import build", "may see only"),
        ("homogcl.helpers", "import os", "no place"),
    ],
)
def test_wrong_import_is_found(module: str, source: str, names: str) -> None:
    [offense] = offenses({module: imports_of(source, module)})
    assert names in offense


def test_right_import_is_left_alone() -> None:
    source = "import torch\nfrom homogcl.core.errors import UserError\nfrom .splits import split"
    assert offenses({"homogcl.data.check": imports_of(source, "homogcl.data.check")}) == []


def test_loads_through_others_are_found() -> None:
    imports = {
        "homogcl.pages.comparison_page": {"homogcl.runs.record.Record"},
        "homogcl.runs.record": {"torch.Tensor"},
    }
    assert loaded("homogcl.pages.comparison_page", imports) == {"torch"}


def test_cycle_is_found() -> None:
    imports = {"homogcl.a": {"homogcl.b.f"}, "homogcl.b": {"homogcl.a"}, "homogcl.c": {"homogcl.a"}}
    assert cycles(imports) == ["homogcl.a", "homogcl.b"]
