"""The names of methods and plug-ins, and the places of their classes, without loading any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from homogcl.core.extensions import third_party

METHODS = {
    "afgrl": "homogcl.methods.afgrl:AFGRL",
    "ariel": "homogcl.methods.ariel:ARIEL",
    "bandana": "homogcl.methods.bandana:Bandana",
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
    "graphacl": "homogcl.methods.graphacl:GraphACL",
    "hdi": "homogcl.methods.hdi:HDI",
    "homogcl": "homogcl.methods.homogcl:ClosedForm",
    "infogcl": "homogcl.methods.infogcl:InfoGCL",
    "maskgae": "homogcl.methods.maskgae:MaskGAE",
    "mlp": "homogcl.methods.mlp:MLP",
    "mvgrl": "homogcl.methods.mvgrl:MVGRL",
    "node2vec": "homogcl.methods.node2vec:Node2Vec",
    "ns4gc": "homogcl.methods.ns4gc:NS4GC",
    "progcl": "homogcl.methods.progcl:ProGCL",
    "propagation": "homogcl.methods.propagation:Propagation",
    "random": "homogcl.methods.random:RandomInit",
    "raw": "homogcl.methods.raw:Raw",
    "sage": "homogcl.methods.sage:SAGE",
    "vgae": "homogcl.methods.vgae:VGAE",
}


class ShippedPlugin(NamedTuple):
    """The class of a plug-in, and the settings that its name fixes."""

    place: str  # its class, as `module:name`
    settings: Mapping[str, object]  # the settings that its name fixes
    presets: str = "homogcl"  # the plug-in whose presets it shares


PLUGINS = {
    "adaptive": ShippedPlugin("homogcl.homophily.plugins.adaptive:Adaptive", {}),
    "hard": ShippedPlugin(
        "homogcl.homophily.plugins.homogcl:HomoGCL", {"saliency": "hard", "saliency_gradient": True}
    ),
    "homogcl": ShippedPlugin("homogcl.homophily.plugins.homogcl:HomoGCL", {}),
    "released": ShippedPlugin("homogcl.homophily.plugins.released:Released", {"refresh": 1}),
}


def method_names() -> list[str]:
    """Return the names of all base methods, third parties' included."""
    return sorted({*METHODS, *third_party("homogcl.methods")})


def plugin_names() -> list[str]:
    """Return the names that can follow a plus sign, third parties' included."""
    return sorted({*PLUGINS, *third_party("homogcl.plugins")})


def split_name(name: str) -> tuple[str, list[str]]:
    """Return the base and the plug-ins of a name.

    >>> split_name("grace+homogcl")
    ('grace', ['homogcl'])
    """
    base, *plugins = name.split("+")
    return base, plugins
