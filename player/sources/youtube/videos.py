"""Turns the address of a YouTube channel or playlist, as people know it, into the address of its feed; finds the
audio, chapters and captions of its videos by yt-dlp when an episode is played or downloaded.
"""

import re
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

from player.errors import AttachmentError, BadAddress, FeedError
from player.links.addresses import HOSTS, is_video_page, page_of
from player.media.fetching.media_errors import Failure, FailureKind
from player.net.failures import shown
from player.sources.youtube import program
from player.sources.youtube.program import VideoError
from player.sources.youtube.video_info import channel_of
from player.text.sentences import _

if TYPE_CHECKING:
    from player.sources.youtube.video_info import Video


TIMEOUT_S = 30.0
_FORMAT = "bestaudio/best"
_KEPT_S = 300.0
"""Seconds for which one answer of yt-dlp serves the audio, the chapters and the captions of a video."""
_MOST_KEPT = 20


class Videos:
    """Implements player.media.protocol.Pages. yt-dlp runs once for everything that is wanted of a video at about the
    same time."""

    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Lock] = {}
        self._found: dict[str, tuple[float, Video]] = {}
        self._given: set[str] = set()
        """Addresses of audio that were handed out. If one is requested again, it has expired."""

    def serves(self, url: str) -> bool:
        return is_video_page(url) or bool(page_of(url)[0])

    def in_pieces(self, page: str) -> bool:  # noqa: ARG002
        return True

    def lasts(self, page: str) -> bool:  # noqa: ARG002
        """YouTube accepts an address for some hours, and then refuses it."""
        return True

    def audio(self, page: str, stopped: Callable[[], bool]) -> str:
        try:
            video = self._video(page, stopped, new_audio=True)
        except VideoError as error:
            kind = FailureKind.PASSING if error.passing else FailureKind.FINAL
            raise Failure(kind, error.what, error.advice) from error
        with self._lock:
            self._given.add(video.audio)
        return video.audio

    def attachment(self, url: str, stopped: Callable[[], bool]) -> bytes | str:
        from player.sources.youtube.video_info import chapters_file

        page, part = page_of(url)
        try:
            video = self._video(page, stopped)
        except VideoError as error:
            raise AttachmentError(error.what, error.advice) from error
        if part == "chapters":
            return chapters_file(video)
        if not video.captions:
            raise AttachmentError(_("This video has no captions"))
        return video.captions

    def _video(self, page: str, stopped: Callable[[], bool], *, new_audio: bool = False) -> "Video":
        """Raises VideoError."""
        from player.sources.youtube import program
        from player.sources.youtube.video_info import video_of

        with self._lock:
            asking = self._asking.setdefault(page, threading.Lock())
        with asking:
            with self._lock:
                at, video = self._found.get(page) or (float("-inf"), None)
                is_fresh = time.monotonic() - at < _KEPT_S
                if video and is_fresh and not (new_audio and video.audio in self._given):
                    return video
            options = ("--no-playlist", "--format", _FORMAT)
            video = video_of(program.ask(page, *options, stopped=stopped, timeout_s=self._timeout_s))
            with self._lock:
                self._found.pop(page, None)
                self._found[page] = (time.monotonic(), video)
                while len(self._found) > _MOST_KEPT:
                    old = next(iter(self._found))
                    self._given.discard(self._found.pop(old)[1].audio)
                    self._asking.pop(old, None)
        return video


BASE = "https://www.youtube.com"
_CHANNEL = re.compile(r"/channel/(UC[A-Za-z0-9_-]{10,40})(?:/.*)?")
_NAMED = re.compile(r"/(?:@[^/]+|(?:c|user)/[^/]+)(?:/.*)?")
_LIST = re.compile(r"[A-Za-z0-9_-]{10,64}")


class YouTubeChannels:
    """Implements player.feeds.source.Shortcut. `base` is YouTube's address."""

    def __init__(self, base: str = BASE) -> None:
        self._base = base
        self._hosts = HOSTS | {urlsplit(base).netloc}

    def feed_of(self, text: str) -> str:
        """The address of the feed; "" if `text` isn't an address at YouTube, or is a feed's already. Raises FeedError
        if yt-dlp is missing or finds nothing."""
        typed = text.strip().strip("<>\"'")
        address = typed if "://" in typed else f"https://{typed}"
        try:
            parts = urlsplit(address)
        except ValueError:
            return ""
        if parts.netloc.lower() not in self._hosts or parts.scheme not in ("http", "https"):
            return ""
        if parts.path.startswith("/feeds/"):
            return ""
        try:
            return self._feed(address, parts.path, parse_qs(parts.query))
        except VideoError as error:
            raise FeedError(error.what, error.advice) from error

    def _feed(self, address: str, path: str, query: dict[str, list[str]]) -> str:
        """Raises VideoError, BadAddress."""
        if not program.program():
            raise program.not_installed()
        lists = query.get("list", [])
        if lists and _LIST.fullmatch(lists[0]):
            return f"{self._base}/feeds/videos.xml?playlist_id={quote(lists[0])}"
        if found := _CHANNEL.fullmatch(path):
            return f"{self._base}/feeds/videos.xml?channel_id={found[1]}"
        if _NAMED.fullmatch(path):
            ended = program.ask(address, "--flat-playlist", "--playlist-items", "1")
            return f"{self._base}/feeds/videos.xml?channel_id={channel_of(ended)}"
        raise BadAddress(
            _("{url} is neither a channel nor a playlist of YouTube", url=shown(address)),
            _("Add the URL of a channel, such as https://www.youtube.com/@NAME, or of a playlist."),
        )
