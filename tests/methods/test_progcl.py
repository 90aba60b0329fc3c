from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from scipy.stats import beta as beta_distribution
from torch import Tensor
from torch_geometric.data import Data

from homogcl.homophily.plugins.homogcl import HomoGCL
from homogcl.homophily.positives import Positives
from homogcl.losses import info_nce
from homogcl.losses.beta_mixture import fit_beta_mixture
from homogcl.methods.base import Sizes
from homogcl.methods.progcl import ProGCL, ProViews
from homogcl.training.checkpoint import Checkpoints
from homogcl.training.loop import Epoch, TrainConfig, fit


def build(graph: Data, **settings: object) -> ProGCL:
    torch.manual_seed(0)
    small = {"hidden_dim": 12, "out_dim": 6, "projector_dim": 8, "fit_nodes": 10}
    method = ProGCL(ProGCL.Config.model_validate({**small, **settings}), Sizes.of(graph))
    method.prepare(graph, torch.Generator())
    return method


def drawn(method: ProGCL, graph: Data, seed: int = 0) -> ProViews:
    return method.views(graph, torch.Generator().manual_seed(seed))


def vectors(method: ProGCL, views: ProViews) -> tuple[Tensor, Tensor]:
    u, v = (
        method.projector(method.encoder(view)).detach().double()
        for view in (views.both.first, views.both.second)
    )
    return u / u.norm(dim=1, keepdim=True), v / v.norm(dim=1, keepdim=True)


def slow_loss(
    u: Tensor,
    v: Tensor,
    tau: float,
    mixture: Tensor,
    frozen: tuple[Tensor, Tensor] | None = None,
) -> float:
    """Eq. of ProGCL-weight with scipy's beta densities, one pair at a time."""
    (a0, a1), (b0, b1), (w0, w1) = mixture.tolist()
    n, total = u.size(0), 0.0

    def hardness(cosine: float) -> float:
        s = (cosine + 1) / 2
        low, high = w0 * beta_distribution.pdf(s, a0, b0), w1 * beta_distribution.pdf(s, a1, b1)
        return float(low / (low + high) * s)

    for here, there in ((u, v), (v, u)):
        inter, intra = here @ there.t(), here @ here.t()
        cosines = inter if frozen is None else frozen[0] @ frozen[1].t()
        for i in range(n):
            others = [j for j in range(n) if j != i]
            raw = {j: hardness(float(cosines[i, j])) for j in others}
            mean = sum(raw.values()) / (n - 1)
            own = math.exp(float(inter[i, i]) / tau)
            negative = sum(
                raw[j]
                / mean
                * (math.exp(float(inter[i, j]) / tau) + math.exp(float(intra[i, j]) / tau))
                for j in others
            )
            total -= math.log(own / (own + negative))
    return total / (2 * n)


def test_before_the_start_epoch_the_loss_is_graces(block_graph: Data) -> None:
    method = build(block_graph, start_epoch=3)
    views = drawn(method, block_graph)
    u, v = vectors(method, views)
    result = float(method.objective(views)["contrast"].detach())
    assert result == pytest.approx(float(info_nce(u, v, 0.5)), rel=1e-6)
    assert bool((method.mixture == 1).all())


def test_from_the_start_epoch_on_it_is_the_weighted_loss(block_graph: Data) -> None:
    method = build(block_graph, start_epoch=0)
    views = drawn(method, block_graph)
    result = float(method.objective(views)["contrast"].detach())
    u, v = vectors(method, views)
    assert result == pytest.approx(slow_loss(u, v, 0.5, method.mixture), rel=1e-5)
    assert result != pytest.approx(float(info_nce(u, v, 0.5)), rel=1e-4)


def test_the_mixture_is_refitted_on_time_and_the_weights_follow_the_embeddings(
    block_graph: Data,
) -> None:
    method = build(block_graph, start_epoch=2, refit_every=3)
    fits = []

    def after(epoch: Epoch) -> None:
        fits.append(method.mixture.clone())

    fit(method, block_graph, TrainConfig(epochs=10), seed=0, on_epoch=after)
    changed = [
        number
        for number, (before, now) in enumerate(
            zip([torch.ones(3, 2, dtype=torch.double), *fits], fits, strict=False), start=1
        )
        if not torch.equal(before, now)
    ]
    assert changed == [3, 6, 9]
    assert method.frozen.numel() == 0


def test_the_released_variant_freezes_its_weights(block_graph: Data) -> None:
    method = build(block_graph, start_epoch=0, refit_every=1, weights="released")
    first = drawn(method, block_graph)
    method.objective(first)
    method.after_step(0.1)
    frozen, mixture = vectors(method, first), method.mixture.clone()
    for parameter in method.encoder.parameters():
        torch.nn.init.normal_(parameter)
    views = drawn(method, block_graph, seed=7)
    result = float(method.objective(views)["contrast"].detach())
    assert torch.equal(method.mixture, mixture)
    assert result == pytest.approx(
        slow_loss(*vectors(method, views), 0.5, mixture, frozen), rel=1e-5
    )


@pytest.mark.parametrize("weights", ["paper", "released"])
def test_the_fit_is_to_similarities_between_the_views_without_own_pairs_unless_released(
    block_graph: Data, weights: str
) -> None:
    method = build(block_graph, start_epoch=0, weights=weights)
    views = drawn(method, block_graph)
    method.objective(views)
    u, v = vectors(method, views)
    similarities = [
        (float(u[i] @ v[j]) + 1) / 2
        for i in range(len(u))
        for j in views.sample.tolist()
        if i != j or weights == "released"
    ]
    c = method.config
    expected = fit_beta_mixture(torch.tensor(similarities), c.false_share, c.em_iterations)
    wanted = torch.stack([expected.alpha, expected.beta, expected.weight])
    assert method.mixture.numpy() == pytest.approx(wanted.numpy(), rel=1e-3)


@pytest.mark.parametrize("weights", ["paper", "released"])
def test_training_resumes_to_the_same_bits_across_a_fit(
    block_graph: Data, tmp_path: Path, weights: str
) -> None:
    settings: dict[str, object] = {"start_epoch": 2, "refit_every": 4, "weights": weights}
    whole = fit(build(block_graph, **settings), block_graph, TrainConfig(epochs=8), seed=0)
    checkpoints = Checkpoints(tmp_path, every=4)
    fit(
        build(block_graph, **settings),
        block_graph,
        TrainConfig(epochs=4),
        seed=0,
        checkpoints=checkpoints,
    )
    resumed = fit(
        build(block_graph, **settings),
        block_graph,
        TrainConfig(epochs=8),
        seed=0,
        checkpoints=checkpoints,
    )
    for name, value in whole.state_dict().items():
        assert torch.equal(resumed.state_dict()[name], value), name


def test_neighbors_join_as_positives(block_graph: Data) -> None:
    method = build(block_graph, start_epoch=0)
    views = drawn(method, block_graph)
    plain = float(method.objective(views)["contrast"].detach())
    weight = torch.zeros(block_graph.num_edges)
    # Weightless neighbors are no positives, but no negatives either.
    lighter, full = (
        float(method.objective(views, Positives(block_graph.edge_index, s))["contrast"].detach())
        for s in (weight, weight + 1)
    )
    assert full < lighter < plain


def test_it_trains_under_the_plug_in_and_the_loss_falls(block_graph: Data) -> None:
    base = build(block_graph, start_epoch=5, refit_every=2)
    method = HomoGCL(base, HomoGCL.Config(num_clusters=3))
    losses: list[float] = []
    fit(
        method,
        block_graph,
        TrainConfig(epochs=30, learning_rate=0.01),
        seed=0,
        on_epoch=lambda epoch: losses.append(epoch.terms["contrast"]),
    )
    assert losses[-1] < losses[5]
