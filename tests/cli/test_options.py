"""The choices that the command line offers are those that the library has."""

from homogcl.cli.options import Map, Task
from homogcl.pages.layout import WAYS
from homogcl.runs.tasks import TASKS


def test_every_task_of_the_library_can_be_asked_for() -> None:
    assert [task.value for task in Task] == list(TASKS)


def test_every_layout_of_the_library_can_be_asked_for() -> None:
    assert {way.value for way in Map} == set(WAYS)
