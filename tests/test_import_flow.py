"""Data flows one way through the package: what stands left never imports what stands right."""

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "homogcl"

# Left to right. Modules of one group may see each other; a new module must be given a place.
FLOW: tuple[tuple[str, ...], ...] = (
    ("errors", "faults"),
    ("files", "interrupt", "streams", "config", "settings", "memory", "counting", "distributed"),
    ("data",),
    ("sparse", "augment", "batches", "walks"),
    ("layers",),
    ("products",),
    ("encoders",),
    ("positives", "homophily", "communities", "objectives"),
    ("methods", "vision"),
    ("presets", "train", "stopping", "checkpoint", "transfer"),
    ("row_saliency", "edge_saliency", "view_similarity"),
    ("evaluate",),
    ("reported", "results", "tasks"),
    ("spec",),
    ("run",),
    (
        "runlog",
        "runfolder",
        "export",
        "embedder",
        "transform",
        "layout",
    ),
    ("doctor", "advice", "estimate", "testing", "curves"),
    ("tune",),
    ("report",),
    ("reproduce",),
    ("__init__",),
    ("display",),
    ("demo", "explore", "reproduce"),
    ("cli",),
    ("__main__",),
)

# Stages that see less than all that stands left of them.
ONLY: dict[str, set[str]] = {
    "evaluate": {"errors", "streams", "config"},
    "reported": {"errors"},
    "report": {"errors", "files", "results", "reported", "stopping"},
}

# A report is made where no training ever runs.
NEVER_LOADS: dict[str, set[str]] = {"report": {"torch", "torch_geometric"}}

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
    """The part of the package that a dotted name of the project belongs to."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def package_imports() -> dict[str, set[str]]:
    """What each module of the package imports, by the module's dotted name."""
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = ("homogcl", *path.relative_to(ROOT).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        module = ".".join(parts[:-1] if is_package else parts)
        found[module] = imports_of(path.read_text(encoding="utf-8"), module, is_package)
    return found


def stages_seen(names: Iterable[str], known: set[str]) -> set[str]:
    """The stages among imported `names`; a name of the package itself stands for `__init__`."""
    own = [name for name in names if name.split(".")[0] == "homogcl"]
    return {stage(name) if stage(name) in known else "__init__" for name in own}


def offenses(imports: Imports, flow: tuple[tuple[str, ...], ...] = FLOW) -> list[str]:
    """Every import that goes against the flow, as a sentence."""
    rank = {name: position for position, group in enumerate(flow) for name in group}
    wrong = []
    for module, names in sorted(imports.items()):
        own = stage(module)
        if own not in rank:
            wrong.append(f"{module} has no place in the flow")
            continue
        for seen in sorted(stages_seen(names, set(rank)) - {own}):
            if rank[seen] > rank[own]:
                wrong.append(f"{module} imports {seen}, which stands right of it")
            elif own in ONLY and seen not in ONLY[own]:
                wrong.append(f"{module} imports {seen}, but may see only {sorted(ONLY[own])}")
    return wrong


def loaded(start: str, imports: Imports) -> set[str]:
    """The outside packages that the modules of stage `start` import, directly or through others."""
    todo = [module for module in imports if stage(module) == start]
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
    assert {name for group in FLOW for name in group} - existing == set()


@pytest.mark.parametrize(("start", "packages"), NEVER_LOADS.items())
def test_stage_never_loads(start: str, packages: set[str]) -> None:
    assert loaded(start, package_imports()) & packages == set()


@pytest.mark.parametrize(
    ("module", "source", "names"),
    [
        ("homogcl.data.npz", "import homogcl.train", "stands right"),
        ("homogcl.data.npz", "from homogcl.train import fit", "stands right"),
        ("homogcl.data.npz", "from homogcl import train", "stands right"),
        ("homogcl.data.npz", "from homogcl import load", "stands right"),
        ("homogcl.data.npz", "from ..train import fit", "stands right"),
        ("homogcl.data.npz", "from .. import train", "stands right"),
        ("homogcl.data.npz", "def f():\n    from homogcl.train import fit", "stands right"),
        ("homogcl.evaluate.probe", "from homogcl.methods import build", "may see only"),
        ("homogcl.report.page", "from homogcl.data import load", "may see only"),
        ("homogcl.helpers", "import os", "no place"),
    ],
)
def test_wrong_import_is_found(module: str, source: str, names: str) -> None:
    [offense] = offenses({module: imports_of(source, module)})
    assert names in offense


def test_right_import_is_left_alone() -> None:
    source = "import torch\nfrom homogcl.errors import UserError\nfrom .splits import random_split"
    assert offenses({"homogcl.data.npz": imports_of(source, "homogcl.data.npz")}) == []


def test_loads_through_others_are_found() -> None:
    imports = {
        "homogcl.report.page": {"homogcl.results.Record"},
        "homogcl.results": {"torch.Tensor"},
    }
    assert loaded("report", imports) == {"torch"}


def test_cycle_is_found() -> None:
    imports = {"homogcl.a": {"homogcl.b.f"}, "homogcl.b": {"homogcl.a"}, "homogcl.c": {"homogcl.a"}}
    assert cycles(imports) == ["homogcl.a", "homogcl.b"]
