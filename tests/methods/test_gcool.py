from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.plugins.homogcl import HomoGCL
from homogcl.methods.base import Sizes, total
from homogcl.methods.gcool import GCooL
from homogcl.training.loop import TrainConfig, fit


def build(graph: Data, **settings: object) -> GCooL:
    torch.manual_seed(0)
    small = {"hidden_dim": 12, "out_dim": 6, "projector_dim": 8, "num_communities": 4}
    method = GCooL(GCooL.Config.model_validate({**small, **settings}), Sizes.of(graph))
    method.prepare(graph, torch.Generator())
    return method


def double(graph: Data) -> Data:
    changed = graph.clone()
    changed.x = changed.x.double()
    return changed


def slow_terms(method: GCooL, u: Tensor, v: Tensor, views: tuple[Data, Data]) -> dict[str, float]:
    """The three losses with a dense adjacency and one node at a time."""
    c, n = method.config, u.size(0)
    tau = c.temperature
    centers = method.centers.detach()
    centers = centers / centers.norm(dim=1, keepdim=True)
    r = [torch.softmax(h @ centers.t() / tau, dim=1) for h in (u, v)]
    node = density = community = 0.0
    for side, (h, other) in enumerate(((u, v), (v, u))):
        a = torch.zeros(n, n, dtype=u.dtype)
        a[views[side].edge_index[0], views[side].edge_index[1]] = 1.0
        f = r[side].t() @ a @ r[side]
        inside, everything = float(f.trace()), float(f.sum())
        density += (c.inter_weight * everything - (n - 1 + c.inter_weight) * inside) / (n * (n - 1))
        density += float((r[side].t() @ r[side]).trace()) / n / 2
        label = r[1 - side].argmax(1).tolist()
        means = {k: other[[i for i in range(n) if label[i] == k]].mean(0) for k in set(label)}
        for i in range(n):
            node += math.log(sum(math.exp(float(h[i] @ other[j]) / tau) for j in range(n)))
            node -= float(h[i] @ other[i]) / tau
            mine = means[label[i]]
            weighted = sum(
                math.exp(float(h[i] @ m) / tau - c.reweighting * float((mine - m).square().sum()))
                for m in means.values()
            )
            community += math.log(weighted) - float(h[i] @ mine) / tau
    return {
        "contrast": node / (2 * n),
        "density": density / 2,
        "community": community / (2 * n),
    }


def test_every_term_equals_its_formula(block_graph: Data) -> None:
    graph = double(block_graph)
    method = build(graph, temperature=0.3, reweighting=0.5).double()
    views = method.views(graph, torch.Generator().manual_seed(0))
    u, v = (
        torch.nn.functional.normalize(method.projector(method.encoder(x))).detach()
        for x in (views.first, views.second)
    )
    expected = slow_terms(method, u, v, (views.first, views.second))
    found = {name: float(term.detach()) for name, term in method.objective(views).items()}
    assert found == pytest.approx(expected, rel=1e-9)


def test_only_the_centers_learn_from_the_density(block_graph: Data) -> None:
    method = build(block_graph)
    terms = method.objective(method.views(block_graph, torch.Generator().manual_seed(0)))
    torch.autograd.backward(terms["density"], retain_graph=True)
    assert {name for name, p in method.named_parameters() if p.grad is not None} == {"centers"}
    method.zero_grad()
    torch.autograd.backward(terms["contrast"] + terms["community"])
    assert method.centers.grad is None
    assert all(p.grad is not None for name, p in method.named_parameters() if name != "centers")


def test_the_communities_fade_as_scheduled(block_graph: Data) -> None:
    method = build(block_graph, stride=10, fade=0.2)
    weights, names = [], []
    for _ in range(4):
        views = method.views(block_graph, torch.Generator().manual_seed(0))
        names.append(set(method.objective(views)))
        weights.append(method.term_weights())
        method.after_step(0.1)
    alpha, early = [1.0, 0.5, 0.0, 0.0], [math.exp(-t / 10) for t in range(4)]
    for t in range(4):
        assert weights[t]["density"] == pytest.approx(alpha[t] * early[t])
        assert weights[t]["community"] == pytest.approx(alpha[t] * (1 - early[t]))
    assert names[1] == {"contrast", "density", "community"}
    assert names[2] == names[3] == {"contrast"}


def test_centers_move_towards_the_blocks(block_graph: Data) -> None:
    method = build(block_graph, num_communities=3, drop_edge_1=0.0, drop_edge_2=0.0)
    views = method.views(block_graph, torch.Generator().manual_seed(0))
    optimizer = torch.optim.Adam([method.centers], lr=0.05)
    losses = []
    for _ in range(40):
        optimizer.zero_grad()
        loss = method.objective(views)["density"]
        torch.autograd.backward(loss)
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < losses[0]


def test_it_trains_under_the_plug_in_and_the_contrast_falls(block_graph: Data) -> None:
    method = HomoGCL(build(block_graph), HomoGCL.Config(num_clusters=3))
    losses: list[float] = []
    fit(
        method,
        block_graph,
        TrainConfig(epochs=30, learning_rate=0.01),
        seed=0,
        on_epoch=lambda epoch: losses.append(epoch.terms["contrast"]),
    )
    assert losses[-1] < losses[0]
    assert "homophily" in method.term_weights()


def test_the_total_is_finite_where_a_community_is_empty(block_graph: Data) -> None:
    method = build(block_graph, num_communities=40)
    terms = method.objective(method.views(block_graph, torch.Generator().manual_seed(0)))
    loss = total(terms, method.term_weights())
    torch.autograd.backward(loss)
    assert math.isfinite(float(loss.detach()))
    assert all(bool(p.grad.isfinite().all()) for p in method.parameters() if p.grad is not None)
