"""The settings of one podcast."""

from concurrent.futures import Future
from typing import TYPE_CHECKING

from player.model.podcast import Podcast, PodcastId
from player.model.podcast_settings import PodcastSettings
from player.playback.last_session import usual_speed
from player.text.sentences import _
from tui.dialogs.settings import SettingsPage
from tui.drawing.fields import Field
from tui.drawing.podcast_fields import fields, podcast_groups

if TYPE_CHECKING:
    from player.player import Player


class PodcastSettingsScreen(SettingsPage[PodcastSettings]):
    """Its changes are applied to what plays."""

    def __init__(self, player: "Player", podcast_id: PodcastId) -> None:
        super().__init__(
            player, _("Settings of this podcast"), _("For this podcast only; saved when you leave the row.")
        )
        self._podcast_id = podcast_id

    def on_mount(self) -> None:
        library, podcast_id = self._player.library, self._podcast_id
        self.read(
            lambda: (library.podcasts.get(podcast_id), library.podcast_settings.get(podcast_id), usual_speed(library)),
            self._show,
        )

    def _show(self, found: tuple[Podcast, PodcastSettings, float]) -> None:
        podcast, settings, speed = found
        general = self._player.settings
        self._heading = _("Settings for {podcast}", podcast=podcast.title)
        audio, newest = general.audio, general.downloads.newest
        known = fields(inbox=general.inbox.enabled, speed=speed, newest=newest, boost=audio.boost, trim=audio.trim)
        self.show(podcast_groups(known), settings)

    def store(self, field: Field[PodcastSettings], settings: PodcastSettings) -> Future[PodcastSettings]:
        text = field.written(settings)
        return self._player.change_podcast_settings(self._podcast_id, lambda present: field.typed(present, text))
