"""Messages with fields, for which no code is generated at each start, and a cache of message handlers."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from inspect import get_annotations
from typing import Any, ClassVar, TypeAlias, dataclass_transform

from textual.message import Message
from textual.message_pump import MessagePump


@dataclass_transform(eq_default=False)
class FieldMessage(Message):
    """The annotations of a subclass are its fields, which are passed in order or by name. A message equals only itself.

    A dataclass would generate code for each class: 0.3 ms, 25 times.
    """

    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._fields = (*cls._fields, *get_annotations(cls))

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__()
        given = dict(zip(self._fields, values, strict=False))
        if len(values) != len(given) or {*given, *named} != {*self._fields} or given.keys() & named.keys():
            raise TypeError(f"{type(self).__qualname__} has the fields {self._fields}")
        self.__dict__.update(given, **named)


Handler: TypeAlias = Callable[..., Awaitable[Any]]

_look_up = MessagePump._get_dispatch_methods
_handlers: dict[tuple[type, str, type], tuple[tuple[type, Handler], ...] | None] = {}
"""The handlers by class of the receiver, method name and class of the message. None: they depend on the sender, so they
are looked up each time."""


def _dispatch_methods(
    pump: MessagePump, method_name: str, message: Message
) -> Iterable[tuple[type, Callable[[Message], Awaitable[Any]]]]:
    """Replaces Textual's lookup, which goes through all base classes of the receiver three times per message: 10 µs
    each."""
    key = (pump.__class__, method_name, message.__class__)
    try:
        handlers = _handlers[key]
    except KeyError:
        handlers = _handlers[key] = _handlers_of(*key)
    if handlers is None:
        return _look_up(pump, method_name, message)
    return _bound(handlers, pump, message) if handlers else ()


def _bound(
    handlers: tuple[tuple[type, Handler], ...], pump: MessagePump, message: Message
) -> Iterator[tuple[type, Callable[[Message], Awaitable[Any]]]]:
    for owner, handler in handlers:
        if message._no_default_action:  # a handler before this one may have prevented it
            break
        yield owner, handler.__get__(pump, owner)


def _handlers_of(receiver: type, name: str, kind: type) -> tuple[tuple[type, Handler], ...] | None:
    """The handlers in Textual's order: from the receiver's class to its bases, and in each class the ones declared with
    `on` first."""
    kinds = [one for one in kind.__mro__ if issubclass(one, Message)]
    found: list[tuple[type, Handler]] = []
    for owner in receiver.__mro__:
        declared = owner.__dict__.get("_decorated_handlers") or {}
        for handler, selectors in [one for each in kinds for one in declared.get(each, ())]:
            if selectors:
                return None
            if all(handler is not other for _, other in found):
                found.append((owner, handler))
        named = owner.__dict__.get(f"_{name}") or owner.__dict__.get(name)
        if named is not None and not getattr(named, "_textual_on", None):
            found.append((owner, named))
    return tuple(found)


MessagePump._get_dispatch_methods = _dispatch_methods  # type: ignore[assignment, method-assign]
