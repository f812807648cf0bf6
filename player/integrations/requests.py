"""Requests over the control socket: lines of JSON from any program, read as typed values or refused with a sentence."""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.inspect import BoolType, EnumType, FloatType, IntType, ListType, StrType, UnionType, type_info
from msgspec.structs import FieldInfo, fields

from player.errors import ControlError, EarmarkError
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.text.sentences import _

_MOST_ID = (1 << 63) - 1
AnEpisode = Annotated[EpisodeId, Meta(ge=1, le=_MOST_ID)]
APodcast = Annotated[PodcastId, Meta(ge=1, le=_MOST_ID)]
Episodes = Annotated[list[AnEpisode], Meta(min_length=1)]
Rows = Annotated[int, Meta(ge=-(10**9), le=10**9)]
Milliseconds = Annotated[int, Meta(ge=0, le=10**12)]
Name = Annotated[str, Meta(max_length=500)]

_LONGEST_ID = 100
_EXAMPLE = '{"command": "status"}'

Arguments = Mapping[str, Any]
Tag = dict[str, Any]
"""The `id` of a request, if it has one; the answer has the same `id`."""


class Request(Struct):
    """A command in one of its forms, with its arguments as fields.

    A command with several forms has a class for each form; their first field, a Literal, tells them apart. The first
    form may lack that field: it applies if the field isn't given, or, if the form has no arguments at all, if no
    arguments are given.
    """


R = TypeVar("R", bound=Request)
T = TypeVar("T")


def read(line: bytes) -> tuple[str, Arguments, Tag]:
    """The command, its arguments, and the tag for its answer. Raises ControlError."""
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ControlError(
            _("That isn't JSON"), _("Send one object per line, like {example}.", example=_EXAMPLE)
        ) from error
    if not isinstance(asked, dict) or not isinstance(asked.get("command"), str):
        raise ControlError(
            _("The command is missing"), _("Send one object per line, like {example}.", example=_EXAMPLE)
        )
    name = asked.pop("command")
    if "id" not in asked:
        return name, asked, {}
    tag = asked.pop("id")
    if isinstance(tag, bool) or not isinstance(tag, int | str) or len(str(tag)) > _LONGEST_ID:
        raise ControlError(_("{argument} must be a whole number or a short text", argument="id"))
    return name, asked, {"id": tag}


def typed(forms: Sequence[type[R]], arguments: Arguments) -> R:
    """The request, in the form of the command that the arguments belong to. Raises ControlError."""
    form = _form(forms, arguments)
    known = {one.encode_name: one for one in fields(form)}
    for name in arguments:
        if name not in known:
            raise ControlError(_("Unknown argument {argument}", argument=json.dumps(name[:40])))
    given = [(name, one) for name, one in known.items() if one.required or name in arguments]
    return form(**{one.name: _value(name, arguments.get(name), one.type) for name, one in given})


def _form(forms: Sequence[type[R]], arguments: Arguments) -> type[R]:
    first, last = forms[0], forms[-1]
    if first is last:
        return first
    telling = fields(last)[0]
    by_value = {
        value: form for form in forms for one in fields(form)[:1] for value in get_args(one.type) if _tells(one)
    }
    if first not in by_value.values() and not (arguments and (telling.name in arguments or not fields(first))):
        return first
    if not _tells(telling):
        return last
    value = arguments.get(telling.name)
    if not isinstance(value, str) or value not in by_value:
        raise _not_one_of(telling.name, by_value)
    return by_value[value]


def _tells(one: FieldInfo) -> bool:
    return get_origin(one.type) is Literal


def _value(name: str, value: Any, kind: Any) -> Any:
    try:
        return convert(value, kind)
    except ValidationError as error:
        raise _mistaken(name, kind) from error


def _mistaken(name: str, kind: Any) -> ControlError:
    """The error for a wrong argument: it says what an argument of that type must be."""
    info = type_info(kind)
    match info.types[0] if isinstance(info, UnionType) else info:
        case IntType(ge=least, le=most):
            words = _(
                "{argument} must be a whole number between {least} and {most}", argument=name, least=least, most=most
            )
        case FloatType(ge=least, le=most):
            words = _(
                "{argument} must be a number between {least:g} and {most:g}", argument=name, least=least, most=most
            )
        case BoolType():
            words = _("{argument} must be true or false", argument=name)
        case ListType(item_type=IntType()):
            words = _("{argument} must be a list of IDs", argument=name)
        case ListType():
            words = _("{argument} must be a list of kinds of events", argument=name)
        case StrType(min_length=None):
            words = _("{argument} must be a name", argument=name)
        case StrType(max_length=most):
            words = _("{argument} must be a text of at most {n} characters", argument=name, n=most)
        case EnumType(cls=choices):
            return _not_one_of(name, choices)
        case _:
            return _not_one_of(name, get_args(kind))
    return ControlError(words)


def _not_one_of(name: str, choices: Any) -> ControlError:
    return ControlError(_("{argument} must be one of {choices}", argument=name, choices=", ".join(choices)))


_PATIENCE_S = 4.0
"""Seconds, fewer than a client waits. A change that hasn't been written by then is written a moment later."""


def result_of(future: Future[T]) -> T:
    """The result of a change. Raises ControlError if it failed, or isn't done yet."""
    try:
        return future.result(_PATIENCE_S)
    except TimeoutError:
        raise ControlError(_("Earmark is still writing that"), _("It is done in a moment.")) from None
    except EarmarkError as error:
        raise ControlError(str(error)) from error
