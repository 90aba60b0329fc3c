"""How far sums, loss and gradient of sampled negatives are from the exact ones."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.measures import Measured
from homogcl.homophily.clusters import centroids
from homogcl.losses import info_nce
from homogcl.losses.contrast.negatives import Sampled
from homogcl.losses.contrast.sampled import SampledColumns, stratified_columns

COUNTS = (64, 128, 256, 512, 1024, 2048, 4096)
TEMPERATURES = (0.2, 0.5)
DRAWS = 10
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "negatives.svg"


def clustered(nodes: int, clusters: int, dim: int, rng: torch.Generator) -> Tensor:
    """Return vectors of length 1 around centers of unequal size, [N, d]."""
    centers = functional.normalize(torch.randn(clusters, dim, generator=rng))
    share = torch.rand(clusters, generator=rng) + 0.2
    own = torch.multinomial(share, nodes, replacement=True, generator=rng)
    noise = torch.randn(nodes, dim, generator=rng) * (0.6 / dim**0.5)
    return functional.normalize(centers[own] + noise)


def row_sum_errors(nodes: int = 12_000, clusters: int = 20, dim: int = 64) -> Measured:
    """Return the relative RMS errors of Σ_j e^{θ_ij/τ}, by kind of draw, τ and M.

    The strata are what k-means finds, as with `negative_clusters`, not the centers of the vectors.
    """
    rng = torch.Generator().manual_seed(0)
    z = clustered(nodes, clusters, dim, rng)
    clusters_of = torch.cdist(z, centroids(z, clusters, rng)).argmin(1)
    result: Measured = {}
    for tau in TEMPERATURES:
        exact = torch.cat(
            [(z[i : i + 2048] @ z.t() / tau).exp().sum(1) for i in range(0, nodes, 2048)]
        )
        for count in COUNTS:
            for kind, strata in (("uniform", None), ("stratified", clusters_of)):
                errors = [
                    (_estimate(z, stratified_columns(draw, count, strata), tau) / exact - 1)
                    for draw in torch.rand(DRAWS, nodes, generator=rng)
                ]
                rms = torch.cat(errors).square().mean().sqrt()
                result[f"{kind} tau={tau} M={count}"] = float(rms)
    return result


def loss_errors(nodes: int = 4_000, clusters: int = 20, dim: int = 64) -> Measured:
    """Return mean relative errors of the loss, and of its gradient in a linear map's weights."""
    rng = torch.Generator().manual_seed(0)
    x = clustered(nodes, clusters, dim, rng)
    other = x + torch.randn(nodes, dim, generator=rng) * 0.05
    strata = torch.cdist(x, centroids(x, clusters, rng)).argmin(1)
    weight = torch.eye(dim).requires_grad_()

    def loss_and_gradient(columns: SampledColumns | None) -> tuple[Tensor, Tensor]:
        negatives = Sampled(columns) if columns else None
        loss = info_nce(x @ weight, other @ weight, 0.5, negatives=negatives)
        (gradient,) = torch.autograd.grad(loss, weight)
        return loss.detach(), gradient

    exact, true = loss_and_gradient(None)
    result: Measured = {}
    for count in COUNTS[:-1]:
        drawn = [
            loss_and_gradient(stratified_columns(draw, count, strata))
            for draw in torch.rand(DRAWS, nodes, generator=rng)
        ]
        of_loss = [float((loss / exact - 1).abs()) for loss, _ in drawn]
        of_gradient = [float((gradient - true).norm() / true.norm()) for _, gradient in drawn]
        result[f"loss M={count}"] = sum(of_loss) / DRAWS
        result[f"gradient M={count}"] = sum(of_gradient) / DRAWS
    return result


def draw_picture(errors: Measured, path: Path = PICTURE) -> None:
    """Draw the errors of the row sums over M, a line for each kind and τ."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axes = figure.subplots()
    for kind, line in (("uniform", "--"), ("stratified", "-")):
        for tau, color in zip(TEMPERATURES, ("#0072b2", "#d55e00"), strict=True):
            values = [100 * errors[f"{kind} tau={tau} M={count}"] for count in COUNTS]
            axes.loglog(COUNTS, values, line, marker="o", color=color, label=f"{kind}, τ = {tau}")
    axes.set_xlabel("columns M out of 12,000 nodes")
    axes.set_ylabel("RMS error of the row sums (%)")
    axes.set_xticks(COUNTS, [str(count) for count in COUNTS])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})


def _estimate(z: Tensor, columns: SampledColumns, tau: float) -> Tensor:
    return (z @ z[columns.node].t() / tau).exp() @ columns.weight
