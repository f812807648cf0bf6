"""The arguments and options of a command, as its parser has them."""

from argparse import SUPPRESS, Action, ArgumentParser
from typing import Any

from tui.cli.completing.kinds import kind_of

_SEVERAL = {None: (1, 1), "?": (0, 1), "*": (0, None), "+": (1, None)}


def arguments_of(parser: ArgumentParser) -> list[dict[str, Any]]:
    """Those that stand without an option, in their order."""
    return [_argument(parser, one) for one in parser._actions if not one.option_strings]


def options_of(parser: ArgumentParser) -> list[dict[str, Any]]:
    groups = [[action.dest for action in group._group_actions] for group in parser._mutually_exclusive_groups]
    return [_option(parser, one, groups) for one in parser._actions if one.option_strings and one.help is not SUPPRESS]


def _argument(parser: ArgumentParser, action: Action) -> dict[str, Any]:
    least, most = _SEVERAL[action.nargs]  # type: ignore[index]
    return {
        "name": _metavar(action),
        "help": _help(parser, action),
        "at_least": least,
        "at_most": most,
        "choices": _choices(action),
        "default": _default(action),
        "kind": kind_of(action),
    }


def _option(parser: ArgumentParser, action: Action, groups: list[list[str]]) -> dict[str, Any]:
    """`value` is null for one that takes none; `excludes`: what it doesn't go together with."""
    takes = action.nargs != 0
    excluded = {other for group in groups if action.dest in group for other in group if other != action.dest}
    by_dest = {one.dest: one.option_strings[-1] for one in parser._actions if one.option_strings}
    return {
        "flags": list(action.option_strings),
        "help": _help(parser, action),
        "value": _metavar(action) if takes else None,
        "several": action.nargs in ("+", "*"),
        "repeatable": type(action).__name__ == "_AppendAction",
        "required": action.required,
        "choices": _choices(action),
        "default": _default(action) if takes else None,
        "excludes": sorted(by_dest[one] for one in excluded),
        "kind": kind_of(action) if takes else None,
    }


def _metavar(action: Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    return action.dest.upper()


def _help(parser: ArgumentParser, action: Action) -> str:
    return parser._get_formatter()._expand_help(action) if action.help else ""


def _choices(action: Action) -> list[str] | None:
    return None if action.choices is None else [str(one) for one in action.choices]


def _default(action: Action) -> Any:
    """As JSON; null where a command goes by its absence."""
    default = action.default
    return default if isinstance(default, str | int | float | bool) and default is not SUPPRESS else None
