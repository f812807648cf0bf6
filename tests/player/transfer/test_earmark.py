"""Everything that is the listener's, taken to another library and back."""

import gc
import json
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from player.exports.archive import archive, save_archive
from player.feeds.check import decide
from player.library import Library
from player.links.addresses import audiobookshelf_episode, audiobookshelf_podcast
from player.model.episode import EpisodeId
from player.model.feed import FeedState
from player.model.filters import EpisodeFilter, View
from player.model.listening import ListeningSpan, Moment
from player.model.podcast import PodcastId
from player.transfer.earmark import Report, recognises, restore, sentences
from tests.player.exports.helpers import (
    FEEDS,
    NOW,
    comparable,
    exported,
    items,
    opened,
    read_feed,
    subscribed,
    used,
)
from tests.player.library.helpers import apply_feed, episode, feed
from tests.quick import examples

Make = Callable[[], Library]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """New libraries, closed in the end."""
    with ExitStack() as stack:
        numbers = iter(range(1000))

        def new() -> Library:
            library = opened(tmp_path / f"library-{next(numbers)}")
            stack.callback(library.close)
            return library

        yield new


def brought(library: Library, other: Library, path: Path) -> Report:
    """What is in `library`, restored in `other`."""
    exported(library, path)
    return restore(path, other)


def changed(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    found = json.loads(path.read_bytes())
    change(found)
    path.write_text(json.dumps(found))


@settings(max_examples=examples(20))
@given(seed=st.integers(0, 10_000), acts=st.integers(0, 60))
def test_a_new_library_is_the_old_one_once_its_feeds_have_arrived(
    tmp_path_factory: pytest.TempPathFactory, seed: int, acts: int
) -> None:
    folder = tmp_path_factory.mktemp("restore")
    with ExitStack() as stack:
        old, new = opened(folder / "old"), opened(folder / "new")
        stack.callback(old.close)
        stack.callback(new.close)
        used(old, seed, acts)
        before = comparable(exported(old, folder / "old.json"))
        restore(folder / "old.json", new)
        assert comparable(exported(new, folder / "new.json")) == before, "before any feed was read"
        for podcast in new.podcasts.all():
            assert not read_feed(new, podcast).inbox
        assert comparable(exported(new, folder / "new.json")) == before
        restore(folder / "old.json", new)
        assert comparable(exported(new, folder / "new.json")) == before, "the second time"
        assert [one.episode_count for one in new.podcasts.all()] == [len(items("x"))] * len(FEEDS)
        assert new.search.left() >= 0
        assert new.history.totals(NOW.date() - timedelta(days=999), NOW.date(), NOW.date()) == old.history.totals(
            NOW.date() - timedelta(days=999), NOW.date(), NOW.date()
        )


@settings(max_examples=examples(10))
@given(seeds=st.tuples(st.integers(0, 10_000), st.integers(0, 10_000)), acts=st.integers(0, 40))
def test_a_library_that_has_other_things_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory, seeds: tuple[int, int], acts: int
) -> None:
    folder = tmp_path_factory.mktemp("restore")
    with ExitStack() as stack:
        one, other = opened(folder / "one"), opened(folder / "other")
        stack.callback(one.close)
        stack.callback(other.close)
        used(one, seeds[0], acts)
        used(other, seeds[1], acts)
        here = comparable(exported(other, folder / "before.json"))
        there = comparable(exported(one, folder / "one.json"))
        restore(folder / "one.json", other)
        after = comparable(exported(other, folder / "after.json"))
        for before in (here, there):
            for url, podcast in before["podcasts"].items():
                joined = after["podcasts"][url]
                assert set(podcast.get("tags", ())) <= set(joined.get("tags", ()))
                assert joined.get("pinned") or not podcast.get("pinned")
                for guid, episode in podcast["episodes"].items():
                    now = joined["episodes"][guid]
                    assert now.get("starred") or not episode.get("starred")
                    assert now.get("played") or not episode.get("played")
                    assert {span["began_at"] for span in episode.get("heard", ())} <= {
                        span["began_at"] for span in now.get("heard", ())
                    }
                    assert len(now.get("bookmarks", ())) >= len(episode.get("bookmarks", ()))
                    assert {(one["start_ms"], one["end_ms"]) for one in episode.get("segments", ())} <= {
                        (one["start_ms"], one["end_ms"]) for one in now.get("segments", ())
                    }
            assert set(before["playlists"]) <= set(after["playlists"])
        assert set(here["queue"]) <= set(after["queue"])
        assert after["queue"][: len(here["queue"])] == here["queue"], "what was queued here comes first"
        assert after["choices"]["speed"] == "1.3"
        restore(folder / "one.json", other)
        assert comparable(exported(other, folder / "again.json")) == after


def test_what_is_new_after_the_export_is_new_there_too(make: Make, tmp_path: Path) -> None:
    old, new = make(), make()
    podcast = old.podcasts.add(FEEDS[0])
    read_feed(old, podcast)
    old.inbox.remove([*old.inbox.ids()])  # type: ignore[list-item]
    brought(old, new, tmp_path / "x")
    (there,) = new.podcasts.all()
    later = episode(99, guid="rain-new", title="Rain new", published=NOW)
    applied = new.podcasts.apply(there.id, feed(later, *items(FEEDS[0])), FeedState(), decide)
    assert [row.title for row in new.episodes.rows([*new.inbox.ids()])] == ["Rain new"]  # type: ignore[list-item]
    assert applied.inbox


def test_of_two_positions_the_later_one_stays(make: Make, tmp_path: Path) -> None:
    one, other = make(), make()
    first, second, third = subscribed(one, FEEDS[:1])[:3]
    subscribed(other, FEEDS[:1])
    one.progress.save(first, 10_000, None, NOW - timedelta(hours=2))
    other.progress.save(first, 20_000, None, NOW - timedelta(hours=1))
    one.progress.save(second, 30_000, None, NOW - timedelta(hours=1))
    other.progress.save(second, 40_000, None, NOW - timedelta(hours=2))
    one.progress.finish(third)
    other.progress.save(third, 50_000, None, NOW + timedelta(hours=1))
    brought(one, other, tmp_path / "x")
    saved = [other.progress.position(number) for number in (first, second, third)]
    assert [one and one.position_ms for one in saved] == [20_000, 30_000, 50_000]
    rows = {row.id: row for row in other.episodes.rows([first, second, third])}
    assert not rows[third].played, "it was begun again after the export"


def test_what_is_heard_and_queued_again_comes_though_it_was_played(make: Make, tmp_path: Path) -> None:
    one, other, third = make(), make(), make()
    first = subscribed(one, FEEDS[:1])[0]
    subscribed(other, FEEDS[:1])
    one.inbox.remove([first])
    one.episodes.set_played([first], True)
    one.progress.save(first, 10_000, None, NOW - timedelta(hours=1))
    one.queue.add_last([first])
    before = comparable(exported(one, tmp_path / "one"))
    episode = before["podcasts"][FEEDS[0]]["episodes"]["rain-0"]
    assert {"played", "position"} <= episode.keys()
    for library in (other, third):
        restore(tmp_path / "one", library)
        after = comparable(exported(library, tmp_path / "after"))
        assert (after["queue"], after["podcasts"][FEEDS[0]]["episodes"]["rain-0"]) == (before["queue"], episode)


def test_what_was_played_since_has_no_position_left_and_stays_queued(make: Make, tmp_path: Path) -> None:
    one, other = make(), make()
    first = subscribed(one, FEEDS[:1])[0]
    there = subscribed(other, FEEDS[:1])[0]
    one.progress.finish(first)
    other.progress.save(there, 20_000, None, NOW - timedelta(hours=1))
    other.queue.add_last([there])
    brought(one, other, tmp_path / "x")
    (row,) = other.episodes.rows([there])
    assert (row.played, other.progress.position(there), list(other.queue.ids())) == (True, None, [there])


def test_a_private_feed_is_the_same_one_with_and_without_its_login(make: Make, tmp_path: Path) -> None:
    one, other = make(), make()
    private = "https://me:secret@example.org/rain.xml"
    read_feed(one, one.podcasts.add(private))
    other.podcasts.add(private)
    report = brought(one, other, tmp_path / "x")
    assert "secret" not in (tmp_path / "x").read_text()
    assert (report.restored.known, report.restored.added) == (1, ())
    assert [podcast.url for podcast in other.podcasts.all()] == [private]


def test_podcasts_of_a_server_come_along_with_what_was_done_in_them(make: Make, tmp_path: Path) -> None:
    one, other = make(), make()
    server = "https://shelf.example/below"
    url = audiobookshelf_podcast(server, "item-1")
    entries = [episode(n, url=audiobookshelf_episode(server, "item-1", f"e{n}"), guid=f"g{n}") for n in range(3)]
    ids = apply_feed(one, one.podcasts.add(url), *entries).new
    one.progress.save(ids[0], 60_000, None, NOW, None, [ListeningSpan(ids[0], 0, 60_000, NOW)])
    one.episodes.set_starred([ids[1]], True)
    before = comparable(exported(one, tmp_path / "one"))
    report = restore(tmp_path / "one", other)
    assert (len(report.restored.added), report.odd) == (1, 0)
    assert [found.url for found in other.podcasts.all()] == [url]
    assert comparable(exported(other, tmp_path / "other")) == before
    apply_feed(other, other.podcasts.all()[0], *entries)
    assert comparable(exported(other, tmp_path / "other")) == before, "once the server was asked"


@pytest.mark.parametrize(
    "url",
    [
        "audiobookshelf:https://me:secret@shelf.example/item/1",
        "audiobookshelf:https:///item/1",
        "audiobookshelf:https://shelf.example:x/item/1",
        "audiobookshelf:file:///item/1",
        "audiobookshelf:https://shelf.example\x1b/item/1",
    ],
)
def test_of_a_server_only_what_can_be_one_is_restored(make: Make, tmp_path: Path, url: str) -> None:
    one, other = make(), make()
    read_feed(one, one.podcasts.add(FEEDS[0]))
    exported(one, tmp_path / "x")
    changed(tmp_path / "x", lambda found: found["podcasts"][0].update(url=url))
    assert restore(tmp_path / "x", other).odd == 1
    assert other.podcasts.all() == []


def test_what_was_heard_of_a_preview_comes_along(make: Make, tmp_path: Path) -> None:
    one, other, third = make(), make(), make()
    for url in FEEDS[:2]:
        read_feed(one, one.previews.add(url, ""))
    preview = one.previews.by_url(FEEDS[0])
    assert preview
    (number,) = [int(item) for item in one.search.find("Rain 3", 9).ids] or [2]
    one.progress.save(EpisodeId(number), 60_000, None, NOW, None, [ListeningSpan(EpisodeId(number), 0, 60_000, NOW)])
    before = comparable(exported(one, tmp_path / "one"))
    assert [found["subscribed"] for found in before["podcasts"].values()] == [False]
    read_feed(third, third.podcasts.add(FEEDS[0]))
    for library in (other, third):
        report = restore(tmp_path / "one", library)
        assert (report.restored.added, report.restored.counts.spans) == ((), 1)
    assert other.podcasts.all() == []
    assert comparable(exported(other, tmp_path / "other")) == before
    there = other.podcasts.add(FEEDS[0])
    read_feed(other, there)
    assert other.podcasts.get(there.id).episode_count == len(items(FEEDS[0]))
    ((session,), _more) = other.history.sessions()
    assert session.podcast == "Rain"


def test_removed_episodes_leave_their_history_and_bookmarks(make: Make, tmp_path: Path) -> None:
    one, other = make(), make()
    first = subscribed(one, FEEDS[:1])[0]
    span = ListeningSpan(first, 0, 60_000, NOW - timedelta(hours=1))
    one.progress.save(first, 60_000, None, NOW, None, [span])
    one.bookmarks.put(first, Moment(5_000, note="here", length_ms=7_000))
    one.podcasts.remove(PodcastId(one.podcasts.all()[0].id))
    for _time in range(2):
        brought(one, other, tmp_path / "x")
        ((session,), _more) = other.history.sessions()
        assert (session.title, session.podcast) == ("Rain 0", "Rain")
        (bookmark,) = other.bookmarks.all()
        assert (bookmark.note, bookmark.episode_id, bookmark.length_ms) == ("here", None, 7_000)
    ids = subscribed(other, FEEDS[:1])
    assert [kept.episode_id for kept in other.bookmarks.all()] == [ids[0]], "it finds its episode again"


def test_of_a_folder_of_this_computer_history_and_bookmarks_come_along(make: Make, tmp_path: Path) -> None:
    one, other = make(), make()
    first = read_feed(one, one.podcasts.add("file:///home/me/rain.xml")).new[0]
    one.progress.save(first, 60_000, None, NOW, None, [ListeningSpan(first, 0, 60_000, NOW - timedelta(hours=1))])
    one.bookmarks.put(first, Moment(5_000, note="here"))
    before = comparable(exported(one, tmp_path / "x"))
    assert before["podcasts"] == {}
    restore(tmp_path / "x", one)
    assert comparable(exported(one, tmp_path / "y")) == before, "in the same library nothing changes"
    restore(tmp_path / "x", other)
    assert other.podcasts.all() == []
    ((session,), _more) = other.history.sessions()
    assert (session.title, session.podcast, other.bookmarks.all()[0].note) == ("Rain 0", "Rain", "here")


def test_a_deleted_history_stays_deleted(make: Make, tmp_path: Path) -> None:
    one, other = make(), make()
    first = subscribed(one, FEEDS[:1])[0]
    one.progress.save(first, 60_000, None, NOW, None, [ListeningSpan(first, 0, 60_000, NOW - timedelta(hours=1))])
    other.history.forget()
    report = brought(one, other, tmp_path / "x")
    assert report.restored.counts.forgotten == 1
    assert other.history.sessions()[0] == []
    assert any("before you deleted it here" in sentence for sentence in sentences(report))


def test_a_dry_run_tells_what_would_change_and_changes_nothing(make: Make, tmp_path: Path) -> None:
    one, other = make(), make()
    used(one, 7, 40)
    exported(one, tmp_path / "x")
    before = exported(other, tmp_path / "before")
    promised = restore(tmp_path / "x", other, dry_run=True)
    assert exported(other, tmp_path / "after") == before
    assert sentences(restore(tmp_path / "x", other)) == sentences(promised)
    assert promised.restored.counts.episodes > 5


def test_tags_are_spelled_as_they_are_here(make: Make, tmp_path: Path) -> None:
    one, other = make(), make()
    rain, wind = (one.podcasts.add(url).id for url in FEEDS[:2])
    one.shelf.set_tags(rain, ["news", "weather"])
    one.shelf.set_tags(wind, ["weather"])
    number = read_feed(one, one.previews.add(FEEDS[2], "Snow")).new[0]
    one.progress.save(number, 60_000, None, NOW)
    exported(one, tmp_path / "x")
    changed(tmp_path / "x", lambda found: found["podcasts"][2].update(tags=["snow"]))
    other.shelf.set_tags(other.podcasts.add(FEEDS[0]).id, ["Weather"])
    for _time in range(2):
        restore(tmp_path / "x", other)
        assert [one.tags for one in other.podcasts.all()] == [("news", "Weather"), ("Weather",)]
        preview = other.previews.by_url(FEEDS[2])
        assert preview is not None
        assert preview.tags == ("snow",)


def test_the_playlist_of_another_kind_keeps_its_name(make: Make, tmp_path: Path) -> None:
    one, other = make(), make()
    ids = subscribed(one, FEEDS[:1])
    one.lists.add_episodes(one.lists.add("Commute").id, ids[:2])
    other.lists.add("commute", "is:new")
    for _time in range(2):
        brought(one, other, tmp_path / "x")
        assert [(found.title, found.query) for found in other.lists.all()] == [
            ("commute", "is:new"),
            ("Commute (2)", None),
        ]
        assert len(other.lists.episodes(other.lists.all()[1].id)) == 2


# -- files that somebody has changed --------------------------------------------------------------------------


def test_a_later_version_is_read_as_far_as_it_is_known(make: Make, tmp_path: Path) -> None:
    one, other = make(), make()
    used(one, 3, 30)
    exported(one, tmp_path / "x")

    def later(found: dict[str, Any]) -> None:
        found["version"] = 2
        found["dreams"] = [{"of": "sheep"}]
        found["podcasts"][0]["colour"] = "blue"
        found["podcasts"][0]["settings"] = {"speed": 1.5, "new_episodes": {"to": "the moon"}, "colour": 3}

    changed(tmp_path / "x", later)
    report = restore(tmp_path / "x", other)
    assert report.later
    assert sum("later version" in sentence for sentence in sentences(report)) == 1
    assert len(other.podcasts.all()) == 3
    (rain,) = (podcast for podcast in other.podcasts.all() if podcast.url == FEEDS[0])
    assert other.podcast_settings.get(rain.id).speed == 1.5
    assert report.odd == 1
    assert restore(tmp_path / "x", other).odd == 1, "the file is as odd when its podcasts are here"


@pytest.mark.parametrize("part", [0.05, 0.5, 0.9, 0.99])
def test_of_half_a_file_its_half_is_read(make: Make, tmp_path: Path, part: float) -> None:
    one, other = make(), make()
    used(one, 3, 60)
    exported(one, tmp_path / "x")
    whole = (tmp_path / "x").read_bytes()
    (tmp_path / "x").write_bytes(whole[: int(len(whole) * part)])
    report = restore(tmp_path / "x", other)
    assert report.ends_early
    assert sentences(report)[-1].startswith("The file isn't whole")
    assert len(other.podcasts.all()) == len(report.restored.added) == {0.05: 0, 0.5: 1, 0.9: 2, 0.99: 3}[part]


ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**70,
    1.5,
    "x",
    "2026-01-01",
    "9999-12-31T23:59:59-12:00",
    [],
    [[]],
    {},
    {"a": []},
    "\ud800\x1b[31m",
)


@settings(max_examples=examples(20))
@given(data=st.data())
def test_whatever_stands_in_an_entry_the_rest_comes(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    folder = tmp_path_factory.mktemp("odd")
    old, new = opened(folder / "old"), opened(folder / "new")
    with ExitStack() as stack:
        stack.callback(old.close)
        stack.callback(new.close)
        used(old, data.draw(st.integers(0, 5)), 40)
        found = exported(old, folder / "x")
        where: Any = found
        for _depth in range(data.draw(st.integers(1, 7))):
            keys = list(where) if isinstance(where, dict) else list(range(len(where)))
            keys = [key for key in keys if key not in ("format", "version")]
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            below = where[key]
            if not isinstance(below, dict | list) or not below:
                break
            parent, where = where, below
        else:
            key = data.draw(st.sampled_from(list(parent) if isinstance(parent, dict) else list(range(len(parent)))))
            where = parent
        if keys:
            where[key] = data.draw(st.sampled_from(ODD))
        settings_of = data.draw(
            st.sampled_from(["speed", "skip_intro_ms", "gain_db", "new_episodes", "downloads", "view"])
        )
        for one in found["podcasts"] if isinstance(found["podcasts"], list) else ():
            if isinstance(one, dict):
                odd = data.draw(st.sampled_from(ODD))
                one["settings"] = {
                    settings_of: data.draw(st.sampled_from([odd, {"newest": odd, "age_limit_days": odd}]))
                }
        (folder / "x").write_text(json.dumps(found))
        restore(folder / "x", new)
        assert len(new.podcasts.all()) >= 2 or not isinstance(found["podcasts"], list)
        new.check()
        for podcast in new.podcasts.all():
            read_feed(new, podcast)
        exported(new, folder / "again")
        new.history.listing()
        texts = json.dumps(exported(new, folder / "again"))
        assert "\\u001b" not in texts


def test_a_file_of_others_is_not_recognised(tmp_path: Path) -> None:
    for text in ('{"portcast": "0.2.0"}', "<opml/>", "", '{"format": "earmark', "[" * 1000):
        (tmp_path / "x").write_text(text)
        assert not recognises(tmp_path / "x")


def test_the_file_is_for_the_listener_alone(make: Make, tmp_path: Path) -> None:
    exported(make(), tmp_path / "x")
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o600
    assert recognises(tmp_path / "x")
    with make().personal.reading() as reader:
        from player.exports.archive import Exported

        assert b"".join(archive(reader, NOW, Exported())).count(b"\n") > 5


@pytest.mark.long  # what other threads of this process hold is counted, too
def test_neither_way_holds_the_library_in_memory(make: Make, tmp_path: Path) -> None:
    """Measured with 250,000 episodes: 31 MB for the process that exports, 37 MB for the one that imports."""
    one, other = make(), make()
    for number in range(12):
        podcast = one.podcasts.add(f"https://example.org/{number}.xml")
        many = (episode(n, guid=f"{number}-{n}", url=f"https://example.org/{number}/{n}.mp3") for n in range(600))
        one.episodes.set_played(one.podcasts.apply(podcast.id, feed(*many), FeedState(), decide).new, True)
        if number == 1:
            exported(one, tmp_path / "small")
            restore(tmp_path / "small", make())
    peaks, often = [], gc.get_threshold()
    gc.set_threshold(700, 10, 10)  # Python's own: what waits to be collected isn't held
    for work in (lambda: save_archive(tmp_path / "x", one, NOW), lambda: restore(tmp_path / "x", other)):
        tracemalloc.start()
        work()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    gc.set_threshold(*often)
    size = (tmp_path / "x").stat().st_size
    assert size > 1_350_000
    assert max(peaks) < size, "as a whole, as values of Python, it takes five times its size"
    assert sum(found.episode_count for found in other.podcasts.all()) == 7_200


def test_an_episode_dated_in_the_future_keeps_its_place(tmp_path: Path) -> None:
    one, other = opened(tmp_path / "one"), opened(tmp_path / "other")
    with closing(one), closing(other):
        podcast = one.podcasts.add(FEEDS[0], "Rain")
        apply_feed(one, podcast, episode(9, published=NOW.replace(year=2100)), episode(0))
        one.episodes.set_starred([EpisodeId(found) for found in one.listing(View()).page(0, 9)], True)
        save_archive(tmp_path / "x", one, NOW)
        restore(tmp_path / "x", other)
        found, _older = other.episodes.rows(other.listing(View()).page(0, 9))
        assert (found.title, found.published) == ("Episode 9", NOW.replace(year=2100))
        assert list(other.listing(View(filter=EpisodeFilter(before=date(2026, 3, 3)))).page(0, 1)) == [found.id]
