"""Transcripts beside downloads, `episode.vtt` beside `episode.mp3`: written once both are here, and again when the
transcript changes. They go where the audio goes: `files.py` deletes them, `trash.py` moves them.
"""

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from player.downloads.files import NOTE, TRANSCRIPT, part_of, put, transcript_beside
from player.errors import LibraryError
from player.events import AttachmentsChanged, Bus, Notice
from player.library import Library
from player.model.downloads import DownloadFinished
from player.model.episode import EpisodeId, Transcript
from player.model.playback import Severity
from player.processes.scheduler import SHARED
from player.regular_file import read
from player.text.sentences import _
from player.transcripts.write import as_vtt

log = logging.getLogger(__name__)

_QUIET_S, _AT_MOST_S = 2.0, 30.0
"""The delay after a change: a transcript that is being made changes again and again."""
_LARGEST = 64 * 1024**2
_CLOSE_S = 0.5


def write_beside(episode_id: EpisodeId, path: Path, transcript: Transcript | None) -> None:
    """Writes a transcript with times beside the audio at `path`, unless a file of the listener's has that name. Raises
    OSError."""
    file = path.with_suffix(TRANSCRIPT)
    ours = transcript_beside(path)
    if transcript is None or not transcript.timed or (ours is None and file.exists()):
        return
    body = as_vtt(transcript, NOTE).encode()
    if ours is not None:
        if read(file, _LARGEST) == body:
            return
        file.unlink()
    part = part_of(file, episode_id)
    try:
        part.write_bytes(body)
        put(part, file, part)
    finally:
        part.unlink(missing_ok=True)


class TranscriptFiles:
    """Follows the downloads and the transcripts. For any thread; nothing here waits for the disk."""

    def __init__(self, library: Library, transcript: Callable[[EpisodeId], Transcript | None], bus: Bus) -> None:
        self._library = library
        self._transcript = transcript
        self._bus = bus
        self._on = self._all = False
        self._lock = threading.Lock()
        self._waiting: set[EpisodeId] = set()
        self._told = ""
        self._task = SHARED.task(self._write, "downloaded transcripts")
        bus.subscribe(DownloadFinished, lambda event: self._changed(event.episode_id))
        bus.subscribe(AttachmentsChanged, lambda event: self._changed(event.episode_id))

    def follow(self, on: bool) -> None:
        """`on` is `[downloads] transcripts`: downloads that lack a transcript get one."""
        self._on = self._all = on
        if on:
            self._task.soon(_QUIET_S)

    def close(self) -> None:
        self._task.close(timeout_s=_CLOSE_S)

    def _changed(self, episode_id: EpisodeId) -> None:
        if self._on:
            with self._lock:
                self._waiting.add(episode_id)
            self._task.soon(_QUIET_S, _AT_MOST_S)

    def _write(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, set()
            every, self._all = self._all, False
        try:
            for one in self._library.downloads.all():
                if one.episode_id in waiting or (every and not one.path.with_suffix(TRANSCRIPT).exists()):
                    self._write_one(one.episode_id, one.path)
        except LibraryError as error:
            log.warning("the transcripts of downloads can't be read: %s", error)

    def _write_one(self, episode_id: EpisodeId, path: Path) -> None:
        try:
            if path.exists():
                write_beside(episode_id, path, self._transcript(episode_id))
        except OSError as error:
            file, reason = path.with_suffix(TRANSCRIPT), error.strerror or error
            sentence = _("The transcript of a download can't be written to {file}: {reason}", file=file, reason=reason)
            if sentence != self._told:
                self._told = sentence
                self._bus.publish(Notice(sentence, Severity.WARNING))
