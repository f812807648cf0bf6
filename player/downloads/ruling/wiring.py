"""The rules of a running Earmark, put together."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from player.downloads.files import folder_of
from player.downloads.queue import Downloader
from player.downloads.ruling.explaining import explain
from player.downloads.ruling.runner import RuleRunner
from player.downloads.ruling.settings import rule_settings
from player.downloads.ruling.state import Surroundings
from player.downloads.ruling.trash import delete
from player.downloads.ruling.words import Explained
from player.events import Bus, Cause, EpisodesChanged
from player.library import Library
from player.model.downloads.events import DownloadDeleted
from player.model.episode import EpisodeId
from player.paths import Paths
from player.settings import Settings


def surroundings(
    paths: Paths,
    settings: Settings,
    playing: Callable[[], EpisodeId | None] = lambda: None,
    part: Callable[[EpisodeId], float] = lambda _episode_id: 0.0,
) -> tuple[Surroundings, Path]:
    """What isn't in the library, and the downloads folder."""
    folder = folder_of(settings.media.downloads, paths.data)
    return Surroundings(rule_settings(settings.downloads), (folder, paths.media), playing, part), folder


class DownloadRules:
    """The rules of config.toml, podcasts and lists. `runner` applies them once it was started."""

    def __init__(
        self,
        paths: Paths,
        settings: Settings,
        library: Library,
        bus: Bus,
        downloads: Downloader,
        playing: Callable[[], EpisodeId | None],
    ) -> None:
        self._library = library
        self._bus = bus

        def part(episode_id: EpisodeId) -> float:
            entries = downloads.snapshot().entries
            return next((one.progress.part or 0.0 for one in entries if one.episode_id == episode_id), 0.0)

        def around(settings: Settings) -> tuple[Surroundings, Path]:
            return surroundings(paths, settings, playing, part)

        self._surroundings = around
        self._around, self._folder = self._surroundings(settings)
        self.runner = RuleRunner(library, bus, self._around, self._folder, downloads)

    def follow(self, settings: Settings) -> None:
        """Other settings than before."""
        self._around, self._folder = self._surroundings(settings)
        self.runner.follow(self._around, self._folder)

    def explain(self) -> dict[EpisodeId, Explained]:
        """Why each download is here, what keeps it, when it goes. Reads the library: in a thread."""
        return explain(self._library, self._around, datetime.now().astimezone())[0]

    def delete(self, ids: Sequence[EpisodeId]) -> list[EpisodeId]:
        """Deletes the files of these for the listener, as one act that can be undone for a day, and answers with the
        episodes whose files are gone. Waits for the disk. Raises LibraryError."""
        gone = delete(self._library, self._folder, ids)
        if gone:
            self._bus.publish(EpisodesChanged(tuple(gone)))
        for one in gone:
            self._bus.publish(DownloadDeleted(one, Cause.PERSON))
        return gone
