"""Finds the byte of a file to start from to play from a position. Runs on a thread, as it may wait for bytes."""

import logging
import time
from collections.abc import Callable
from functools import partial
from threading import Thread

from msgspec import Struct

from player.errors import MediaError, PlaybackError
from player.media.fetching.recording import HlsRecording
from player.media.formats import sniff
from player.media.formats.audio_length import duration_ms
from player.media.formats.ogg import Chain, Link
from player.media.formats.sniff import no_audio
from player.media.formats.timeline import Cut, Timeline, run_timeline, timeline_of
from player.media.protocol import Media
from player.model.episode import BytePosition
from player.playback.rules import broke_off
from player.text.sentences import _

log = logging.getLogger(__name__)

_BEFORE_END_MS = 500
_HEAD = 512
_LEAD_MS = 1_000
"""Longer than the frames before the position in a cut."""


class StartPoint(Struct, frozen=True):
    """`position_ms` is within the episode, if its duration is known. `form` is one of formats.FORMATS.

    The audio begins at byte `first`, after any tags. With a `cut`, playback starts there: the format has no index, and
    demuxers read everything before a position to find it. With a `link` of a `chain`, only that is played.
    """

    position_ms: int
    form: str
    first: int = 0
    timeline: Timeline | None = None
    cut: Cut | None = None
    chain: Chain | None = None
    link: Link | None = None

    @property
    def byte(self) -> int:
        """The byte that libvlc should start at."""
        return self.cut.byte if self.cut else self.link.start if self.link else self.first

    @property
    def offset_ms(self) -> int:
        """Where in the episode the bytes begin that libvlc gets, except for a cut."""
        return round(self.link.start_ms) if self.link else 0

    @property
    def whole(self) -> bool:
        """Whether libvlc gets the whole file."""
        link, chain = self.link, self.chain
        only_link = link is None or chain is None or (link.start == self.first and chain.is_last(link))
        return self.cut is None and only_link

    @property
    def last_byte(self) -> int | None:
        """The byte behind the last link, where that is known."""
        return self.chain.size if self.chain else None


class Opening:
    """A search for a start. When it ends, `ready` is called (on its thread), and `start` or `error` is set."""

    def __init__(
        self,
        media: Media,
        known: StartPoint | None,
        position_ms: int,
        nearby: BytePosition | None,
        claimed_ms: int | None,
        lead_ms: int,
        ready: Callable[[], None],
    ) -> None:
        """`known` is a start found before in the same media; `claimed_ms` a duration that may be right. A cut begins
        `lead_ms` before the position, as far as there is so much."""
        self.start: StartPoint | None = None
        self.error: PlaybackError | None = None
        self.since = time.monotonic()
        self._media = media
        self._given_up = False
        self._search = partial(
            find_start, media, known, position_ms, nearby, claimed_ms, lambda: self._given_up, lead_ms
        )
        Thread(target=self._find, args=(ready,), name="earmark-opening", daemon=True).start()

    @property
    def over(self) -> bool:
        return self.start is not None or self.error is not None

    def give_up(self) -> None:
        self._given_up = True
        self._media.wake()

    def _find(self, ready: Callable[[], None]) -> None:
        try:
            self.start = self._search()
        except PlaybackError as error:
            self.error = error
        except Exception as error:
            log.exception("finding a position in an episode failed")
            self.error = MediaError(
                _("Reading the episode failed ({kind})", kind=type(error).__name__), _("See the log.")
            )
        if not self._given_up:
            ready()


def find_start(
    media: Media,
    known: StartPoint | None,
    position_ms: int,
    nearby: BytePosition | None,
    claimed_ms: int | None,
    given_up: Callable[[], bool],
    lead_ms: int = 0,
) -> StartPoint:
    """Raises MediaError, also if it isn't audio: nothing else may reach libvlc."""

    def read(offset: int, count: int) -> bytes:
        return media.read(offset, count, given_up)

    if isinstance(media, HlsRecording):
        return _in_recording(media, position_ms, read, lead_ms)
    form, first = (known.form, known.first) if known else sniff.found(_whole(read)) if media.format else ("", 0)
    if not form:
        raise no_audio(_whole(read)(0, sniff.HEAD))
    seekable = media.seekable
    size = media.size if seekable else None
    timeline = known.timeline if known else timeline_of(form, read, media.available, size, first)
    if timeline is not None:
        timeline.claim(claimed_ms)
        cut = timeline.cut(max(0, position_ms - lead_ms), nearby, read, seekable=seekable)
        # Farther off, the cut is a guess, or the position was beyond the end.
        near = 0 <= position_ms - cut.position_ms < _LEAD_MS
        start = StartPoint(position_ms if near else round(cut.position_ms), form, first, timeline, cut)
    elif form == "ogg":
        chain = known.chain if known and known.chain and known.chain.size == size else Chain(size, first)
        link = chain.link_at(position_ms, nearby, _whole(read))
        if link and nearby and nearby.position_ms == position_ms and nearby.byte == link.end:
            # What follows isn't a link.
            raise broke_off(position_ms, media.duration_ms)
        if link and link.ms is not None and chain.is_last(link):
            position_ms = min(position_ms, max(round(link.start_ms), round(link.end_ms) - _BEFORE_END_MS))
        start = StartPoint(position_ms, form, first, chain=chain, link=link)
    else:
        duration = media.duration_ms
        if duration is None and position_ms and size is not None:
            duration = duration_ms(_whole(read), size, complete=False)
        start = StartPoint(
            position_ms if duration is None else min(position_ms, max(0, duration - _BEFORE_END_MS)), form, first
        )
    head = _whole(read)(start.byte, _HEAD)
    if sniff.names_other_files(head):
        raise no_audio(head)
    return start


def _in_recording(media: HlsRecording, position_ms: int, read: Callable[[int, int], bytes], lead_ms: int) -> StartPoint:
    """The first segment that is needed is the one that plays at the position, or so much before it."""
    end_ms = media.stretch_at(position_ms).end_ms
    if media.duration_ms == end_ms:
        position_ms = min(position_ms, max(0, end_ms - _BEFORE_END_MS))
    from_ms = max(0, position_ms - lead_ms)
    stretch = media.stretch_at(from_ms)
    head = _whole(read)(stretch.byte, sniff.HEAD)
    form = sniff.sniff(head)
    timeline = run_timeline(form, read, media.available, stretch, media.stretch_of)
    if timeline is None or sniff.names_other_files(head):
        raise no_audio(head)
    cut = timeline.cut(from_ms, None, read, seekable=False)
    near = 0 <= position_ms - cut.position_ms < _LEAD_MS
    return StartPoint(position_ms if near else round(cut.position_ms), form, stretch.byte, timeline, cut)


def _whole(read: Callable[[int, int], bytes]) -> Callable[[int, int], bytes]:
    """Reads everything that was asked for, or everything up to the end."""

    def read_whole(offset: int, count: int) -> bytes:
        data = b""
        while len(data) < count and (more := read(offset + len(data), count - len(data))):
            data += more
        return data

    return read_whole
