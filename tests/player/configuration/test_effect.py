"""Of every setting it is decided when a change takes effect."""

from typing import Any

import pytest
from msgspec.structs import replace

from player.configuration.catalogue import at_restart, changes, in_code, names, value_of, waiting
from player.settings import Settings, section_of

_AT_RESTART = {
    "playback.engine", "mouse.enabled",
    "appearance.ascii", "appearance.hyperlinks", "appearance.art", "appearance.bidi", "appearance.screen_reader",
    "appearance.language",
}  # fmt: skip


def test_every_setting_takes_effect_at_once_but_those_that_the_terminal_is_set_up_with() -> None:
    assert {name for name in names() if at_restart(name)} == _AT_RESTART
    assert waiting(("keys",)) == ()


def _other(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case tuple():
            return (*value, "x")
        case dict():
            return {**value, "x": "y"}
        case _:
            return f"{value}x"


@pytest.mark.parametrize("name", names())
def test_each_change_is_seen(name: str) -> None:
    section, own = name.split(".")
    before = Settings()
    within = replace(section_of(before, section), **{in_code(own): _other(value_of(before, name))})
    after = replace(before, **{section: within})
    assert changes(before, after) == (name,)
    assert waiting((name,)) == ((name,) if name in _AT_RESTART else ())


def test_keys_are_one() -> None:
    assert changes(Settings(), Settings(keys={"star": "f"})) == ("keys",)
