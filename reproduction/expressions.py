"""Numbers that sentences state: an expression about records, and its value as text.

    mean presets/cora/grace accuracy                            over the seeds
    mean presets/cora/grace+homogcl over presets/cora/grace accuracy .2
                                                                differences on the seeds of both
    std, n, interval, p                                         of the same
    mean choices/citeseer/costa[epochs=200,seed=0]@100 accuracy of some settings, after 100 epochs
    max mean presets/{cora,photo}/grace accuracy                the largest of several; min likewise
    printed classification/cora/grace accuracy                  as the paper has it; `over` as above
    bench peer "photo: dense over ours, time" .1                a measure of the benchmarks
    origin peer                                                 what these measures were made with

A metric is one of the records' or `accuracy`, `validation`, `seconds` and `GB`; accuracies are in
percent. The last word may be a format: `.2` for two decimals, `+.1` with a sign, `3g` for three
digits.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from homogcl.core.errors import UnknownName, UserError
from homogcl.evaluate.significance import Difference
from homogcl.pages.metric_cells import gain, in_shown_unit, is_accuracy
from homogcl.pages.results_table import shown_setting
from homogcl.pages.table import PValue
from homogcl.runs.origin import UNKNOWN, Machine
from homogcl.runs.record import Record, aggregate, read_record
from reproduction.reported.numbers import find, read
from reproduction.tables.bench import read_measures

_NAMES = {"accuracy": "test_accuracy", "validation": "val_accuracy"}  # in records
_DECIMALS = {"seconds": 0, "GB": 1}
_FORMAT = re.compile(r"\+?\.\d|\dg")
_RUNS = re.compile(r"(?P<folder>[^\[\]@]+)(\[(?P<settings>[^\]]*)\])?(@(?P<epochs>\d+))?")
_BRACES = re.compile(r"\{[^{}]*\}")
_EXTREMES = {"max": max, "min": min}


@dataclass(frozen=True)
class Value:
    """A number, how a sentence writes it, and the mark of a mean by the former probe."""

    number: float
    text: str
    mark: str = ""


class _Sample(NamedTuple):
    """A metric over seeds, or a difference in it."""

    metric: str
    difference: Difference
    mark: str


def evaluate(expression: str, root: Path) -> Value:
    """Return the value of an expression for the project in the folder `root`."""
    first, _, rest = expression.partition(" ")
    if first in _EXTREMES:
        values = [evaluate(each, root) for each in alternatives(rest)]
        extreme = _EXTREMES[first](values, key=lambda value: value.number)
        return replace(extreme, mark=max(value.mark for value in values))
    words = shlex.split(expression)
    form = words.pop() if words and _FORMAT.fullmatch(words[-1]) else ""
    kind = words[0] if words else ""
    if kind not in _KINDS:
        raise UnknownName("expression", kind, (*_KINDS, *_EXTREMES))
    return _KINDS[kind](root, words[1:], form)


def alternatives(expression: str) -> list[str]:
    """Return the expressions that braces stand for; equal braces change together.

    >>> alternatives("mean {a,b}/x over {a,b}/y")
    ['mean a/x over a/y', 'mean b/x over b/y']
    """
    braces = _BRACES.search(expression)
    if braces is None:
        return [expression]
    each = (expression.replace(braces[0], name) for name in braces[0][1:-1].split(","))
    return [whole for part in each for whole in alternatives(part)]


def records_of(runs: str, root: Path) -> list[Record]:
    """Return the records that `folder/data/method[key=value,...]@epochs` names, of one setting."""
    parts = _RUNS.fullmatch(runs)
    if parts is None:
        raise UserError(f"{runs} is not written folder/data/method[key=value,...]@epochs")
    folder = root / "results" / parts["folder"]
    wanted = [each.split("=", 1) for each in (parts["settings"] or "").split(",") if each]
    records = [read_record(path) for path in sorted(folder.glob("*.json"))]
    records = [r for r in records if all(_setting(r, *pair) for pair in wanted)]
    count = len({record.settings_sha256 for record in records})
    if count != 1:
        raise UserError(f"{runs} has records of {count} settings, not of one")
    return [_measured(record, parts["epochs"]) for record in records]


def _setting(record: Record, key: str, value: str = "") -> bool:
    """Return whether a run had this setting; `seed=3` is one too, `seeds=3` means 0, 1 and 2."""
    if key in ("seed", "seeds"):
        return record.seed == int(value) if key == "seed" else record.seed < int(value)
    settings = (record.setting(key, part) for part in ("method", "train", "data"))
    return any(each is not None and shown_setting(each) == value for each in settings)


def _measured(record: Record, epochs: str | None) -> Record:
    """Return the record with what it cost among its metrics, as it was after `epochs`."""
    metrics = record.metrics if epochs is None else record.by_epochs().get(int(epochs), {})
    costs = {"seconds": record.seconds, "GB": record.peak_memory_bytes / 1e9}
    return record.model_copy(update={"metrics": {**metrics, **costs}})


def _sample(root: Path, words: Sequence[str]) -> _Sample:
    match words:
        case [runs, metric]:
            name = _NAMES.get(metric, metric)
            mean, std, n, mark = in_shown_unit(aggregate(records_of(runs, root), name), name)
            return _Sample(name, Difference(mean, std, n), mark)
        case [runs, "over", base, metric]:
            name = _NAMES.get(metric, metric)
            difference = gain(records_of(base, root), records_of(runs, root), name)
            if difference is None:
                raise UserError(f"{runs} and {base} have no seed, split and probe in common")
            return _Sample(name, *difference)
        case _:
            raise UserError("write STATISTIC RUNS METRIC or STATISTIC RUNS over RUNS METRIC")


def _number(value: float, form: str, decimals: int) -> str:
    form = form or f".{decimals}"
    if form.endswith("g"):
        return f"{value:.{form}}"
    return f"{round(value, int(form[-1])) + 0.0:{form}f}"  # a zero has no sign


def _of_seeds(describe: Callable[[_Sample, str], tuple[float, str]]) -> _Kind:
    """Return the kind of expression that describes a metric over seeds."""

    def kind(root: Path, words: Sequence[str], form: str) -> Value:
        sample = _sample(root, words)
        return Value(*describe(sample, form), sample.mark if describe is _mean else "")

    return kind


def _mean(sample: _Sample, form: str) -> tuple[float, str]:
    return _written(sample.difference.mean, sample, form)


def _std(sample: _Sample, form: str) -> tuple[float, str]:
    return _written(_there(sample.difference.std), sample, form)


def _count(sample: _Sample, _: str) -> tuple[float, str]:
    return sample.difference.n, str(sample.difference.n)


def _interval(sample: _Sample, form: str) -> tuple[float, str]:
    """Return the 95 % interval of a difference; its number is the lower end."""
    ends = [_there(end) for end in (sample.difference.low, sample.difference.high)]
    return ends[0], " to ".join(_written(end, sample, form)[1] for end in ends)


def _p(sample: _Sample, _: str) -> tuple[float, str]:
    p = PValue(_there(sample.difference.p))
    return p, f"p {p.text}" if p < 0.001 else f"p = {p.text}"


def _there(value: float | None) -> float:
    if value is None:
        raise UserError("std takes two seeds; p and interval take `over` and seeds that differ")
    return value


def _written(value: float, sample: _Sample, form: str) -> tuple[float, str]:
    decimals = 1 if is_accuracy(sample.metric) else _DECIMALS.get(sample.metric, 3)
    return value, _number(value, form, decimals)


def _printed(root: Path, words: Sequence[str], form: str) -> Value:
    """Return what the paper prints, or a difference of two such numbers."""
    *numbers, metric = [word for word in words if word != "over"]
    name = _NAMES.get(metric, metric)
    values: list[float] = []
    decimals = 0
    for number in numbers:
        table, data, method = number.split("/")
        cell = find(read(table), method, data, name)
        if cell is None or cell.value is None:
            raise UserError(f"the paper's table {table} has no {metric} of {method} on {data}")
        values.append(cell.value)
        decimals = max(decimals, len(cell.printed.split()[0].partition(".")[2]))
    value = values[0] - sum(values[1:])
    return Value(value, _number(value, form, decimals))


def _bench(root: Path, words: Sequence[str], form: str) -> Value:
    part, measure = words
    rows = _part(root, part)["rows"]
    values = [row["value"] for row in rows if row["measure"] == measure]
    if not values:
        raise UnknownName("measure", measure, [row["measure"] for row in rows])
    return Value(values[0], _number(values[0], form or "3g", 0))


def _origin(root: Path, words: Sequence[str], _: str) -> Value:
    """Return processor, threads, precision and commit of a part, or which are not recorded."""
    [part] = words
    entry = _part(root, part)
    machine = Machine.model_validate(entry["machine"])
    facts = {
        "processor": machine.processor,
        "threads": f"{machine.threads} thread{'s' * (machine.threads > 1)}",
        "precision": entry.get("precision", UNKNOWN),
        "commit": _commit(entry.get("commit", UNKNOWN)),
    }
    if not machine.threads:
        facts["threads"] = UNKNOWN
    lacking = [name for name, fact in facts.items() if fact == UNKNOWN]
    texts = [f"{machine.cpu_count} cores", *(fact for fact in facts.values() if fact != UNKNOWN)]
    if 0 < len(lacking) < len(facts):
        texts.append(f"{' and '.join(lacking)} not recorded")
    return Value(math.nan, ", ".join(texts))


def _commit(text: str) -> str:
    """Return a commit by its first digits, with its mark; an installed package has none."""
    digits, dash, mark = text.partition("-")
    return UNKNOWN if text in (UNKNOWN, "none") else f"commit {digits[:10]}{dash}{mark}"


def _part(root: Path, name: str) -> dict[str, Any]:
    measures = read_measures(root / "benchmarks" / "results.json")
    if name not in measures:
        raise UnknownName("part of the benchmarks", name, measures)
    part: dict[str, Any] = measures[name]
    return part


_Kind = Callable[[Path, Sequence[str], str], Value]
_KINDS: dict[str, _Kind] = {
    "mean": _of_seeds(_mean),
    "std": _of_seeds(_std),
    "n": _of_seeds(_count),
    "interval": _of_seeds(_interval),
    "p": _of_seeds(_p),
    "printed": _printed,
    "bench": _bench,
    "origin": _origin,
}
