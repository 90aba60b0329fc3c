"""The public names are there, and neither they nor a short command loads torch before its time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import homogcl

HEAVY = {"torch", "torch_geometric", "sklearn", "scipy", "pandas", "numpy"}
LOADED = "import json; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
COMMAND = f"""
import sys
from homogcl.cli import main
sys.argv = ["homogcl", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert end.code == 0, end.code
{LOADED}
"""


def child(code: str, *arguments: str, **environment: str) -> tuple[str, set[str]]:
    """What `code` printed in a process of its own, and the packages that it loaded."""
    ended = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert ended.returncode == 0, ended.stderr
    *lines, loaded = ended.stdout.splitlines()
    return "\n".join(lines), set(json.loads(loaded))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--help",), "Usage: homogcl"),
        (("train", "--help"), "METHOD"),
        (("doctor", "--help"), "missing"),
        (("list", "methods"), "grace"),
        (("list", "datasets", "--json"), "physics"),
        (("list", "presets"), "cora/official"),
        (("show", "grace", "cora"), "temperature"),
        (("show", "grace+homogcl", "physics", "--json"), "num_clusters"),
        (("show", "bgrl", "my.csv"), "source: "),
    ],
)
def test_command_loads_nothing_heavy(arguments: tuple[str, ...], says: str) -> None:
    printed, loaded = child(COMMAND, *arguments)
    assert says in printed
    if "my.csv" in arguments:  # the endings of own files stand beside their readers
        loaded -= {"numpy"}
    assert loaded & HEAVY == set()


def test_completion_loads_nothing_heavy() -> None:
    printed, loaded = child(
        COMMAND, _HOMOGCL_COMPLETE="complete_bash", COMP_WORDS="homogcl ev", COMP_CWORD="1"
    )
    assert printed == "evaluate"
    assert loaded & HEAVY == set()


def test_import_loads_nothing_heavy_until_a_name_is_used() -> None:
    _, before = child(f"import sys, homogcl; homogcl.__version__; dir(homogcl); {LOADED}")
    assert before & HEAVY == set()
    _, after = child(f"import sys, homogcl; homogcl.info_nce; {LOADED}")
    assert "torch" in after


def test_every_public_name_is_there_and_listed() -> None:
    assert set(homogcl.__all__) <= set(dir(homogcl))
    for name in homogcl.__all__:
        assert getattr(homogcl, name).__name__ == name


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'graph_embedding'"):
        homogcl.graph_embedding  # type: ignore[attr-defined] # noqa: B018


def test_type_checkers_see_every_public_name() -> None:
    lines = Path(homogcl.__file__).read_text("utf-8").splitlines()
    imports = {line.strip() for line in lines if line.startswith("    from homogcl.")}
    assert imports == {
        f"from homogcl.{module} import {name} as {name}"
        for name, module in homogcl._MODULES.items()
    }
