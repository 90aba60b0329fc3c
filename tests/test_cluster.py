"""What `docs/cluster.md` offers to start is read by the programs that it is for."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from torch.distributed.run import get_args_parser

from homogcl.cli import app
from homogcl.runs.request import Request
from homogcl.runs.train import train_run

FOLDER = Path(__file__).parents[1] / "docs" / "cluster"
SCRIPT = FOLDER / "train.sbatch"
NEEDED = {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1", "HOMOGCL_TIMEOUT": "600"}


def check_command(words: list[str]) -> None:
    """Refuse a command that torchrun or homogcl does not take, or with which hosts do not meet."""
    assert words[0] == "torchrun"
    launched = get_args_parser().parse_args(words[1:])
    assert launched.module
    assert launched.training_script == "homogcl"
    assert launched.rdzv_backend == "c10d"
    assert re.fullmatch(r"\S+:29400", launched.rdzv_endpoint)
    assert launched.max_restarts > 0
    command, *arguments = launched.training_script_args
    assert command == "train"
    assert "--resume" in arguments
    group: Any = typer.main.get_command(app)
    chosen = group.commands[command].make_context(command, arguments).params
    assert chosen["method"] == "grace+adaptive"
    assert chosen["save_every"] == "1,10m"


def test_the_script_for_slurm_is_bash() -> None:
    subprocess.run(["bash", "-n", SCRIPT], check=True)
    lines = SCRIPT.read_text("utf-8").splitlines()
    asked = [shlex.split(line)[1] for line in lines if line.startswith("#SBATCH")]
    options = dict(each.removeprefix("--").partition("=")[::2] for each in asked)
    # One launcher on each host; it starts the processes.
    assert options["ntasks-per-node"] == "1"
    assert int(options["nodes"]) > 1
    # Slurm reads what stands before the first command.
    first = next(n for n, line in enumerate(lines) if line and not line.startswith("#"))
    assert not any(line.startswith("#SBATCH") for line in lines[first:])


def test_the_script_for_slurm_starts_what_there_is(tmp_path: Path) -> None:
    for name, body in {
        "scontrol": 'printf "%s\\n" host1 host2',
        "srun": 'printf "%s\\n" "$@" > words; env > variables',
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    slurm = {
        **{"SLURM_SUBMIT_DIR": str(tmp_path), "SLURM_JOB_NODELIST": "host[1-2]"},
        **{"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "2", "SLURM_CPUS_PER_TASK": "8"},
    }
    path = f"{tmp_path}:/usr/bin:/bin"
    subprocess.run(["bash", SCRIPT], check=True, cwd=tmp_path, env={"PATH": path, **slurm})
    option, *words = (tmp_path / "words").read_text().splitlines()
    assert option.startswith("--kill-on-bad-exit")
    check_command(words)
    assert "--rdzv-endpoint=host1:29400" in words
    variables = dict(
        line.partition("=")[::2] for line in (tmp_path / "variables").read_text().splitlines()
    )
    assert {**NEEDED, "OMP_NUM_THREADS": "8"}.items() <= variables.items()


@pytest.fixture
def manifests() -> dict[str, Any]:
    documents = yaml.safe_load_all((FOLDER / "job.yaml").read_text("utf-8"))
    return {document["kind"]: document for document in documents}


def test_the_job_has_what_kubernetes_asks_for(manifests: dict[str, Any]) -> None:
    job = manifests["Job"]
    assert (job["apiVersion"], manifests["Service"]["apiVersion"]) == ("batch/v1", "v1")
    assert job.keys() == {"apiVersion", "kind", "metadata", "spec"}
    spec = job["spec"]
    known = {"completions", "parallelism", "completionMode", "backoffLimit", "template"}
    assert spec.keys() == known
    assert spec["completions"] == spec["parallelism"] > 1
    assert spec["completionMode"] == "Indexed"
    pod = spec["template"]["spec"]
    assert pod.keys() == {"subdomain", "restartPolicy", "containers", "volumes"}
    assert pod["restartPolicy"] in ("OnFailure", "Never")  # a Job takes no other
    [container] = pod["containers"]
    keys = {"name", "image", "command", "args", "env", "ports", "resources", "volumeMounts"}
    assert container.keys() == keys
    assert all(isinstance(word, str) for word in container["command"] + container["args"])
    assert all(isinstance(each["value"], str) for each in container["env"])
    volumes = {volume["name"] for volume in pod["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == volumes
    for named in (job, manifests["Service"]):
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", named["metadata"]["name"])


def test_pods_find_the_first_one(manifests: dict[str, Any]) -> None:
    service, job = manifests["Service"], manifests["Job"]
    name, pod = job["metadata"]["name"], job["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["selector"] == {"job-name": name}
    assert pod["subdomain"] == service["metadata"]["name"]
    [port] = service["spec"]["ports"]
    assert port["port"] == container["ports"][0]["containerPort"] == 29400
    words = container["command"] + container["args"]
    # Kubernetes names the pods of an indexed Job after it and their number.
    assert f"--rdzv-endpoint={name}-0.{pod['subdomain']}:29400" in words
    assert f"--nnodes={job['spec']['completions']}" in words
    check_command(words)
    assert NEEDED.items() <= {each["name"]: each["value"] for each in container["env"]}.items()


def test_the_script_for_ray_calls_what_there_is() -> None:
    tree = ast.parse((FOLDER / "ray_train.py").read_text("utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    own = [node for node in imports if (node.module or "").startswith("homogcl")]
    assert own
    for node in own:
        module = importlib.import_module(str(node.module))
        assert all(hasattr(module, alias.name) for alias in node.names)
    calls = {
        node.func.id: node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    for function in (train_run, Request):
        call = calls[function.__name__]
        named = {str(keyword.arg): None for keyword in call.keywords}
        inspect.signature(function).bind(*call.args, **named)
    names = {alias.asname or alias.name for node in imports for alias in node.names}
    assert {"TorchTrainer", "ScalingConfig", "RunConfig", "FailureConfig"} <= names


def test_the_settings_for_ray_are_settings() -> None:
    tree = ast.parse((FOLDER / "ray_train.py").read_text("utf-8"))
    [settings] = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SETTINGS"
    ]
    run = Request("grace+adaptive", "demo", overrides=settings).resolve()
    assert run.settings.train.batch_size == 4096
    assert run.settings.flat()["num_negatives"] == 256
