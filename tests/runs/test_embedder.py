"""The embedder: scikit-learn's manners, the core's numbers, files without pickle."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.data.scaling import scaling_of
from homogcl.methods.inference import embeddings
from homogcl.methods.registry import Sizes, build
from homogcl.presets.resolve import resolve
from homogcl.runs.embedder import Embedder
from homogcl.training.loop import fit

SMALL: dict[str, Any] = {"epochs": 3, "hidden_dim": 8, "out_dim": 4, "num_clusters": 3}


def bare(graph: Data) -> Data:
    """The graph without its features."""
    return Data(edge_index=graph.edge_index, num_nodes=graph.num_nodes)


def test_vectors_are_those_of_the_core(block_graph: Data) -> None:
    z = Embedder("grace+homogcl", seed=5, **SMALL).fit_transform(block_graph)
    settings = resolve("grace+homogcl", "", SMALL)
    x = scaling_of(block_graph.x, "auto").apply(block_graph.x)
    graph = Data(x=x, edge_index=block_graph.edge_index)
    method = build("grace+homogcl", settings.method, Sizes.of(graph), 5)
    fit(method, graph, settings.train, seed=5)
    assert z.dtype == np.float32
    assert z.shape == (60, 4)
    np.testing.assert_array_equal(z, embeddings(method, graph).numpy())


def test_fit_changes_neither_graph_nor_parameters(block_graph: Data) -> None:
    before = block_graph.clone()
    embedder = Embedder("grace+homogcl", **SMALL)
    assert embedder.fit(block_graph) is embedder
    assert embedder.get_params() == {
        "method": "grace+homogcl",
        "seed": 0,
        "graph": None,
        **SMALL,
    }
    assert len(embedder.loss_curve_) == 3
    for key, value in before:
        assert torch.equal(value, block_graph[key])


def test_clone_has_the_parameters_and_nothing_learned(block_graph: Data) -> None:
    embedder = Embedder("grace", seed=2, epochs=1, hidden_dim=8, out_dim=4).fit(block_graph)
    copy = clone(embedder)
    assert copy is not embedder
    assert copy.get_params() == embedder.get_params()
    assert not [name for name in vars(copy) if name.endswith("_")]
    np.testing.assert_array_equal(copy.fit_transform(block_graph), embedder.transform(block_graph))


def test_parameters_are_set_by_name() -> None:
    embedder = Embedder("grace", epochs=1)
    assert embedder.set_params(seed=3, epochs=2, out_dim=8) is embedder
    settings = {"epochs": 2, "out_dim": 8}
    assert embedder.get_params() == {"method": "grace", "seed": 3, "graph": None, **settings}
    assert repr(embedder) == "Embedder('grace', seed=3, epochs=2, out_dim=8)"


@pytest.mark.parametrize("method", ["grace+homogcl", "bgrl", "raw", "gcn", "vgae"])
def test_saved_embedder_comes_back(method: str, block_graph: Data, tmp_path: Path) -> None:
    settings = {"epochs": 2, "hidden_dim": 8} if method != "raw" else {}
    embedder = Embedder(method, seed=4, **settings).fit(block_graph)
    path = embedder.save(tmp_path / "e.safetensors")
    loaded = Embedder.load(path)
    assert loaded.get_params() == embedder.get_params()
    assert loaded.settings_.flat() == embedder.settings_.flat()
    assert loaded.loss_curve_ == embedder.loss_curve_
    np.testing.assert_array_equal(loaded.transform(block_graph), embedder.transform(block_graph))


def test_parameters_set_after_fitting_do_not_change_what_was_learned(
    block_graph: Data, tmp_path: Path
) -> None:
    embedder = Embedder("grace", epochs=1, hidden_dim=8, out_dim=4).fit(block_graph)
    z = embedder.transform(block_graph)
    embedder.set_params(method="bgrl", seed=9, out_dim=16)
    np.testing.assert_array_equal(embedder.transform(block_graph), z)
    loaded = Embedder.load(embedder.save(tmp_path / "e"))
    assert (loaded.method, loaded.seed) == ("grace", 0)
    np.testing.assert_array_equal(loaded.transform(block_graph), z)


def test_new_graph_is_embedded_by_an_inductive_method(block_graph: Data) -> None:
    embedder = Embedder("grace", epochs=1, hidden_dim=8, out_dim=4).fit(block_graph)
    part = Data(x=block_graph.x[:7], edge_index=torch.tensor([[0, 3], [3, 6]]))
    both_ways = Data(x=part.x, edge_index=torch.tensor([[0, 3, 3, 6], [3, 0, 6, 3]]))
    assert embedder.transform(part).shape == (7, 4)
    np.testing.assert_array_equal(embedder.transform(part), embedder.transform(both_ways))
    with pytest.raises(UserError, match="has 3 features, but 16 were learned from"):
        embedder.transform(Data(x=part.x[:, :3], edge_index=part.edge_index))


def test_nodes_without_edges_are_embedded_one_by_one(block_graph: Data) -> None:
    embedder = Embedder().fit(block_graph)
    x = block_graph.x
    z = embedder.transform((None, x))
    assert z.shape == embedder.embedding_.shape
    assert not np.allclose(z, embedder.embedding_)
    np.testing.assert_allclose(embedder.transform(Data(x=x[3:5])), z[3:5], atol=1e-5)
    np.testing.assert_allclose(embedder.transform((None, x[4:5].numpy())), z[4:5], atol=1e-5)
    with pytest.raises(UserError, match="needs edges"):
        Embedder().fit((None, x))
    with pytest.raises(UserError, match="features, but"):
        embedder.transform((None, x[:, 1:]))


def test_sparse_features_and_weights_are_taken(block_graph: Data) -> None:
    x = torch.eye(60)
    weight = torch.ones(block_graph.edge_index.size(1))
    dense = Data(x=x, edge_index=block_graph.edge_index, edge_weight=weight)
    sparse = Data(x=x.to_sparse_csr(), edge_index=dense.edge_index, edge_weight=weight)
    embedder = Embedder("grace", epochs=1, hidden_dim=8, out_dim=4)
    np.testing.assert_array_equal(embedder.fit_transform(dense), embedder.transform(sparse))
    assert embedder.fit(dense).model_.graph == embedder.fit(sparse).model_.graph
    dense.edge_weight = 2 * weight
    assert embedder.fit(dense).model_.graph != embedder.fit(sparse).model_.graph


def test_graph_without_features_gets_structural_ones(block_graph: Data, tmp_path: Path) -> None:
    embedder = Embedder("grace", epochs=1, hidden_dim=8, out_dim=4).fit(bare(block_graph))
    assert embedder.model_.graph.structural
    loaded = Embedder.load(embedder.save(tmp_path / "e"))
    z = embedder.transform(bare(block_graph))
    assert z.shape == (60, 4)
    np.testing.assert_array_equal(loaded.transform(bare(block_graph)), z)
    other = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=60)
    with pytest.raises(UserError, match="features made of the edges"):
        embedder.transform(other)


def test_transductive_method_refuses_another_graph(block_graph: Data) -> None:
    pytest.importorskip("gensim")
    embedder = Embedder("deepwalk", walks_per_node=1, walk_length=5, out_dim=4).fit(block_graph)
    assert embedder.transform(block_graph).shape[0] == 60
    source, target = block_graph.edge_index
    other = Data(x=block_graph.x, edge_index=block_graph.edge_index[:, (source > 0) & (target > 0)])
    with pytest.raises(UserError, match="knows only the graph it was trained on"):
        embedder.transform(other)


def test_own_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("a,b\n" + "".join(f"{i},{(i + 1) % 9}\n" for i in range(9)))
    z = Embedder("grace", epochs=1, hidden_dim=8, out_dim=4).fit_transform(tmp_path / "edges.csv")
    assert z.shape == (9, 4)
    assert np.isfinite(z).all()


def test_supervised_method_wants_labels_to_learn_but_not_to_embed(block_graph: Data) -> None:
    unlabeled = Data(x=block_graph.x, edge_index=block_graph.edge_index)
    with pytest.raises(UserError, match="gcn learns from labels, but the graph has no y"):
        Embedder("gcn", epochs=1).fit(unlabeled)
    embedder = Embedder("gcn", epochs=1).fit(block_graph)
    np.testing.assert_array_equal(embedder.transform(unlabeled), embedder.transform(block_graph))


def test_mistakes_are_one_line(block_graph: Data, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="call fit first"):
        Embedder().transform(block_graph)
    with pytest.raises(UserError, match="call fit first"):
        Embedder().save(tmp_path / "e")
    with pytest.raises(UserError, match="did you mean: epochs"):
        Embedder("grace", epoch=3).fit(block_graph)
    with pytest.raises(UserError, match="needs node features of shape"):
        Embedder("grace").fit(Data())


def test_files_that_hold_no_embedder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        Embedder.load(tmp_path / "none")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(UserError, match="holds no trained model"):
        Embedder.load(tmp_path / "text")


def test_an_embedder_that_is_not_fitted_has_nothing_learned() -> None:
    for name in ("model_", "method_", "settings_", "loss_curve_"):
        assert not hasattr(Embedder(), name)


def test_nodes_of_a_graph_go_through_a_pipeline_and_its_cross_validation(
    block_graph: Data,
) -> None:
    nodes, y = np.arange(60), block_graph.y.numpy()
    embedder = Embedder("grace", graph=block_graph, epochs=2, hidden_dim=8, out_dim=4)
    pipeline = make_pipeline(embedder, StandardScaler(), LogisticRegression())
    assert cross_val_score(pipeline, nodes, y, cv=3).shape == (3,)
    search = GridSearchCV(pipeline, {"embedder__temperature": [0.2, 0.8]}, cv=2).fit(nodes, y)
    assert set(search.best_params_) == {"embedder__temperature"}
    whole = Embedder("grace", epochs=2, hidden_dim=8, out_dim=4).fit_transform(block_graph)
    np.testing.assert_array_equal(embedder.fit_transform(nodes[5:9]), whole[5:9])
    np.testing.assert_array_equal(embedder.transform(nodes[::-1, None]), whole[::-1])


def test_a_clone_shares_the_graph_and_the_form_of_output(block_graph: Data) -> None:
    pytest.importorskip("pandas")
    embedder = Embedder("raw", graph=block_graph).set_output(transform="pandas")
    copy = clone(embedder)
    assert copy.graph is block_graph
    assert list(copy.fit_transform([3, 4]).columns[:2]) == ["embedder0", "embedder1"]


def test_pandas_gives_the_names_of_columns_and_of_rows(block_graph: Data) -> None:
    pandas = pytest.importorskip("pandas")
    embedder = Embedder("grace", epochs=1, hidden_dim=8, out_dim=4)
    table = embedder.set_output(transform="pandas").fit_transform(block_graph)
    names = [f"embedder{column}" for column in range(4)]
    assert list(table.columns) == list(embedder.get_feature_names_out()) == names
    assert list(table.index) == list(range(60))
    np.testing.assert_array_equal(table.to_numpy(), embedder.embedding_)
    rows = pandas.DataFrame({"node": [7, 9]}, index=["x", "y"])
    by_node = clone(embedder).set_params(graph=block_graph).fit(rows).transform(rows)
    assert list(by_node.index) == ["x", "y"]
    np.testing.assert_array_equal(by_node.to_numpy(), embedder.embedding_[[7, 9]])


def test_a_function_makes_the_graph_of_a_table(block_graph: Data) -> None:
    def graph_of(table: np.ndarray) -> Data:
        return Data(x=torch.tensor(table), edge_index=block_graph.edge_index)

    table = block_graph.x.numpy()
    embedder = Embedder("grace", graph=graph_of, epochs=1, hidden_dim=8, out_dim=4).fit(table)
    assert embedder.n_features_in_ == table.shape[1]
    same = Embedder("grace", epochs=1, hidden_dim=8, out_dim=4).fit_transform(block_graph)
    np.testing.assert_array_equal(embedder.transform(table), same)
    with pytest.raises(ValueError, match="this graph has 3 features"):
        embedder.transform(table[:, :3])


def test_scikit_learn_sees_what_is_fitted(block_graph: Data) -> None:
    embedder = Embedder("raw")
    for ask in (check_is_fitted, Embedder.get_feature_names_out):
        with pytest.raises(NotFittedError):
            ask(embedder)
    check_is_fitted(embedder.fit(block_graph))
    assert pickle.loads(pickle.dumps(embedder)).transform(block_graph).shape == (60, 16)


def test_labels_are_never_learned_from_where_nodes_are_split(block_graph: Data) -> None:
    with pytest.raises(UserError, match="gcn learns from labels, which no split of nodes could"):
        Embedder("gcn", graph=block_graph).fit([0, 1])
    with pytest.raises(UserError, match="form=auto is chosen by labels, which no split"):
        Embedder("grace", graph=block_graph, form="auto").fit([0, 1])
