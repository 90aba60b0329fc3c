"""Train one method on several hosts by Ray Train: python ray_train.py GRAPH RUN [WORKERS].

GRAPH is a copy or a share on each host, RUN a folder on a file system that all hosts share.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ray.train import FailureConfig, RunConfig, ScalingConfig
from ray.train.torch import TorchTrainer

SETTINGS = {
    "batch": "neighbors",
    "batch_size": 4096,
    "negatives": "sampled",
    "num_negatives": 256,
}


def work(config: dict[str, Any]) -> None:
    """Train in one worker; Ray has joined the processes before it calls this."""
    import torch.distributed as dist

    from homogcl.core.distributed import Ranks
    from homogcl.runs.request import Request
    from homogcl.runs.train import train_run

    ranks = Ranks(dist.get_rank(), dist.get_world_size())
    run = Request("grace+adaptive", config["graph"], overrides=SETTINGS).resolve()
    # The newest checkpoint of the run folder is where a worker that was started again goes on.
    train_run(run, config["run"], resume=True, save_every={"every": 1}, ranks=ranks)


def main(graph: str, run: str, workers: int = 2) -> None:
    """Start the workers and wait for them."""
    trainer = TorchTrainer(
        work,
        train_loop_config={"graph": graph, "run": str(Path(run).resolve())},
        scaling_config=ScalingConfig(num_workers=workers, resources_per_worker={"CPU": 8}),
        run_config=RunConfig(failure_config=FailureConfig(max_failures=3)),
    )
    trainer.fit()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:4]))
