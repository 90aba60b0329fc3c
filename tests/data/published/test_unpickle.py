"""Pickles that nobody vouches for: nothing in them is ever run."""

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from homogcl.core.errors import UserError
from homogcl.data.load import load

Writer = Callable[[dict[str, bytes]], Path]


class Attack:
    """Runs a shell command when unpickled by an ordinary unpickler."""

    def __init__(self, witness: Path) -> None:
        self.witness = witness

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, (f"touch {self.witness}",)


@pytest.mark.parametrize("part", ["x", "allx", "tx", "y", "ally", "ty", "graph"])
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_malicious_pickle_is_refused_and_never_run(
    planetoid_root: Writer, tmp_path: Path, part: str, protocol: int
) -> None:
    witness = tmp_path / "witness"
    attack = pickle.dumps(Attack(witness), protocol=protocol)
    root = planetoid_root({part: attack})
    if part == "x":  # repeats rows of allx, so it is hashed but never unpickled
        load("citeseer", root)
    else:
        with pytest.raises(UserError, match=rf"ind\.citeseer\.{part}: refused.*system") as caught:
            load("citeseer", root)
        assert "\n" not in str(caught.value)
    assert not witness.exists()
    pickle.loads(attack)
    assert witness.exists()


@pytest.mark.parametrize(
    "name",
    ["builtins\neval", "__builtin__\ngetattr", "numpy\nload", "collections\nOrderedDict"],
)
def test_names_near_the_admitted_ones_are_refused(planetoid_root: Writer, name: str) -> None:
    root = planetoid_root({"graph": b"\x80\x02c" + name.encode() + b"\n."})
    with pytest.raises(UserError, match=r"ind\.citeseer\.graph: refused"):
        load("citeseer", root)


def test_refused_name_cannot_break_the_line_or_drive_the_terminal(planetoid_root: Writer) -> None:
    name = b"a\n\x1b[2J"
    text = b"\x8c" + bytes([len(name)]) + name
    root = planetoid_root({"graph": b"\x80\x04" + text + text + b"\x93."})
    with pytest.raises(UserError, match="refused") as caught:
        load("citeseer", root)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "name",
    [
        "numpy.core.multiarray\n_reconstruct",
        "numpy\nndarray",
        "numpy\ndtype",
        "scipy.sparse.csr\ncsr_matrix",
        "collections\ndefaultdict",
        "__builtin__\nlist",
    ],
)
def test_admitted_names_cannot_be_altered_by_a_file(planetoid_root: Writer, name: str) -> None:
    # BUILD with (None, {"a": 1}) would set an attribute on whatever stands on the stack.
    content = b"\x80\x02c" + name.encode() + b"\nN}T\x01\x00\x00\x00aK\x01s\x86b."
    root = planetoid_root({"graph": content})
    with pytest.raises(UserError, match=r"ind\.citeseer\.graph: truncated or damaged"):
        load("citeseer", root)


@pytest.mark.parametrize("part", ["allx", "tx", "y", "ally", "ty", "graph"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_truncated_pickle_is_named(
    planetoid_root: Writer, tiny_parts: dict[str, bytes], part: str, share: float
) -> None:
    content = tiny_parts[part]
    root = planetoid_root({part: content[: int(share * len(content))]})
    with pytest.raises(UserError, match=rf"ind\.citeseer\.{part}: truncated or damaged"):
        load("citeseer", root)


def test_csr_indices_out_of_bounds_are_refused(
    planetoid_root: Writer, write_matrix: Callable[..., bytes]
) -> None:
    ints = np.array([0, 1, 1, 1, 1, 1, 1], dtype=np.int32)
    far = np.array([10**6], dtype=np.int32)
    root = planetoid_root({"allx": write_matrix(np.ones(1, np.float32), far, ints, (6, 5))})
    with pytest.raises(UserError, match=r"ind\.citeseer\.allx"):
        load("citeseer", root)


def test_csr_pointers_that_decrease_are_refused(
    planetoid_root: Writer, write_matrix: Callable[..., bytes]
) -> None:
    """The last pointer says that there are no entries, where scipy looks no further."""
    none = np.ones(0, np.float32)
    starts = np.array([0, 10**6, 0, 0, 0, 0, 0], dtype=np.int32)
    root = planetoid_root({"allx": write_matrix(none, starts[:0], starts, (6, 5))})
    with pytest.raises(UserError, match=r"ind\.citeseer\.allx"):
        load("citeseer", root)


@pytest.mark.parametrize(
    ("part", "call"),
    [
        ("allx", b"cscipy.sparse.csr\ncsr_matrix\n"),
        ("ally", b"cnumpy.core.multiarray\n_reconstruct\n"),
    ],
)
def test_objects_without_content_are_refused(
    planetoid_root: Writer, part: str, call: bytes
) -> None:
    """A pickle can make an object and skip its `__init__`."""
    root = planetoid_root({part: b"\x80\x02" + call + b")\x81."})
    with pytest.raises(UserError, match=rf"ind\.citeseer\.{part}: holds no"):
        load("citeseer", root)


def test_object_arrays_are_refused(planetoid_root: Writer, tiny_parts: dict[str, bytes]) -> None:
    root = planetoid_root({"ally": tiny_parts["ally"].replace(b"i4", b"O8")})
    with pytest.raises(UserError, match=r"ind\.citeseer\.ally.*'O8'"):
        load("citeseer", root)


@pytest.mark.parametrize(
    ("part", "other", "message"),
    [("allx", "ally", "no CSR matrix"), ("ally", "allx", "no array"), ("graph", "y", "dictionary")],
)
def test_file_of_another_kind_is_named(
    planetoid_root: Writer, tiny_parts: dict[str, bytes], part: str, other: str, message: str
) -> None:
    root = planetoid_root({part: tiny_parts[other]})
    with pytest.raises(UserError, match=rf"ind\.citeseer\.{part}: holds.*{message}"):
        load("citeseer", root)
