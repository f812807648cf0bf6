"""Libraries that a listener has used, and what is the listener's in them."""

import json
import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from player.exports.archive import save_archive
from player.feeds.check import decide
from player.library import Applied, Library
from player.model.episode import BytePosition, EpisodeId
from player.model.feed import FeedEpisode, FeedState
from player.model.filters import Order, View, ViewName, ViewSettings
from player.model.listening import ListeningSpan, Moment
from player.model.podcast import Podcast
from player.model.podcast_settings import EpisodeTest, NewEpisodeRules, NewEpisodes, PodcastDownloads, PodcastSettings
from player.model.segments import SegmentKind, SegmentRule, SegmentRules
from player.paths import Paths
from tests.player.library.helpers import episode, feed

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
FEEDS = ("https://example.org/rain.xml", "https://example.org/wind.xml", "https://example.org/snow.xml")
EPISODES = 8


def opened(folder: Path) -> Library:
    """A new library below `folder`, without the show that a new one starts with."""
    paths = Paths(*(folder / name for name in ("data", "config", "cache", "state", "run")))
    library = Library(paths, now=lambda: NOW, backs_up=False)
    library.open()
    for podcast in library.podcasts.all():
        library.podcasts.remove(podcast.id)
    return library


def items(url: str) -> tuple[FeedEpisode, ...]:
    """Of the feed there: eight, one a day, the newest first."""
    name = url.rpartition("/")[2].removesuffix(".xml")
    return tuple(
        episode(
            number,
            guid=f"{name}-{number}",
            title=f"{name.title()} {number}",
            url=f"https://cdn.example.org/{name}/{number}.mp3",
            link=f"https://example.org/{name}/{number}",
        )
        for number in range(EPISODES)
    )


def read_feed(library: Library, podcast: Podcast) -> Applied:
    """As a refresh does it."""
    whole = feed(*items(podcast.url), title=podcast.url.rpartition("/")[2].removesuffix(".xml").title())
    return library.podcasts.apply(podcast.id, whole, FeedState(), decide)


def subscribed(library: Library, urls: Sequence[str] = FEEDS) -> list[EpisodeId]:
    """The episodes of these feeds, read."""
    found: list[EpisodeId] = []
    for url in urls:
        found += read_feed(library, library.podcasts.add(url)).new
    return found


Act = Callable[[Library, list[EpisodeId], random.Random], object]


def _heard(library: Library, ids: list[EpisodeId], dice: random.Random) -> None:
    one, begin = dice.choice(ids), NOW - timedelta(minutes=dice.randrange(100_000))
    span = ListeningSpan(one, dice.randrange(1000), 60_000 + dice.randrange(1000), begin, dice.choice([1.0, 1.5]))
    byte = dice.choice([None, BytePosition(61_000, 5_000, 9_000, exact=False)])
    library.progress.save(one, 61_000, dice.choice([None, 1_799_000]), begin + timedelta(minutes=1), byte, [span])


def _bookmark(library: Library, ids: list[EpisodeId], dice: random.Random) -> None:
    note = dice.choice(["", "“remember” *this*"])
    library.bookmarks.put(dice.choice(ids), Moment(dice.randrange(100) * 10_000, "A chapter", "A line.", note))


def _segment(library: Library, ids: list[EpisodeId], dice: random.Random) -> None:
    one, start_ms = dice.choice(ids), dice.randrange(100) * 10_000
    if all(each.start_ms != start_ms for each in library.segments.of_episode(one)):
        library.segments.mark(one, start_ms, start_ms + 30_000, dice.choice(list(SegmentKind)))


def _set_podcast(library: Library, ids: list[EpisodeId], dice: random.Random) -> None:
    podcast = dice.choice(library.podcasts.all())
    rules = NewEpisodeRules(dice.choice(list(NewEpisodes)), include=dice.choice(["", "news"]))
    view = ViewSettings(dice.choice([None, Order.OLDEST]), hide_played=dice.random() < 0.5)
    downloads = PodcastDownloads(dice.choice([None, 0, 3]), EpisodeTest(include="news", under_ms=60_000))
    settings = PodcastSettings(
        dice.choice([None, 1.4]),
        30_000,
        skip_chapters=("Ad",),
        new_episodes=rules,
        view=view,
        downloads=downloads,
        segments=SegmentRules(sponsor=dice.choice(list(SegmentRule))),
    )
    library.podcast_settings.set(podcast.id, settings)
    library.shelf.rename(podcast.id, dice.choice(["", "Mine & yours"]))
    library.shelf.set_tags(podcast.id, dice.sample(["work", "news", "Über"], 2))
    library.shelf.set_pinned(podcast.id, dice.random() < 0.5)
    library.continued.set(View.of(ViewName.PODCAST, podcast.id), dice.choice([None, True, False]))


def _playlist(library: Library, ids: list[EpisodeId], dice: random.Random) -> None:
    lists = [one for one in library.lists.all() if one.is_playlist]
    chosen = dice.choice(lists) if lists else library.lists.add(f"List {dice.randrange(3)}")
    library.lists.add_episodes(chosen.id, dice.sample(ids, 3))


def _lists(library: Library, ids: list[EpisodeId], dice: random.Random) -> None:
    title = f"Smart {dice.randrange(100)}"
    if title not in {one.title for one in library.lists.all()}:
        made = library.lists.add(title, "is:unplayed podcast:rain")
        library.view_settings.set(View.of_list(made.id).key, ViewSettings(Order.LONGEST, hide_played=True))
        library.downloads.facts.set_list(made.id, 5)
    library.view_settings.set("tag work", ViewSettings(Order.SHORTEST))


ACTS: tuple[Act, ...] = (
    _heard,
    _heard,
    _bookmark,
    _segment,
    _set_podcast,
    _playlist,
    _lists,
    lambda library, ids, dice: library.progress.finish(dice.choice(ids)),
    lambda library, ids, dice: library.queue.add_last(dice.sample(ids, 2)),
    lambda library, ids, dice: library.queue.add_next(dice.sample(ids, 2)),
    lambda library, ids, dice: library.inbox.remove(dice.sample(ids, 3)),
    lambda library, ids, dice: library.episodes.set_starred([dice.choice(ids)], True),
    lambda library, ids, dice: library.episodes.set_played([dice.choice(ids)], True),
)


def used(library: Library, seed: int, acts: int) -> list[EpisodeId]:
    """All feeds, and a listener who did `acts` things with them."""
    ids, dice = subscribed(library), random.Random(seed)
    for _number in range(acts):
        dice.choice(ACTS)(library, ids, dice)
    library.state.set("speed", "1.3")
    return ids


def exported(library: Library, path: Path) -> dict[str, Any]:
    save_archive(path, library, NOW)
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def comparable(found: dict[str, Any]) -> dict[str, Any]:
    """Without what says nothing of the listener: the numbers of ranks, and in which order podcasts were added."""
    podcasts = {one["url"]: dict(one) for one in found["podcasts"]}
    queue, playlists = [], []
    for url, podcast in podcasts.items():
        episodes = podcast["episodes"] = {one["guid"]: dict(one) for one in podcast["episodes"]}
        for guid, one in episodes.items():
            if queued := one.pop("queued", None):
                queue.append((queued["rank"], url, guid, queued["added_at"]))
            playlists += [(title, rank, url, guid) for title, rank in one.pop("playlists", {}).items()]
    return {
        "podcasts": podcasts,
        "queue": [one[1:] for one in sorted(queue)],
        "playlists": [(title, url, guid) for title, _rank, url, guid in sorted(playlists)],
        **{name: found[name] for name in ("lists", "views", "bookmarks", "removed", "choices")},
    }
