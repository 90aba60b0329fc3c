"""A table or a figure: its command and its files."""

from __future__ import annotations

from pathlib import Path

from homogcl.pages.table import Table, to_csv, to_latex, to_markdown
from homogcl.runs.record import write_record
from homogcl.runs.request import Request
from reproduction.artifact import GraphTraining, command, write_table

TABLE = Table(("Method", "Accuracy"), (("grace", 0.5),), decimals=1)


def test_a_table_becomes_three_files_with_its_title(tmp_path: Path) -> None:
    files = write_table(tmp_path / "out", "name", "A title", TABLE)
    assert [path.name for path in files] == ["name.md", "name.tex", "name.csv"]
    markdown, latex, values = (path.read_text("utf-8") for path in files)
    assert markdown == f"# A title\n\n{to_markdown(TABLE)}\n"
    assert latex == f"% A title\n{to_latex(TABLE)}\n"
    assert values == to_csv(TABLE)


def test_the_command_names_the_quick_form() -> None:
    assert command("bgrl", quick=False) == "python -m reproduction bgrl"
    assert command("bgrl", quick=True) == "python -m reproduction bgrl --quick"


def test_a_record_counts_where_it_has_what_is_asked_for(tmp_path: Path) -> None:
    training = GraphTraining(Request("raw", "demo", 3, tasks=("probe",)), "folder")
    assert training.label == "raw on demo, seed 3"
    assert training.find_record(tmp_path) is None
    record, ran = training.run(tmp_path)
    assert ran
    assert training.path(tmp_path).is_relative_to(tmp_path / "folder")
    assert training.find_record(tmp_path) == record
    write_record(tmp_path / "folder", record.model_copy(update={"metrics": {"nmi": 0.5}}))
    assert training.find_record(tmp_path) is None
