"""Transcribes episodes, one at a time and piece by piece, from the playing position on. Each piece is stored as it
comes, and can be read and searched at once."""

import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from player.downloads.attempt import PATIENCE_S, Attempt, Ended
from player.errors import EarmarkError, MediaError, NoFile, NoNetwork, TranscriptionError
from player.events import AttachmentsChanged, Bus, SoundMoved
from player.library import AttachmentKind, Library
from player.library.attachments import MADE
from player.measuring.measurement import Audio
from player.media import MediaStore
from player.media.fetching.fetched_media import FetchedMedia
from player.media.fetching.media_errors import disk_error
from player.media.fetching.recording import HlsRecording
from player.model.downloads import Progress, Work
from player.model.episode import Episode, EpisodeId, Transcript
from player.processes import power
from player.processes.sandbox import Sandbox, SandboxError
from player.processes.threads import CancelToken, on_own_thread
from player.settings import Transcribe
from player.text.sentences import _
from player.transcribing.engine import Engine
from player.transcribing.made import Made, read_made
from player.transcribing.pieces import (
    FIRST_MS,
    LEAD_MS,
    LEAST_MS,
    SOON_MS,
    Cut,
    Wanted,
    cut,
    first_missing,
    next_piece,
    prepare,
)

log = logging.getLogger(__name__)

_LOOK_S = 0.3
"""How often to look whether more bytes have arrived."""
_POWER_S = 20.0
"""How long what is known of the battery is believed."""
_JUMPED_S = 10.0
"""A piece that runs this long isn't dropped for one that is heard now: it will be done soon."""
_NEAR_MS = 30_000
_CUT_S = 600.0
_CUT_MEMORY = 1 << 30
_IDLE_S = 20.0

Heard = Callable[[], tuple[EpisodeId, int] | None]
MakeEngine = Callable[[Transcribe], Engine | None]


class EpisodeTranscriber:
    """Implements Transcriber. `heard` returns the episode that is in the player and the position in it, in ms."""

    def __init__(
        self, library: Library, store: MediaStore, bus: Bus, settings: Transcribe, heard: Heard, make: MakeEngine
    ) -> None:
        self._library = library
        self._store = store
        self._bus = bus
        self._heard = heard
        self._make = make
        self._lock = threading.Lock()
        self._settings = settings
        self._engine: Engine | None = None
        self._in_the_way = ""
        self._battery = float("-inf"), False
        self._cutter = Sandbox(
            cut, memory=_CUT_MEMORY, seconds=_CUT_S, nice=19, idle_s=_IDLE_S, writes=True, prepare=prepare
        )

    def configure(self, settings: Transcribe) -> None:
        with self._lock:
            self._settings = settings
            engine, self._engine = self._engine, None
        self.try_again()
        if engine is not None:
            engine.close()

    def audio_moved(self, moved: SoundMoved) -> None:
        """The words that were made of the former bytes move with their sound. A failure is logged."""
        try:
            made = self.made(moved.episode_id)
            if made is not None:
                attachment = made.moved(moved.parts, moved.longer_ms).attachment()
                self._library.attachments.put(moved.episode_id, attachment, datetime.now(UTC))
                self._bus.publish(AttachmentsChanged(moved.episode_id))
        except EarmarkError as error:
            log.warning("a transcript can't be moved with its sound: %s", error)

    def close(self) -> None:
        self._cutter.close()
        if self._engine is not None:
            self._engine.close()

    @property
    def is_set_up(self) -> bool:
        """Whether something that makes transcripts is chosen."""
        return self._make(self._settings) is not None

    # -- for the queue ------------------------------------------------------------------------------------------

    def attempt(self, episode: Episode, ended: Ended) -> Attempt:
        return TranscriptionAttempt(self, episode, ended)

    @property
    def waits(self) -> str:
        if self._in_the_way:
            return self._in_the_way
        return _("Transcripts wait while this computer runs on its battery") if self._on_battery() else ""

    def try_again(self) -> None:
        self._in_the_way = ""

    def _on_battery(self) -> bool:
        if self._settings.on_battery:
            return False
        looked_at, found = self._battery
        if time.monotonic() - looked_at > _POWER_S:
            found = power.is_battery()
            self._battery = time.monotonic(), found
        return found

    # -- for attempts -------------------------------------------------------------------------------------------

    def engine(self) -> Engine:
        """Raises TranscriptionError if none is set up."""
        with self._lock:
            if self._engine is None:
                self._engine = self._make(self._settings)
            if self._engine is None:
                raise TranscriptionError(
                    _("Nothing that makes transcripts is set up"),
                    _("`earmark transcribe --setup` looks for a way on this computer."),
                    lasting=True,
                )
            return self._engine

    def note_failure(self, error: TranscriptionError) -> None:
        if error.lasting:
            self._in_the_way = str(error)

    def heard_in(self, episode_id: EpisodeId) -> int | None:
        heard = self._heard()
        return heard[1] if heard and heard[0] == episode_id else None

    def made(self, episode_id: EpisodeId) -> Made | None:
        return read_made(self._library.attachments.get(episode_id, AttachmentKind.TRANSCRIPT, MADE))

    def keep(self, episode_id: EpisodeId, made: Made) -> None:
        self._library.attachments.put(episode_id, made.attachment(), datetime.now(UTC))
        self._bus.publish(AttachmentsChanged(episode_id))

    def audio(self, episode: Episode) -> Audio | None:
        """The bytes that are on this disk. Raises MediaError."""
        try:
            with self._store.available(episode) as some:
                return Audio.of(some) if some else None
        except OSError as error:
            raise disk_error(error) from error

    def fetch(self, episode: Episode) -> FetchedMedia | HlsRecording:
        return self._store.fetch(episode)

    def cut(self, audio: Audio, wanted: Wanted, path: Path) -> Cut:
        try:
            return self._cutter.call(audio, wanted, os.fsencode(path))
        except SandboxError as error:
            log.info("a piece can't be cut: %s", error)
            raise TranscriptionError(_("The audio can't be decoded")) from error


class TranscriptionAttempt(Attempt):
    """Fetches what isn't on this disk yet, and transcribes what is missing of an episode."""

    work = Work.TRANSCRIPT

    def __init__(self, owner: EpisodeTranscriber, episode: Episode, ended: Ended) -> None:
        super().__init__(episode, ended)
        self._owner = owner
        self._made = Made()
        self._piece: tuple[Wanted, CancelToken, float] | None = None
        """What the engine is given now, and since when."""
        self._heard_ms, self._worked_s = 0, 0.0

    def stop(self) -> None:
        super().stop()
        self._drop_piece()

    def look(self) -> Progress:
        """Drops a piece that will be heard later than one that is missing now."""
        made, piece = self._made, self._piece
        speed = self._heard_ms / self._worked_s if self._worked_s else 0.0
        done = made.done_ms
        if piece is not None:
            wanted, _cancel, since = piece
            done += min(wanted.at_most_ms, round((time.monotonic() - since) * speed))
            if self._is_needed_less(wanted, since):
                self._drop_piece()
        total = made.end_ms or made.audio_ms or self.episode.duration_ms
        left_s = max(0.0, (total - done) / speed) if total and speed else None
        return Progress(min(done, total) if total else done, total, speed, left_s)

    def _is_needed_less(self, wanted: Wanted, since: float) -> bool:
        heard_ms = self._owner.heard_in(self.episode.id)
        if heard_ms is None or time.monotonic() - since > _JUMPED_S:
            return False
        missing_ms = first_missing(self._made.pieces, self._made.end_ms, heard_ms)
        if missing_ms is None or missing_ms > heard_ms + _NEAR_MS:
            return False
        # An engine that is slower than the listener is never ahead, and is left to its piece.
        ends_ms = wanted.from_ms + wanted.at_most_ms
        return not wanted.from_ms - LEAD_MS <= missing_ms < ends_ms + SOON_MS

    def _drop_piece(self) -> None:
        if self._piece is not None:
            self._piece[1].set()

    # -- on its thread --------------------------------------------------------------------------------------------

    def _do(self) -> None:
        try:
            engine = self._owner.engine()
            audio = self._owner.audio(self.episode)
            with tempfile.TemporaryDirectory(prefix="earmark-") as folder:
                path = Path(folder) / "piece.wav"
                if audio is not None and audio.is_whole:
                    self._transcribe(engine, path, None)
                else:
                    with closing(_Fetching(self._owner.fetch(self.episode))) as fetching:
                        self._transcribe(engine, path, fetching)
        except OSError as error:
            raise disk_error(error, _("The audio can't be written to a file for what transcribes it")) from error
        except TranscriptionError as error:
            self._owner.note_failure(error)
            raise

    def _transcribe(self, engine: Engine, path: Path, fetching: "_Fetching | None") -> None:
        self._made = self._owner.made(self.episode.id) or Made()
        while not self._made.is_whole:
            self._check()
            audio = self._owner.audio(self.episode)
            heard_ms = self._owner.heard_in(self.episode.id)
            wanted = next_piece(self._made.pieces, self._made.end_ms, heard_ms, engine.longest_ms)
            if audio is None or not (audio.is_whole or heard_ms is not None):
                self._wait(fetching)
                continue
            assert wanted is not None, "it isn't whole"
            piece = self._owner.cut(audio, wanted, path)
            if not self._made.is_of(piece.duration_ms):
                self._made = Made()
                continue
            length_ms = piece.end_ms - piece.start_ms
            if not audio.is_whole and length_ms < min(FIRST_MS, wanted.at_most_ms) // 2:
                self._wait(fetching)
                continue
            self._hear(engine, path, Wanted(piece.start_ms, length_ms), piece)

    def _hear(self, engine: Engine, path: Path, wanted: Wanted, piece: Cut) -> None:
        cancel, since = CancelToken(), time.monotonic()
        self._piece = wanted, cancel, since
        try:
            with self._cancel.ending(cancel.set):
                has_words = wanted.at_most_ms >= LEAST_MS
                words = engine.transcribe(path, wanted.at_most_ms, cancel) if has_words else Transcript()
        except TranscriptionError:
            if cancel.is_set and not self._cancel.is_set:
                return  # another piece is needed first
            raise
        finally:
            self._piece = None
        self._heard_ms += wanted.at_most_ms
        self._worked_s += time.monotonic() - since
        span = wanted.from_ms, piece.end_ms
        self._made = self._made.grown(span, words, engine.name, piece.duration_ms, ended=piece.ended)
        self._owner.keep(self.episode.id, self._made)
        self.progressed = True

    def _check(self) -> None:
        if self._cancel.is_set:
            raise MediaError("Transcribing was stopped")
        if wait := self._owner.waits:
            raise TranscriptionError(wait)

    def _wait(self, fetching: "_Fetching | None") -> None:
        """Waits a moment for more bytes. Raises MediaError if none come."""
        if fetching is None:
            raise TranscriptionError(_("The audio can't be decoded"))
        try:
            fetching.wait()
        except MediaError as error:
            self.passing = isinstance(error, NoNetwork)
            raise


class _Fetching:
    """The bytes of an episode, as they arrive."""

    def __init__(self, media: FetchedMedia | HlsRecording) -> None:
        self._media = media
        self._all = on_own_thread(lambda: media.fetch_all(lambda: False).release(), "earmark-transcript-bytes")
        self._done, self._moved_at = 0, time.monotonic()
        self._is_whole = False

    def wait(self) -> None:
        """Waits a moment for more bytes. Raises MediaError if none come."""
        with suppress(TimeoutError):
            try:
                self._all.result(_LOOK_S)
            except NoFile as error:
                raise self._in_segments() from error
            if isinstance(self._media, HlsRecording):
                raise self._in_segments()
            if self._is_whole:
                raise TranscriptionError(_("The audio can't be decoded"))
            self._is_whole = True
        done, _total = self._media.amount
        if done != self._done:
            self._done, self._moved_at = done, time.monotonic()
        elif time.monotonic() - self._moved_at > PATIENCE_S:
            trouble = self._media.trouble
            raise NoNetwork(trouble.what if trouble else _("The server stopped sending"))

    def close(self) -> None:
        self._media.close()

    def _in_segments(self) -> TranscriptionError:
        return TranscriptionError(_("This recording comes in segments"), _("Download it, then transcribe it."))
