"""All commands, what they take and what they print, for programs: `earmark --spec`."""

import inspect
from argparse import SUPPRESS, Action, ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from player import __version__
from player.integrations.documents.events import EVENTS, First
from player.integrations.documents.playback import ANSWERS, Answer, Refusal
from player.integrations.followers import PROTOCOL
from player.integrations.orders import FOLLOW, REQUESTS
from player.text.sentences import _
from tui.cli.command import Command
from tui.cli.completing import kind_of
from tui.cli.printout import document, fields_of, row_of
from tui.cli.registry import parser
from tui.cli.status_line import FIELDS

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


VERSION = 1
"""Of this document: fields are only ever added, so it rises only if that had to be broken."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEMPLATE = "#/$defs/{name}"


def specification(known: Mapping[str, Command]) -> dict[str, Any]:
    """`known`: the commands by name."""
    types: dict[str, Any] = {}
    commands = {name: _command(name, command, types) for name, command in known.items()}
    answers = {name: ANSWERS.get(name, Answer) for name in REQUESTS if name != FOLLOW}
    control = {
        "protocol": PROTOCOL,
        "arguments": {name: _any_ref(forms, types) for name, forms in REQUESTS.items()},
        "answers": {name: _ref(one, types) for name, one in answers.items()},
        "refusal": _ref(Refusal, types),
        "follow": {
            "first": _ref(First, types),
            "events": {kind: _ref(one, types) for kind, one in EVENTS.items()},
        },
    }
    schemas, defs = msgspec.json.schema_components(types.values(), ref_template=_TEMPLATE)
    made = dict(zip(types, schemas, strict=True))
    return {
        "$schema": DIALECT,
        "spec": VERSION,
        "earmark": __version__,
        "exit_codes": _exits({}),
        "commands": _filled(commands, made),
        "control": _filled(control, made),
        "$defs": {name: _described(one) for name, one in sorted(defs.items())},
    }


def _command(name: str, command: Command, types: dict[str, Any]) -> dict[str, Any]:
    made = parser(name, command)
    return {
        "summary": command.summary,
        "former": command.former or None,
        "about": command.about,
        "usage": " ".join(made.format_usage().split()).removeprefix("usage: "),
        "examples": command.examples.strip().splitlines(),
        "arguments": arguments_of(made),
        "options": options_of(made),
        "exit_codes": _exits(command.exits),
        "json": [{"when": when, "schema": _ref(document(its), types)} for when, its in command.documents.items()],
        "format": _templates(command),
        "filter": command.lists[0].filters if command.lists else None,
    }


def _templates(command: Command) -> list[dict[str, Any]] | None:
    """What --format fills in: of the rows of a list, or of what is playing."""
    if "StatusBar" in command.documents.values():
        return [{"rows": "Status", "fields": list(FIELDS)}]
    return [{"rows": _name(one.document), "fields": fields_of(one)} for one in command.lists] or None


def _name(its: Any) -> str:
    if isinstance(its, str):
        return its
    name = row_of(its).__name__
    return name if row_of(its) is its else f"list[{name}]"


class _Ref(msgspec.Struct):
    """The place of a schema that isn't made yet."""

    key: str


def _ref(its: Any, types: dict[str, Any]) -> _Ref:
    """All are made at once, so that each definition stands there once."""
    key = str(its)
    types[key] = its
    return _Ref(key)


def _any_ref(its: Sequence[Any], types: dict[str, Any]) -> Any:
    first, *others = (_ref(one, types) for one in its)
    return {"anyOf": [first, *others]} if others else first


def _filled(value: Any, made: dict[str, Any]) -> Any:
    match value:
        case _Ref(key):
            return made[key]
        case dict():
            return {name: _filled(one, made) for name, one in value.items()}
        case list():
            return [_filled(one, made) for one in value]
        case _:
            return value


def _exits(more: Mapping[int, str]) -> dict[str, str]:
    codes = {
        0: _("it worked, or there was nothing to do"),
        1: _("an error: one sentence on standard error"),
        2: _("wrong usage: one sentence on standard error"),
        130: _("interrupted (ctrl+c)"),
        141: _("the reader of the output went away"),
        **more,
    }
    return {str(code): words for code, words in sorted(codes.items())}


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    """Descriptions in one line."""
    if "description" in schema:
        schema["description"] = " ".join(inspect.cleandoc(schema["description"]).split())
    return schema


def type_words(schema: Mapping[str, Any], named: Callable[[str], str] = str) -> str:
    """A schema of the document as words: `integer or null`, `list of Episode`. `named` writes the name of a type."""
    if name := str(schema.get("$ref", "")).rpartition("/")[2]:
        return named(name)
    if choices := schema.get("anyOf"):
        return " or ".join(type_words(one, named) for one in choices)
    if "enum" in schema:
        return ", ".join(f"`{'true' if one is True else one}`" for one in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {type_words(schema.get('items', {}), named)}"
    if schema.get("format") == "date-time":
        return "moment"
    return str(schema.get("type", "anything"))
