"""Bombs are refused, and parts of sparse matrices that do not fit together."""

import gzip
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from homogcl.core.errors import UserError
from homogcl.data.load import load
from homogcl.data.own.graph import read_own
from homogcl.data.published import archives
from homogcl.data.published.archives import checked
from tests.reliability import fuzz


@pytest.fixture(autouse=True)
def low_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "HARMLESS", 1 << 20)


def packed_zeros() -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **(fuzz.photo_arrays() | {"attr_data": np.zeros(1 << 18)}))
    return buffer.getvalue()


def test_a_bomb_among_the_features_is_refused(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "f.npz", x=np.zeros((4, 1 << 16)))
    (tmp_path / "edges.csv").write_bytes(fuzz.EDGES)
    with pytest.raises(UserError, match=r"f\.npz: holds .* times as much as its size"):
        read_own(tmp_path / "edges.csv", features="f.npz")


def test_a_bomb_in_place_of_a_data_set_is_refused(tmp_path: Path) -> None:
    path = tmp_path / fuzz.PHOTO
    path.parent.mkdir(parents=True)
    path.write_bytes(packed_zeros())
    with pytest.raises(UserError, match="times as much as its size"):
        load("photo", tmp_path)


def test_a_gzipped_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" * (1 << 19)))
    with pytest.raises(UserError, match=r"edges\.csv\.gz: holds .* times as much as its size"):
        read_own(path)


def test_what_is_packed_as_numbers_usually_are_is_read(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 1000, (150_000, 2))
    text = "\n".join(f"{a},{b}" for a, b in pairs).encode()
    assert len(text) > archives.HARMLESS
    path = tmp_path / "edges.csv.gz"
    path.write_bytes(gzip.compress(b"source,target\n" + text))
    assert read_own(path).summary.rows == 150_000


@pytest.mark.parametrize("name", ["../outside.npy", "{folder}/outside.npy", "..\\outside.npy"])
def test_members_whose_names_lead_outside_are_written_nowhere(tmp_path: Path, name: str) -> None:
    inner = tmp_path / "data"
    path = inner / fuzz.PHOTO
    path.parent.mkdir(parents=True)
    path.write_bytes(fuzz._npz(**fuzz.photo_arrays()))
    member = io.BytesIO()
    np.save(member, np.ones(3))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name.format(folder=tmp_path), member.getvalue())
    before = sorted(tmp_path.rglob("*"))
    assert load("photo", inner).num_nodes == 3
    assert sorted(tmp_path.rglob("*")) == before


def test_an_xml_bomb_is_refused(tmp_path: Path) -> None:
    entities = "".join(
        f'<!ENTITY {new} "{f"&{old};" * 10}">'
        for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    head = f'<!DOCTYPE g [<!ENTITY a "{"x" * 1000}">{entities}]>'
    path = tmp_path / "g.graphml"
    path.write_text(
        fuzz.GRAPHML.decode().replace("<graphml", f"{head}<graphml").replace('"a"', '"&i;"')
    )
    with pytest.raises(UserError, match=r"g\.graphml: "):
        read_own(path)


def test_xml_reads_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    head = f'<!DOCTYPE g [<!ENTITY s SYSTEM "file://{tmp_path}/secret">]>'
    path = tmp_path / "g.graphml"
    text = fuzz.GRAPHML.decode().replace("<graphml", f"{head}<graphml")
    path.write_text(text.replace("1.5<", "&s;<"))
    with pytest.raises(UserError) as caught:
        read_own(path, weight="w")
    assert "secret" not in str(caught.value).replace(str(tmp_path), "")


DENSE = np.array([[0, 1, 0, 2], [0, 0, 0, 0], [3, 0, 4, 0], [0, 5, 0, 0]], dtype=np.float32)
FORMS = ["csr", "csc", "bsr"]


@pytest.mark.parametrize("form", FORMS)
def test_sound_matrix_is_returned_as_it_is(form: str) -> None:
    matrix = scipy.sparse.csr_matrix(DENSE).asformat(form)
    assert checked(matrix) is matrix
    assert np.array_equal(matrix.toarray(), DENSE)


@pytest.mark.parametrize("form", FORMS)
def test_matrix_without_entries_or_rows_is_sound(form: str) -> None:
    for shape in ((3, 2), (0, 2), (0, 0)):
        checked(scipy.sparse.csr_matrix(shape).asformat(form))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("part", "place", "value"),
    [("indices", 0, 99), ("indices", -1, -1), ("indptr", 1, -2), ("indptr", -1, 10**6)],
)
def test_index_that_leads_elsewhere_is_refused(
    form: str, part: str, place: int, value: int
) -> None:
    matrix = scipy.sparse.csr_matrix(DENSE).asformat(form)
    getattr(matrix, part)[place] = value
    with pytest.raises(ValueError, match="ind"):
        checked(matrix)


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_pointers_that_go_back_are_refused_even_where_there_are_no_entries(form: str) -> None:
    matrix = scipy.sparse.csr_matrix((4, 4), dtype=np.float32).asformat(form)
    matrix.indptr[:] = [0, 7, 7, 0, 0]
    matrix.check_format(full_check=True)  # scipy sees nothing wrong
    with pytest.raises(ValueError, match="must not decrease"):
        checked(matrix)
