import subprocess
import sys

import pytest

PROGRAM = """
import resource
import torch
from homogcl.memory import keep_freed_pages

kept = keep_freed_pages() if {keeps} else True

def step():
    blocks = [torch.ones(2_000_000) for _ in range(8)]  # 64 MB in all, none of 32 MiB

step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    step()
print(kept, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(keeps: bool) -> tuple[str, int]:
    """What `keep_freed_pages` returned, and the page faults of ten steps after the first."""
    code = PROGRAM.format(keeps=keeps)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    kept, count = done.stdout.split()
    return kept, int(count)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's")
def test_kept_pages_are_not_asked_for_again_at_each_step() -> None:
    kept, few = faults(True)
    _, many = faults(False)
    assert kept == "True"
    assert few * 10 < many
