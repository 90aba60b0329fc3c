"""What README and docs say is run: their Python, and the tables that come from records."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from docs import inputs_table, notebook
from docs.examples import BLOCK, steps
from docs.method_pages import stale
from homogcl.cli import app
from homogcl.data.catalog import lacks_features
from homogcl.runs.grid import find_record
from homogcl.runs.record import Record
from homogcl.runs.run import Run
from reproduction import prose
from reproduction.catalog import GROUPS
from reproduction.index import INDEX, write_index
from reproduction.tables.markers import stale_tables
from reproduction.tables.named import TABLES, named_tables, shown_in
from reproduction.vision.images import available_images

ROOT = Path(__file__).parents[1]
# By `python -m reproduction all --no-train --out docs/reproduced`, and the same of `study`.
REPRODUCED = {"all": ROOT / "docs" / "reproduced", "study": ROOT / "docs" / "study"}
OF_IMAGES = ("augmentation", "similarity")
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
EXAMPLES = [
    pytest.param(code, id=f"{page.name}-{number}")
    for page in PAGES
    if not re.search(r"```sh\n", page.read_text("utf-8"))
    for number, (_, code) in enumerate(BLOCK.findall(page.read_text("utf-8")))
]
RECORDED = re.compile(r"^homogcl (run (?!BASE|METHOD).* --results results/.*)$", re.M)
COMMANDS = [
    pytest.param(command, id=f"{page.name}-{number}")
    for page in PAGES
    for number, command in enumerate(RECORDED.findall(page.read_text("utf-8")))
]
TUTORIALS = [page for page in PAGES if re.search(r"```sh\n", page.read_text("utf-8"))]


@pytest.mark.parametrize("code", EXAMPLES)
def test_examples_run(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "<example>", "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.name)
def test_tutorials_run_from_top_to_bottom(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for step in steps(page):
        if step.python:
            exec(compile(step.python, page.name, "exec"), names)
            continue
        command, *arguments = step.command
        assert command == "homogcl"
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, (arguments, done.output, done.exception)


def test_notebook_runs_and_shows_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    committed = notebook.read()
    run = notebook.run(committed)
    shown, wanted = (
        [[output["output_type"] for output in cell.get("outputs", [])] for cell in each["cells"]]
        for each in (run, committed)
    )
    assert shown == wanted  # else `python docs/notebook.py`
    assert ["display_data"] in shown  # the map
    texts = [_printed(each) for each in (run, committed)]
    numbers = [list(map(float, re.findall(r"\d+(?:\.\d+)?", text))) for text in texts]
    assert numbers[0] == pytest.approx(numbers[1], rel=0.1)  # else `python docs/notebook.py`
    assert "NMI" in texts[0]
    lowest, of_all = map(int, re.findall(r"(\d+)% of", texts[0]))
    assert lowest > 2 * of_all


def _printed(book: notebook.Notebook) -> str:
    """What the cells of a notebook print."""
    outputs = [output for cell in book["cells"] for output in cell.get("outputs", [])]
    return "".join("".join(output["text"]) for output in outputs if "text" in output)


def test_notebook_has_the_form_of_its_version() -> None:
    committed = notebook.read()
    assert (committed["nbformat"], committed["nbformat_minor"]) == (4, 5)
    idents = [cell["id"] for cell in committed["cells"]]
    assert len(set(idents)) == len(idents)
    for cell in committed["cells"]:
        keys = {"cell_type", "id", "metadata", "source"}
        code = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert cell.keys() == keys | code


def test_the_plug_in_takes_at_most_fifteen_lines() -> None:
    loop = next(e.values[0] for e in EXAMPLES if "homophily_loss" in str(e.values[0]))
    lines = [line for line in str(loop).splitlines() if line.strip() and "import" not in line]
    assert len(lines) <= 15


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_find_their_records(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "--data arxiv" in command and not lacks_features("arxiv"):
        pytest.skip("the records are of a copy of arXiv without its features, which is not at hand")

    def recorded(run: Run, results: Path, *_: object) -> tuple[Record, bool]:
        # A record of the former probe counts, though the command would score its run anew.
        record = find_record(run, results)
        assert record is not None, f"no record of {run.title}, seed {run.seed}"
        return record, False

    monkeypatch.setattr("homogcl.runs.grid.run_cell", recorded)
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(app, shlex.split(command))
    assert done.exit_code == 0, (done.output, done.exception)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_are_those_of_the_records(page: Path) -> None:
    shown = shown_in(page.read_text("utf-8"))
    assert set(shown) <= {*TABLES}
    assert stale_tables(page, named_tables(ROOT, shown)) == []


@pytest.mark.parametrize("page", prose.pages(ROOT))
def test_sentences_state_numbers_of_the_records_alone(page: str) -> None:
    assert prose.stale(page, ROOT) == []
    assert prose.unmarked((ROOT / page).read_text("utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_markers_stand_on_pages_that_are_tested(page: Path) -> None:
    marked = re.search("<!-- (v|holds):", page.read_text("utf-8"))
    assert marked is None or page.relative_to(ROOT).as_posix() in prose.pages(ROOT)


@pytest.mark.parametrize(
    ("group", "name"),
    [(group, name) for group in GROUPS for name in GROUPS[group] if name != "statistics"],
)
def test_what_was_reproduced_is_of_the_records(group: str, name: str, tmp_path: Path) -> None:
    if name in OF_IMAGES and available_images() == "digits":
        pytest.skip("the records are of images that are not at hand")
    for path in GROUPS[group][name].write(ROOT / "results", tmp_path, False):
        file = REPRODUCED[group] / path.name
        # What an SVG shows is in its text; a PNG is packed by libraries of many versions.
        assert file.exists() if path.suffix == ".png" else path.read_bytes() == file.read_bytes()


@pytest.mark.parametrize("group", list(GROUPS))
def test_what_was_reproduced_is_listed_with_its_trainings(group: str, tmp_path: Path) -> None:
    if group == "all" and available_images() == "digits":
        pytest.skip("the records are of images that are not at hand")
    folder, artifacts = REPRODUCED[group], GROUPS[group]
    second = {"advice": "advice-rates", "edge-scores": "edge-reliability"}  # tables of their own
    written = {
        name: [
            folder / f"{stem}.{ending}"
            for stem in (name, second.get(name))
            for ending in ("md", "tex", "csv", "png", "svg")
            if (folder / f"{stem}.{ending}").exists()
        ]
        for name in artifacts
    }
    assert all(written.values())
    index = write_index(list(artifacts.values()), written, ROOT / "results", tmp_path, quick=False)
    assert index.read_bytes() == (folder / INDEX).read_bytes()


def test_inputs_and_columns_fare_as_their_tables_say() -> None:
    text = inputs_table.PAGE.read_text("utf-8")
    assert inputs_table.filled(text) == text


def test_every_method_has_a_page_that_says_what_its_code_says() -> None:
    assert stale() == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
