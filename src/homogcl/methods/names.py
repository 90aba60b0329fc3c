"""The names of methods and plug-ins, and where their classes live; importing it loads no class."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from homogcl.core.errors import UnknownName

METHODS = {
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

# Each plug-in's class and the settings that its name stands for.
PLUGINS: dict[str, tuple[str, dict[str, object]]] = {
    "homogcl": ("homogcl.homophily.plugin:HomoGCL", {}),
    "hard": ("homogcl.homophily.plugin:HomoGCL", {"saliency": "hard"}),
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


def preset_name(plugin: str) -> str:
    """Return the name of a plug-in's preset file: its class in small letters.

    Plug-ins of one class share their presets.

    >>> preset_name("hard")
    'homogcl'
    """
    if plugin in PLUGINS:
        place = PLUGINS[plugin][0]
    elif plugin in third_party("homogcl.plugins"):
        place = third_party("homogcl.plugins")[plugin].value
    else:
        raise UnknownName("plug-in", plugin, plugin_names())
    return place.rpartition(":")[2].lower()


@cache
def third_party(group: str) -> dict[str, EntryPoint]:
    """Return what other packages registered in an entry-point group, by name."""
    return {entry.name: entry for entry in entry_points(group=group)}
