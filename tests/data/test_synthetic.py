"""The generated graph: what was asked for is what it has."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.utils import degree, is_undirected

from homogcl.core.errors import UserError
from homogcl.data.check import validate
from homogcl.data.load import citation_graph, load
from homogcl.data.summary import summarize


def tensors(graph: Data) -> list[torch.Tensor]:
    return [graph.x.to_dense(), graph.edge_index, graph.y]


@settings(max_examples=25, deadline=None)
@given(
    num_nodes=st.integers(200, 800),
    num_classes=st.integers(2, 6),
    mean_degree=st.floats(1, 8),
    homophily=st.floats(0, 1),
    seed=st.integers(0, 10**6),
)
def test_graph_has_the_size_degree_and_homophily_asked_for(
    num_nodes: int, num_classes: int, mean_degree: float, homophily: float, seed: int
) -> None:
    graph = citation_graph(
        num_nodes, num_classes, 90, mean_degree=mean_degree, homophily=homophily, seed=seed
    )
    validate(graph, "generated")
    summary = summarize(graph)
    assert (summary.nodes, summary.features, summary.classes) == (num_nodes, 90, num_classes)
    assert summary.edges == round(num_nodes * mean_degree / 2)
    assert summary.homophily == pytest.approx(homophily, abs=0.005)
    assert is_undirected(graph.edge_index)
    assert graph.x.to_dense().unique().tolist() == [0, 1]


def test_same_seed_gives_the_same_bits_and_another_seed_another_graph() -> None:
    first, again, other = (citation_graph(300, seed=seed) for seed in (4, 4, 5))
    assert all(map(torch.equal, tensors(first), tensors(again)))
    assert not any(
        left.shape == right.shape and torch.equal(left, right)
        for left, right in zip(tensors(first), tensors(other), strict=True)
    )


def test_words_do_not_change_with_the_edges() -> None:
    few, many = (citation_graph(300, mean_degree=mean_degree) for mean_degree in (2, 6))
    assert torch.equal(few.x.to_dense(), many.x.to_dense())
    assert torch.equal(few.y, many.y)


def test_degrees_have_a_power_law_tail() -> None:
    graph = citation_graph(50_000, num_words=50)
    degrees = degree(graph.edge_index[0], 50_000).numpy()
    assert degrees.mean() == 5
    # The Hill estimate of γ from the 500 largest degrees; a Poisson tail would give over 10.
    largest = np.sort(degrees)[-500:]
    exponent = 1 + 1 / np.log(largest / largest[0]).mean()
    assert 2.3 < exponent < 3.5
    assert degrees.max() > 100
    assert (degrees == 0).mean() < 0.06


def test_words_tell_classes_apart_only_where_topics_have_a_share() -> None:
    def best_contrast(topic_share: float) -> float:
        graph = citation_graph(4000, 3, 200, topic_share=topic_share)
        x = graph.x.to_dense()
        use = torch.stack([x[graph.y == label].mean(dim=0) for label in range(3)])
        return float((use.amax(dim=0) - use.amin(dim=0)).max())

    assert best_contrast(0.0) < 0.06
    assert best_contrast(0.6) > 0.3


def test_neighbors_help_on_the_demo() -> None:
    graph = load("demo")
    x = graph.x.to_dense()
    around = torch.zeros_like(x).index_add(0, graph.edge_index[0], x[graph.edge_index[1]])

    def nearest_mean_accuracy(features: torch.Tensor) -> float:
        features = torch.nn.functional.normalize(features)
        centers = torch.stack(
            [features[graph.train_mask & (graph.y == label)].mean(dim=0) for label in range(7)]
        )
        guess = (features @ torch.nn.functional.normalize(centers).t()).argmax(dim=1)
        return float((guess == graph.y)[graph.test_mask].double().mean())

    alone, together = nearest_mean_accuracy(x), nearest_mean_accuracy(x + around)
    assert 0.5 < alone < 0.7
    assert alone + 0.1 < together < 0.9


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_classes": 1}, "num_classes is 1"),
        ({"num_nodes": 5, "num_classes": 6}, "num_classes is 6"),
        ({"num_words": 0}, "num_words"),
        ({"mean_degree": 0}, "mean_degree"),
        ({"homophily": 1.1}, "homophily"),
        ({"topic_share": -0.1}, "topic_share"),
        ({"num_nodes": 10, "mean_degree": 12}, "lower mean_degree"),
        ({"num_nodes": 7, "num_classes": 7, "homophily": 1.0}, "only 0 of 18 edges"),
    ],
)
def test_settings_that_cannot_be_met_are_named(settings: dict[str, float], message: str) -> None:
    with pytest.raises(UserError, match=message):
        citation_graph(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["demo-h60-t30", "Demo_H60_T30", "demoh60t30"])
def test_a_name_can_say_how_homophilous_the_graph_is_and_how_much_its_words_tell(name: str) -> None:
    graph = load(name)
    asked = citation_graph(homophily=0.6, topic_share=0.3)
    assert graph.name == "demo-h60-t30"
    assert torch.equal(graph.edge_index, asked.edge_index)
    assert torch.equal(graph.y, asked.y)
    assert summarize(graph).homophily == pytest.approx(0.6, abs=0.005)


def test_a_name_that_says_nothing_new_is_the_demos() -> None:
    assert load("demo-h80").name == "demo"
    assert load("demo-t60").sha256 == load("demo").sha256


def test_a_share_above_one_is_refused() -> None:
    with pytest.raises(UserError, match="must lie in 0 to 1"):
        load("demo-h120")
