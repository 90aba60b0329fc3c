"""Lines come out as they went in, whatever is in them."""

import json

import pytest

from homogcl.pages import terminal

ODD = "[bold]id[/bold] :smile: [/]"


def test_lines_and_notes_are_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.say(ODD)
    terminal.note("x" * 300)
    printed = capsys.readouterr()
    assert printed.out == ODD + "\n"
    assert printed.err == "x" * 300 + "\n"


def test_values_stand_in_a_column(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.result({"a": 1, "longer": 0.123456, "odd": ODD}, as_json=False)
    assert capsys.readouterr().out == f"a       1\nlonger  0.1235\nodd     {ODD}\n"


def test_json_is_one_line_that_reads_back(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.result({"odd": ODD, "long": "y" * 300}, as_json=True)
    terminal.rows([{"odd": ODD}], as_json=True)
    first, second = capsys.readouterr().out.splitlines()
    assert json.loads(first) == {"odd": ODD, "long": "y" * 300}
    assert json.loads(second) == [{"odd": ODD}]


def test_rows_hold_texts_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.rows([{"name": ODD, "what": "plain"}, {"name": "b", "what": ""}], as_json=False)
    head, first, second = capsys.readouterr().out.splitlines()
    assert head.split() == ["name", "what"]
    assert first.split("  ")[0] == ODD
    assert second.strip() == "b"


def test_no_rows_print_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.rows([], as_json=False)
    assert capsys.readouterr().out.strip() == ""


def test_long_paragraph_is_broken_and_indented(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.paragraph("word " * 40)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 1
    assert all(line.startswith("  ") and len(line) <= 98 for line in lines)
