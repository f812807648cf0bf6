"""Of every setting it is decided when a change takes effect."""

from typing import Any

import pytest
from msgspec.structs import replace

from player.configuration.catalogue import AT_ONCE, AT_RESTART, changes, in_code, names, value_of, waiting
from player.settings import Settings


def test_every_setting_takes_effect_at_once_or_is_named_as_one_that_doesnt() -> None:
    assert {*names(), "keys"} == AT_ONCE | AT_RESTART
    assert not AT_ONCE & AT_RESTART


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
    within = replace(getattr(before, section), **{in_code(own): _other(value_of(before, name))})
    after = replace(before, **{section: within})
    assert changes(before, after) == (name,)
    assert waiting((name,)) == ((name,) if name in AT_RESTART else ())


def test_keys_are_one() -> None:
    assert changes(Settings(), Settings(keys={"star": "f"})) == ("keys",)
