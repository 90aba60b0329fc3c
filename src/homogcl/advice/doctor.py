"""What is installed here of all that the package can use, and how to get the rest."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import torch
from packaging.requirements import Requirement
from packaging.version import Version

from homogcl.core.extensions import BrokenExtension, package
from homogcl.core.memory import available_bytes
from homogcl.data.catalog import reader
from homogcl.data.published.root import data_root, is_offline
from homogcl.data.published.sources import SOURCES, Source, lacks_features, missing_files
from homogcl.data.synthetic import citation_graph
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import method_class, plugin
from homogcl.presets.resolve import resolve
from homogcl.runs.run import Run
from homogcl.runs.tasks import task
from homogcl.runs.train import fit_run

PYTHON = "3.11"

# What each extra is for that users can install.
EXTRAS = {
    "walks": "the methods deepwalk and node2vec",
    "tables": "own graphs from files, Parquet",
    "umap": "homogcl explore --map umap",
    "metis": "homogcl train --batch metis",
    "tune": "homogcl tune",
    "tensorboard": "homogcl train --tensorboard",
    "duckdb": "homogcl to-disk from tables beyond memory",
    "postgres": "homogcl to-disk from Postgres",
    "index": "homogcl index",
}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    area: str
    name: str
    state: str
    ok: bool = True
    needed: bool = True  # whether nothing works without it
    advice: str = ""  # what to do where it is not ok, if anything

    @property
    def stops(self) -> bool:
        """Whether training cannot work because of it."""
        return self.needed and not self.ok


def examine(root: str | Path | None = None) -> list[Finding]:
    """Return what there is: environment, data root, extras, and whether a training step works.

    What other packages register is loaded on the way.
    """
    return [*environment(), *extras(), *extensions(), *data(data_root(root)), self_test()]


def environment() -> list[Finding]:
    """Return Python, the packages that are needed, and the machine."""
    running = platform.python_version()
    python = Finding(
        "packages",
        "python",
        running,
        ok=Version(running) >= Version(PYTHON),
        advice=f"use Python {PYTHON} or newer",
    )
    packages = [_package("packages", each) for each in requirements()]
    return [python, *packages, *_machine()]


def extras() -> list[Finding]:
    """Return which optional packages are there, and what each is for."""
    findings = []
    for name, purpose in EXTRAS.items():
        parts = [_package("extras", each) for each in requirements(name)]
        findings.append(
            Finding(
                "extras",
                name,
                f"{', '.join(f'{part.name} {part.state}' for part in parts)}: {purpose}",
                ok=all(part.ok for part in parts),
                needed=False,
                advice=f"for {purpose}: pip install 'homogcl[{name}]'",
            )
        )
    return findings


def extensions() -> list[Finding]:
    """Return the methods, plug-ins, data sets and tasks of other packages, and which are broken."""
    kinds: dict[str, tuple[str, Callable[[str], object]]] = {
        "method": ("homogcl.methods", method_class),
        "plug-in": ("homogcl.plugins", plugin),
        "data set": ("homogcl.datasets", reader),
        "task": ("homogcl.tasks", task),
    }
    return [
        _extension(kind, entry, load)
        for kind, (group, load) in kinds.items()
        for entry in metadata.entry_points(group=group)
    ]


def requirements(extra: str | None = None) -> list[Requirement]:
    """Return the packages that this one asks for: always, or for one of its extras."""
    declared = [Requirement(text) for text in metadata.requires("homogcl") or []]
    if extra is None:
        return [each for each in declared if each.marker is None]
    return [each for each in declared if each.marker and each.marker.evaluate({"extra": extra})]


def data(root: Path) -> list[Finding]:
    """Return where data sets are looked for, and which of them are complete there."""
    # A folder that is not there is made by the first download; a file in its place stays.
    state = "" if root.is_dir() else " (a file)" if root.exists() else " (not there yet)"
    place = Finding(
        "data",
        "root",
        f"{root}{state}",
        ok=root.is_dir() or not root.exists(),
        advice=f"{root} is not a folder: point --root or HOMOGCL_DATA at one",
    )
    demo = Finding("data", "demo", "complete")  # it is generated
    return [place, demo, *(_data_set(name, each, root) for name, each in SOURCES.items())]


def self_test(step: Callable[[], None] | None = None) -> Finding:
    """Return whether `step` works, by default a step of grace+homogcl on a generated graph."""
    try:
        (step or _tiny_training)()
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        return Finding(
            "self-test",
            "training step",
            reason,
            ok=False,
            advice="reinstall torch and torch_geometric at the versions of constraints.txt",
        )
    return Finding("self-test", "training step", "grace+homogcl trains and embeds")


def _tiny_training() -> None:
    graph = citation_graph(60, 3, 40, seed=0)
    small: dict[str, object] = {"epochs": 1, "hidden_dim": 16, "out_dim": 8, "num_clusters": 3}
    settings = resolve("grace+homogcl", "", small)
    method = fit_run(Run.of("grace+homogcl", settings, graph)).method
    z = embeddings(method, graph)
    if z.shape != (60, 8) or not bool(z.isfinite().all()):
        raise ArithmeticError("the embeddings of a small graph are not finite")


def _package(area: str, required: Requirement) -> Finding:
    name, versions = required.name, str(required.specifier)
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Finding(area, name, "missing", ok=False, advice=f"pip install '{name}{versions}'")
    fits = required.specifier.contains(version, prereleases=True)
    return Finding(
        area,
        name,
        version if fits else f"{version} (older than {versions.removeprefix('>=')})",
        ok=fits,
        advice=f"pip install --upgrade '{name}{versions}'",
    )


def _extension(kind: str, entry: metadata.EntryPoint, load: Callable[[str], object]) -> Finding:
    source = package(entry)
    try:
        load(entry.name)
    except BrokenExtension as error:
        advice = f"update or uninstall {source}"
        return Finding("other packages", entry.name, str(error), False, False, advice)
    return Finding("other packages", entry.name, f"{kind} of {source}", needed=False)


def _machine() -> list[Finding]:
    threads = f"{torch.get_num_threads()} of {os.cpu_count()} cores"
    graphics = torch.cuda.get_device_name() if torch.cuda.is_available() else "none; CPU is used"
    free = available_bytes()
    memory = "unknown" if free is None else f"{free / 1e9:.1f} GB"
    return [
        Finding("machine", "threads", threads, needed=False),
        Finding("machine", "GPU", graphics, needed=False),
        Finding("machine", "free memory", memory, needed=False),
    ]


def _data_set(name: str, source: Source, root: Path) -> Finding:
    missing = missing_files(source, root)
    if not missing:
        bare = lacks_features(source, root)
        state = "without features, which are made of the edges" if bare else "complete"
        return Finding("data", name, state, needed=False)
    if len(missing) == len(source.files) and not is_offline():
        return Finding("data", name, "downloaded when first used", ok=False, needed=False)
    files = " and ".join(path.name for path in missing)
    where = root / source.folder
    if is_offline():
        advice = f"put {files} of {source.url} into {where}"
    else:
        advice = f"{files}: downloaded when first used, into {where}"
    return Finding(
        "data",
        name,
        f"{len(missing)} of {len(source.files)} files missing",
        ok=False,
        needed=False,
        advice=advice,
    )
