"""Runs the listener's programs when something happens: what each program is told about an event, and what is reported
about failures."""

import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from player.errors import EarmarkError, NotFound
from player.events import (
    Bookmarked,
    Bus,
    EpisodeFinished,
    EpisodeLeft,
    EpisodeStarted,
    Notice,
    Paused,
    PodcastRefreshed,
    Resumed,
    Seeked,
)
from player.integrations.hooks.program_runner import Outcome, ProgramRunner, problem_of, problems
from player.integrations.hooks.program_worker import DROPPED, ENDED
from player.integrations.json_api import episode_json, moment, podcast_json
from player.library import Library
from player.model.downloads import DownloadFinished
from player.model.episode import Episode, EpisodeId
from player.model.playback import Cause, Severity
from player.programs import expanded
from player.settings import Hooks
from player.text.cleaning import clean_block, clean_line
from player.text.sentences import _

SETTING_OF: dict[type, str] = {
    EpisodeStarted: "started",
    Paused: "paused",
    Resumed: "resumed",
    EpisodeFinished: "finished",
    EpisodeLeft: "left",
    Seeked: "seeked",
    PodcastRefreshed: "new_episode",
    DownloadFinished: "downloaded",
    Bookmarked: "bookmarked",
}
"""The setting whose program runs at each kind of event."""

MOST_NEW = 20
"""The most new episodes of one podcast for which programs run at one refresh: the newest."""
_LATE = timedelta(days=7)
"""The greatest age of an episode that counts as new. Older episodes are the back catalogue."""
_MOST_LINE, _MOST_ADDRESS, _MOST_TEXT = 1_000, 4_000, 2_000
"""The most characters of a title or a note, of a URL, and of a description."""


class Happening(Struct, frozen=True):
    """`facts` is the JSON object; `environment` has only text without null characters."""

    setting: str
    facts: dict[str, Any]
    environment: dict[str, str]


def happenings(event: object, at: datetime, library: Library) -> list[Happening]:
    """The happenings that programs are told about after an event at that moment; none if its episode is gone.

    Reads the library. Raises LibraryError.
    """
    setting = SETTING_OF[type(event)]

    def of(episode_id: EpisodeId | None, position_ms: int | None, cause: Cause, **more: Any) -> list[Happening]:
        try:
            episode = library.episodes.get(episode_id) if episode_id is not None else None
        except NotFound:
            return []
        return [_happening(setting, at, cause, episode, position_ms, more, library)] if episode else []

    match event:
        case EpisodeStarted() | Paused() | Resumed() | EpisodeLeft():
            return of(event.episode_id, event.position_ms, event.cause)
        case EpisodeFinished():
            return of(event.episode_id, None, event.cause)
        case Seeked():
            return of(event.episode_id, event.to_ms, event.cause, from_ms=event.from_ms)
        case DownloadFinished():
            path = library.downloads.path(event.episode_id)
            return of(event.episode_id, None, event.cause, file=str(path) if path else None)
        case Bookmarked():
            kept = event.bookmark
            about = {
                "id": kept.id, "length_ms": kept.length_ms,
                "chapter": kept.chapter, "line": kept.line, "note": kept.note,
            }  # fmt: skip
            return of(kept.episode_id, kept.position_ms, event.cause, bookmark=about)
        case PodcastRefreshed(new=new, first=False):
            rows = recently_published(new, at, library)[-MOST_NEW:]
            return [one for row in rows for one in of(row.id, None, event.cause)]
        case _:
            return []


def recently_published(ids: Sequence[EpisodeId], at: datetime, library: Library) -> list[Episode]:
    """The new episodes that aren't part of the back catalogue, oldest first. Raises LibraryError."""
    rows = [one for one in library.episodes.rows(ids) if one.published is None or one.published >= at - _LATE]
    return sorted(rows, key=lambda one: one.published or at)


def _happening(
    setting: str,
    at: datetime,
    cause: Cause,
    episode: Episode,
    position_ms: int | None,
    more: dict[str, Any],
    library: Library,
) -> Happening:
    if position_ms is None:  # the event has no position, or is the end of the episode
        position_ms = (episode.duration_ms if setting == "finished" else None) or episode.position_ms
    facts = {
        "kind": setting,
        "moment": moment(at),
        "cause": cause.value,
        "position_ms": position_ms,
        "episode": episode_json(replace(episode, position_ms=position_ms), library.queue.ranks()),
        "podcast": _podcast(episode, library),
        **more,
    }
    bookmark = more.get("bookmark", {})
    environment = {
        "EVENT": setting,
        "MOMENT": moment(at),
        "CAUSE": cause.value,
        "POSITION_MS": position_ms,
        "FROM_MS": more.get("from_ms"),
        "DURATION_MS": episode.duration_ms,
        "LENGTH_MS": bookmark.get("length_ms"),
        "EPISODE_ID": episode.id,
        "TITLE": clean_line(episode.title, _MOST_LINE),
        "URL": _address(episode.url),
        "LINK": _address(episode.link),
        "PODCAST_ID": episode.podcast_id,
        "PODCAST": clean_line(episode.podcast, _MOST_LINE),
        "FILE": more.get("file"),
        "CHAPTER": clean_line(bookmark.get("chapter", ""), _MOST_LINE),
        "LINE": clean_line(bookmark.get("line", ""), _MOST_LINE),
        "NOTE": clean_line(bookmark.get("note", ""), _MOST_LINE),
    }
    texts = {f"EARMARK_{name}": "" if value is None else str(value) for name, value in environment.items()}
    return Happening(setting, facts, {name: text.replace("\0", "") for name, text in texts.items()})


def _podcast(episode: Episode, library: Library) -> Mapping[str, Any]:
    podcast = library.podcasts.get(episode.podcast_id)
    return podcast_json(replace(podcast, description=clean_block(podcast.description, _MOST_TEXT)))


def _address(url: str) -> str:
    return url if len(url) <= _MOST_ADDRESS and url.isprintable() else ""


log = logging.getLogger(__name__)


class EventHooks:
    """Runs programs from `start` on. The work is done in a lane of the bus, and ends with it."""

    def __init__(
        self,
        hooks: Hooks,
        library: Library,
        bus: Bus,
        failures: Path,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`failures`: the file that failures are noted in."""
        self._use(hooks)
        self._library = library
        self._bus = bus
        self._now = now
        self._runner = ProgramRunner(failures, self._over)
        self._lane = bus.lane("hooks")
        self._told: set[str] = set()
        self._ends: list[Callable[[], None]] = []

    def start(self) -> None:
        self._lane.put(self._look)
        for kind, setting in SETTING_OF.items():
            if setting in self._programs:
                self._ends.append(self._bus.subscribe(kind, self._happened))

    def follow(self, hooks: Hooks) -> None:
        """Uses other programs from now on, also for events that have happened but haven't been handled yet."""
        ends, self._ends = self._ends, []
        for end in ends:
            end()
        self._use(hooks)
        self._told.clear()
        self.start()

    def _use(self, hooks: Hooks) -> None:
        self._programs = {setting: expanded(words) for setting, words in hooks.programs.items()}
        self._hooks = hooks

    def close(self) -> None:
        """Later events still run programs, but the process that runs them now ends as soon as it has nothing to do."""
        self._runner.rest()

    def _look(self) -> None:
        for setting, sentence in problems(self._hooks).items():
            self._told.add(setting)
            self._bus.publish(Notice(sentence, Severity.WARNING))

    def _happened(self, event: object) -> None:
        """Runs on the publisher's thread, so it only notes the moment."""
        self._lane.put(partial(self._tell, event, self._now()))

    def _tell(self, event: object, at: datetime) -> None:
        try:
            found = happenings(event, at, self._library)
        except EarmarkError as error:
            log.error("no hook ran at %s: %s", type(event).__name__, error)
            return
        for happening in found:
            self._run(happening)

    def _run(self, happening: Happening) -> None:
        if (program := self._programs.get(happening.setting)) is None:
            return
        home = str(Path.home())
        try:
            self._runner.run(
                happening.setting,
                program,
                json.dumps(happening.facts) + "\n",
                happening.environment,
                home if os.path.isdir(home) else "/",  # noqa: PTH112
                self._hooks.seconds,
            )
        except OSError as error:
            log.error("hooks.%s: the process that runs it can't be started: %s", happening.setting, error)

    def _over(self, outcome: Outcome) -> None:
        """Called on the runner's thread."""
        if outcome.outcome == ENDED:
            return
        why = problem_of(outcome.outcome, outcome.code, outcome.errors)
        log.warning("hooks.%s (%s) %s %s", outcome.setting, outcome.words[0], why, outcome.errors)
        if outcome.outcome != DROPPED and outcome.setting not in self._told:
            self._told.add(outcome.setting)
            sentence = _(
                "Your program for “hooks.{setting}” failed: {program} {problem}. Further failures: earmark doctor",
                setting=outcome.setting,
                program=clean_line(outcome.words[0], 100),
                problem=why,
            )
            self._bus.publish(Notice(sentence, Severity.WARNING))
