"""Requests over the control socket: lines of JSON from any program, read as typed values or refused with a sentence;
and those to the app's screen: any action by its id, and `earmark:` addresses.
"""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeVar, get_args, get_origin

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.inspect import (
    BoolType,
    EnumType,
    FloatType,
    IntType,
    ListType,
    LiteralType,
    Metadata,
    StrType,
    Type,
    UnionType,
    type_info,
)
from msgspec.structs import FieldInfo, fields

from player.errors import ControlError, EarmarkError
from player.library import Library
from player.links.addresses import EarmarkAddress, Verb, parse
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.model.podcast import Podcast, PodcastId
from player.model.segments import SegmentId
from player.playback.outcomes import Outcome, Refused, Why
from player.processes.threads import on_own_thread
from player.settings import Playback
from player.text.durations import parse_time
from player.text.sentences import _

if TYPE_CHECKING:
    from player.playback.service import PlaybackService


_MOST_ID = (1 << 63) - 1
AnEpisode = Annotated[EpisodeId, Meta(ge=1, le=_MOST_ID)]
APodcast = Annotated[PodcastId, Meta(ge=1, le=_MOST_ID)]
ASegment = Annotated[SegmentId, Meta(ge=1, le=_MOST_ID)]
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
    match _plain(type_info(kind)):
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
        case ListType(item_type=IntType() | Metadata(type=IntType())):
            words = _("{argument} must be a list of IDs", argument=name)
        case ListType():
            words = _("{argument} must be a list of kinds of events", argument=name)
        case StrType(min_length=None):
            words = _("{argument} must be a name", argument=name)
        case StrType(max_length=most):
            words = _("{argument} must be a text of at most {n} characters", argument=name, n=most)
        case EnumType(cls=choices) | LiteralType(values=choices):
            return _not_one_of(name, choices)
        case unknown:
            raise TypeError(f"no sentence for {unknown}")
    return ControlError(words)


def _plain(info: Type) -> Type:
    """Without its description, and without null."""
    match info:
        case Metadata(type=plain) | UnionType(types=(plain, *_)):
            return _plain(plain)
        case _:
            return info


def _not_one_of(name: str, choices: Any) -> ControlError:
    return ControlError(_("{argument} must be one of {choices}", argument=name, choices=", ".join(choices)))


_PATIENCE_S = 4.0
"""Seconds, fewer than a client waits. A change that hasn't been written by then is written a moment later."""


def result_of(future: Future[T]) -> T:
    """The result of a change. Raises ControlError if it failed, or isn't done yet."""
    try:
        return future.result(_PATIENCE_S)
    except TimeoutError:
        raise ControlError(_("Earmark is still writing that"), _("Try again in a moment.")) from None
    except EarmarkError as error:
        raise ControlError(str(error)) from error


MOST_TIMES = 50
"""The most times that one command may repeat an action."""
_PACE_S = 0.02
"""Seconds between two requests, so that key presses come in between."""
_SCREEN_PATIENCE_S = 3.0
"""Seconds that the screen may take: fewer than a client waits."""
_SPEED_STEP, _VOLUME_STEP, _NORMAL_SPEED = 0.1, 5, 1.0


class Screen(Protocol):
    """Any thread may call the methods; each returns at once. The futures raise EarmarkError, with a sentence, if the
    request can't be carried out."""

    def run(self, action_id: str, times: int, /) -> Future[None]:
        """Does the same as pressing its key that many times on the screen in front."""
        ...

    def show_episode(self, episode_id: EpisodeId, /) -> Future[None]: ...
    def show_podcast(self, podcast_id: PodcastId, /) -> Future[None]: ...
    def offer(self, feed: str, /) -> Future[None]:
        """Opens the search with that URL in its field. Nothing is fetched, and nothing subscribed to, until the
        listener says so."""
        ...


def _jump(setting: str, sign: int) -> Callable[["PlaybackService", Playback], Future[Outcome]]:
    return lambda session, times: session.seek_by(sign * parse_time(getattr(times, setting)))


WITHOUT_SCREEN: Mapping[str, Callable[["PlaybackService", Playback], Future[Outcome]]] = {
    "pause": lambda session, _times: session.toggle(),
    "seek_back": _jump("seek_back", -1),
    "seek_forward": _jump("seek_forward", 1),
    "seek_back_far": _jump("seek_back_far", -1),
    "seek_forward_far": _jump("seek_forward_far", 1),
    "undo_jump": lambda session, _times: session.undo_jump(),
    "previous_chapter": lambda session, _times: session.previous_chapter(),
    "next_chapter": lambda session, _times: session.next_chapter(),
    "restart": lambda session, _times: session.restart(),
    "slower": lambda session, _times: session.change_speed(-_SPEED_STEP),
    "faster": lambda session, _times: session.change_speed(_SPEED_STEP),
    "normal_speed": lambda session, _times: session.set_speed(_NORMAL_SPEED),
    "quieter": lambda session, _times: session.change_volume(-_VOLUME_STEP),
    "louder": lambda session, _times: session.change_volume(_VOLUME_STEP),
    "mute": lambda session, _times: session.mute(),
    "skip": lambda session, _times: session.skip(),
    "previous": lambda session, _times: session.previous(),
    "sleep_longer": lambda session, _times: session.sleep_longer(),
    "sleep_off": lambda session, _times: session.sleep_off(),
    "stop_after": lambda session, _times: session.stop_after(),
}
"""The actions of the app that a player without a screen can do."""

PLAYING, SHOWN, OFFERED = "playing", "shown", "offered"
"""The outcome of opening an address."""


class Asked:
    """Carries out requests. Any thread may call; unless they say otherwise, calls return when the request is done, and
    raise ControlError."""

    def __init__(
        self,
        library: Library,
        session: "PlaybackService",
        times: Callable[[], Playback],
        tell: Callable[[str], object] = lambda _sentence: None,
    ) -> None:
        """`times` returns the settings with the lengths of jumps; `tell` gets a sentence for the listener."""
        self.screen: Screen | None = None
        """The app's screen, while there is one."""
        self._library = library
        self._session = session
        self._times = times
        self._tell = tell
        self._one_at_a_time = threading.Lock()

    def run(self, action_id: str, count: int) -> None:
        """Carries out an action of the app, `count` times."""
        with self._one_at_a_time:
            if self.screen is not None:
                _shown(self.screen.run(action_id, count))
            else:
                self._run_without(action_id, count)
            time.sleep(_PACE_S)

    def open(self, text: str) -> str:
        """Opens an `earmark:` address; returns PLAYING, SHOWN or OFFERED."""
        try:
            address = parse(text)
            podcast = self._library.podcasts.by_url(address.feed)
            episode_id = self._episode(podcast, address)
        except EarmarkError as error:
            raise ControlError(error.what, error.advice) from error
        with self._one_at_a_time:
            opened = self._open(address, podcast, episode_id)
            time.sleep(_PACE_S)
        return opened

    def open_soon(self, text: str) -> None:
        """Returns at once; if nothing is opened, the listener is told why. Raises BadAddress."""
        parse(text)
        self._soon(lambda: self.open(text))

    def offer_soon(self, url: str) -> bool:
        """Asks the listener about that feed. False if there is no screen to do so."""
        if (screen := self.screen) is None:
            return False
        self._soon(lambda: _shown(screen.offer(url)))
        return True

    # -- inside -------------------------------------------------------------------------------------------------

    def _soon(self, work: Callable[[], object]) -> None:
        def do() -> None:
            try:
                work()
            except EarmarkError as error:
                self._tell(str(error))

        on_own_thread(do, "earmark-opening")

    def _episode(self, podcast: Podcast | None, address: EarmarkAddress) -> EpisodeId | None:
        """The episode at an address; None if the address is of a podcast, or of a podcast that isn't in the library.
        Raises LibraryError, or ControlError if the podcast is in the library but doesn't have the episode."""
        if podcast is None:
            return None
        if address.guid:
            found = self._library.episodes.at_guid(podcast.id, address.guid)
            if found is None:
                what = _("“{title}” has no such episode, or not yet", title=podcast.title)
                raise ControlError(what, _("Refresh it, then try again."))
            return found
        newest = self._library.episodes.ids(View.of(ViewName.PODCAST, podcast.id), 1)
        return EpisodeId(newest[0]) if newest and address.verb is Verb.PLAY else None

    def _open(self, address: EarmarkAddress, podcast: Podcast | None, episode_id: EpisodeId | None) -> str:
        if podcast is not None and episode_id is not None and address.verb is Verb.PLAY:
            _carried_out(self._session.play(episode_id, address.at_ms))
            return PLAYING
        if self.screen is None:
            what = _("Earmark plays without a screen, and can't show that")
            raise ControlError(what, _("Open it with: earmark"))
        if podcast is None:
            _shown(self.screen.offer(address.feed))
            return OFFERED
        if episode_id is not None:
            _shown(self.screen.show_episode(episode_id))
        else:
            _shown(self.screen.show_podcast(podcast.id))
        return SHOWN

    def _run_without(self, action_id: str, count: int) -> None:
        action = WITHOUT_SCREEN.get(action_id)
        if action is None:
            what = _("“{action}” needs the app, and Earmark plays without a screen", action=action_id)
            raise ControlError(what, _("Open it with: earmark"))
        for _time in range(count):
            _carried_out(action(self._session, self._times()))


def _shown(asked: Future[None]) -> None:
    """Raises ControlError if the screen refuses, or hasn't carried out the request in time; then the request is
    cancelled."""
    try:
        asked.result(_SCREEN_PATIENCE_S)
    except TimeoutError:
        asked.cancel()
        raise ControlError(_("Earmark's screen is busy"), _("Try again in a moment.")) from None
    except EarmarkError as error:
        raise ControlError(error.what, error.advice) from error


def _carried_out(command: Future[Outcome]) -> None:
    """Raises ControlError if it was refused, but not if there was nothing to do."""
    outcome = result_of(command)
    if isinstance(outcome, Refused) and outcome.why is not Why.ALREADY:
        raise ControlError(outcome.sentence)
