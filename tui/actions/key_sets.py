"""Actions whose keys are treated alike while something is still being read (`tui/framework/typing_ahead.py`)."""

HELD = frozenset({
    "down", "up", "half_page_down", "half_page_up", "page_down", "page_up", "seek_back", "seek_forward",
    "seek_back_far", "seek_forward_far", "slower", "faster", "quieter", "louder",
})  # fmt: skip
"""Actions whose keys are held down."""
OF_ROW = frozenset({
    "play", "read", "star", "played", "download", "pause_download", "next_episode", "previous_episode", "links",
    "copy_link", "copy_links", "queue", "queue_next", "dismiss", "refresh", "login", "about", "podcast_settings",
    "select",
})  # fmt: skip
"""Actions about the episode under the cursor."""
MOVED = frozenset({"down", "up", "half_page_down", "half_page_up", "page_down", "page_up", "first", "last"})
"""Actions that move in what has the focus."""
MULTIPLIED = MOVED | {"seek_back", "seek_forward", "seek_back_far", "seek_forward_far"}
"""Actions that go as far as the count before their key says (`10j`, `3→`); `first` and `last` go to that row."""
REPEATED = frozenset({
    "next_episode", "previous_episode", "previous_chapter", "next_chapter", "slower", "faster", "quieter", "louder",
})  # fmt: skip
"""Actions that are done as often as the count before their key says."""
OF_NOTHING = frozenset({"quit", "help"})
"""Actions that do the same whatever is in sight."""

ONLY_BY_KEY = frozenset({"suspend"})
"""What other programs can't ask for: nobody could bring back through the control socket what stops with it."""
