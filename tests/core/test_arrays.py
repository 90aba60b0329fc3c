"""Arrays written in blocks are those that numpy saves, to the last byte."""

import io
from pathlib import Path

import numpy as np
import pytest

from homogcl.core.arrays import array_file


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.bool_, "<U7"])
@pytest.mark.parametrize("shape", [(7,), (0,), (5, 3), (2, 4)])
def test_bytes_are_those_of_numpy(kind: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    array = np.arange(np.prod(shape)).reshape(shape).astype(kind)
    expected = io.BytesIO()
    np.save(expected, array)
    width = shape[1] if len(shape) > 1 else None
    with array_file(tmp_path / "a.npy", kind, width) as file:
        for row in array:
            file.append(row)
    assert (tmp_path / "a.npy").read_bytes() == expected.getvalue()


def test_raw_numbers_are_appended_and_the_shape_can_be_set(tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(np.arange(5, 10).tobytes())
    with array_file(tmp_path / "a.npy", np.int64) as file:
        file.append(np.arange(5))
        file.append_file(tmp_path / "raw", block=2)
        file.shape = (2, 5)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), np.arange(10).reshape(2, 5))


def test_an_array_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="literal"), array_file(tmp_path / "a", np.int64) as file:
        file.append(np.array(["no number"]))
    assert list(tmp_path.iterdir()) == []
