"""Shows the video of an episode in a program that the listener chose, and saves the position where it was left.

mpv gets the address and reports its position through its JSON IPC (https://mpv.io/manual/stable/#json-ipc), on a socket
that only the listener can open: arguments, in contrast, are visible to other users. Other programs only show the video.
"""

import itertools
import json
import logging
import math
import os
import shlex
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from msgspec import Struct

from player.errors import EarmarkError, ViewingError
from player.events import Bus, Cause, EpisodeFinished, EpisodeLeft, EpisodeStarted, Event, Notice
from player.library import Library
from player.links.addresses import is_youtube
from player.links.urls import host, split_login
from player.model.episode import Episode, EpisodeId
from player.model.playback import Severity
from player.playback.controller import utc_now
from player.playback.observers import Bookkeeper, SavedNews
from player.playback.position import ListenerPosition
from player.playback.saver import CountAsPlayed, Saver
from player.processes.threads import CancelToken, on_own_thread
from player.programs import ending, expanded, problem
from player.regular_file import private_folder
from player.settings import Queue, Video
from player.sources.youtube import program as youtube
from player.text.durations import clock, parse_time
from player.text.sentences import _
from player.video.episode_video import video_of

log = logging.getLogger(__name__)

_MPV = ("--idle=once", "--force-window=yes", "--start={start}", "--input-ipc-server={socket}")
_OBSERVED = ("duration", "speed", "pause", "time-pos")
_CONNECT_S, _AGAIN_S, _LOOK_S, _ENDING_S = 15.0, 0.05, 0.5, 2.0
_LINE = 1024 * 1024
_LONGEST_SOCKET = 100
"""The most bytes that a socket's path can have on every system."""
_HEARD_MS = 1_000
"""A shorter stretch was seeking, not watching."""
_BEFORE_MS = 5_000
"""How much before the requested start mpv may begin, at the nearest keyframe."""
_SAVE_S, _NOTE_S = 10.0, 0.2
_END_MS = 5_000
"""A video that ends this close to its length has been watched to its end."""
_OTHER_MS, _OTHER_SHARE = 120_000, 0.1
"""A video whose length differs by more than both is another recording, whose positions aren't the episode's."""
_LONGEST_MS = 7 * 24 * 3_600_000
_NUMBERS = itertools.count(1)


class Watched(Struct, frozen=True):
    """The outcome of watching a video. `position_ms` is None if the program didn't report a position, or if it isn't
    one in the episode. If that is because their lengths differ, `lengths_ms` are those of the video and of the
    episode."""

    title: str
    player: str
    position_ms: int | None = None
    to_the_end: bool = False
    lengths_ms: tuple[int, int] | None = None

    @property
    def sentence(self) -> str:
        """The outcome for people; "" if nothing is known."""
        if self.to_the_end:
            return _("Watched “{title}” to its end", title=self.title)
        if self.position_ms is not None:
            return _("Watched “{title}” up to {time}", title=self.title, time=clock(self.position_ms))
        if self.lengths_ms is None:
            return ""
        video, episode = map(clock, self.lengths_ms)
        return _(
            "Your position in “{title}” stays as it was: the video is {video} long, the episode {episode}",
            title=self.title,
            video=video,
            episode=episode,
        )


class Words(NamedTuple):
    """A program and its arguments. `tells`: it reports its position. `given`: the video's address is an argument."""

    words: list[str]
    tells: bool
    given: bool


def words_of(player: str, address: str, start_ms: int, path: str) -> Words:
    """The command line for `video.player`. If it has no field in braces, Earmark adds mpv's own options for mpv, and
    the address for other programs. Raises ValueError if it can't be split into words."""
    words = expanded(shlex.split(player))
    if not words:
        raise ValueError(_("it names no program"))
    if "{" not in player and PurePath(words[0]).name == "mpv":
        words += _MPV
    tells = any("{socket}" in word for word in words)
    if not tells and not any("{url}" in word for word in words):
        words.append("{url}")
    given = any("{url}" in word for word in words)
    fields = {"{url}": address, "{start}": str(start_ms // 1000), "{socket}": path}
    return Words([_filled(word, fields) for word in words], tells, given)


def _filled(word: str, fields: dict[str, str]) -> str:
    """Fills in each field once: a field's name in an address stays as it is."""
    for name, value in fields.items():
        before, field, after = word.partition(name)
        if field:
            return _filled(before, fields) + value + _filled(after, fields)
    return word


class Viewer:
    """For any thread. `show` waits until the video is closed, `ask` only until it is open.

    `file_of` finds an episode's download or local file; `login` the name and password for the server at an address.
    `hush` pauses playback, and returns the position in that episode if it is the one in the player; `sounds` says
    whether that episode is playing in Earmark again, so that the video's position no longer counts.
    """

    def __init__(
        self,
        library: Library,
        bus: Bus,
        settings: Video,
        queue: Queue,
        runtime: Path,
        *,
        file_of: Callable[[Episode], Path | None],
        login: Callable[[str], tuple[str, str] | None],
        hush: Callable[[EpisodeId], int | None],
        sounds: Callable[[EpisodeId], bool] = lambda _episode_id: False,
    ) -> None:
        self._library = library
        self._bus = bus
        self._runtime = runtime
        self._file_of = file_of
        self._login = login
        self._hush = hush
        self._sounds = sounds
        self._cancel = CancelToken()
        self._showing: set[Future[Watched]] = set()
        self.configure(settings, queue)

    def configure(self, settings: Video, queue: Queue) -> None:
        self._player = settings.player
        self._played_within_ms = parse_time(queue.played_within)

    def close(self) -> None:
        """Saves the positions in open videos, and leaves them open. Waits for the disk."""
        self._cancel.set()
        for one in tuple(self._showing):
            with suppress(Exception):
                one.result(_ENDING_S)

    def ask(self, episode_id: EpisodeId) -> Future[str]:
        """The future returns the name of the program once it has started. The outcome, or a failure, is published as a
        Notice."""
        opened: Future[str] = Future()

        def work() -> Watched:
            try:
                watched = self.show(episode_id, self._cancel, opened.set_result)
            except Exception as error:
                if isinstance(error, EarmarkError):
                    self._bus.publish(Notice(str(error), Severity.ERROR))
                else:
                    log.exception("a video can't be shown")
                    self._bus.publish(Notice(_("Something went wrong inside Earmark. See the log."), Severity.ERROR))
                if not opened.done():
                    opened.set_exception(error)
                raise
            if watched.sentence and not self._cancel.is_set:
                self._bus.publish(Notice(watched.sentence))
            return watched

        showing = on_own_thread(work, "earmark-video")
        self._showing.add(showing)
        showing.add_done_callback(self._showing.discard)
        return opened

    def show(
        self, episode_id: EpisodeId, cancel: CancelToken, started: Callable[[str], object] = lambda _name: None
    ) -> Watched:
        """Pauses playback, shows the video from the episode's position on, and saves the position where it is left.
        When cancelled, it saves the present position and leaves the video open. Raises ViewingError, NotFound and
        LibraryError."""
        episode = self._library.episodes.get(episode_id)
        address = self._address(episode)
        with _socket_path(self._runtime) as path:
            self._words(address, 0, str(path))  # before playback is paused: whether the program can be run
            heard_ms = self._hush(episode_id)
            start_ms = self._start_ms(episode, heard_ms)
            name, words = self._words(address, start_ms, str(path))
            try:
                process = _start(words.words)
            except OSError as error:
                raise ViewingError(
                    _("{program} can't be started: {reason}", program=name, reason=error.strerror or error), _advice()
                ) from error
            started(name)
            watched = Watched(episode.title, name)
            try:
                if words.tells:
                    watching = partial(_Watching, episode, start_ms)
                    return self._follow(watching, watched, process, path, "" if words.given else address, cancel)
                code = _wait(process, cancel)
            finally:
                threading.Thread(target=process.wait, name="earmark-video", daemon=True).start()
            if code:
                raise ViewingError(f"{name} {ending(code)}", _look())
            return watched

    # -- before it starts -------------------------------------------------------------------------------------

    def _address(self, episode: Episode) -> str:
        """Raises ViewingError if there is no video, or if its address mustn't be passed to a program."""
        extra = self._library.episodes.details(episode.id).extra
        address = video_of(episode, extra, self._file_of(episode))
        if not address:
            raise ViewingError(_("“{title}” has no video", title=episode.title))
        if not address.startswith("/") and (split_login(address)[1] or self._login(address)):
            raise ViewingError(
                _(
                    "The video of “{title}” needs your login for {host}, which a player would show to other users",
                    title=episode.title,
                    host=host(address),
                ),
                _("Watch it on its web page."),
            )
        return address

    def _words(self, address: str, start_ms: int, path: str) -> tuple[str, Words]:
        """The program's name for people, and its command line. Raises ViewingError if it can't be run."""
        try:
            words = words_of(self._player, address, start_ms, path)
        except ValueError as error:
            raise ViewingError(_("“video.player” in config.toml can't be read: {error}", error=error)) from error
        name = PurePath(words.words[0]).name
        if why := problem(words.words[0]):
            raise ViewingError(_("The video can't be shown: {problem}", problem=why), _advice())
        if name == "mpv" and is_youtube(address) and not youtube.program():
            raise ViewingError(
                _("yt-dlp isn't installed; mpv needs it to show videos on YouTube"),
                _("Install it (with your system's package manager, or “pipx install yt-dlp”), then try again."),
            )
        return name, words

    def _start_ms(self, episode: Episode, heard_ms: int | None) -> int:
        if heard_ms is not None:
            return heard_ms
        saved = self._library.progress.position(episode.id)
        return saved.position_ms if saved and not episode.played else 0

    # -- while it is shown ------------------------------------------------------------------------------------

    def _follow(
        self,
        begin: "Callable[[Saver, int, Callable[[EpisodeId], bool], Callable[[Event], object]], _Watching]",
        watched: Watched,
        process: "subprocess.Popen[bytes]",
        path: Path,
        address: str,
        cancel: CancelToken,
    ) -> Watched:
        connection = _connected(path, lambda: process.poll() is None and not cancel.is_set)
        if connection is None:
            if cancel.is_set:
                return watched
            code = process.poll()
            process.terminate()  # it shows nothing yet
            what = ending(code) if code is not None else _("doesn't answer on its socket")
            raise ViewingError(f"{watched.player} {what}", _look())
        news = SavedNews(self._bus)
        saver = Saver(self._library, news.saved, news.not_saved, news.marked, news.queue_changed)
        saver.start()
        try:
            with MpvSocket(connection) as mpv:
                for number, name in enumerate(_OBSERVED, 1):
                    mpv.send("observe_property", number, name)
                if address:
                    mpv.send("loadfile", address)
                watching = begin(saver, self._played_within_ms, self._sounds, self._bus.publish)
                for event in mpv.events(lambda: not cancel.is_set):
                    if not watching.take(event):
                        break
                return watching.end(watched)
        finally:
            if not saver.close(_ENDING_S):
                log.error("the position in a video could not be saved")


class _Watching:
    """Interprets mpv's events. A position counts if it is within the video, the video is as long as the episode, and
    playback has reached `start_ms`, where it should begin: a video that can't be seeked begins at 0."""

    def __init__(
        self,
        episode: Episode,
        start_ms: int,
        saver: Saver,
        played_within_ms: int,
        sounds: Callable[[EpisodeId], bool],
        publish: Callable[[Event], object],
    ) -> None:
        self._episode = episode
        self._start_ms = start_ms
        self._saver = saver
        self._books = Bookkeeper(saver, time.monotonic, utc_now)
        self._within_ms = played_within_ms
        self._sounds = sounds
        self._publish = publish
        self._values: dict[str, object] = {}
        self._ms: int | None = None
        self._begun_ms: int | None = None
        self._watched = False
        self._noted_at, self._saved_at = -math.inf, time.monotonic()
        self._reason = self._error = ""

    def take(self, event: dict[str, Any]) -> bool:
        """False if the video is over."""
        kind, name = event.get("event"), event.get("name")
        if kind == "end-file" and event.get("reason") != "redirect":  # a web page that led to the video
            self._reason, self._error = str(event.get("reason")), str(event.get("file_error") or "")
            return False
        if kind == "property-change" and name in _OBSERVED:
            self._values[name] = event.get("data")
            if name == "time-pos":
                self._moved()
            elif name == "pause" and self._values["pause"] is True:
                self._note()
                self._books.end_span()
                self._save(announce=True)
        return True

    def _moved(self) -> None:
        ms, length_ms = _ms_of(self._values.get("time-pos")), self._length_ms
        if ms is None or (length_ms is not None and ms > length_ms + _HEARD_MS):
            return
        if self._ms is None and ms < self._start_ms - _BEFORE_MS:
            return
        self._ms = ms
        now = time.monotonic()
        if now - self._noted_at >= _NOTE_S:
            self._noted_at = now
            self._note()
            if now - self._saved_at >= _SAVE_S:
                self._save(announce=False)

    def _note(self) -> None:
        """Counts what was watched since the last note as listening."""
        if self._ms is None or self._lengths is not None or self._sounds(self._episode.id):
            self._books.end_span()
            return
        if self._begun_ms is None:
            self._begun_ms = self._ms
        if self._values.get("pause") is not True:
            self._books.record(self._episode.id, self._ms, _speed_of(self._values.get("speed")))
        if not self._watched and abs(self._ms - self._begun_ms) >= _HEARD_MS:
            self._watched = True
            self._books.started(self._episode.id)
            self._publish(EpisodeStarted(self._episode.id, self._begun_ms, Cause.PERSON))

    def _save(self, *, announce: bool) -> None:
        if self._watched and self._ms is not None and not self._sounds(self._episode.id):
            self._saved_at = time.monotonic()
            position = ListenerPosition(self._ms, left_at=utc_now(), unsaved=True)
            self._books.save(self._episode.id, position, None, "", None, announce=announce)

    def end(self, watched: Watched) -> Watched:
        """Saves the position where it was left. Raises ViewingError if it couldn't be played."""
        if self._reason == "error":
            reason = f" ({self._error})" if self._error else ""
            raise ViewingError(
                _("{player} can't play the video of “{title}”", player=watched.player, title=watched.title) + reason,
                _("Watch it on its web page, or try again later."),
            )
        self._note()
        if not self._watched or self._ms is None:
            return Watched(watched.title, watched.player, lengths_ms=self._lengths)
        length_ms = self._length_ms
        left_ms = math.inf if length_ms is None else length_ms - self._ms
        if self._reason == "eof" and left_ms <= _END_MS:
            self._books.finished(self._episode.id)
            self._publish(EpisodeFinished(self._episode.id, Cause.ENGINE))
            return Watched(watched.title, watched.player, self._ms, to_the_end=True)
        self._save(announce=True)
        if self._within_ms and left_ms <= self._within_ms:
            self._saver.put(CountAsPlayed(self._episode.id))
        self._publish(EpisodeLeft(self._episode.id, self._ms, Cause.PERSON))
        return Watched(watched.title, watched.player, self._ms)

    @property
    def _length_ms(self) -> int | None:
        return _ms_of(self._values.get("duration")) or None

    @property
    def _lengths(self) -> tuple[int, int] | None:
        """The lengths of the video and of the episode, if they differ so much that they are different recordings."""
        video, episode = self._length_ms, self._episode.duration_ms
        if not video or not episode or abs(video - episode) <= max(_OTHER_MS, _OTHER_SHARE * max(video, episode)):
            return None
        return video, episode


def _ms_of(seconds: object) -> int | None:
    """Seconds as ms; None for anything that can't be a position. A decoder may begin slightly before 0."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not -1 <= seconds <= _LONGEST_MS / 1000:
        return None
    return round(max(0, seconds) * 1000)


def _speed_of(value: object) -> float:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0.01 <= value <= 100
    return float(value) if fits and isinstance(value, int | float) else 1.0


class MpvSocket:
    """The connection to mpv. Lines that aren't JSON objects are ignored."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        connection.settimeout(_LOOK_S)

    def __enter__(self) -> "MpvSocket":
        return self

    def __exit__(self, *_error: object) -> None:
        self._connection.close()

    def send(self, *command: str | int) -> None:
        """Doesn't raise if mpv has ended; `events` notices that."""
        with suppress(OSError):
            self._connection.sendall(json.dumps({"command": command}).encode() + b"\n")

    def events(self, wanted: Callable[[], bool]) -> Iterator[dict[str, Any]]:
        """The events, until the connection ends, a line is too long, or `wanted` returns False."""
        unread = b""
        while wanted() and len(unread) <= _LINE:
            try:
                part = self._connection.recv(64 * 1024)
            except TimeoutError:
                continue
            except OSError:
                return
            if not part:
                return
            *lines, unread = (unread + part).split(b"\n")
            for line in lines:
                with suppress(ValueError, RecursionError):
                    if isinstance(event := json.loads(line), dict):
                        yield event


def _connected(path: Path, wanted: Callable[[], bool]) -> socket.socket | None:
    """Connects to the socket that a program is about to create; None if it takes too long, or once `wanted` returns
    False."""
    until = time.monotonic() + _CONNECT_S
    while wanted() and time.monotonic() < until:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(path))
        except OSError:
            connection.close()
            time.sleep(_AGAIN_S)
        else:
            return connection
    return None


@contextmanager
def _socket_path(runtime: Path) -> Iterator[Path]:
    """A path for a socket in a folder that only this user can open: the runtime folder, unless its path is too long.
    Raises ViewingError."""
    path, made = runtime / f"video-{os.getpid()}-{next(_NUMBERS)}.sock", ""
    try:
        if len(os.fsencode(path)) > _LONGEST_SOCKET:
            made = tempfile.mkdtemp(prefix="earmark-")
            path = Path(made) / "video.sock"
        private_folder(path.parent)
        path.unlink(missing_ok=True)
    except OSError as error:
        raise ViewingError(
            _("The folder {folder} can't be written: {reason}", folder=path.parent, reason=error.strerror or error)
        ) from error
    try:
        yield path
    finally:
        with suppress(OSError):
            path.unlink()
        with suppress(OSError):
            if made:
                Path(made).rmdir()


def _start(words: Sequence[str]) -> "subprocess.Popen[bytes]":
    """Starts the program in a session of its own, so that it outlives Earmark and this terminal. Raises OSError."""
    nothing = subprocess.DEVNULL
    return subprocess.Popen(words, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)


def _wait(process: "subprocess.Popen[bytes]", cancel: CancelToken) -> int:
    """Returns the exit code; 0 when cancelled."""
    while not cancel.is_set:
        with suppress(subprocess.TimeoutExpired):
            return process.wait(_LOOK_S)
    return 0


def _look() -> str:
    return _("Run it in a terminal to see why, or name another player in config.toml: video.player.")


def _advice() -> str:
    return _("Install mpv (with your system's package manager), or name another player in config.toml: video.player.")
