"""Finds the audio and the chapters of an episode on its Audiobookshelf server when it is played or downloaded."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from player.audiobookshelf.answers import ItemEpisode
from player.audiobookshelf.client import Audiobookshelf, AudiobookshelfError
from player.errors import AttachmentError
from player.links.addresses import audiobookshelf_address
from player.links.urls import host
from player.media.fetching.media_errors import LONGEST_PAUSE_S, Failure, FailureKind, NetworkAway
from player.net.failures import FailureReason as R
from player.processes.threads import CancelToken, on_own_thread
from player.text.sentences import _

if TYPE_CHECKING:
    from player.net.credentials import Credentials
    from player.net.loop import NetworkLoop

_LOOK_S = 0.1
_AWAY = frozenset({R.OFFLINE, R.UNKNOWN_HOST, R.NO_NAME_SERVER, R.UNREACHABLE})
_PASSING = frozenset({
    R.TIMED_OUT, R.STALLED, R.REFUSED, R.PROXY, R.CONNECTION_LOST, R.CUT_SHORT, R.BUSY, R.TOO_MANY, R.FAULT,
    R.TOO_SLOW,
})  # fmt: skip


class EpisodePages:
    """Implements player.media.protocol.Pages. The address of the audio contains the inode of the server's file, so it
    is looked up again whenever the audio is needed."""

    def __init__(self, network: NetworkLoop, credentials: Credentials | None) -> None:
        self._network = network
        self._credentials = credentials

    def serves(self, url: str) -> bool:
        found = audiobookshelf_address(url)
        return found is not None and bool(found.episode)

    def in_pieces(self, page: str) -> bool:  # noqa: ARG002
        return False

    def lasts(self, page: str) -> bool:  # noqa: ARG002
        return False

    def audio(self, page: str, stopped: Callable[[], bool]) -> str:
        try:
            api, episode = self._episode(page, stopped)
        except AudiobookshelfError as error:
            if error.reason in _AWAY:
                raise NetworkAway(error.what, error.advice) from error
            kind = FailureKind.PASSING if error.reason in _PASSING else FailureKind.FINAL
            raise Failure(kind, error.what, error.advice, min(error.pause_s, LONGEST_PAUSE_S)) from error
        if not (found := api.path(episode.audio)):
            raise Failure(
                FailureKind.FINAL, _("{host} has no audio file for this episode", host=host(page)), _refresh()
            )
        return found

    def attachment(self, url: str, stopped: Callable[[], bool]) -> bytes | str:
        """The chapters as a file (podcast-namespace, “JSON Chapters Format” 1.2.0)."""
        try:
            _api, episode = self._episode(url, stopped)
        except AudiobookshelfError as error:
            raise AttachmentError(error.what, error.advice) from error
        listed = [{"startTime": start / 1000, "title": title} for start, title in episode.chapters]
        return json.dumps({"version": "1.2.0", "chapters": listed}).encode()

    def _episode(self, url: str, stopped: Callable[[], bool]) -> tuple[Audiobookshelf, ItemEpisode]:
        """Raises AudiobookshelfError, also once `stopped` is true."""
        address = audiobookshelf_address(url)
        assert address is not None
        if self._credentials is None:
            raise AudiobookshelfError(_("{host} requires a login", host=host(url)), reason=R.LOGIN)
        cancel = CancelToken()
        api = Audiobookshelf(address.server, self._network, self._credentials, cancel)
        asked = on_own_thread(lambda: api.item(address.item).item, "earmark-audiobookshelf")
        while not asked.done():
            try:
                asked.exception(_LOOK_S)
            except TimeoutError:
                if stopped():
                    cancel.set()
        item = asked.result()
        for episode in item.episodes if item is not None else ():
            if episode.id == address.episode:
                return api, episode
        raise AudiobookshelfError(_("{host} no longer has this episode", host=host(url)), _refresh(), R.NOT_FOUND)


def _refresh() -> str:
    return _("Refresh the podcast.")
