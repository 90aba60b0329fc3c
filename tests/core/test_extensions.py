"""What other packages register is loaded, or refused in one line."""

from importlib.metadata import EntryPoint

import pytest

from homogcl.core.extensions import BrokenExtension, load_extension, package, third_party


def test_entries_of_a_group_are_found_by_their_names() -> None:
    assert "similarity" in third_party("homogcl.tasks")
    assert third_party("homogcl.nothing") == {}


def test_a_sound_entry_gives_its_value() -> None:
    entry = EntryPoint("dumps", "json:dumps", "homogcl.tasks")
    assert load_extension(entry, "task", callable).__name__ == "dumps"
    assert package(entry) == "json"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("no_such_module:Thing", "fails to load: ModuleNotFoundError: No module named"),
        ("json:no_such_name", "fails to load: AttributeError: "),
        ("json:__name__", "is no method: json:__name__ is 'json'"),
    ],
)
def test_a_broken_entry_is_named_in_one_line(value: str, reason: str) -> None:
    entry = EntryPoint("soft", value, "homogcl.methods")
    with pytest.raises(BrokenExtension, match=f"^method 'soft' of .* {reason}") as error:
        load_extension(entry, "method", callable)
    assert "\n" not in str(error.value)
