"""Everything that Earmark does without being asked, with or without a screen: automatic refreshes, and notifications of
events that nobody sees on a screen."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from player.errors import EarmarkError, LibraryError
from player.events import Cause, EpisodeStarted, NetworkChanged, PlaybackFailed, PodcastRefreshed, RefreshProgress
from player.integrations.hooks.event_hooks import recently_published
from player.integrations.notification import Button, Does, Kind, Notification
from player.model.downloads import DownloadFailed, DownloadFinished, DownloadQueueChanged, Work
from player.model.episode import Episode, EpisodeId
from player.model.playback import Severity
from player.model.podcast import PodcastId
from player.player import Player
from player.processes.threads import Lane, on_own_thread
from player.settings import Notifications
from player.text.cleaning import clean_line
from player.text.sentences import _, plural

E = TypeVar("E")
log = logging.getLogger(__name__)

_NAMES = 3
_LONGEST = 200


class Notifying:
    """From `begin` on, in a lane of the bus. Events that arrive together make one notification."""

    def __init__(
        self,
        player: Player,
        *,
        away: Callable[[], bool],
        show: Callable[[Notification], object],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`away`: whether no screen that would show the event is in focus. `show` is called in the lane."""
        self._player = player
        self._ends: list[Callable[[], None]] = []
        self._lane: Lane | None = None
        self._away = away
        self._show = show
        self._now = now
        self._new: list[EpisodeId] = []
        self._downloaded: list[EpisodeId] = []
        self._failed: list[DownloadFailed] = []

    def begin(self) -> None:
        """Called again when settings have changed."""
        bus, wanted = self._player.bus, self._player.settings.notifications
        ends, self._ends = self._ends, []
        for end in ends:
            end()
        if self._lane is None:
            self._lane = bus.lane("notifications")
        lane = self._lane

        def follow(kind: type[E], handler: Callable[[E], None]) -> None:
            self._ends.append(bus.subscribe(kind, handler, lane))

        if wanted.new_episodes:
            follow(PodcastRefreshed, self._refreshed)
            follow(RefreshProgress, self._refresh_progress)
        if wanted.live:
            follow(PodcastRefreshed, self._gone_live)
        if wanted.next:
            follow(EpisodeStarted, self._started)
        if wanted.downloads:
            follow(DownloadFinished, self._download_finished)
        if wanted.trouble:
            follow(PlaybackFailed, self._playback_failed)
            follow(DownloadFailed, self._download_failed)
        if wanted.downloads or wanted.trouble:
            follow(DownloadQueueChanged, self._downloads_changed)

    # -- in the lane ------------------------------------------------------------------------------------------

    def _refreshed(self, event: PodcastRefreshed) -> None:
        if not event.first:
            self._new += event.new

    def _refresh_progress(self, event: RefreshProgress) -> None:
        if event.done == event.total and self._new:
            ids, self._new = self._new, []
            episodes = recently_published(ids, self._now(), self._player.library)
            title = plural(len(episodes), "{n:,} new episode", "{n:,} new episodes")
            self._tell(Kind.NEW_EPISODES, title, episodes[::-1], _to_hear(episodes))

    def _gone_live(self, event: PodcastRefreshed) -> None:
        if event.live and not event.first:
            for episode in self._rows(list(event.live)):
                buttons = (Button(Does.PLAY, (episode.id,)),)
                self._tell(Kind.LIVE, _("Live now"), [episode], buttons)

    def _started(self, event: EpisodeStarted) -> None:
        if event.cause is not Cause.PERSON:
            buttons = (Button(Does.PAUSE), Button(Does.SKIP))
            self._tell(Kind.NEXT, _("Now playing"), self._rows([event.episode_id]), buttons)

    def _download_finished(self, event: DownloadFinished) -> None:
        self._downloaded.append(event.episode_id)

    def _download_failed(self, event: DownloadFailed) -> None:
        self._failed.append(event)

    def _downloads_changed(self, _event: DownloadQueueChanged) -> None:
        """Called once no more downloads are under way."""
        if not (self._downloaded or self._failed):
            return
        if self._player.downloads.snapshot().is_under_way(Work.DOWNLOAD):
            return
        done, self._downloaded = self._downloaded, []
        failed, self._failed = self._failed, []
        episodes = self._rows(done)
        title = plural(len(done), "Downloaded {n:,} episode", "Downloaded {n:,} episodes")
        self._tell(Kind.DOWNLOADS, title, episodes, _to_hear(episodes))
        if failed:
            title = plural(len(failed), "{n:,} download failed", "{n:,} downloads failed")
            self._send(Notification(Kind.TROUBLE, title, failed[0].error))

    def _playback_failed(self, event: PlaybackFailed) -> None:
        for episode in self._rows([event.episode_id]):
            title = _("Can't play “{title}”", title=clean_line(episode.title, 100))
            self._send(Notification(Kind.TROUBLE, title, event.error))

    def _rows(self, ids: list[EpisodeId]) -> list[Episode]:
        try:
            return self._player.library.episodes.rows(ids)
        except EarmarkError as error:
            log.info("no notification: %s", error)
            return []

    def _tell(self, kind: Kind, title: str, episodes: list[Episode], buttons: tuple[Button, ...]) -> None:
        if episodes:
            self._send(Notification(kind, title, body_of(episodes), buttons))

    def _send(self, notification: Notification) -> None:
        if self._away():
            self._show(notification)


def _to_hear(episodes: list[Episode]) -> tuple[Button, ...]:
    """A single episode can be played at once, several only one after the other."""
    ids = tuple(one.id for one in episodes)
    return (Button(Does.PLAY, ids), Button(Does.QUEUE, ids)) if len(ids) == 1 else (Button(Does.QUEUE, ids),)


def body_of(episodes: list[Episode]) -> str:
    """The episode and its podcast; if there are several, the podcasts."""
    if len(episodes) == 1:
        return f"{clean_line(episodes[0].title, _LONGEST // 2)} · {clean_line(episodes[0].podcast, _LONGEST // 3)}"
    names = list(dict.fromkeys(clean_line(one.podcast, 60) for one in episodes))
    return ", ".join(names[:_NAMES]) + (", …" if len(names) > _NAMES else "")


class NotifiesElsewhere:
    """Events that nobody sees on a screen are shown by the desktop, or else by `otherwise`, if that is wanted.

    `away`: whether no screen is in focus.
    """

    def __init__(
        self,
        player: Player,
        *,
        away: Callable[[], bool] = lambda: True,
        otherwise: Callable[[Notification], object] = lambda _notification: None,
    ) -> None:
        self._player = player
        self._away = away
        self._otherwise = otherwise
        self._notifying: Notifying | None = None

    def follow(self) -> None:
        """Called once the player has started, and when settings have changed."""
        if self._notifying is None:
            if self._player.settings.notifications == Notifications():
                return
            self._notifying = self._made()
        self._notifying.begin()

    def _made(self) -> Notifying:
        from player.integrations.desktop.notifications import DesktopService, presser

        desktop = DesktopService(presser(self._player.session, self._player.acts))

        def show(notification: Notification) -> None:
            if not desktop.show(notification):
                self._otherwise(notification)

        return Notifying(self._player, away=self._away, show=show)


_MINUTE_S = 60.0
"""How often a podcast that was never reached is tried again, and how often to check whether a refresh of all is due."""

InBackground = Callable[[Callable[[], None]], object]


def _on_own_thread(work: Callable[[], None]) -> object:
    return on_own_thread(work, "earmark-retry")


class AutomaticRefresh:
    """Automatic refreshes as set, while Earmark runs. `every` calls a function at an interval in seconds;
    `in_background` runs a function that reads the library, without waiting for it."""

    def __init__(
        self,
        player: Player,
        *,
        every: Callable[[float, Callable[[], None]], object],
        in_background: InBackground = _on_own_thread,
    ) -> None:
        self._player = player
        self._every = every
        self._in_background = in_background
        self._retries = False
        self._minutes = 0
        """The time since the last refresh at an interval."""

    def begin(self, unread: list[PodcastId]) -> None:
        """`unread` are podcasts to read at the start even if the settings ask for no refresh then."""
        self._retries = self._player.settings.feeds.refresh_on_start
        self._player.bus.subscribe(NetworkChanged, self._back_online)
        if self._retries:
            self._refresh(None)
        elif unread:
            self._refresh(unread)
        self._every(_MINUTE_S, self._minute)

    def never_read(self, url: str = "") -> list[PodcastId]:
        """The podcasts that were never read, or only the one with that `url`. Call it in a thread."""
        podcasts = self._player.library.podcasts.all()
        return [one.id for one in podcasts if one.last_refreshed is None and url in ("", one.url)]

    def _back_online(self, event: NetworkChanged) -> None:
        """Refreshes the feeds that have become due while offline."""
        if not event.offline and (self._retries or self._player.settings.feeds.refresh_minutes > 0):
            self._refresh(None)

    def _minute(self) -> None:
        """The refresh interval may have been changed meanwhile."""
        if self._retries:
            self._in_background(self._retry)
        if self._player.settings.feeds.refresh_minutes > 0:
            self._in_background(self._look_for_shows)
        self._minutes += 1
        if 0 < self._player.settings.feeds.refresh_minutes <= self._minutes:
            self._minutes = 0
            self._refresh(None)

    def _retry(self) -> None:
        try:
            unread = self.never_read()
        except LibraryError as error:
            self._player.notify(str(error), Severity.ERROR)
            return
        if unread:
            self._refresh(unread)

    def _look_for_shows(self) -> None:
        """Live shows are looked for when they are to begin, and when they are to end."""
        from player.feeds.schedule import shows_due

        try:
            due = shows_due(self._player.library, datetime.now(UTC))
        except LibraryError as error:
            log.warning("live shows can't be looked for: %s", error)
            return
        if due:
            self._refresh(due)

    def _refresh(self, podcast_ids: list[PodcastId] | None) -> None:
        self._player.refresh(podcast_ids, by_person=False)
