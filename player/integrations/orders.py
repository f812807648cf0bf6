"""The commands that a running Earmark accepts, and its answers."""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Protocol

from player.errors import ControlError, EarmarkError, LibraryError
from player.integrations.json_api import Ranks, moment, status_json
from player.integrations.library_orders import (
    ACT_ORDERS,
    DOWNLOAD_ORDERS,
    Acting,
    Arguments,
    Downloading,
    Tell,
    number,
    only,
    truth,
    whole,
)
from player.integrations.screen import SCREEN_ORDERS, Asked
from player.model.episode import Chapters, EpisodeId
from player.model.playback import MOST_EPISODES, MOST_MINUTES, PlaybackStatus, Running, SleepChoice, SleepUntil
from player.model.syncing import SyncStatus
from player.playback.outcomes import Done, Outcome, Refused, Why
from player.playback.outputs import OutputChoice, SoundOutput
from player.text.durations import clock
from player.text.sentences import _

if TYPE_CHECKING:
    from player.integrations.documents.syncing import SyncState


class Syncing(Protocol):
    """What syncs while Earmark runs. `now` answers with a sentence that says why it can't."""

    @property
    def status(self) -> SyncStatus: ...
    def now(self) -> str: ...


class SyncMachine(Protocol):
    @property
    def sync(self) -> Syncing: ...


def _sync(machine: SyncMachine, arguments: Arguments) -> dict[str, Any]:
    only(arguments, "now")
    before = sync_json(machine.sync.status)
    if arguments and truth(arguments, "now"):
        try:
            problem = machine.sync.now()
        except LibraryError as error:
            raise ControlError(str(error)) from error
        if problem:
            raise ControlError(problem)
    return {"sync": before}


def sync_json(status: SyncStatus) -> "SyncState":
    account, state, counts = status.account, status.state, status.counts
    return {
        "target": account.target.value if account else None,
        "address": account.address if account else None,
        "user": (account.user or None) if account else None,
        "device": account.device if account else None,
        "name": account.name if account else None,
        "busy": status.busy,
        "rounds": status.rounds,
        "succeeded": moment(state.succeeded_at),
        "failed": moment(state.failed_at) if state.what else None,
        "problem": f"{state.what}. {state.advice}".strip() if state.what else None,
        "waiting": counts.outgoing,
        "unmatched": counts.unmatched,
        "refused": counts.refused,
    }


SYNC_ORDERS: Mapping[str, Callable[[SyncMachine, Arguments], dict[str, Any]]] = {"sync": _sync}


Answer = dict[str, Any]

_LONGEST_NAME = 500


class Offline(Protocol):
    """Offline mode."""

    @property
    def on(self) -> bool: ...
    @property
    def by_hand(self) -> bool: ...
    @property
    def only_here(self) -> bool: ...
    def choose(self, offline: bool, *, only_here: bool = False) -> None: ...


class Machine(Protocol):
    """What is needed of the services. What `choose_output` returns writes the choice down, for the next start."""

    @property
    def offline(self) -> Offline: ...
    @property
    def output(self) -> OutputChoice: ...
    @property
    def running(self) -> Running: ...
    @property
    def asked(self) -> Asked: ...
    @property
    def sync(self) -> Syncing: ...
    def ask_to_quit(self) -> None: ...
    def choose_output(self, output: SoundOutput, /) -> Callable[[], None]: ...


def _offline(machine: Machine, arguments: Arguments) -> Answer:
    only(arguments, "on", "only_here")
    if arguments:
        on, only_here = truth(arguments, "on"), truth({"only_here": False, **arguments}, "only_here")
        machine.offline.choose(on, only_here=on and only_here)
    now = machine.offline
    return {"offline": {"on": now.on, "by_hand": now.by_hand, "only_here": now.only_here}}


def _output(machine: Machine, arguments: Arguments) -> Answer:
    only(arguments, "output", "device")
    if arguments:
        wanted = SoundOutput(_name(arguments, "output"), _name(arguments, "device"))
        try:
            machine.choose_output(wanted)()
        except EarmarkError as error:
            raise ControlError(str(error)) from error
    now = machine.output.now
    return {"output": {"output": now.output, "device": now.device}}


def _quit(machine: Machine, arguments: Arguments) -> Answer:
    only(arguments)
    machine.ask_to_quit()
    return {}


def _name(arguments: Arguments, name: str) -> str:
    value = arguments.get(name, "")
    if not isinstance(value, str) or len(value) > _LONGEST_NAME:
        raise ControlError(_("{argument} must be a name", argument=name))
    return value


MACHINE_ORDERS: Mapping[str, Callable[[Machine, Arguments], Answer]] = {
    "offline": _offline,
    "output": _output,
    "quit": _quit,
    **SCREEN_ORDERS,
    **SYNC_ORDERS,
}


log = logging.getLogger(__name__)

SLOWEST, FASTEST, LOUDEST = 0.5, 3.0, 150

FOLLOW = "follow"
"""The command that turns a connection into a stream; the control socket answers it itself."""

HAND_OVER = "hand_over"
"""The command with which another Earmark asks for the sound."""

_FARTHEST_MS = 10**12
_HIGHEST_ID = 2**63 - 1
_LONGEST_ID = 100
_EXAMPLE = '{"command": "status"}'
_UNTIL = ("minutes", "chapter", "episode", "longer", "off")
_PATIENCE_S = 0.5
"""What hasn't been carried out by then is answered with the status as it is."""


class Controlled(Protocol):
    """What a remote control needs of the session. Each command returns at once; its future has the outcome."""

    @property
    def status(self) -> PlaybackStatus: ...
    @property
    def chapters(self) -> Chapters: ...
    def play(self, episode_id: EpisodeId, at_ms: int | None = None, /) -> Future[Outcome]: ...
    def toggle(self) -> Future[Outcome]: ...
    def pause(self) -> Future[Outcome]: ...
    def resume(self) -> Future[Outcome]: ...
    def stop(self) -> Future[Outcome]: ...
    def skip(self) -> Future[Outcome]: ...
    def previous(self) -> Future[Outcome]: ...
    def seek_to(self, position_ms: int, /) -> Future[Outcome]: ...
    def seek_by(self, by_ms: int, /) -> Future[Outcome]: ...
    def undo_jump(self) -> Future[Outcome]: ...
    def next_chapter(self) -> Future[Outcome]: ...
    def previous_chapter(self) -> Future[Outcome]: ...
    def set_speed(self, speed: float, /) -> Future[Outcome]: ...
    def set_volume(self, volume: int, /) -> Future[Outcome]: ...
    def sleep(self, choice: SleepChoice, /) -> Future[Outcome]: ...
    def sleep_longer(self) -> Future[Outcome]: ...
    def sleep_off(self) -> Future[Outcome]: ...


Tag = dict[str, Any]
"""`id`, if the request had one: its answer has the same."""

Order = Callable[[Controlled, Arguments], Future[Outcome] | None]
"""None: nothing was to be done."""


def answer(
    line: bytes,
    session: Controlled,
    ranks: Callable[[], Ranks] = dict,
    acts: Acting | None = None,
    tell: Tell = lambda _sentence: None,
    offline: Callable[[], bool] = lambda: False,
    downloads: Downloading | None = None,
    machine: Machine | None = None,
) -> dict[str, Any]:
    """Carries out one line of input and returns the answer. Never raises ControlError, whatever the line holds.

    `ranks` reads where episodes stand in the queue. Without `acts` the library can't be changed; `tell` is called with
    what another program has undone or removed.
    """
    tag: Tag = {}
    try:
        name, arguments, tag = read(line)
        if acts is not None and name in ACT_ORDERS:
            more, status = ACT_ORDERS[name](acts, arguments, tell), session.status
        elif downloads is not None and name in DOWNLOAD_ORDERS:
            more, status = DOWNLOAD_ORDERS[name](downloads, arguments), session.status
        elif machine is not None and name in MACHINE_ORDERS:
            more, status = MACHINE_ORDERS[name](machine, arguments), session.status
        else:
            known = (acts and ACT_ORDERS, downloads and DOWNLOAD_ORDERS, machine and MACHINE_ORDERS, [FOLLOW])
            order = _find(name, [one for orders in known for one in orders or ()])
            more, status = {}, _status_after(session, order(session, arguments))
    except ControlError as error:
        return {**refusal(str(error), error.reason), **tag}
    running = machine.running if machine is not None else None
    shown = status_json(status, _ranks(ranks), offline=offline(), chapters=session.chapters, running=running)
    return {"ok": True, **tag, "status": shown, **more}


def _ranks(ranks: Callable[[], Ranks]) -> Ranks:
    """The command was carried out, so a library that can't be read just now must not make it look refused."""
    try:
        return ranks()
    except LibraryError as error:
        log.warning("the queue can't be read: %s", error)
        return {}


def refusal(sentence: str, reason: str = "") -> dict[str, Any]:
    """`reason` is a word for programs, "" where there is none."""
    return {"ok": False, "error": sentence, **({"reason": reason} if reason else {})}


def read(line: bytes) -> tuple[str, Arguments, Tag]:
    """The command, its arguments, and what its answer carries, too. Raises ControlError."""
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


def _find(name: str, others: Sequence[str]) -> Order:
    """`others` are the commands that can be given beside these."""
    if name not in _ORDERS:
        known = [*_ORDERS, *others]
        raise ControlError(
            _("Unknown command {command}", command=json.dumps(name[:40])),
            _("Available: {commands}.", commands=", ".join(known)),
        )
    return _ORDERS[name]


def _status_after(session: Controlled, command: Future[Outcome] | None) -> PlaybackStatus:
    """Raises ControlError when the command was refused, but not when there was nothing to do."""
    try:
        outcome = command.result(_PATIENCE_S) if command else None
    except TimeoutError:
        outcome = None
    match outcome:
        case Done(status):
            return status
        case Refused(Why.ALREADY) | None:
            return session.status
        case Refused(Why.NO_EPISODE, sentence):
            raise ControlError(sentence, _("Choose one in the app, or run: earmark play EPISODE"))
        case Refused(_why, sentence):
            raise ControlError(sentence)


# -- the orders -----------------------------------------------------------------------------------------------


def _status(_session: Controlled, arguments: Arguments) -> None:
    only(arguments)


def _play(session: Controlled, arguments: Arguments) -> Future[Outcome]:
    only(arguments, "episode", "at_ms")
    at_ms = whole(arguments, "at_ms", 0, _FARTHEST_MS) if "at_ms" in arguments else None
    return session.play(EpisodeId(whole(arguments, "episode", 1, _HIGHEST_ID)), at_ms)


def _toggle(session: Controlled, arguments: Arguments) -> Future[Outcome]:
    only(arguments)
    return session.toggle()


def _pause(session: Controlled, arguments: Arguments) -> Future[Outcome]:
    only(arguments)
    return session.pause()


def _resume(session: Controlled, arguments: Arguments) -> Future[Outcome]:
    only(arguments)
    return session.resume()


def _stop(session: Controlled, arguments: Arguments) -> Future[Outcome]:
    only(arguments)
    return session.stop()


def _next(session: Controlled, arguments: Arguments) -> Future[Outcome]:
    only(arguments)
    return session.skip()


def _previous(session: Controlled, arguments: Arguments) -> Future[Outcome]:
    only(arguments)
    return session.previous()


def _seek(session: Controlled, arguments: Arguments) -> Future[Outcome]:
    only(arguments, "by_ms", "to_ms")
    if len(arguments) != 1:
        raise ControlError(_("Seeking needs either by_ms or to_ms"))
    if "by_ms" in arguments:
        return session.seek_by(whole(arguments, "by_ms", -_FARTHEST_MS, _FARTHEST_MS))
    target, status = whole(arguments, "to_ms", 0, _FARTHEST_MS), session.status
    if status.duration_ms and not status.approximate and target >= status.duration_ms:
        raise ControlError(
            _("This episode is only {length} long", length=clock(status.duration_ms)), _("Choose an earlier time.")
        )
    return session.seek_to(target)


def _undo_jump(session: Controlled, arguments: Arguments) -> Future[Outcome]:
    only(arguments)
    return session.undo_jump()


def _next_chapter(session: Controlled, arguments: Arguments) -> Future[Outcome]:
    only(arguments)
    return session.next_chapter()


def _previous_chapter(session: Controlled, arguments: Arguments) -> Future[Outcome]:
    only(arguments)
    return session.previous_chapter()


def _speed(session: Controlled, arguments: Arguments) -> Future[Outcome]:
    only(arguments, "speed")
    return session.set_speed(number(arguments, "speed", SLOWEST, FASTEST))


def _volume(session: Controlled, arguments: Arguments) -> Future[Outcome]:
    only(arguments, "volume")
    return session.set_volume(whole(arguments, "volume", 0, LOUDEST))


def _sleep(session: Controlled, arguments: Arguments) -> Future[Outcome] | None:
    """`{"until": "minutes", "minutes": 30}`, `{"until": "chapter"}`, `{"until": "episode", "episodes": 2}`, `off`,
    `longer`; without arguments it changes nothing."""
    if not arguments:
        return None
    match arguments.get("until"):
        case "minutes":
            only(arguments, "until", "minutes")
            return session.sleep(SleepChoice(SleepUntil.MINUTES, whole(arguments, "minutes", 1, MOST_MINUTES)))
        case "episode":
            only(arguments, "until", "episodes")
            count = whole({"episodes": 1, **arguments}, "episodes", 1, MOST_EPISODES)
            return session.sleep(SleepChoice(SleepUntil.EPISODE, count))
        case "chapter" | "longer" | "off" as until:
            only(arguments, "until")
            if until == "chapter":
                return session.sleep(SleepChoice(SleepUntil.CHAPTER))
            return session.sleep_longer() if until == "longer" else session.sleep_off()
    raise ControlError(_("{argument} must be one of {choices}", argument="until", choices=", ".join(_UNTIL)))


_ORDERS: dict[str, Order] = {
    "status": _status,
    "play": _play,
    "toggle": _toggle,
    "pause": _pause,
    "resume": _resume,
    "stop": _stop,
    "next": _next,
    "previous": _previous,
    "seek": _seek,
    "undo_jump": _undo_jump,
    "next_chapter": _next_chapter,
    "previous_chapter": _previous_chapter,
    "speed": _speed,
    "volume": _volume,
    "sleep": _sleep,
}

COMMANDS = (*_ORDERS, *ACT_ORDERS, *DOWNLOAD_ORDERS, *MACHINE_ORDERS, FOLLOW)
"""All that a running Earmark may be told."""
