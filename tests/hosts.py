"""Hosts for the length of a test: network namespaces of their own, joined by a switch.

Their addresses exist inside these namespaces only. It takes root and `ip`.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

NETWORK = "10.213.77"
PORT = 29417  # of the rendezvous, in a namespace where nothing else listens
DEVICE = "eth0"


def lacking() -> str:
    """Return why there can be no hosts here; nothing where there can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not shutil.which("ip") or not shutil.which("tc"):
        return "network namespaces need ip and tc"
    name = f"hg{os.getpid()}try"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False)
    subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
    return "" if made.returncode == 0 else "network namespaces are not allowed here"


@dataclass
class Host:
    """A namespace with one address, and the command that runs there."""

    number: int
    namespace: str
    folder: Path
    commands: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Its address."""
        return f"{NETWORK}.{self.number + 1}"

    def start(self, *words: object, environment: Mapping[str, str] = MappingProxyType({})) -> None:
        """Start a command of Python here, on one thread; what it says is in `said`."""
        path = os.pathsep.join(filter(None, sys.path))
        variables = {
            **{"GLOO_SOCKET_IFNAME": DEVICE, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
            "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
        }
        with (self.folder / f"said-{self.number}").open("ab") as said:
            self.commands.append(
                subprocess.Popen(
                    ["ip", "netns", "exec", self.namespace, sys.executable, *map(str, words)],
                    stdout=said,
                    stderr=said,
                    stdin=subprocess.DEVNULL,
                    env={**os.environ, **variables, **environment},
                )
            )

    @property
    def said(self) -> str:
        """Everything that its commands have printed."""
        return (self.folder / f"said-{self.number}").read_text("utf-8", "replace")

    def end(self, seconds: float) -> int:
        """Wait for the newest command and return its exit code."""
        return self.commands[-1].wait(seconds)

    def kill(self) -> None:
        """Kill everything that runs here, as a loss of the host would."""
        listed = run("ip", "netns", "pids", self.namespace).split()
        for number in map(int, listed):
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        for command in self.commands:
            command.wait(30)

    def slow_down(self, rate: str) -> None:
        """Let no more than `rate`, as tc writes it, leave the host."""
        # Packets that the card is to cut up would be larger than a burst, and be dropped.
        run("ip", "-n", self.namespace, "link", "set", DEVICE, "gso_max_segs", "1")
        limit = ("rate", rate, "burst", "16kb", "latency", "400ms")
        run("tc", "-n", self.namespace, "qdisc", "add", "dev", DEVICE, "root", "tbf", *limit)

    def lose_link(self) -> None:
        """Take the link away; nobody is told."""
        run("ip", "-n", self.namespace, "link", "set", DEVICE, "down")


@contextmanager
def hosts(count: int, folder: Path) -> Iterator[list[Host]]:
    """Give hosts that reach each other; all that runs on them is killed at the end."""
    prefix = f"hg{os.getpid()}"
    switch = f"{prefix}s"
    machines = [Host(number, f"{prefix}h{number}", folder) for number in range(count)]
    try:
        run("ip", "netns", "add", switch)
        run("ip", "-n", switch, "link", "add", "switch", "type", "bridge")
        run("ip", "-n", switch, "link", "set", "switch", "up")
        for host in machines:
            _connect(host, switch)
        yield machines
    finally:
        for host in machines:
            with suppress(subprocess.CalledProcessError):
                host.kill()
        for name in [switch, *(host.namespace for host in machines)]:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def _connect(host: Host, switch: str) -> None:
    port = f"port{host.number}"
    run("ip", "netns", "add", host.namespace)
    pair = ("type", "veth", "peer", "name", DEVICE, "netns", host.namespace)
    run("ip", "link", "add", port, "netns", switch, *pair)
    run("ip", "-n", switch, "link", "set", port, "master", "switch", "up")
    run("ip", "-n", host.namespace, "addr", "add", f"{host.address}/24", "dev", DEVICE)
    for device in (DEVICE, "lo"):
        run("ip", "-n", host.namespace, "link", "set", device, "up")


def launcher(
    host: Host, count: int, *, processes: int = 1, restarts: int = 0
) -> tuple[object, ...]:
    """Return the words of torchrun on one of `count` hosts; those of a module's command follow."""
    meeting = f"is_host={int(host.number == 0)},keep_alive_interval=1,keep_alive_max_attempt=3"
    return (
        *("-m", "torch.distributed.run", "--nnodes", count, "--nproc-per-node", processes),
        *("--rdzv-backend", "c10d", "--rdzv-id", "test", "--rdzv-conf", meeting),
        *("--rdzv-endpoint", f"{NETWORK}.1:{PORT}", "--local-addr", host.address),
        *("--max-restarts", restarts, "-m"),
    )


def run(*words: str) -> str:
    """Run a command and return what it printed."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def wait_for(seen: Callable[[], bool], seconds: float) -> bool:
    """Wait until `seen`, and return whether it was."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if seen():
            return True
        time.sleep(0.02)
    return seen()
