import subprocess
import sys

import pytest

# The C library's own account, as its header malloc.h has it: ten sizes, of which the fifth is the
# memory mapped for single blocks and the ninth what is free and has not been handed back.
PROGRAM = """
import ctypes
import torch
from homogcl.core.memory import keep_freed_pages

Account = ctypes.c_size_t * 10
class Result(ctypes.Structure):
    _fields_ = [("sizes", Account)]
account = ctypes.CDLL(None).mallinfo2
account.restype = Result

kept = keep_freed_pages() if {keeps} else True
before = account().sizes
blocks = [torch.ones(2_000_000) for _ in range(8)]  # 64 MB in all, none of 32 MiB
held = account().sizes
del blocks
freed = account().sizes
print(kept, held[4] - before[4], freed[8] - before[8])
"""


def account(keeps: bool) -> tuple[str, int, int]:
    """What `keep_freed_pages` returned, the bytes mapped for eight blocks, and those kept after."""
    code = PROGRAM.format(keeps=keeps)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    answer, mapped, free = done.stdout.split()
    return answer, int(mapped), int(free)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's")
def test_freed_blocks_are_kept_for_the_next_step() -> None:
    answer, mapped, free = account(True)
    assert answer == "True"
    assert mapped == 0
    assert free >= 7 * 8_000_000
    _, mapped, free = account(False)
    assert mapped >= 8 * 8_000_000
    assert free < 8_000_000
