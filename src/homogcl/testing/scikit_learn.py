"""Which of scikit-learn's checks of estimators do not apply to an embedder, and why."""

from __future__ import annotations

# For `check_estimator` and `parametrize_with_checks`, with an embedder that makes a graph of a
# table. Other embedders take a graph or its nodes, and the checks hand over tables.
EXPECTED_FAILED_CHECKS = {
    "check_no_attributes_set_in_init": (
        "any setting of the method is a parameter; the attribute `settings` holds them all"
    ),
    "check_methods_sample_order_invariance": (
        "a node's vector depends on its neighbors, and the order of rows may decide who they are"
    ),
    "check_methods_subset_invariance": (
        "a node's vector depends on its neighbors, which a subset of the rows may lack"
    ),
}
"""The checks that fail, by name, with their reasons."""
