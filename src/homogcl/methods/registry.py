"""Methods by name, and plug-ins, which follow the name after a plus sign."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import torch

from homogcl.core.config import Config, validated
from homogcl.core.errors import UnknownName, UserError, nearest
from homogcl.core.seeds import integer
from homogcl.homophily.positives import CannotCombine
from homogcl.methods.base import Method, Sizes, total

_METHODS = {
    "afgrl": "homogcl.methods.afgrl:AFGRL",
    "ariel": "homogcl.methods.ariel:ARIEL",
    "bgrl": "homogcl.methods.bgrl:BGRL",
    "ccassg": "homogcl.methods.ccassg:CCASSG",
    "costa": "homogcl.methods.costa:COSTA",
    "deepwalk": "homogcl.methods.deepwalk:DeepWalk",
    "dgi": "homogcl.methods.dgi:DGI",
    "gae": "homogcl.methods.gae:GAE",
    "gat": "homogcl.methods.gat:GAT",
    "gbt": "homogcl.methods.gbt:GBT",
    "gca": "homogcl.methods.gca:GCA",
    "gcn": "homogcl.methods.gcn:GCN",
    "gcool": "homogcl.methods.gcool:GCooL",
    "gmi": "homogcl.methods.gmi:GMI",
    "grace": "homogcl.methods.grace:GRACE",
    "hdi": "homogcl.methods.hdi:HDI",
    "infogcl": "homogcl.methods.infogcl:InfoGCL",
    "mlp": "homogcl.methods.mlp:MLP",
    "mvgrl": "homogcl.methods.mvgrl:MVGRL",
    "node2vec": "homogcl.methods.node2vec:Node2Vec",
    "progcl": "homogcl.methods.progcl:ProGCL",
    "random": "homogcl.methods.random:RandomInit",
    "raw": "homogcl.methods.raw:Raw",
    "sage": "homogcl.methods.sage:SAGE",
    "vgae": "homogcl.methods.vgae:VGAE",
}


@dataclass(frozen=True)
class Plugin:
    """A method that wraps another one, with the settings that its name fixes."""

    wrap: Any  # a class of (base, config) with `Config` and `check_base`, such as HomoGCL
    settings: Mapping[str, object]
    presets: str  # the plug-in whose presets it uses: itself, or another of its family


_PLUGINS: dict[str, tuple[str, dict[str, object]]] = {
    "adaptive": ("homogcl.homophily.plugins.adaptive:Adaptive", {}),
    "hard": (
        "homogcl.homophily.plugins.homogcl:HomoGCL",
        {"saliency": "hard", "saliency_gradient": True},
    ),
    "homogcl": ("homogcl.homophily.plugins.homogcl:HomoGCL", {}),
    "released": ("homogcl.homophily.plugins.released:Released", {}),
}


def method_names() -> list[str]:
    """Return the names of all base methods, third parties' included."""
    return sorted({*_METHODS, *_third_party("homogcl.methods")})


def plugin_names() -> list[str]:
    """Return the names that can follow a plus sign."""
    return sorted({*_PLUGINS, *_third_party("homogcl.plugins")})


def method_class(name: str) -> type[Method]:
    """Return the class of a base method."""
    if name in _METHODS:
        module, attribute = _METHODS[name].split(":")
        shipped: type[Method] = getattr(import_module(module), attribute)
        return shipped
    others = _third_party("homogcl.methods")
    if name not in others:
        raise UnknownName("method", name, method_names())
    loaded: type[Method] = others[name].load()
    return loaded


def plugin(name: str) -> Plugin:
    """Return the plug-in of that name."""
    if name in _PLUGINS:
        place, settings = _PLUGINS[name]
        module, attribute = place.split(":")
        return _described(name, getattr(import_module(module), attribute), settings)
    others = _third_party("homogcl.plugins")
    if name not in others:
        raise UnknownName("plug-in", name, plugin_names())
    return _described(name, others[name].load(), {})


def _described(name: str, wrap: Any, settings: Mapping[str, object]) -> Plugin:
    return Plugin(wrap, settings, getattr(wrap, "presets", name))


def plugins_of(base: Method | type[Method]) -> list[str]:
    """Return the names of the plug-ins that accept `base`."""
    names = []
    for name in plugin_names() if base.combines else []:
        try:
            plugin(name).wrap.check_base(base)
        except CannotCombine:
            continue
        names.append(name)
    return names


def split_name(name: str) -> tuple[str, list[str]]:
    """Return the base and the plug-ins of a name.

    >>> split_name("grace+homogcl")
    ('grace', ['homogcl'])
    """
    base, *plugins = name.split("+")
    return base, plugins


def config_classes(name: str) -> list[type[Config]]:
    """Return the classes of the settings of a method and of its plug-ins, in this order.

    A plug-in refuses a base that does not fit here, before anything runs.
    """
    base, plugins = split_name(name)
    wrapped: Any = method_class(base)
    models = [wrapped.Config]
    for each in plugins:
        wrap = plugin(each).wrap
        wrap.check_base(wrapped)
        models.append(wrap.Config)
        wrapped = wrap
    return models


def configure(name: str, settings: Mapping[str, object]) -> list[Config]:
    """Return the settings of a method and of its plug-ins from one flat mapping.

    An unknown key or a bad value raises an error that names it.
    """
    classes = config_classes(name)
    _, plugins = split_name(name)
    fixed: list[Mapping[str, object]] = [{}, *(plugin(each).settings for each in plugins)]
    keys = [key for model in classes for key in model.model_fields]
    for key, value in settings.items():
        if key not in keys:
            raise UserError(f"{name} has no setting {key!r}{nearest(key, keys)}")
        if any(fixed_values.get(key, value) != value for fixed_values in fixed):
            raise UserError(f"{key}={value!r} contradicts the name {name}")
    configs = [
        validated(
            model,
            {**{k: v for k, v in settings.items() if k in model.model_fields}, **fixed_values},
        )
        for model, fixed_values in zip(classes, fixed, strict=True)
    ]
    if plugins:
        wrap = plugin(plugins[0]).wrap
        wrap.check_base(method_class(split_name(name)[0]), configs[1])
    return configs


def build(name: str, settings: Mapping[str, object], sizes: Sizes, seed: int) -> Method:
    """Return an untrained method; the same seed gives the same parameters.

    Args:
        name: A base method, with plug-ins after plus signs.
        settings: Flat settings of the method and its plug-ins.
        sizes: Sizes of the training graph.
        seed: Root seed; initialization draws from its stream "init".
    """
    base, plugins = split_name(name)
    config, *plugin_configs = configure(name, settings)
    base_class = method_class(base)
    with torch.random.fork_rng():
        torch.manual_seed(integer(seed, "init"))
        method: Method = base_class(config, sizes)
        for each, plugin_config in zip(plugins, plugin_configs, strict=True):
            method = plugin(each).wrap(method, plugin_config)
    return method


def summary(name: str) -> str:
    """Return the first line of a method's docstring."""
    return (inspect.getdoc(method_class(name)) or "").partition("\n")[0]


@cache
def _third_party(group: str) -> dict[str, Any]:
    return {entry.name: entry for entry in entry_points(group=group)}


__all__ = [
    "Method",
    "Sizes",
    "build",
    "config_classes",
    "configure",
    "method_class",
    "method_names",
    "plugin",
    "plugin_names",
    "plugins_of",
    "split_name",
    "summary",
    "total",
]
