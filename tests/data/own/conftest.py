"""Fixtures of the tests of a user's own graph."""

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A graph with everything: nodes out of order, gaps in labels and split."""
    (tmp_path / "edges.csv").write_text("paper,cites,times\np1,p3,1\np3,p2,2\np9,p1,4\n")
    (tmp_path / "papers.csv").write_text(
        "title,key,field,part\n"
        '"On, and\non",p3,10,train\nB,p1,9,val\nC,p2,,\nD,p9,9,TEST\nE,p0,10,train\n'
    )
    (tmp_path / "words.csv").write_text(
        "w1,key,w2\n1,p0,0\n2,p1,0.5\n3,p2,0\n4,p3,-1\n5,p9,0\n6,other,0\n"
    )
    (tmp_path / "graph.toml").write_text(
        'edges = "edges.csv"\nsource = "paper"\ntarget = "cites"\nweight = "times"\n'
        'nodes = "papers.csv"\nid = "key"\nfeatures = "words.csv"\n'
        'label = "field"\nsplit = "part"\n'
    )
    return tmp_path
