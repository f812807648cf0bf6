"""A library with something for every command that lists, some of it hostile, and the commands that list."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from player.attachments.episode_transcripts import Transcripts
from player.feeds.check import decide
from player.library import Library
from player.model.downloads import DownloadState
from player.model.feed import Feed, FeedEpisode, FeedState
from player.model.listening import ListeningSpan, Moment
from player.model.segments import SegmentKind
from player.playback.outputs import FoundOutput, SoundOutput
from tests.tui.shelf import episodes_of, stock

HOSTILE = "Bad \x1b[31m\x1b]0;x\x07 \u202etitle\n$(reboot) `reboot` 'quoted' \"twice\" #[x]"
AT = datetime(2026, 6, 10, 12, tzinfo=UTC)
OUTPUTS = (FoundOutput(SoundOutput("pulse", "headset"), "Phones [USB] (PulseAudio)"),)

LISTS = {
    "episodes": (),
    "search": ("inductor",),
    "queue": (),
    "playlist": ("list", "Evening"),
    "bookmark": ("list",),
    "bookmarks": (),
    "segments": (),
    "history": (),
    "download": ("list",),
    "downloads": (),
    "podcasts": (),
    "lists": (),
    "tag": (),
    "themes": (),
    "keys": (),
    "output": (),
    "chapters": ("Inductor - Post-grad FX passes",),
    "find": ("words",),
    "top": (),
    "config": ("--all",),
    "run": ("--list",),
    "doctor": (),
    "transcript": ("Higher order operators",),
    "show": ("Compiler collectives",),
}
"""Every command that takes --format, and what it is given here. `find` and `top` need directories."""


def fill(library: Library, folder: Path) -> None:
    """`folder` is where downloads are put."""
    made = stock(library)
    rows = {row.title: row for row in episodes_of(library, made["PyTorch Developer Podcast"])}
    graph, higher, autograd = (
        rows[title].id for title in ("CUDA graph trees", "Higher order operators", "Compiled autograd")
    )
    library.queue.add_last([graph, higher, autograd])
    evening = library.lists.add("Evening")
    library.lists.add_episodes(evening.id, [higher, autograd])
    library.lists.add("Short", "is:unplayed duration:<16m sort:shortest")
    for number, one in enumerate((graph, higher)):
        library.bookmarks.put(one, Moment(60_000 * (number + 1), "A chapter", "What is said", "look it up"))
        marked = library.segments.mark(one, 10_000, 44_000, SegmentKind.SPONSOR)
        library.segments.put_found(autograd, [(marked.id, 60_000, 94_000)])
        span = ListeningSpan(one, 0, 600_000, AT + timedelta(hours=number), 1.0)
        library.progress.save(one, span.to_ms, None, span.began_at, heard=[span])
        path = folder / f"{one}.mp3"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(2_000))
        library.downloads.put(one, path, size=2_000_000, why="manual" if number else f"podcast:{made['Changelog']}")
    library.downloads.queue.add([autograd, rows["AOTInductor"].id])
    library.downloads.queue.problem(
        autograd, "The server is gone", "Try later.", state=DownloadState.FAILED, attempts=5
    )
    Transcripts(library, "en").give(higher, b"1\n00:00:01,000 --> 00:00:02,000\nAda: It rains.\n", "en", AT)
    library.shelf.set_tags(made["Changelog"], ["work", "long walks"])
    hostile = library.podcasts.add("https://hostile.example/feed", HOSTILE)
    people = json.dumps({"person": [{"name": "Ada\x1b[31m", "role": "guest"}]})
    item = FeedEpisode(
        guid="hostile", title=HOSTILE, url="https://media.example/bad.mp3", published=AT, duration_ms=60_000,
        notes=f"<p>{HOSTILE}</p>", season=2, number="7", extra=people,
    )  # fmt: skip
    feed = Feed(title=HOSTILE, episodes=(item,))
    library.podcasts.apply(hostile.id, feed, FeedState(), decide)
