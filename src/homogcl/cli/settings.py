"""Settings on the command line: frequent ones as options, all of them by --set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from homogcl.cli.options import Batch, Form, Set, with_options

FREQUENT: dict[str, tuple[type, str]] = {
    "epochs": (int, "How long to train."),
    "learning_rate": (float, "Step size of the optimizer."),
    "hidden_dim": (int, "Width of the encoder's hidden layers."),
    "out_dim": (int, "Width of the embeddings."),
    "num_clusters": (int, "Clusters of the plug-ins."),
    "temperature": (float, "Of contrastive losses."),
}

# Options that people try, and what to use instead.
ELSEWHERE = {
    "--directed": "edges are taken both ways, since no method here follows directions",
    "--undirected": "edges are taken both ways already",
    "--lr": "it is called --learning-rate",
    "--dim": "it is called --out-dim",
    "--k": "it is called --num-clusters in a training, -k elsewhere",
    "--output-dir": "it is called --out",
}


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the options of settings; it gets those in use as `overrides`."""
    annotations: dict[str, Any] = {"settings": Set, "batch": Batch, "form": Form}
    for name, (kind, what) in FREQUENT.items():
        annotations[name] = Annotated[kind | None, typer.Option(help=what)]
    return with_options(command, "overrides", annotations, _overrides)


def _overrides(
    settings: list[str] | None, batch: str | None, form: str | None, **frequent: object
) -> dict[str, object]:
    from homogcl.core.config import parse_batch, parse_overrides
    from homogcl.core.errors import UserError

    overrides = parse_overrides(settings or [])
    by_option = {key: value for key, value in frequent.items() if value is not None}
    by_option |= parse_batch(batch) if batch else {}
    by_option |= {"form": form} if form else {}
    for key, value in by_option.items():
        if overrides.get(key, value) != value:
            option = f"--{key.replace('_', '-')} {value}"
            raise UserError(f"{option} contradicts --set {key}={overrides[key]}")
    return {**overrides, **by_option}


class Command(TyperCommand):
    """A command that answers an unknown option with the nearest one, or with the setting meant."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Return the arguments left over; an unknown option is a mistake of one line."""
        # Newer versions of typer bring a click of their own, whose errors have no public name.
        typed = list(args)  # the parser takes from its list what it has read
        usage_error: type[Exception] = typer.BadParameter.__bases__[0]
        try:
            rest: list[str] = super().parse_args(ctx, args)
        except usage_error as error:
            if not hasattr(error, "possibilities"):
                raise
            raise self._unknown(str(getattr(error, "option_name", "")), typed) from None
        return rest

    def _unknown(self, option: str, args: list[str]) -> Exception:
        from homogcl.core.errors import UserError

        if option in ELSEWHERE:
            return UserError(f"no option {option}: {ELSEWHERE[option]}")
        own = [each for p in self.params for each in p.opts if each.startswith("--")]
        meant = {each: each for each in own}
        if "--set" in own:
            for name in _settings_of(args):
                meant.setdefault(f"--{name.replace('_', '-')}", f"--set {name}=...")
        return UserError(f"no option {option}{_nearest(option, meant)}")


def _settings_of(args: list[str]) -> set[str]:
    """Return the settings of the methods that are named among arguments, and of all trainings."""
    from homogcl.methods.names import split_name
    from homogcl.presets.catalog import catalog

    shipped = catalog()
    names = {*shipped.training, *shipped.data}
    for base, plugins in map(split_name, args):
        if base in shipped.methods:
            names |= shipped.methods[base].settings.keys()
            names.update(*(shipped.plugins.get(each, {}) for each in plugins))
    return names


def _nearest(option: str, meant: dict[str, str]) -> str:
    import difflib

    if option in meant:
        return f" (did you mean: {meant[option]}?)"
    # An option that begins as typed is meant before one that merely has similar letters.
    begins = [each for each in meant if each.startswith(option)]
    close = [*begins, *difflib.get_close_matches(option, meant, n=2, cutoff=0.75)]
    texts = list(dict.fromkeys(meant[each] for each in close))[:3]
    if texts:
        return f" (did you mean: {', '.join(texts)}?)"
    return " (--help lists all options, `homogcl show METHOD DATA` all settings)"
