"""The commands that a running Earmark accepts, each with its arguments and its effect, and the answers."""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

from msgspec import Meta, field

from player.errors import ControlError, EarmarkError, LibraryError
from player.integrations.json_api import Ranks, snapshot_json, status_json, sync_json
from player.integrations.requests import (
    MOST_TIMES,
    AnEpisode,
    APodcast,
    ASegment,
    Asked,
    Episodes,
    Milliseconds,
    Name,
    Request,
    Rows,
    Tag,
    read,
    result_of,
    typed,
)
from player.library.listening.acts import reverted_words
from player.library.listening.queue import QueueOrder
from player.links.addresses import LONGEST
from player.model.episode import EpisodeId
from player.model.listening import Reverted
from player.model.playback import MOST_EPISODES, MOST_MINUTES, PlaybackStatus, Running, SleepChoice, SleepUntil
from player.model.segments import SegmentKind
from player.playback.outcomes import Done, Outcome, Refused, Why
from player.playback.outputs import OutputChoice, SoundOutput
from player.text.durations import clock
from player.text.sentences import _

if TYPE_CHECKING:
    from pathlib import Path

    from player.acts import Acts
    from player.downloads.downloader import Downloader
    from player.offline import OfflineMode
    from player.playback.service import PlaybackService
    from player.sync.automatic import AutomaticSync

log = logging.getLogger(__name__)

Answer = dict[str, Any]
"""The fields of an answer. A command returns the fields besides the status."""
Tell = Callable[[str], object]
"""Tells the listener at the running Earmark, in a sentence, what another program has done."""

_PATIENCE_S = 0.5
"""Seconds until a command that hasn't been carried out is answered with the present status."""


# -- playback -------------------------------------------------------------------------------------------------


class OfPlayback(Request):
    """A command to the session."""

    def start(self, session: "PlaybackService") -> Future[Outcome] | None:
        """Returns at once; None if there was nothing to do. Raises ControlError."""
        raise NotImplementedError


class AskStatus(OfPlayback):
    def start(self, _session: "PlaybackService") -> None:
        return None


class Play(OfPlayback):
    episode: AnEpisode
    at_ms: Milliseconds | None = None

    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.play(self.episode, self.at_ms)


class Toggle(OfPlayback):
    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.toggle()


class Pause(OfPlayback):
    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.pause()


class Resume(OfPlayback):
    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.resume()


class Stop(OfPlayback):
    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.stop()


class SkipToNext(OfPlayback):
    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.skip()


class GoToPrevious(OfPlayback):
    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.previous()


class UndoJump(OfPlayback):
    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.undo_jump()


class GoToNextChapter(OfPlayback):
    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.next_chapter()


class GoToPreviousChapter(OfPlayback):
    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.previous_chapter()


class Seek(OfPlayback):
    by_ms: Annotated[int, Meta(ge=-(10**12), le=10**12)] | None = None
    to_ms: Milliseconds | None = None

    def start(self, session: "PlaybackService") -> Future[Outcome]:
        if self.by_ms is not None and self.to_ms is None:
            return session.seek_by(self.by_ms)
        if self.by_ms is not None or self.to_ms is None:
            raise ControlError(_("Seeking needs either by_ms or to_ms"))
        status = session.status
        if status.duration_ms and not status.approximate and self.to_ms >= status.duration_ms:
            length = clock(status.duration_ms)
            raise ControlError(_("This episode is only {length} long", length=length), _("Choose an earlier time."))
        return session.seek_to(self.to_ms)


class SetSpeed(OfPlayback):
    speed: Annotated[float, Meta(ge=0.5, le=3)]

    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.set_speed(self.speed)


class SetVolume(OfPlayback):
    volume: Annotated[int, Meta(ge=0, le=150)]

    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.set_volume(self.volume)


class SleepMinutes(OfPlayback):
    until: Literal["minutes"]
    minutes: Annotated[int, Meta(ge=1, le=MOST_MINUTES)]

    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.sleep(SleepChoice(SleepUntil.MINUTES, self.minutes))


class SleepChapter(OfPlayback):
    until: Literal["chapter"]

    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.sleep(SleepChoice(SleepUntil.CHAPTER))


class SleepEpisodes(OfPlayback):
    until: Literal["episode"]
    episodes: Annotated[int, Meta(ge=1, le=MOST_EPISODES)] = 1

    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.sleep(SleepChoice(SleepUntil.EPISODE, self.episodes))


class ChangeSleep(OfPlayback):
    until: Literal["longer", "off"]

    def start(self, session: "PlaybackService") -> Future[Outcome]:
        return session.sleep_longer() if self.until == "longer" else session.sleep_off()


PLAYBACK: Mapping[str, Sequence[type[OfPlayback]]] = {
    "status": (AskStatus,),
    "play": (Play,),
    "toggle": (Toggle,),
    "pause": (Pause,),
    "resume": (Resume,),
    "stop": (Stop,),
    "next": (SkipToNext,),
    "previous": (GoToPrevious,),
    "seek": (Seek,),
    "undo_jump": (UndoJump,),
    "next_chapter": (GoToNextChapter,),
    "previous_chapter": (GoToPreviousChapter,),
    "speed": (SetSpeed,),
    "volume": (SetVolume,),
    "sleep": (AskStatus, SleepMinutes, SleepChapter, SleepEpisodes, ChangeSleep),
}


# -- the library ----------------------------------------------------------------------------------------------

Changed = Future[list[EpisodeId]]


class OfLibrary(Request):
    """A command that changes the library."""

    def carry_out(self, acts: "Acts", tell: Tell) -> Answer:
        """Raises ControlError."""
        raise NotImplementedError


class Undo(OfLibrary):
    def carry_out(self, acts: "Acts", tell: Tell) -> Answer:
        return _reverted(acts.undo(), tell)


class Redo(OfLibrary):
    def carry_out(self, acts: "Acts", tell: Tell) -> Answer:
        return _reverted(acts.redo(), tell)


def _reverted(reverting: Future[Reverted | None], tell: Tell) -> Answer:
    reverted = result_of(reverting)
    if reverted is None:
        return {"act": None}
    tell(reverted_words(reverted))
    return {"act": {"kind": reverted.act.kind.value, "title": reverted.act.title, "count": reverted.act.count}}


class Remove(OfLibrary):
    podcast: APodcast

    def carry_out(self, acts: "Acts", tell: Tell) -> Answer:
        title = result_of(acts.unsubscribe(self.podcast))
        if title is not None:
            tell(_("Unsubscribed from “{title}”", title=title))
        return {"removed": title}


class ChangesEpisodes(OfLibrary):
    def carry_out(self, acts: "Acts", _tell: Tell) -> Answer:
        return {"changed": result_of(self.act(acts))}

    def act(self, acts: "Acts") -> Changed:
        raise NotImplementedError


class Queue(ChangesEpisodes):
    change: Literal["add", "next", "remove"]
    episodes: Episodes

    def act(self, acts: "Acts") -> Changed:
        done = {"add": acts.queue_last, "next": acts.queue_next, "remove": acts.unqueue}
        return done[self.change](self.episodes)


class MoveInQueue(ChangesEpisodes):
    change: Literal["move"]
    episodes: Episodes
    by: Rows

    def act(self, acts: "Acts") -> Changed:
        return acts.move_in_queue(self.episodes, self.by)


class SortQueue(ChangesEpisodes):
    change: Literal["sort"]
    order: QueueOrder

    def act(self, acts: "Acts") -> Changed:
        return acts.sort_queue(self.order)


class WholeQueue(ChangesEpisodes):
    change: Literal["shuffle", "mix", "clear"]

    def act(self, acts: "Acts") -> Changed:
        return {"shuffle": acts.shuffle_queue, "mix": acts.mix_queue, "clear": acts.clear_queue}[self.change]()


Mark = Literal["starred", "unstarred", "played", "unplayed", "dismissed"]
MARKS: Mapping[Mark, Callable[["Acts", Sequence[EpisodeId]], Changed]] = {
    "starred": lambda acts, ids: acts.set_starred(ids, True),
    "unstarred": lambda acts, ids: acts.set_starred(ids, False),
    "played": lambda acts, ids: acts.set_played(ids, True),
    "unplayed": lambda acts, ids: acts.set_played(ids, False),
    "dismissed": lambda acts, ids: acts.dismiss(ids),
}


class MarkEpisodes(ChangesEpisodes):
    mark: Mark
    episodes: Episodes

    def act(self, acts: "Acts") -> Changed:
        return MARKS[self.mark](acts, self.episodes)


class MarkSegment(OfLibrary):
    change: Literal["mark"]
    episode: AnEpisode
    start_ms: Milliseconds
    end_ms: Milliseconds
    kind: SegmentKind

    def carry_out(self, acts: "Acts", _tell: Tell) -> Answer:
        return {"changed": result_of(acts.mark_segment(self.episode, self.start_ms, self.end_ms, self.kind))}


class ChangeSegment(OfLibrary):
    change: Literal["kind"]
    segment: ASegment
    kind: SegmentKind

    def carry_out(self, acts: "Acts", _tell: Tell) -> Answer:
        return {"changed": result_of(acts.change_segment(self.segment, self.kind))}


class DeleteSegments(OfLibrary):
    change: Literal["delete"]
    segments: Annotated[list[ASegment], Meta(min_length=1)]

    def carry_out(self, acts: "Acts", _tell: Tell) -> Answer:
        return {"changed": result_of(acts.delete_segments(self.segments))}


LIBRARY: Mapping[str, Sequence[type[OfLibrary]]] = {
    "undo": (Undo,),
    "redo": (Redo,),
    "remove": (Remove,),
    "queue": (Queue, MoveInQueue, SortQueue, WholeQueue),
    "mark": (MarkEpisodes,),
    "segment": (MarkSegment, ChangeSegment, DeleteSegments),
}


# -- downloads ------------------------------------------------------------------------------------------------


class OfDownloads(Request):
    """A command to the queue of downloads."""

    def carry_out(self, downloads: "Downloader") -> Answer:
        """Raises ControlError."""
        raise NotImplementedError


class DownloadEpisodes(OfDownloads):
    episodes: Episodes
    first: bool = False

    def carry_out(self, downloads: "Downloader") -> Answer:
        return {"added": result_of(downloads.download(self.episodes, first=self.first))}


class TranscribeEpisodes(OfDownloads):
    episodes: Episodes
    first: bool = False

    def carry_out(self, downloads: "Downloader") -> Answer:
        return {"added": result_of(downloads.transcribe(self.episodes, first=self.first))}


class ListDownloads(OfDownloads):
    episodes: Episodes | None = None

    def carry_out(self, downloads: "Downloader") -> Answer:
        return {"downloads": snapshot_json(downloads.snapshot(), self.episodes and frozenset(self.episodes))}


class ChangeDownloads(OfDownloads):
    change: Literal["pause", "resume", "retry"]
    episodes: Episodes | None = None

    def carry_out(self, downloads: "Downloader") -> Answer:
        done = {"pause": downloads.pause, "resume": downloads.resume, "retry": downloads.retry}
        result_of(done[self.change](self.episodes))
        return ListDownloads().carry_out(downloads)


class CancelDownloads(OfDownloads):
    change: Literal["cancel"]
    episodes: Episodes

    def carry_out(self, downloads: "Downloader") -> Answer:
        result_of(downloads.cancel(self.episodes))
        return ListDownloads().carry_out(downloads)


class MoveDownloads(OfDownloads):
    change: Literal["move"]
    episodes: Episodes
    by: Rows

    def carry_out(self, downloads: "Downloader") -> Answer:
        result_of(downloads.move(self.episodes, self.by))
        return ListDownloads().carry_out(downloads)


DOWNLOADS: Mapping[str, Sequence[type[OfDownloads]]] = {
    "download": (DownloadEpisodes,),
    "transcribe": (TranscribeEpisodes,),
    "downloads": (ListDownloads, ChangeDownloads, CancelDownloads, MoveDownloads),
}


# -- the network, the sound, the process and the screen -------------------------------------------------------


class Machine(Protocol):
    """The parts of the services that commands need. The function that `choose_output` returns stores the choice for the
    next start."""

    @property
    def offline(self) -> "OfflineMode": ...
    @property
    def output(self) -> OutputChoice: ...
    @property
    def running(self) -> Running: ...
    @property
    def asked(self) -> Asked: ...
    @property
    def sync(self) -> "AutomaticSync": ...
    def ask_to_quit(self) -> None: ...
    def choose_output(self, output: SoundOutput, title: str, /) -> Callable[[], None]: ...
    def keep_recent(self) -> tuple["Path", str]: ...


class OfMachine(Request):
    """A command that concerns neither the session nor the library nor the queue of downloads."""

    def carry_out(self, machine: Machine) -> Answer:
        """Raises EarmarkError."""
        raise NotImplementedError


class AskOffline(OfMachine):
    def carry_out(self, machine: Machine) -> Answer:
        now = machine.offline
        return {"offline": {"on": now.on, "by_hand": now.by_hand, "only_here": now.only_here}}


class ChooseOffline(OfMachine):
    on: bool
    only_here: bool = False

    def carry_out(self, machine: Machine) -> Answer:
        machine.offline.choose(self.on, only_here=self.on and self.only_here)
        return AskOffline().carry_out(machine)


class AskOutput(OfMachine):
    def carry_out(self, machine: Machine) -> Answer:
        now = machine.output.now
        return {"output": {"output": now.output, "device": now.device, "title": machine.output.title}}


class ChooseOutput(OfMachine):
    output: Name = ""
    device: Name = ""
    title: Name = ""

    def carry_out(self, machine: Machine) -> Answer:
        machine.choose_output(SoundOutput(self.output, self.device), self.title)()
        return AskOutput().carry_out(machine)


class QuitEarmark(OfMachine):
    def carry_out(self, machine: Machine) -> Answer:
        machine.ask_to_quit()
        return {}


class Run(OfMachine):
    action: Annotated[str, Meta(min_length=1, max_length=60)]
    count: Annotated[int, Meta(ge=1, le=MOST_TIMES)] = 1

    def carry_out(self, machine: Machine) -> Answer:
        machine.asked.run(self.action, self.count)
        return {"ran": self.action}


class Open(OfMachine):
    address: Annotated[str, Meta(min_length=1, max_length=LONGEST)]

    def carry_out(self, machine: Machine) -> Answer:
        return {"opened": machine.asked.open(self.address)}


class KeepRecent(OfMachine):
    def carry_out(self, machine: Machine) -> Answer:
        path, form = machine.keep_recent()
        return {"recent": {"file": str(path), "format": form}}


class Sync(OfMachine):
    now: bool = False

    def carry_out(self, machine: Machine) -> Answer:
        before = sync_json(machine.sync.status)
        if self.now and (problem := machine.sync.now()):
            raise ControlError(problem)
        return {"sync": before}


MACHINE: Mapping[str, Sequence[type[OfMachine]]] = {
    "offline": (AskOffline, ChooseOffline),
    "output": (AskOutput, ChooseOutput),
    "quit": (QuitEarmark,),
    "run": (Run,),
    "open": (Open,),
    "recent": (KeepRecent,),
    "sync": (Sync,),
}


# -- the connection itself, by the control socket -------------------------------------------------------------


class Follow(Request):
    """Turns a connection into a stream; without `events` all kinds come."""

    events: Annotated[list[str], Meta(min_length=1)] | None = None


class HandOver(Request):
    """Another Earmark asks for the sound."""

    step: Name = ""
    role: Name = field(name="as", default="")
    form: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    word: Name = ""


FOLLOW, HAND_OVER = "follow", "hand_over"

REQUESTS: Mapping[str, Sequence[type[Request]]] = {**PLAYBACK, **LIBRARY, **DOWNLOADS, **MACHINE, FOLLOW: (Follow,)}
"""All commands that a running Earmark accepts, with the forms of each."""


# -- answering ------------------------------------------------------------------------------------------------


def answer(
    line: bytes,
    session: "PlaybackService",
    ranks: Callable[[], Ranks] = dict,
    acts: "Acts | None" = None,
    tell: Tell = lambda _sentence: None,
    offline: Callable[[], bool] = lambda: False,
    downloads: "Downloader | None" = None,
    machine: Machine | None = None,
) -> Answer:
    """Carries out one line of input and returns the answer. Never raises ControlError, whatever the line holds.

    `ranks` reads the positions of episodes in the queue. Without `acts` the library can't be changed; `tell` is called
    with a sentence about what another program has undone or removed.
    """
    tag: Tag = {}
    try:
        name, arguments, tag = read(line)
        more, status = {}, None
        if acts is not None and name in LIBRARY:
            more = typed(LIBRARY[name], arguments).carry_out(acts, tell)
        elif downloads is not None and name in DOWNLOADS:
            more = typed(DOWNLOADS[name], arguments).carry_out(downloads)
        elif machine is not None and name in MACHINE:
            order = typed(MACHINE[name], arguments)
            # What is ended may have stopped before the answer is made.
            status = session.status if isinstance(order, QuitEarmark) else None
            more = order.carry_out(machine)
        elif name in PLAYBACK:
            status = _status_after(session, typed(PLAYBACK[name], arguments).start(session))
        else:
            known = (acts and LIBRARY, downloads and DOWNLOADS, machine and MACHINE, (FOLLOW,))
            raise _unknown(name, [*PLAYBACK, *(one for names in known for one in names or ())])
    except EarmarkError as error:
        return {**refusal(str(error), getattr(error, "reason", "")), **tag}
    running = machine.running if machine is not None else None
    shown = status_json(
        status or session.status, _ranks(ranks), offline=offline(), chapters=session.chapters, running=running
    )
    return {"ok": True, **tag, "status": shown, **more}


def refusal(sentence: str, reason: str = "") -> Answer:
    """`reason` is a word for programs, "" if there is none."""
    return {"ok": False, "error": sentence, **({"reason": reason} if reason else {})}


def _unknown(name: str, known: Sequence[str]) -> ControlError:
    return ControlError(
        _("Unknown command {command}", command=json.dumps(name[:40])),
        _("Available: {commands}.", commands=", ".join(known)),
    )


def _ranks(ranks: Callable[[], Ranks]) -> Ranks:
    """Empty if the library can't be read just now: the command was carried out, and mustn't look refused."""
    try:
        return ranks()
    except LibraryError as error:
        log.warning("the queue can't be read: %s", error)
        return {}


def _status_after(session: "PlaybackService", command: Future[Outcome] | None) -> PlaybackStatus:
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
