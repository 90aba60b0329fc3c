from __future__ import annotations

import pytest
import torch
from torch.nn.functional import normalize
from torch_geometric.data import Data

from homogcl.core.errors import UserError
from homogcl.core.seeds import stream
from homogcl.homophily.positives import Combine, Positives
from homogcl.homophily.saliency import saliency, soft_assignment
from homogcl.methods.base import Sizes, total
from homogcl.methods.registry import build, configure
from tests.plugged import NARROW, gradients, half_of, plugged, scores


@pytest.fixture
def graph(block_graph: Data) -> Data:
    return half_of(block_graph)


@pytest.mark.parametrize("base", ["grace", "bgrl", "ccassg"])
def test_clusters_are_as_wide_as_they_are(graph: Data, base: str) -> None:
    settings: dict[str, object] = {"hidden_dim": 8, "out_dim": 4, "num_clusters": 3}
    method = plugged(graph, f"{base}+adaptive", settings)
    method.objective(method.views(graph, stream(0, "augment")))
    s = scores(method, graph)
    h = normalize(method.embed(graph))
    c = method.centroids
    own_width = torch.cdist(h, c).square().amin(1).mean()
    torch.testing.assert_close(s, saliency(soft_assignment(h, c, own_width), graph.edge_index))


def test_nothing_is_learned_through_the_saliency(graph: Data) -> None:
    method = plugged(graph, "grace+adaptive", {**NARROW, "num_clusters": 3})
    views = method.views(graph, stream(0, "augment"))
    ours = gradients(total(method.objective(views), method.term_weights()), method)
    degree = torch.bincount(graph.edge_index[0], minlength=graph.num_nodes)
    assert int(degree.max()) > 1
    s = scores(method, graph).detach()
    pairs = Positives(graph.edge_index, s, combine=Combine.MEAN)
    by_hand = gradients(method.base.objective(views.base, pairs)["contrast"], method)
    torch.testing.assert_close(ours, by_hand)


@pytest.mark.parametrize(("base", "term"), [("bgrl", "bootstrap"), ("ccassg", "invariance")])
def test_a_mean_takes_the_place_of_a_term_of_its_own(graph: Data, base: str, term: str) -> None:
    method = build(base, {"hidden_dim": 8, "out_dim": 6}, Sizes.of(graph), seed=0).double()
    views = method.views(graph, stream(0, "augment"))
    weight = torch.ones(graph.num_edges, dtype=torch.float64)
    alone = method.objective(views)
    near = Positives(graph.edge_index, weight, combine=Combine.WEIGHTED_MEAN)
    with_them = method.objective(views, near)
    assert alone.keys() == with_them.keys()
    assert abs(float((alone[term] - with_them[term]).detach())) > 1e-3


def test_a_scale_of_all_embeddings_changes_no_saliency(graph: Data) -> None:
    results = []
    for factor in (1.0, 7.0):
        settings: dict[str, object] = {**NARROW, "num_clusters": 3, "encoder": "mlp"}
        method = plugged(graph, "grace+adaptive", {**settings, "num_layers": 1})
        with torch.no_grad():
            for parameter in method.base.parameters():
                parameter.mul_(factor)
        method.objective(method.views(graph, stream(0, "augment")))
        results.append(scores(method, graph))
    torch.testing.assert_close(results[0], results[1])


def test_what_it_settles_is_no_setting_of_it() -> None:
    with pytest.raises(UserError, match=r"grace.adaptive has no setting 'two_sigma_sq'"):
        configure("grace+adaptive", {"two_sigma_sq": 4.0})
