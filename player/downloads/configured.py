"""Where downloads go, how they are called and what is written into them, as config.toml says."""

from collections.abc import Callable

from player.attachments.fetch import Fetcher
from player.downloads.files import folder_of
from player.downloads.making import FileMaker, FileRules
from player.downloads.tagging.tagger import ProcessTagger
from player.library import Library
from player.media import MediaStore
from player.model.chapters import Chapters
from player.model.episode import Episode
from player.paths import Paths
from player.settings import Settings


class ConfiguredMaker(FileMaker):
    """`chapters` reads those that were fetched; `fetcher` makes what fetches the picture of a file."""

    def __init__(
        self,
        paths: Paths,
        settings: Settings,
        library: Library,
        store: MediaStore,
        chapters: Callable[[Episode], Chapters],
        fetcher: Callable[[], Fetcher],
    ) -> None:
        self._paths = paths
        self._tags = library, chapters, fetcher
        super().__init__(library, store, *self._as_set(settings))

    def configure(self, settings: Settings) -> None:
        """Other settings than before."""
        self.follow(*self._as_set(settings))

    def _as_set(self, settings: Settings) -> tuple[FileRules, ProcessTagger | None]:
        rules = FileRules(folder_of(settings.media.downloads, self._paths.data), settings.downloads.name)
        return rules, ProcessTagger(*self._tags) if settings.downloads.tags else None
