"""Live shows in the library, from their announcement to their end."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from player.feeds.check import decide
from player.library import Applied, Library
from player.library.download_rules import General, offers
from player.links.addresses import RADIO_TYPE
from player.model.downloads import Source
from player.model.episode import Episode, EpisodeId, LiveState
from player.model.feed import Feed, FeedEpisode, FeedState, LiveShow
from player.model.filters import View, ViewName
from player.model.podcast import Podcast, PodcastId
from player.model.podcast_settings import NewEpisodeRules, NewEpisodes, PodcastSettings
from player.paths import Paths
from tests.player.library.helpers import NEWEST, URL, episode

NOW = NEWEST + timedelta(hours=1)
HOUR = timedelta(hours=1)


class House:
    """A library whose clock a test sets, with a podcast of two episodes."""

    def __init__(self, paths: Paths) -> None:
        self.now = NOW
        self.library = Library(paths, now=lambda: self.now)
        self.library.open()
        self.podcast: Podcast = self.library.podcasts.add(URL, "A show")

    def refresh(self, *shows: LiveShow, items: tuple[FeedEpisode, ...] = (episode(1), episode(2))) -> Applied:
        feed = Feed("A show", episodes=items, live=shows)
        return self.library.podcasts.apply(self.podcast.id, feed, FeedState(), decide)

    @property
    def rows(self) -> list[Episode]:
        """The podcast's list, the newest first."""
        ids = self.library.episodes.ids(View.of(ViewName.PODCAST, self.podcast.id))
        return self.library.episodes.rows(ids)

    @property
    def shows(self) -> list[tuple[str, LiveState | None]]:
        return [(one.title, one.live) for one in self.rows if one.live is not None]

    @property
    def new(self) -> list[str]:
        return [one.title for one in self.library.episodes.rows(self.library.inbox.ids())]


@pytest.fixture
def house(paths: Paths) -> Iterator[House]:
    made = House(paths)
    made.refresh()
    made.library.inbox.remove([EpisodeId(one) for one in made.library.inbox.ids()])
    yield made
    made.library.close()


def show(
    state: LiveState = LiveState.PENDING, guid: str = "live-1", starts: timedelta = HOUR, title: str = "Tonight"
) -> LiveShow:
    at = NOW + starts
    made = FeedEpisode(guid, title, "https://stream.example/live", RADIO_TYPE, published=at, notes="<p>Call in</p>")
    return LiveShow(made.signed(), state, at, at + 2 * HOUR)


def test_an_announced_show_stands_first_and_goes_live_once(house: House) -> None:
    house.refresh(show())
    assert [(one.title, one.live) for one in house.rows][:2] == [("Tonight", LiveState.PENDING), ("Episode 1", None)]
    assert house.new == [], "there is nothing to hear yet"
    assert house.library.podcasts.get(house.podcast.id).episode_count == 3
    assert not house.refresh(show()).changed
    house.now += HOUR
    applied = house.refresh(show(LiveState.LIVE))
    (live,) = applied.live
    assert (applied.new, applied.changed, applied.inbox) == ((), True, True)
    assert house.new == ["Tonight"]
    assert house.rows[0].id == live
    again = house.refresh(show(LiveState.LIVE))
    assert (again.live, again.changed) == ((), False)
    house.refresh(show(LiveState.PENDING))
    assert house.refresh(show(LiveState.LIVE)).live == (), "a feed that can't make up its mind is told once"


@pytest.mark.parametrize("ends", ["says so", "names it no more", "forgets it"])
def test_a_show_that_is_over_goes(house: House, ends: str) -> None:
    house.refresh(show(LiveState.LIVE if ends != "forgets it" else LiveState.PENDING))
    house.now += timedelta(days=2)
    shows = {"says so": [show(LiveState.ENDED)], "names it no more": [], "forgets it": [show()]}[ends]
    assert house.refresh(*shows).changed
    assert (house.shows, house.new) == ([], [])
    assert house.library.podcasts.get(house.podcast.id).episode_count == 2


@pytest.mark.parametrize("touch", ["starred", "started", "played"])
def test_a_show_that_was_heard_or_marked_stays_as_what_it_was(house: House, touch: str) -> None:
    house.refresh(show(LiveState.LIVE))
    (live,) = (one.id for one in house.rows if one.live)
    match touch:
        case "starred":
            house.library.episodes.set_starred([live], True)
        case "started":
            house.library.progress.start(live)
        case "played":
            house.library.episodes.set_played([live], True)
    house.library.queue.add_last([live])
    house.refresh()
    assert house.shows == [("Tonight", LiveState.ENDED)]
    assert (house.new, len(house.library.queue)) == ([], 0)
    next_week = show(guid="live-2", title="Next week", starts=HOUR)
    house.refresh(next_week)
    assert house.shows == [("Next week", LiveState.PENDING), ("Tonight", LiveState.ENDED)], "the stream is the same"


def test_the_recording_with_the_same_guid_takes_the_place_of_its_show(house: House) -> None:
    house.refresh(show(LiveState.LIVE))
    recording = episode(0, guid="live-1", title="Tonight, recorded")
    applied = house.refresh(show(LiveState.ENDED), items=(recording, episode(1), episode(2)))
    assert len(applied.new) == 1, "nobody has heard it"
    assert (house.shows, house.new) == ([], ["Tonight, recorded"])
    house.refresh(show(LiveState.LIVE, guid="live-2"), items=(recording, episode(1), episode(2)))
    (live,) = (one.id for one in house.rows if one.live)
    house.library.episodes.set_starred([live], True)
    other = episode(0, guid="live-2", title="Recorded too", url="https://example.org/other.mp3")
    house.refresh(items=(other, recording, episode(1), episode(2)))
    row = house.library.episodes.get(live)
    assert (row.title, row.live, row.starred, row.media_type) == ("Recorded too", None, True, "audio/mpeg")


def test_a_show_goes_where_the_new_episodes_of_its_podcast_go_but_never_into_the_queue(house: House) -> None:
    settings = house.library.podcast_settings
    for to, new in ((NewEpisodes.QUEUE, []), (NewEpisodes.NOWHERE, []), (NewEpisodes.INBOX, ["Third"])):
        settings.set(house.podcast.id, PodcastSettings(new_episodes=NewEpisodeRules(to)))
        title = "Third" if new else f"{to}"
        house.refresh(show(LiveState.LIVE, guid=title, title=title))
        assert (house.new, len(house.library.queue)) == (new, 0)
    settings.set(house.podcast.id, PodcastSettings(new_episodes=NewEpisodeRules(exclude="rerun")))
    house.refresh(show(LiveState.LIVE, guid="r", title="A rerun"))
    assert house.new == []


def test_shows_without_guids_are_told_apart_by_when_they_begin(house: House) -> None:
    house.refresh(show(guid=""), show(guid="", starts=3 * HOUR))
    assert len(house.shows) == 2
    house.refresh(show(LiveState.LIVE, guid=""))
    assert [state for _title, state in house.shows] == [LiveState.LIVE]


def test_a_date_far_ahead_doesnt_pin_a_show_to_the_top(house: House) -> None:
    house.refresh(show(starts=timedelta(days=4000)))
    house.now += HOUR
    house.refresh(show(starts=timedelta(days=4000)), items=(episode(0, published=house.now), episode(1), episode(2)))
    assert [one.title for one in house.rows][:2] == ["Episode 0", "Tonight"]


def test_a_change_of_its_title_leaves_a_show_where_it_is(house: House) -> None:
    forever = timedelta(days=-300)
    house.refresh(show(LiveState.LIVE, starts=forever))
    assert house.rows[0].title == "Tonight", "it is new"
    assert house.refresh(show(LiveState.LIVE, starts=forever, title="Always on")).changed
    assert house.rows[0].title == "Always on"


def test_a_preview_has_its_shows_but_tells_nobody(house: House) -> None:
    preview = house.library.previews.add("https://other.example/feed", "Other")
    feed = Feed("Other", live=(show(LiveState.LIVE),))
    applied = house.library.podcasts.apply(preview.id, feed, FeedState(), decide)
    assert (applied.live, house.new) == ((), [])
    assert house.library.live_shows.times() == []


def test_no_rule_downloads_a_show_and_it_takes_no_episodes_place(house: House) -> None:
    house.refresh(show(LiveState.LIVE), show(guid="two"))
    facts = house.library.downloads.facts
    found = offers(house.library, facts, General(newest=2, inbox=5), {})
    shown = {(one.rule.source, one.rule.number): [each.title for each in one.candidates] for one in found}
    assert shown[Source.INBOX, 0] == []
    assert shown[Source.PODCAST, house.podcast.id] == ["Episode 1", "Episode 2"]


def test_a_list_that_plays_on_leaves_shows_out(house: House) -> None:
    house.refresh(show(LiveState.LIVE))
    ids = {one.title: one.id for one in house.rows}
    view = View.of(ViewName.PODCAST, house.podcast.id)
    assert house.library.continued.next_of(view, ids["Episode 1"], newest_first=False) is None
    assert house.library.continued.next_of(view, ids["Episode 2"], newest_first=False) == ids["Episode 1"]


def test_a_show_is_in_no_statistics_of_its_podcast(house: House) -> None:
    before = house.library.statistics.facts(house.podcast.id)
    house.refresh(show(starts=timedelta(days=3)))
    after = house.library.statistics.facts(house.podcast.id)
    assert (after.latest, after.every_days, after.months) == (before.latest, before.every_days, before.months)


def test_undoing_an_unsubscription_brings_a_show_back_as_one(house: House) -> None:
    house.refresh(show(LiveState.LIVE))
    act = house.library.acts.unsubscribe(house.podcast.id)
    assert act is not None
    house.library.acts.undo()
    assert house.shows == [("Tonight", LiveState.LIVE)]
    assert house.refresh(show(LiveState.LIVE)).live == ()


def test_its_times_are_known_until_it_is_over(house: House) -> None:
    house.refresh(show(), show(LiveState.LIVE, guid="two", starts=-HOUR))
    times = house.library.live_shows.times(house.podcast.id)
    assert sorted((one.is_live, one.starts_at, one.ends_at) for one in times) == [
        (False, NOW + HOUR, NOW + 3 * HOUR), (True, NOW - HOUR, NOW + HOUR),
    ]  # fmt: skip
    assert house.library.live_shows.times(PodcastId(99)) == []
    house.refresh()
    assert house.library.live_shows.times() == []
