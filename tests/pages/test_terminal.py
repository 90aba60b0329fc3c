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


def test_stages_are_plain_lines_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with terminal.stages() as follow:
        follow("reading")
        follow(ODD)
    assert capsys.readouterr().err == f"reading\n{ODD}\n"


def test_stages_have_their_times_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with terminal.stages() as follow:
        follow("reading")
        follow(ODD)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "reading" in printed.err
    assert ODD in printed.err
    assert "0:00:00" in printed.err


def test_rows_are_counted_by_stage(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.counted_rows() as follow:
        follow("edges", 1000)
        follow("edges", 2500)
        follow("ids", 7)
    assert capsys.readouterr().err.splitlines() == ["edges: 2,500 (0 s)", "ids: 7 (0 s)"]
