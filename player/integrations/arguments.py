"""The arguments of an order, checked: they come from whatever program connects."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from player.errors import ControlError
from player.text.sentences import _

Arguments = Mapping[str, Any]


def only(arguments: Arguments, *known: str) -> None:
    for name in arguments:
        if name not in known:
            raise ControlError(_("Unknown argument {argument}", argument=json.dumps(name[:40])))


def truth(arguments: Arguments, name: str) -> bool:
    value = arguments.get(name)
    if not isinstance(value, bool):
        raise ControlError(_("{argument} must be true or false", argument=name))
    return value


def number(arguments: Arguments, name: str, least: float, most: float) -> float:
    value = arguments.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ControlError(
            _("{argument} must be a number between {least:g} and {most:g}", argument=name, least=least, most=most)
        )
    return float(value)


def whole(arguments: Arguments, name: str, least: int, most: int) -> int:
    value = arguments.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ControlError(
            _("{argument} must be a whole number between {least} and {most}", argument=name, least=least, most=most)
        )
    return value


def numbers(arguments: Arguments, name: str) -> list[int]:
    """A list of numbers, such as ids."""
    values = arguments.get(name)
    if not isinstance(values, list) or not values or not all(map(_is_id, values)):
        raise ControlError(_("{argument} must be a list of IDs", argument=name))
    return values


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 63


def one_of(arguments: Arguments, name: str, choices: Sequence[str]) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or value not in choices:
        raise ControlError(_("{argument} must be one of {choices}", argument=name, choices=", ".join(choices)))
    return value
