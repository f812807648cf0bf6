"""Turns the address of a YouTube channel or playlist, as people know it, into the address of its feed."""

import re
from urllib.parse import parse_qs, quote, urlsplit

from player.errors import BadAddress, FeedError
from player.links.addresses import HOSTS
from player.net.failures import shown
from player.sources.youtube import program
from player.sources.youtube.program import VideoError
from player.sources.youtube.video_info import channel_of
from player.text.sentences import _

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
