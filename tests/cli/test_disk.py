"""`homogcl to-disk`: in memory as ever, and beyond it by queries, globs and a limit."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from homogcl.data.mapped import open_mapped
from tests.shell import FAST, Shell


@pytest.mark.usefixtures("papers")
def test_a_graph_on_disk_trains_as_in_memory(homogcl: Shell) -> None:
    assert "wrote 90 nodes" in homogcl("to-disk", "papers", "on-disk")
    batch = ("--batch", "parts:30", *FAST)
    homogcl("train", "grace+homogcl", "papers", *batch, "--out", "a")
    assert "on-disk: 90 nodes" in homogcl("train", "grace+homogcl", "on-disk", *batch, "--out", "b")
    first, second = (np.load(Path(run) / "embeddings.npy") for run in "ab")
    np.testing.assert_array_equal(first, second)
    homogcl("embed", "b", "-o", "z.npy")
    assert Path("z.ids.txt").read_text().split()[:2] == ["p0", "p1"]
    assert "holds a graph already" in homogcl.refuses("to-disk", "papers", "on-disk")
    said = homogcl.refuses("train", "grace", "on-disk", "--source", "paper")
    assert "on-disk is a mapped graph; source belongs to files" in said


@pytest.mark.usefixtures("papers")
def test_a_share_is_cut_off_and_waits_for_the_others(homogcl: Shell) -> None:
    homogcl("to-disk", "papers", "whole")
    for number, count in ((1, 22), (2, 23), (4, 23)):
        said = homogcl("to-disk", "whole", f"share-{number}", "--share", f"{number}/4")
        assert f"share {number}/4 to share-{number}: features of {count} of 90 nodes" in said
    line = homogcl.refuses("train", "grace", "share-2", "--batch", "parts:30")
    assert "share-2 is share 2/4 of a graph: train with 4 processes, each with another" in line
    assert "share-1 is share 1/4" in homogcl.refuses("inspect", "share-1")
    homogcl("train", "grace", "whole", "--batch", "parts:30", *FAST, "--out", "run")
    assert "share-1 is share 1/4" in homogcl.refuses(
        "embed", "run", "-o", "z.npy", "--data", "share-1"
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("whole", "--share", "5/4"), "--share '5/4': write it as 1/4, the first of four"),
        (("papers", "--share", "1/4"), "papers holds no mapped graph"),
        (("whole", "--share", "1/100"), "100 shares are more than its 90 nodes"),
        (("whole", "--share", "1/2", "--memory", "4GB"), "memory belongs to its making"),
        (("whole", "--share", "1/2", "--features-as", "row"), "features-as belongs to its making"),
    ],
)
@pytest.mark.usefixtures("papers")
def test_what_is_no_share_is_one_line(
    homogcl: Shell, arguments: tuple[str, ...], says: str
) -> None:
    homogcl("to-disk", "papers", "whole")
    data, *options = arguments
    assert says in homogcl.refuses("to-disk", data, "new", *options)
    assert not Path("new").exists()


@pytest.mark.usefixtures("papers")
def test_beyond_memory_the_graph_is_the_same(homogcl: Shell) -> None:
    homogcl("to-disk", "papers", "small")
    said = homogcl("to-disk", "papers", "large", "--memory", "8GB")
    assert "90 nodes, 225 edges, 225 given one way and taken both ways" in said
    assert "ids: 90" in homogcl.err
    small, large = open_mapped(Path("small")), open_mapped(Path("large"))
    for key in ("x", "edge_index", "y", "crow"):
        np.testing.assert_array_equal(large[key], small[key])


def test_a_database_is_read_by_queries(homogcl: Shell) -> None:
    with sqlite3.connect("social.db") as connection:
        connection.execute("create table follows (who, whom, at)")
        connection.execute("create table users (id, age, size)")
        for i in range(30):
            connection.execute(
                "insert into follows values (?, ?, 0)", (f"u{i}", f"u{(i * 7) % 30}")
            )
            connection.execute("insert into users values (?, ?, ?)", (f"u{i}", 20 + i, i % 4))
    queries = ("--edges", "select who, whom from follows", "--nodes", "select * from users")
    assert "wrote 30 nodes" in homogcl("to-disk", "social.db", "disk", *queries)
    homogcl("train", "grace", "disk", "--out", "run", *FAST)
    graph = open_mapped(Path("disk"))
    assert graph.ids[:2] == ["u0", "u1"]
    assert graph.x.shape == (30, 2)


def test_a_glob_is_one_table(homogcl: Shell) -> None:
    for part in range(3):
        table = pa.table({"s": [part, part + 1], "t": [part + 5, part + 6]})
        pa.parquet.write_table(table, f"part-{part}.parquet")
    assert "wrote 8 nodes, 4 edges" in homogcl("to-disk", "part-*.parquet", "disk")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("cora", "disk", "--memory", "much"), "'much': write a size of memory such as 4GB"),
        (("no-such-name", "disk", "--memory", "2GB"), "no-such-name: there is no such file"),
        (("e.csv", "disk", "--memory", "10MB"), "memory = 0.01 GB: at least "),
        (("e.csv", "disk", "--edges", "select 1"), "is no database"),
        (("postgres://u:secret@h/db", "disk"), "the address holds a password"),
        (("x.db", "disk", "--edges", "select 1"), "x.db: there is no such file"),
    ],
)
def test_wrong_input_is_one_line(homogcl: Shell, arguments: tuple[str, ...], says: str) -> None:
    Path("e.csv").write_text("a,b\n1,2\n")
    line = homogcl.refuses("to-disk", *arguments)
    assert says in line
    assert "secret" not in line
