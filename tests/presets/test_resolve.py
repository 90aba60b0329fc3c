from __future__ import annotations

import pytest

from homogcl.core.errors import UnknownName, UserError
from homogcl.data.catalog import data_names
from homogcl.methods.base import Sizes
from homogcl.methods.registry import build, config_classes, method_names, plugin_names
from homogcl.presets.resolve import Settings, resolve
from homogcl.presets.sections import LARGE_NODES, preset_by_size, preset_names

PRESETS = preset_names()
each_preset = pytest.mark.parametrize(
    ("method", "section", "source"), PRESETS, ids=[f"{name}-{key}" for name, key, _ in PRESETS]
)


def resolved(method: str, section: str) -> Settings:
    """The settings of one section of one file."""
    name = f"grace{method}" if method.startswith("+") else method
    data, _, alternative = section.partition("/")
    return resolve(name, "my-graph" if data == "default" else data, {}, alternative or None)


@each_preset
def test_every_preset_names_its_source_and_resolves(method: str, section: str, source: str) -> None:
    assert len(source) > 10
    assert "\n" not in source
    assert source in resolved(method, section).source


@each_preset
def test_every_preset_is_of_a_known_method_and_data_set(
    method: str, section: str, source: str
) -> None:
    base, *plugins = method.split("+")
    assert base in {"", *method_names()}
    assert set(plugins) <= set(plugin_names())
    assert section.partition("/")[0] in {"default", *data_names()}


@pytest.mark.parametrize("name", method_names())
def test_every_method_has_defaults_that_hold_for_any_graph(name: str) -> None:
    assert (name, "default") in {(method, section) for method, section, _ in PRESETS}
    settings = resolve(name, "my-graph", {})
    keys = {key for model in config_classes(name) for key in model.model_fields}
    assert set(settings.method) == keys
    build(name, settings.method, Sizes(10, 4, 2), seed=0)


def test_later_settings_prevail() -> None:
    # method's default < method's data set < plug-in's default < plug-in's data set < overrides
    assert resolve("grace", "my-graph").train.learning_rate == 1e-3
    assert resolve("grace", "photo").train.learning_rate == 1e-4
    assert resolve("grace", "photo").method["hidden_dim"] == 512
    assert resolve("grace+homogcl", "my-graph").method["num_clusters"] == 10
    assert resolve("grace+homogcl", "citeseer").method["num_clusters"] == 30
    overrides = {"num_clusters": 4, "learning_rate": 0.5, "features": "raw", "hidden_dim": 7}
    settings = resolve("grace+homogcl", "citeseer", overrides)
    assert settings.method["num_clusters"] == 4
    assert settings.method["hidden_dim"] == 7
    assert settings.train.learning_rate == 0.5
    assert settings.data.features == "raw"
    assert settings.train.epochs == resolve("grace", "citeseer").train.epochs


def test_flat_settings_resolve_to_themselves() -> None:
    settings = resolve("grace+homogcl", "photo", {"drop_edge_1": 0.25})
    again = resolve("grace+homogcl", "my-graph", settings.flat())
    assert again.flat() == settings.flat()


def test_resolving_twice_gives_the_same_and_overrides_do_not_stick() -> None:
    before = resolve("grace", "cora")
    resolve("grace", "cora", {"hidden_dim": 3, "epochs": 1})
    assert resolve("grace", "cora") == before


def test_plugin_shares_the_settings_of_its_ablation() -> None:
    soft, hard = resolve("grace+homogcl", "citeseer"), resolve("grace+hard", "citeseer")
    assert hard.method == {**soft.method, "saliency": "hard"}
    assert hard.train == soft.train


def test_alternative_is_taken_by_its_name_and_is_not_the_usual_one() -> None:
    usual, official = resolve("grace", "cora"), resolve("grace", "cora", preset="official")
    assert official.method["hidden_dim"] == 256
    assert official.method["temperature"] == 0.4
    assert "config.yaml" in official.source
    assert usual.method["hidden_dim"] == 512


@pytest.mark.parametrize(
    ("preset", "data", "hint"),
    [("oficial", "cora", "did you mean: cora/official"), ("official", "photo", "cora/official")],
)
def test_unknown_alternative_is_refused_with_the_known_ones(
    preset: str, data: str, hint: str
) -> None:
    with pytest.raises(UnknownName, match=f"unknown preset '{data}/{preset}'.*{hint}"):
        resolve("grace", data, preset=preset)


@pytest.mark.parametrize(
    ("method", "key", "hint"),
    [
        ("grace", "temprature", "did you mean: temperature"),
        ("grace", "num_clusters", "grace has no setting 'num_clusters'"),
        ("grace+homogcl", "num_cluster", "did you mean: num_clusters"),
        ("raw", "hidden_dim", "raw has no setting 'hidden_dim'"),
        ("grace", "source", "grace has no setting 'source'"),
        ("grace", "epoch", "did you mean: epochs"),
    ],
)
def test_unknown_settings_are_refused_by_name(method: str, key: str, hint: str) -> None:
    with pytest.raises(UserError, match=hint):
        resolve(method, "cora", {key: 1})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("epochs", "many"),
        ("epochs", -1),
        ("hidden_dim", "wide"),
        ("encoder", "transformer"),
        ("features", "cooked"),
    ],
)
def test_bad_values_are_refused_in_one_line_that_names_the_setting(key: str, value: object) -> None:
    with pytest.raises(UserError, match=f"setting {key}={value!r}: ") as caught:
        resolve("grace", "cora", {key: value})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("method", ["gracee", "grace+homogc", "+homogcl"])
def test_unknown_methods_and_plugins_are_refused(method: str) -> None:
    with pytest.raises(UnknownName):
        resolve(method, "cora")


@pytest.mark.parametrize(
    ("method", "data", "nodes", "preset"),
    [
        ("grace", "my-graph", LARGE_NODES + 1, "large"),
        ("grace+homogcl", "my-graph", LARGE_NODES + 1, "large"),
        ("gca", "my-graph", LARGE_NODES + 1, "large"),
        ("grace", "my-graph", LARGE_NODES, None),
        ("grace", "photo", 10**6, None),  # it has a preset of its own
        ("bgrl", "my-graph", 10**6, None),  # it compares no pairs
    ],
)
def test_size_chooses_for_graphs_that_no_preset_knows(
    method: str, data: str, nodes: int, preset: str | None
) -> None:
    assert preset_by_size(method, data, nodes) == preset


def test_the_preset_for_many_nodes_samples_negatives_weighs_edges_less_often_and_says_so() -> None:
    small, large = (resolve("grace+homogcl", "my-graph", {}, p) for p in (None, "large"))
    assert small.method["negatives"] == "exact"
    changed = {"negatives": "sampled", "num_negatives": 256, "refresh": 5}
    assert large.flat() == {**small.flat(), **changed}
    assert "more than 5,000 nodes" in large.source
    assert f"{LARGE_NODES:,}" == "5,000"


@pytest.mark.parametrize("plugin", ["homogcl", "adaptive"])
@pytest.mark.parametrize("base", ["grace", "bgrl"])
def test_edges_of_many_nodes_are_weighed_less_often_where_that_was_tried(
    base: str, plugin: str
) -> None:
    refresh = [
        resolve(f"{base}+{plugin}", "my-graph", {}, p).method["refresh"] for p in (None, "large")
    ]
    assert refresh == [1, 5]


def test_what_the_published_code_computes_weighs_edges_at_each_step() -> None:
    assert resolve("grace+released", "my-graph", {}, "large").method["refresh"] == 1


def test_a_data_set_prevails_over_what_holds_for_all_graphs() -> None:
    assert resolve("grace", "citeseer", {}, "large").train.epochs == 40
    with pytest.raises(UnknownName, match="my-graph/official"):
        resolve("grace", "my-graph", {}, "official")


# What the authors' files and commands say, width, steps and rate: where a section leaves something
# out it comes from the method's own default, which is cut short.
PUBLISHED = {
    ("afgrl", "photo"): (512, 5000, 1e-3, "raw"),
    ("afgrl", "computers"): (512, 5000, 1e-3, "raw"),
    ("ariel", "cora"): (128, 300, 5e-4, "raw"),
    ("ariel", "citeseer"): (256, 200, 1e-3, "raw"),
    ("ariel", "photo"): (256, 2000, 0.1, "raw"),
    ("ariel", "computers"): (128, 2000, 0.01, "raw"),
    ("bgrl", "photo"): (128, 10000, 1e-4, "row"),
    ("bgrl", "computers"): (128, 10000, 5e-4, "row"),
    ("ccassg", "pubmed"): (512, 100, 1e-3, "row"),
    ("costa", "cora"): (256, 700, 1e-4, "row"),
    ("costa", "citeseer"): (256, 700, 1e-3, "row"),
    ("costa", "photo"): (512, 10, 1e-4, "row"),
    ("costa", "computers"): (512, 10, 1e-4, "row"),
    ("gbt", "photo"): (256, 1000, 1e-4, "row"),
    ("gbt", "computers"): (128, 1000, 5e-4, "row"),
    ("gbt", "arxiv"): (256, 500, 1e-3, "raw"),
    ("gcool", "photo"): (128, 2900, 0.1, "row"),
    ("gcool", "computers"): (512, 2900, 0.01, "row"),
    ("progcl", "photo"): (128, 2500, 0.01, "row"),
    ("progcl", "computers"): (128, 2000, 0.01, "row"),
}


@pytest.mark.parametrize(("method", "data"), PUBLISHED)
def test_published_presets_say_what_was_published(method: str, data: str) -> None:
    settings = resolve(method, data, {}, "published")
    values = (
        settings.method["out_dim"],
        settings.train.epochs,
        settings.train.learning_rate,
        settings.data.features,
    )
    assert values == PUBLISHED[method, data]
