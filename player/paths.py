"""Where Earmark's files live: the platform's folders under the name `earmark`, or all of them under EARMARK_HOME."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import platformdirs
from msgspec import Struct


class Paths(Struct, frozen=True):
    """The folders; none is created until something is written to it."""

    data: Path
    config: Path
    cache: Path
    state: Path
    runtime: Path

    @classmethod
    def of(cls, environ: Mapping[str, str] = os.environ) -> "Paths":
        if home := environ.get("EARMARK_HOME"):
            root = Path(home).expanduser().absolute()
            return cls(root / "data", root / "config", root / "cache", root / "state", root / "run")
        return cls(
            data=Path(platformdirs.user_data_dir("earmark", appauthor=False)),
            config=Path(platformdirs.user_config_dir("earmark", appauthor=False)),
            cache=Path(platformdirs.user_cache_dir("earmark", appauthor=False)),
            state=Path(platformdirs.user_state_dir("earmark", appauthor=False)),
            runtime=_runtime(environ),
        )

    @property
    def library(self) -> Path:
        return self.data / "library.db"

    @property
    def search(self) -> Path:
        """The index of all words, which can be rebuilt from the library."""
        return self.data / "search.db"

    @property
    def backups(self) -> Path:
        return self.data / "backups"

    @property
    def sounds(self) -> Path:
        """What is remembered of the sound of episodes that were heard."""
        return self.data / "sounds"

    @property
    def lock(self) -> Path:
        """Held by the one Earmark that plays from this library."""
        return self.data / "earmark.lock"

    @property
    def sync_lock(self) -> Path:
        """Held by the one process that syncs this library."""
        return self.data / "sync.lock"

    @property
    def settings(self) -> Path:
        return self.config / "config.toml"

    @property
    def themes(self) -> Path:
        """The listener's own themes, one `NAME.toml` each."""
        return self.config / "themes"

    @property
    def translations(self) -> Path:
        """Where a translator or listener can put catalogues of their own, as `LANGUAGE/LC_MESSAGES/earmark.mo`."""
        return self.data / "locale"

    @property
    def media(self) -> Path:
        return self.cache / "media"

    @property
    def covers(self) -> Path:
        return self.cache / "covers"

    @property
    def shown_cover(self) -> Path:
        """A folder with the cover of the current episode, for the desktop."""
        return self.cache / "shown-cover"

    @property
    def waveforms(self) -> Path:
        return self.cache / "waveforms"

    @property
    def logins(self) -> Path:
        """The names, and without a keyring the passwords, for servers that require them."""
        return self.data / "logins.json"

    @property
    def sync_folder(self) -> Path:
        """What this Earmark stores about the journal that it writes to a sync folder."""
        return self.data / "sync-folder.json"

    @property
    def last_frame(self) -> Path:
        """The last contents of the screen, for the next start."""
        return self.cache / "last-frame"

    @property
    def log(self) -> Path:
        return self.state / "earmark.log"

    @property
    def hook_failures(self) -> Path:
        """Failures of the listener's programs, for `earmark doctor`."""
        return self.state / "hook-failures.jsonl"

    @property
    def socket(self) -> Path:
        return self.runtime / "control.sock"


def _runtime(environ: Mapping[str, str]) -> Path:
    """The session's runtime folder, whatever its permissions: what is put there is private. Without a session, a
    private folder among the temporary files."""
    if not hasattr(os, "getuid"):
        return Path(platformdirs.user_runtime_dir("earmark", appauthor=False))
    if (folder := Path(environ.get("XDG_RUNTIME_DIR", ""))).is_absolute():
        return folder / "earmark"
    return Path(tempfile.gettempdir()) / f"earmark-{os.getuid()}"
