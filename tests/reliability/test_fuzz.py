"""Files and words from strangers: never a traceback, never code that runs, never half an output."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from homogcl import cli
from homogcl.core.config import parse_overrides
from homogcl.data.load import load
from homogcl.data.own.graph import read_own
from homogcl.presets.resolve import resolve
from tests.reliability import fuzz
from tests.reliability.conftest import Count
from tests.reliability.fuzz import OWN, Reader, outcome, spoiled

READERS = fuzz.readers(Path(mkdtemp(prefix="fuzz-")))


@pytest.fixture
def attempt(
    tmp_path: Path, soak: int, count: Count
) -> Callable[[str, st.SearchStrategy[Any], Callable[[Any, Path], str]], None]:
    """Try many examples, each in an empty folder, and count what became of them."""

    def many(
        name: str, examples: st.SearchStrategy[Any], run: Callable[[Any, Path], str], most: int = 80
    ) -> None:
        said: Counter[str] = Counter()

        @settings(
            max_examples=most * soak,
            deadline=None,
            database=None,
            # The same files each time, so that a change is what breaks a test; the soak looks on.
            derandomize=soak == 1,
            suppress_health_check=list(HealthCheck),
        )
        @given(examples)
        def one(example: Any) -> None:
            shutil.rmtree(tmp_path)
            tmp_path.mkdir()
            said[run(example, tmp_path)] += 1

        one()
        count(name, tried=said.total(), **said)

    return many


Attempt = Callable[..., None]


@pytest.mark.parametrize("name", READERS)
def test_good_files_are_read(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    assert reader.try_out(reader.good, tmp_path) == "read"


@pytest.mark.parametrize("name", READERS)
def test_spoiled_files(name: str, attempt: Attempt) -> None:
    reader = READERS[name]
    attempt(name, spoiled(reader.good), reader.try_out)


@pytest.mark.parametrize("ending", ["tsv", "txt", "csv.gz", "edgelist", "gexf", "npy"])
def test_bytes_under_other_names(ending: str, attempt: Attempt) -> None:
    content = fuzz.EDGES.replace(b",", b"\t" if ending == "tsv" else b" ")
    reader = fuzz.own_file(f"edges.{ending}", content)
    attempt("edges as bytes", spoiled(content), reader.try_out, 30)


CELLS = st.sampled_from(
    [
        "",
        " ",
        "a",
        "b",
        "0",
        "1",
        "-1",
        "1e400",
        "nan",
        "inf",
        '"',
        '""',
        "a,b",
        "\0",
        "é",
        "\ufeff",
    ]
) | st.text(max_size=5)
CELLS = CELLS | st.integers(-(2**70), 2**70).map(str)


def lines(rows: list[list[str]]) -> bytes:
    return "\n".join(",".join(row) for row in rows).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("weight", [None, "weight"])
def test_tables_of_strange_cells(weight: str | None, attempt: Attempt) -> None:
    rows = st.lists(st.lists(CELLS, min_size=1, max_size=4), max_size=6)
    named = rows.map(lambda body: b"source,target,weight\n" + lines(body))

    def run(content: bytes, folder: Path) -> str:
        (folder / "edges.csv").write_bytes(content)
        chosen: dict[str, Any] = {"weight": weight} if weight else {}
        return outcome(lambda: read_own(folder / "edges.csv", **chosen), folder)

    attempt("edges as CSV", named | rows.map(lines), run)


def test_features_of_strange_cells(attempt: Attempt) -> None:
    rows = st.lists(st.tuples(st.sampled_from("abcd"), CELLS, CELLS), max_size=5)

    def run(body: list[tuple[str, str, str]], folder: Path) -> str:
        content = b"id,f1,f2\n" + lines([list(row) for row in body])
        return Reader("features.csv", b"", fuzz.read_folder, OWN).try_out(content, folder)

    attempt("features as CSV", rows, run)


COLUMNS = st.sampled_from(
    [
        pa.array([1, 2, 3]),
        pa.array([1.5, None, 2.0]),
        pa.array([2**63 - 1, 0, -(2**63)]),
        pa.array(["a", None, "é"]),
        pa.array([b"\xff", b"", b"a"]),
        pa.array([[1], [2, 3], None]),
        pa.array([{"a": 1}, {"a": 2}, None]),
        pa.array([True, False, None]),
        pa.array([None, None, None]),
        pa.array([0, 1, 2], pa.timestamp("ns")),
        pa.array([0, 1, 2], pa.date32()),
        pa.array([1, 2, 3], pa.decimal128(10, 2)),
        pa.array(["a", "b", "a"]).dictionary_encode(),
        pa.array([float("inf"), 1.0, float("nan")]),
    ]
)


def test_parquet_of_strange_columns(attempt: Attempt) -> None:
    def run(columns: tuple[Any, Any, Any, str], folder: Path) -> str:
        content = fuzz._parquet(source=columns[0], target=columns[1], w=columns[2])
        (folder / "edges.parquet").write_bytes(content)
        chosen: dict[str, Any] = {"weight": "w"} if columns[3] else {}
        return outcome(lambda: read_own(folder / "edges.parquet", **chosen), folder)

    attempt("Parquet", st.tuples(COLUMNS, COLUMNS, COLUMNS, st.sampled_from(["", "w"])), run)


ARRAYS = st.sampled_from(
    [
        np.array([]),
        np.array(3),
        np.array([-1, 2**40, 0]),
        np.array([1.5, np.nan, np.inf]),
        np.array([[1, 2], [3, 4]]),
        np.array(["a", "b"]),
        np.array([1 + 2j]),
        np.array([True, False]),
        np.zeros((0, 3)),
        np.array([2**62, 2**62]),
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        np.zeros(3, dtype=[("a", "i4"), ("b", "f4")]),
        np.array([10**9, 10**9]),
    ]
)


def test_npz_of_strange_arrays(attempt: Attempt) -> None:
    keys = st.sampled_from(sorted(fuzz.photo_arrays()))

    def run(changes: dict[str, Any], folder: Path) -> str:
        content = fuzz._npz(**(fuzz.photo_arrays() | changes))
        return READERS["npz of a published data set"].try_out(content, folder)

    attempt(
        "npz of a published data set", st.dictionaries(keys, ARRAYS, min_size=1, max_size=3), run
    )


@pytest.mark.parametrize("form", ["npy", "npz"])
def test_features_of_strange_arrays(form: str, attempt: Attempt) -> None:
    toml = fuzz.TOML.replace(b"features.csv", f"features.{form}".encode())

    def run(arrays: tuple[Any, Any], folder: Path) -> str:
        buffer = io.BytesIO()
        if form == "npy":
            np.save(buffer, arrays[0])
        else:
            np.savez(buffer, x=arrays[0], ids=arrays[1])
        reader = Reader(f"features.{form}", b"", fuzz.read_folder, OWN | {"graph.toml": toml})
        return reader.try_out(buffer.getvalue(), folder)

    attempt("npz and npy of features", st.tuples(ARRAYS, ARRAYS), run, 40)


@pytest.mark.parametrize("part", ["tx", "y", "ally", "ty", "graph", "test.index"])
def test_other_parts_of_planetoid(part: str, attempt: Attempt) -> None:
    parts = {
        f"planetoid/CiteSeer/raw/ind.citeseer.{k}": v for k, v in fuzz.planetoid_parts().items()
    }
    name = f"planetoid/CiteSeer/raw/ind.citeseer.{part}"
    reader = Reader(name, parts[name], lambda folder: load("citeseer", folder), parts)
    attempt("Planetoid pickle", spoiled(reader.good), reader.try_out, 30)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


def changed(good: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """The object with some fields replaced by anything, and perhaps one missing or added."""
    keys = st.sampled_from(sorted(good))
    replaced = st.dictionaries(keys | st.text(max_size=4), VALUES, max_size=3)
    return st.tuples(replaced, st.none() | keys).map(
        lambda both: {k: v for k, v in {**good, **both[0]}.items() if k != both[1]}
    )


@pytest.mark.parametrize("name", ["run record", "config.json of a run"])
def test_json_of_strange_values(name: str, attempt: Attempt) -> None:
    reader = READERS[name]

    def run(content: dict[str, Any], folder: Path) -> str:
        return reader.try_out(json.dumps(content).encode("utf-8", "surrogatepass"), folder)

    attempt(name, changed(json.loads(reader.good)), run)


def test_checkpoints_of_strange_content(attempt: Attempt) -> None:
    def run(content: dict[str, Any], folder: Path) -> str:
        return READERS["checkpoint"].try_out(fuzz.saved(content), folder)

    attempt("checkpoint", changed(fuzz.checkpoint_content()), run)


def test_toml_of_strange_values(attempt: Attempt) -> None:
    values = st.sampled_from(
        ["1", "true", '"x"', "[]", '["f1"]', "{a=1}", "1979-05-27", "[" * 2000, '"\\u0000"', "nan"]
    )
    keys = st.sampled_from([*"abc", "edges", "nodes", "features", "label", "split", "id", "weight"])
    texts = st.lists(st.tuples(keys, values), max_size=4).map(
        lambda pairs: "\n".join(f"{key} = {value}" for key, value in pairs).encode()
    )
    reader = READERS["graph.toml"]
    attempt("graph.toml", texts | texts.map(lambda text: fuzz.TOML + text), reader.try_out)


def test_settings_as_people_type_them(attempt: Attempt) -> None:
    keys = st.sampled_from(["epochs", "temperature", "hidden_dim", "optimizer", "features", "x"])
    values = st.sampled_from(["1", "-1", "1e999", "nan", "[[[", "{", "true", '"', "1979-05-27", ""])
    values = values | st.just("[" * 3000) | st.text(max_size=8)
    pair = st.tuples(keys, values).map("=".join) | st.text(max_size=12)

    def run(pairs: list[str], folder: Path) -> str:
        return outcome(lambda: resolve("grace", "demo", parse_overrides(pairs)), folder)

    attempt("--set", st.lists(pair, max_size=3), run, 150)


def test_command_lines(attempt: Attempt, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = st.sampled_from(["evaluate", "embed", "table", "show", "list", "train", "run", ""])
    options = [
        "--json",
        "--seed",
        "-1",
        "--root",
        "--out",
        "--set",
        "a=b",
        "-o",
        "--data",
        "--task",
    ]
    hostile = ["../x", "/", "", "-", "--", "\x1b[2J", "[red]", "a\nb", "é", "grace", "nodata", "."]
    words = st.lists(st.sampled_from([*options, *hostile]) | st.text(max_size=4), max_size=5)

    def run(line: tuple[str, list[str]], folder: Path) -> str:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["homogcl", line[0], *line[1]])
        with fuzz.watched() as events, pytest.raises(SystemExit) as left:
            cli.main()
        assert events == []
        assert left.value.code in {None, 0, 2}
        return "refused" if left.value.code else "read"

    attempt("command line", st.tuples(commands, words), run, 100)
