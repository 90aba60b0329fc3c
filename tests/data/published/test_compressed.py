"""Parts of sparse matrices that do not fit together never reach compiled code."""

import numpy as np
import pytest
import scipy.sparse

from homogcl.data.published.compressed import checked

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
