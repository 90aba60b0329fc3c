"""What modules of the package load when they are imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"

# Packages around the modules are left empty, so that each module shows what it loads itself.
_PROGRAM = """
import importlib, json, os, sys, types
root, *modules = sys.argv[1:]
for module in modules:
    parts = module.split(".")
    for count in range(1, len(parts)):
        name = ".".join(parts[:count])
        if name not in modules and name not in sys.modules:
            sys.modules[name] = types.ModuleType(name)
            sys.modules[name].__path__ = [os.path.join(root, *parts[:count])]
for name in sorted(modules):
    importlib.import_module(name)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def loaded_by(*modules: str) -> set[str]:
    """Return the top-level packages that a new process has loaded after importing `modules`.

    Name a package too if what its `__init__` loads counts.
    """
    command = [sys.executable, "-c", _PROGRAM, str(SOURCE), *modules]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(json.loads(done.stdout))
