"""An embedder passes every check of scikit-learn that a graph allows, and only those fail."""

import numpy as np
import pytest
import torch
from sklearn.utils import check_array
from sklearn.utils.estimator_checks import check_estimator
from torch_geometric.data import Data

from homogcl.runs.embedder import Embedder
from homogcl.testing.scikit_learn import EXPECTED_FAILED_CHECKS


def ring(table: np.ndarray) -> Data:
    """The rows of a table in a ring."""
    x = torch.tensor(check_array(table, dtype=np.float32))
    row = torch.arange(len(x))
    return Data(x=x, edge_index=torch.stack([row, (row + 1) % len(x)]))


@pytest.mark.filterwarnings("ignore")
def test_checks_fail_only_where_the_table_gives_a_reason() -> None:
    embedder = Embedder("grace", graph=ring, epochs=1, hidden_dim=4, out_dim=3)
    checks = check_estimator(embedder, on_fail=None)
    assert {each["check_name"] for each in checks if each["status"] == "failed"} == set(
        EXPECTED_FAILED_CHECKS
    )
    assert sum(each["status"] == "passed" for each in checks) >= 40


@pytest.mark.filterwarnings("ignore")
def test_embedders_of_graphs_and_nodes_say_that_they_take_no_table() -> None:
    for embedder in (Embedder(), Embedder(graph=ring(np.eye(4)))):
        names = [each["check_name"] for each in check_estimator(embedder, on_fail=None)]
        assert names == ["check_estimator_cloneable"]
