"""The contract of every method, as checks that anybody can run on a method of their own.

`check_method("grace")` or `check_method(MyMethod)` runs all checks on a small graph of three
blocks; the package's own tests run the same checks on every registered method.
"""

from __future__ import annotations

from homogcl.methods.base import Method, Sizes
from homogcl.testing.candidate import Candidate, candidate, with_plugins
from homogcl.testing.contract import ContractBroken
from homogcl.testing.graphs import block_graph
from homogcl.testing.suite import CHECKS, Check, checks_of

__all__ = [
    "CHECKS",
    "Candidate",
    "Check",
    "ContractBroken",
    "block_graph",
    "candidate",
    "check_method",
    "checks_of",
]


def check_method(method: str | type[Method]) -> list[str]:
    """Run all checks on a method, alone and under each plug-in, and return their names.

    Args:
        method: A registered name, which may come from the entry-point group `homogcl.methods`, or
            a class, which is built from the defaults of its `Config`.

    Raises:
        ContractBroken: With one line for each check that failed.
    """
    graph = block_graph()
    passed: list[str] = []
    failed: list[str] = []
    for each in with_plugins(candidate(method), Sizes.of(graph)):
        for name, check in checks_of(each):
            try:
                check(each, graph.clone())
                passed.append(f"{each.name}: {name}")
            except Exception as error:
                reason = str(error).strip().partition("\n")[0]
                kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
                failed.append(f"{each.name}: {name}: {kind}{reason}")
    if failed:
        raise ContractBroken("\n".join(failed))
    return passed
