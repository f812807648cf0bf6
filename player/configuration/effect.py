"""When a changed setting takes effect: at once, or when Earmark is restarted. Each has to be in one of the two."""

from player.configuration.catalogue import names, value_of
from player.settings import Settings

AT_ONCE = frozenset({
    "playback.seek_back", "playback.seek_forward", "playback.seek_back_far", "playback.seek_forward_far",
    "playback.rewind_after_pause", "playback.rewind", "playback.rewind_after_day", "playback.rewind_long",
    "background.ends_after",
    "queue.interrupted", "queue.played_within",
    "audio.output", "audio.device",
    "appearance.theme", "appearance.dark", "appearance.light", "appearance.motion", "appearance.rows",
    "appearance.waveform", "appearance.title",
    "feeds.refresh_on_start", "feeds.refresh_minutes",
    "inbox.enabled",
    "media.cache_limit", "media.downloads",
    "downloads.newest", "downloads.inbox", "downloads.queue", "downloads.include", "downloads.exclude",
    "downloads.longer_than", "downloads.shorter_than", "downloads.hours", "downloads.limit", "downloads.keep_free",
    "downloads.delete_played", "downloads.delete_after", "downloads.name", "downloads.tags", "downloads.at_once",
    "reading.width",
    "sleep.from", "sleep.to", "sleep.minutes",
    "chapters.skip", "chapters.skip_in",
    "transcripts.language",
    "bookmarks.file", "bookmarks.template",
    "directories.ask", "directories.country", "directories.podcast_index_key", "directories.podcast_index_secret",
    "directories.apple_url", "directories.apple_charts_url", "directories.fyyd_url", "directories.gpodder_url",
    "directories.podcast_index_url",
    "hooks.started", "hooks.paused", "hooks.resumed", "hooks.finished", "hooks.left", "hooks.seeked",
    "hooks.new_episode", "hooks.downloaded", "hooks.bookmarked", "hooks.seconds",
    "desktop.media_keys", "desktop.next", "desktop.previous", "desktop.pause_for_others", "desktop.pause_unplugged",
    "background.on_close",
    "keys",
    "notifications.new_episodes", "notifications.next", "notifications.downloads", "notifications.trouble",
})  # fmt: skip
"""Or with what they are about: the next start, the next page, the next download."""

AT_RESTART = frozenset({
    "playback.engine",
    "appearance.ascii", "appearance.hyperlinks", "appearance.art", "appearance.bidi",
    "mouse.enabled",
})  # fmt: skip
"""What the terminal was set up with, and what is read once at the start."""


def changes(before: Settings, after: Settings) -> tuple[str, ...]:
    """The settings that differ, in the order of the code; `keys` for any of [keys]."""
    differ = [name for name in names() if value_of(before, name) != value_of(after, name)]
    return (*differ, "keys") if before.keys != after.keys else tuple(differ)


def waiting(changed: tuple[str, ...]) -> tuple[str, ...]:
    """Those that take effect at a restart."""
    return tuple(name for name in changed if name in AT_RESTART)
