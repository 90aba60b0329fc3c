"""What every method promises, as checks that anybody's method can be put through.

`check_method("grace")` or `check_method(MyMethod)` runs all of them on a small graph of three
blocks; the package's own tests run the same ones on every registered method.
"""

from __future__ import annotations

from homogcl.methods.base import Method, Sizes
from homogcl.testing.candidate import Candidate, candidate, with_plugins
from homogcl.testing.checks import CHECKS, Check, checks_of
from homogcl.testing.graphs import block_graph
from homogcl.testing.promise import ContractBroken

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
    """Put a method through every check, alone and under each plug-in, and return what was checked.

    Args:
        method: A registered name, such as one of the entry-point group `homogcl.methods`, or a
            class, which is built from the defaults of its `Config`.

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
