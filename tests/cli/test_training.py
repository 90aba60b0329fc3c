"""The command line as a user meets it: every command once, and every mistake in one line."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
import torch
from torch_geometric.data import Data

from homogcl.data.load import citation_graph
from homogcl.runs.forms import AUTO_FORMS
from homogcl.runs.log import Log
from homogcl.training.loop import Epoch
from tests.papers import NODES, write_graph
from tests.shell import FAST, Shell


def test_train_evaluate_embed(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace+homogcl", "demo", "--out", "run", *FAST)
    run = tmp_path / "run"
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2]
    assert {"loss", "contrast", "homophily", "seconds"} <= set(lines[0])

    scored = json.loads(homogcl("evaluate", "run", "--task", "probe", "--json"))
    assert scored["task"] == "probe"
    assert 0.2 < scored["test_accuracy"] <= 1
    assert {"nmi", "ari"} <= set(
        json.loads(homogcl("evaluate", "run", "--task", "cluster", "--json"))
    )
    assert {"raw_nmi", "raw_ari"} <= set(
        json.loads(homogcl("evaluate", "run", "--task", "cluster-raw", "--json"))
    )

    homogcl("embed", "run", "-o", "z.npy")
    z = np.load(tmp_path / "z.npy", allow_pickle=False)
    assert np.array_equal(z, np.load(run / "embeddings.npy", allow_pickle=False))
    assert (tmp_path / "z.ids.txt").read_text().split() == [str(i) for i in range(len(z))]
    homogcl("embed", "run", "-o", "z.csv")
    assert len((tmp_path / "z.csv").read_text().splitlines()) == len(z) + 1


def test_a_form_is_asked_for_in_training_or_in_embedding(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace", "demo", "--out", "wide", "--form", "layers/unit", *FAST)
    homogcl("train", "grace", "demo", "--out", "plain", *FAST)
    homogcl("embed", "wide", "-o", "wide.npy")
    homogcl("embed", "plain", "-o", "plain.npy", "--form", "layers/unit")
    homogcl("embed", "plain", "-o", "auto.npy", "--form", "auto")
    wide, plain = (np.load(tmp_path / f"{name}.npy") for name in ("wide", "plain"))
    assert wide.shape[1] == 16 + 8
    np.testing.assert_array_equal(wide, plain)
    assert (tmp_path / "plain.form.txt").read_text() == "layers/unit\n"
    assert (tmp_path / "auto.form.txt").read_text().strip() in AUTO_FORMS
    one, two = (
        json.loads(homogcl("evaluate", run, "--task", "probe", "--json"))["val_accuracy"]
        for run in ("wide", "plain")
    )
    assert one != two
    line = homogcl.refuses("train", "grace", "demo", "--out", "x", "--form", "layrs")
    assert "unknown form 'layrs' (did you mean: layers" in line
    assert "did you mean: layers" in homogcl.refuses(
        "embed", "plain", "-o", "z.npy", "--form", "layer"
    )
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("at_edge", [0.0, 1.0])
def test_a_penalty_at_the_edge_of_its_path_is_said(
    at_edge: float, homogcl: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    homogcl("train", "raw", "demo", "--out", "run")
    metrics = {"test_accuracy": 0.5, "probe_at_edge": at_edge}
    monkeypatch.setattr("homogcl.runs.grid.score_run", lambda *_: metrics)
    assert json.loads(homogcl("evaluate", "run", "--json")) == {"task": "probe", **metrics}
    assert ("strongest or the weakest that it tries" in homogcl.err) is bool(at_edge)


def test_resume_ends_in_the_same_bits(homogcl: Shell, tmp_path: Path) -> None:
    more = ("--set", "epochs=4", *FAST[2:])
    homogcl("train", "grace", "demo", "--out", "whole", *more)
    homogcl("train", "grace", "demo", "--out", "whole", "--resume", *more)
    first = (tmp_path / "whole" / "embeddings.npy").read_bytes()
    homogcl("train", "grace", "demo", "--out", "again", *more)
    assert (tmp_path / "again" / "embeddings.npy").read_bytes() == first


def test_resume_goes_on_where_a_run_was_interrupted(
    homogcl: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = ("--set", "epochs=6", *FAST[2:])
    homogcl("train", "grace+homogcl", "demo", "--out", "whole", *more)
    step = Log.__call__

    def interrupted(log: Log, epoch: Epoch) -> None:
        step(log, epoch)
        if epoch.number == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(Log, "__call__", interrupted)
    often = ("--save-every", "2")
    homogcl("train", "grace+homogcl", "demo", "--out", "broken", *more, *often, code=130)
    monkeypatch.setattr(Log, "__call__", step)
    newest = max(path.name for path in (tmp_path / "broken" / "checkpoint").iterdir())
    assert newest.startswith("epoch-00000004-")
    homogcl("train", "grace+homogcl", "demo", "--out", "broken", "--resume", *more)
    for name in ("model.safetensors", "embeddings.npy"):
        assert (tmp_path / "broken" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    logged = [json.loads(x) for x in (tmp_path / "broken" / "metrics.jsonl").open()]
    whole = [json.loads(x) for x in (tmp_path / "whole" / "metrics.jsonl").open()]
    assert [line["epoch"] for line in logged] == [1, 2, 3, 4, 5, 6]
    assert [line["loss"] for line in logged] == [line["loss"] for line in whole]


def test_resume_with_other_settings_is_refused(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace", "demo", "--out", "run", *FAST)
    config = (tmp_path / "run" / "config.json").read_bytes()
    other = ("--set", "temperature=0.7", "--resume")
    assert "another run" in homogcl.refuses("train", "grace", "demo", "--out", "run", *FAST, *other)
    assert (tmp_path / "run" / "config.json").read_bytes() == config


def test_a_folder_in_use_is_left_alone(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace", "demo", "--out", "run", *FAST)
    before = (tmp_path / "run" / "model.safetensors").read_bytes()
    assert "--resume" in homogcl.refuses("train", "grace", "demo", "--out", "run", *FAST)
    assert (tmp_path / "run" / "model.safetensors").read_bytes() == before


def test_embedding_an_unknown_ending_is_refused(homogcl: Shell) -> None:
    homogcl("train", "grace", "demo", "--out", "run", *FAST)
    assert ".xlsx" in homogcl.refuses("embed", "run", "-o", "z.xlsx")


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("--set", "negatives=sampled", "--set", "num_negatives=2501"), "num_negatives=2501"),
        (("--set", "num_clusters=2501"), "num_clusters=2501"),
        (("--batch", "parts:0"), "batch_size=0"),
        (("--batch", "parts:many"), "KIND:SIZE"),
        (("--batch", "thirds"), "batch='thirds'"),
        (("--batch", "parts:9"), "num_clusters=10 is more than the 8 nodes"),
        (("--nproc", "0"), "--nproc 0"),
        (("--nproc", "2501"), "2501 processes are more than the 2500 nodes"),
    ],
)
def test_settings_of_no_use_are_refused_before_anything_is_written(
    homogcl: Shell, tmp_path: Path, words: tuple[str, ...], names: str
) -> None:
    line = homogcl.refuses("train", "grace+homogcl", "demo", "--out", "run", *FAST, *words)
    assert names in line
    assert list(tmp_path.iterdir()) == []


def test_method_that_needs_the_whole_graph_refuses_batches(homogcl: Shell, tmp_path: Path) -> None:
    line = homogcl.refuses("train", "gca", "demo", "--out", "run", *FAST, "--batch", "parts")
    assert "GCA sees the whole graph" in line
    assert list(tmp_path.iterdir()) == []


def test_train_on_batches(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace+homogcl", "demo", "--out", "run", *FAST, "--batch", "neighbors:1024")
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["settings"]["train"]["batch"] == "neighbors"
    assert config["settings"]["train"]["batch_size"] == 1024
    assert len((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()) == 2
    assert len(np.load(tmp_path / "run" / "embeddings.npy")) == 2500


def test_train_writes_curves_where_asked(homogcl: Shell, tmp_path: Path) -> None:
    quick = ("--set", "epochs=2", "--set", "hidden_dim=8", "--set", "out_dim=4")
    homogcl("train", "bgrl", "demo", "--out", "run", "--tensorboard", "curves", *quick)
    [written] = tmp_path.glob("curves/*")
    assert written.name.startswith("events.out.tfevents")


def test_own_files_are_trained_on_scored_by_every_task_and_embedded(
    homogcl: Shell, papers: Path
) -> None:
    told = homogcl("train", "grace+homogcl", "papers", *FAST)
    assert "papers: 90 nodes, " in told
    assert "edge homophily" in told
    run = Path("runs/papers-grace+homogcl-s0")
    config = json.loads((run / "config.json").read_text())
    assert config["data"] == str(papers)
    assert set(config["files_sha256"]) == {"graph.toml", "edges.csv", "nodes.csv"}

    keys = {
        "probe": {"test_accuracy", "val_accuracy"},
        "cluster": {"nmi", "ari"},
        "knn": {"knn_test_accuracy", "knn_val_accuracy", "knn_k"},
        "links": {"link_auc", "link_ap"},
        "saliency": {"edge_homophily", "saliency_auc"},
    }
    for task, expected in keys.items():
        scored = json.loads(homogcl("evaluate", run, "--task", task, "--json"))
        assert scored.pop("task") == task
        assert expected <= set(scored)
        assert all(0 <= scored[key] <= 1 for key in expected - {"knn_k", "ari"})

    ids = [f"p{i}" for i in range(NODES)]
    for form in ("npy", "csv", "parquet"):
        homogcl("embed", run, "-o", f"z.{form}")
    assert Path("z.ids.txt").read_text().split() == ids
    z = np.load("z.npy", allow_pickle=False)
    table = pyarrow.parquet.read_table("z.parquet")
    assert table.column("id").to_pylist() == ids
    np.testing.assert_array_equal(table.column("z1").to_numpy(), z[:, 1])
    assert Path("z.csv").read_text().splitlines()[1].startswith('"p0",')


@pytest.mark.usefixtures("papers")
def test_new_graphs_are_embedded_or_refused_with_a_reason(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace", "papers", "--out", "run", *FAST)
    write_graph(tmp_path / "more", 120)
    homogcl("embed", "run", "--data", "more", "-o", "z.npy")
    assert len(np.load("z.npy", allow_pickle=False)) == 120
    write_graph(tmp_path / "turned", 120, columns=(2, 0, 1))
    homogcl("embed", "run", "--data", "turned", "-o", "y.npy")
    turned, straight = (np.load(f"{name}.npy", allow_pickle=False) for name in "yz")
    np.testing.assert_allclose(turned, straight, atol=1e-6)
    write_graph(tmp_path / "strange", 120, columns=(0, 1, 5))
    assert "lacks 'w2'" in homogcl.refuses("embed", "run", "--data", "strange", "-o", "x.npy")
    line = homogcl.refuses("embed", "run", "--data", "more/edges.csv", "-o", "x.npy")
    assert "features made of the edges" in line
    assert not Path("x.npy").exists()


@pytest.mark.usefixtures("papers")
def test_transductive_method_embeds_its_own_graph_only(homogcl: Shell, tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    few = ("--set", "walks_per_node=1", "--set", "walk_length=4", "--set", "out_dim=4")
    homogcl("train", "deepwalk", "papers", "--out", "run", *few)
    write_graph(tmp_path / "more", 120)
    line = homogcl.refuses("embed", "run", "--data", "more", "-o", "z.npy")
    assert "DeepWalk knows only the graph it was trained on" in line
    (tmp_path / "papers").rename(tmp_path / "moved")
    homogcl("embed", "run", "--data", "moved", "-o", "z.npy")
    assert np.array_equal(np.load("z.npy"), np.load("run/embeddings.npy"))


@pytest.mark.usefixtures("papers")
def test_data_that_is_gone_or_changed_is_named(homogcl: Shell, tmp_path: Path) -> None:
    homogcl("train", "grace", "papers", "--out", "run", *FAST)
    papers = (tmp_path / "papers").rename(tmp_path / "elsewhere")
    assert "papers is gone; say with --data" in homogcl.refuses("evaluate", "run")
    assert "p3" in homogcl("neighbors", "run", "p3")
    homogcl("evaluate", "run", "--data", "elsewhere", "--task", "cluster")
    homogcl("train", "grace", "elsewhere", "--out", "run", "--resume", *FAST)
    papers.rename(tmp_path / "papers")
    nodes = tmp_path / "papers/nodes.csv"
    nodes.write_text(nodes.read_text().replace(",c1,", ",c2,"))
    for command in (("evaluate", "run"), ("embed", "run", "-o", "z.npy"), ("saliency", "run")):
        assert "nodes.csv is not what the run run was trained on" in homogcl.refuses(*command)
    line = homogcl.refuses("train", "grace", "papers", "--out", "run", "--resume", *FAST)
    assert "nodes.csv is not what the run run was trained on" in line
    homogcl("evaluate", "run", "--data", "papers", "--task", "cluster")


def test_a_saved_graph_is_data_too(homogcl: Shell, tmp_path: Path) -> None:
    graph = citation_graph(num_nodes=60, num_words=20, seed=1)
    data = Data(x=graph.x.to_dense(), edge_index=graph.edge_index, y=graph.y)
    torch.save(data, tmp_path / "mine.pt")
    homogcl("train", "grace", "mine.pt", "--out", "run", *FAST)
    assert "test_accuracy" in json.loads(homogcl("evaluate", "run", "--json"))


@pytest.mark.usefixtures("papers")
def test_nodes_without_edges_are_embedded_by_features_alone(homogcl: Shell) -> None:
    homogcl("train", "homogcl", "papers", "--out", "run")
    lines = Path("papers/nodes.csv").read_text().splitlines()
    Path("new.csv").write_text("\n".join([lines[0], *lines[1:4]]) + "\n")
    homogcl("embed", "run", "--cold-start", "new.csv", "-o", "z.npy")
    assert Path("z.ids.txt").read_text().split() == ["p0", "p1", "p2"]
    z = np.load("z.npy", allow_pickle=False)
    Path("one.csv").write_text("\n".join([lines[0], lines[2]]) + "\n")
    homogcl("embed", "run", "--cold-start", "one.csv", "-o", "one.npy")
    # Neither the other rows nor edges have a say.
    np.testing.assert_allclose(np.load("one.npy", allow_pickle=False), z[1:2], atol=1e-5)
    assert not np.allclose(z, np.load("run/embeddings.npy")[:3])
    Path("less.csv").write_text("key,w0,w1\na,1,1\n")
    line = homogcl.refuses("embed", "run", "--cold-start", "less.csv", "-o", "x.npy")
    assert "lacks 'w2'" in line
    line = homogcl.refuses(
        "embed", "run", "--cold-start", "new.csv", "--data", "papers", "-o", "x.npy"
    )
    assert "give one of them" in line
    assert "no such file" in homogcl.refuses(
        "embed", "run", "--cold-start", "no.csv", "-o", "x.npy"
    )
    assert not Path("x.npy").exists()


@pytest.mark.usefixtures("papers")
def test_cold_starts_need_a_method_and_features_that_know_new_nodes(homogcl: Shell) -> None:
    homogcl("train", "homogcl", "papers/edges.csv", "--out", "bare")
    np.save("x.npy", np.ones((2, 90), dtype=np.float32))
    line = homogcl.refuses("embed", "bare", "--cold-start", "x.npy", "-o", "z.npy")
    assert "features made of the edges" in line
    pytest.importorskip("gensim")
    few = ("--set", "walks_per_node=1", "--set", "walk_length=4", "--set", "out_dim=4")
    homogcl("train", "deepwalk", "papers", "--out", "walks", *few)
    line = homogcl.refuses("embed", "walks", "--cold-start", "papers/nodes.csv", "-o", "z.npy")
    assert "DeepWalk knows only the graph it was trained on" in line
