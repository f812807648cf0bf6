"""Parses feeds in other processes: on all cores, outside the screen's process, with limits on memory and time."""

import gc
import os
from contextlib import suppress

from msgspec import Struct

from player.errors import FeedError, NoAudio, NotAFeed, TooLarge
from player.feeds.feed_errors import aborted
from player.model.feed import Feed
from player.net.failures import shown
from player.paths import Paths
from player.processes.sandbox import Sandbox, SandboxError, Trouble
from player.text.sentences import _, speak

SECONDS = 10.0
"""Seconds for a feed. The largest known feed (45 MB, 10,000 episodes) takes 2 s."""
MEMORY = 300 * 1024 * 1024
"""Bytes for a process: three times as much as the largest known feed needs."""
_HERE = 64 * 1024
"""Bytes. Smaller feeds are harmless, and parsed faster than a process starts."""


class ParserPool:
    """Processes started on demand and reused. Any thread may call."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._sandbox = Sandbox(
            _parsed, memory=MEMORY, seconds=seconds, idle_s=float("inf"), at_most=self.useful(), prepare=_prepare
        )
        self.start = self._sandbox.start
        self.close = self._sandbox.close

    @staticmethod
    def useful() -> int:
        """How many feeds can be parsed at once."""
        return min(os.cpu_count() or 1, 4)

    def read(self, body: bytes, content_type: str, url: str) -> Feed:
        """Like `parse.read_feed`; also raises TooLarge beyond the limits on time or memory."""
        if len(body) <= _HERE:
            from player.feeds.parsing.parse import read_feed  # most refreshes have nothing to parse

            return read_feed(body, content_type, url)
        try:
            parsed = self._sandbox.call(body, content_type, url)
        except SandboxError as error:
            raise self._sentence(error, url) from error
        if parsed.feed is None:
            raise _KINDS[parsed.kind](parsed.what, parsed.advice)
        return parsed.feed

    def _sentence(self, error: SandboxError, url: str) -> FeedError:
        if error.trouble is Trouble.STOPPED:
            return aborted(url)
        if error.trouble is Trouble.UNSTARTED:
            return FeedError(
                _("Earmark's helper process for feeds can't be started: {reason}", reason=error),
                _("Close other programs, then try again."),
            )
        advice = _("Earmark gave up on it. Tell the publisher, or look for another feed of the podcast.")
        if error.trouble is Trouble.LATE:
            return TooLarge(
                _("Reading the feed at {url} took over {seconds:g} s", url=shown(url), seconds=self._seconds), advice
            )
        return TooLarge(_("Reading the feed at {url} needs too much memory", url=shown(url)), advice)


# -- in the process -------------------------------------------------------------------------------------------

_KINDS: dict[str, type[FeedError]] = {kind.__name__: kind for kind in (NotAFeed, NoAudio, TooLarge, FeedError)}


class _Parsed(Struct, frozen=True):
    """A feed, or a FeedError of that `kind`."""

    feed: Feed | None = None
    kind: str = ""
    what: str = ""
    advice: str = ""


def _prepare() -> None:
    """Imports what parsing needs: 50 ms that the first feed doesn't wait for if the process was started before the feed
    arrived."""
    from player.feeds.parsing.parse import read_feed

    gc.set_threshold(100_000)
    speak((paths := Paths.of()).translations, settings=paths.settings)
    with suppress(FeedError):
        read_feed(b"<rss><channel/></rss>", "", "")


def _parsed(body: bytes, content_type: str, url: str) -> _Parsed:
    from player.feeds.parsing.parse import read_feed

    try:
        return _Parsed(read_feed(body, content_type, url))
    except FeedError as error:
        return _Parsed(kind=type(error).__name__, what=error.what, advice=error.advice)
