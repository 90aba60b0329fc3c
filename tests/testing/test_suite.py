"""All checks apply to some method."""

from homogcl.testing.candidate import candidate
from homogcl.testing.suite import CHECKS, checks_of
from tests.broken import Linear


def test_each_check_applies_to_a_method_of_one_layer_or_is_tested_by_others() -> None:
    each = candidate(Linear)
    others = {
        "embeddings_are_differentiable",
        "undeclared_ways_of_combining_are_refused",
        "plugin_leaves_the_views_of_its_base",
        "batches_are_refused_where_a_step_needs_the_whole_graph",
    }
    assert {name for name, _ in checks_of(each)} | others == {check.__name__ for check in CHECKS}
