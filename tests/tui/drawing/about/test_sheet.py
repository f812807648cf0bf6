"""The page of a podcast as text: what is on its cards, where its entries are, at any width."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from player.library.statistics import PodcastStatistics, ReleaseDay, Season
from player.model.episode import Episode, EpisodeId, Funding, Person, Recommendation
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import Podcast, PodcastId
from player.sounds.repeats import Repeat
from tui.drawing.about.blocks import ColumnsSheet
from tui.drawing.about.cards import rhythm, schedule
from tui.drawing.about.sheet import (
    WHOLE,
    Look,
    PodcastPage,
    about_sheet,
    episode_of,
    episode_rows,
    links_of,
    people_sheet,
    person_sheet,
    plain,
    repeat_of,
)
from tui.drawing.runs import width_of
from tui.look.glyphs import ASCII, UNICODE

TODAY = date(2026, 11, 20)
WEEKS = tuple(ReleaseDay(date(2026, 11, 17) - timedelta(weeks=number), 1, 1_800_000) for number in range(39, -1, -1))
FACTS = PodcastStatistics(
    Podcast(PodcastId(1), "https://a.example/feed", "Compilers", "Ada", "All of it.", "https://a.example/",
            episode_count=40, last_refreshed=datetime(2026, 11, 20, 9, tzinfo=UTC)),
    "en", ("Technology",), (Person("Grace", "guest", url="https://grace.example/"),),
    (Funding("https://give.example/", "Give"),), 72_000_000, 1_800_000, datetime(2024, 1, 2, tzinfo=UTC),
    datetime(2026, 11, 17, tzinfo=UTC), (), 7.0, seasons=(Season(1, "", 20), Season(2, "Back ends", 20)),
    recommended=(Recommendation("https://b.example/feed", "Linkers"),), new=3, released=WEEKS,
)  # fmt: skip
HEARD = replace(
    FACTS, heard_ms=34_560_000, played=20, started=2, starred=1,
    heard_days=tuple((date(2026, 11, 1) + timedelta(number), 60_000 * number) for number in range(1, 18)),
)  # fmt: skip
EPISODES = tuple(
    Episode(EpisodeId(number), PodcastId(1), "Compilers", f"Episode {number}", str(number), "", duration_ms=1_800_000,
            published=datetime(2026, 11, number, tzinfo=UTC), starred=number == 1, played=number == 2)
    for number in (1, 2, 3)
)  # fmt: skip
PAGE = PodcastPage(HEARD, EPISODES[:2], EPISODES[2:], ())


def look(columns: int, **more: object) -> Look:
    return replace(Look(columns, UNICODE, TODAY, tinted=True, framed=True, whole=False), **more)


def text(sheet: ColumnsSheet) -> str:
    return plain(sheet.lines)


def test_it_tells_what_listening_sites_tell() -> None:
    refreshed = f"{FACTS.podcast.last_refreshed.astimezone():%H:%M}"  # type: ignore[union-attr]
    shown = text(about_sheet(PodcastPage(FACTS), Look(76, ASCII, TODAY))).split("\n")
    assert shown[:4] == ["Compilers", "Ada - Technology - en", "", "All of it."]
    at = shown.index("Episodes")
    assert shown[at + 1 : at + 6] == [
        "40 episodes  3 new",
        "20 h total - 30 min on average",
        "Weekly, mostly on Tuesdays",
        "2 Jan 2024 - 17 Nov 2026",
        f"Last refreshed today {refreshed}",
    ]
    assert shown[shown.index("Your listening") + 1] == "Nothing heard yet"
    assert shown[shown.index("Seasons") + 1 :][:2] == ["Season 1  20 episodes", "Season 2: Back ends  20 episodes"]
    assert shown[shown.index("People") + 1] == "Grace  guest"
    assert shown[shown.index("Recommended by this podcast") + 1] == "Linkers  b.example"
    assert shown[-4:] == [
        "1  Website  a.example", "2  Give  give.example", "3  Grace  grace.example", "4  Feed  a.example",
    ]  # fmt: skip


REPEATS = (
    Repeat(EpisodeId(3), 0, 21_000, 5, "Welcome to the show that never ends, with Ada and with Grace"),
    Repeat(EpisodeId(2), 3_723_000, 3_785_500, 1_200),
)


@pytest.mark.parametrize("columns", [40, 60, 120])
def test_what_is_repeated_is_an_entry_with_what_is_said_there(columns: int) -> None:
    sheet = about_sheet(PAGE, look(columns, repeats=REPEATS))
    shown = [line.split("  ")[0] for line in text(sheet).split("\n")]
    at = shown.index("Repeats")
    assert shown[at + 1] == "0:21 at 0:00, in 5 episodes"
    assert shown[at + 2].startswith("“Welcome to the show that never ends")
    assert shown[at + 3] == "1:02 at 1:02:03, in 1,200 episodes"
    assert max(width_of(line) for line in sheet.lines) <= columns
    found = [repeat_of(entry.href) for entry in sheet.entries]
    assert [one for one in found if one] == [(3, 0, 21_000), (2, 3_723_000, 3_785_500)]
    assert "Repeats" not in text(about_sheet(PAGE, look(columns)))


def test_how_much_was_heard_is_a_bar_with_its_percentage() -> None:
    shown = text(about_sheet(PAGE, look(60)))
    assert "━━━━━━━━━━━━━━━━━━━─────────────────────  48%" in shown
    assert "9 h 36 min heard of 20 h" in shown
    assert "20 played · 2 in progress · 1 starred" in shown
    assert "Last heard 18 Nov 2026" in shown


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (replace(FACTS, heard_ms=1, heard_days=((TODAY, 1),)), "< 1%"),
        (replace(FACTS, heard_ms=90_000_000), "100%"),
        (replace(FACTS, heard_ms=60_000, total_ms=0), "1 min heard"),
    ],
)
def test_a_little_and_more_than_all_are_shown_truly(facts: PodcastStatistics, words: str) -> None:
    assert words in text(about_sheet(PodcastPage(facts), look(60)))


def test_a_refresh_that_failed_says_so_and_nothing_that_contradicts_it() -> None:
    failed = replace(FACTS, podcast=replace(FACTS.podcast, error="a.example doesn't answer."))
    shown = text(about_sheet(PodcastPage(failed), look(60)))
    assert "! a.example doesn't answer." in shown
    assert "As of today" in shown
    assert "Last refreshed" not in shown
    never = replace(failed, podcast=replace(failed.podcast, last_refreshed=None, episode_count=0))
    shown = text(about_sheet(PodcastPage(replace(PodcastStatistics(never.podcast))), look(60)))
    assert "No episodes yet" in shown
    assert "! a.example doesn't answer." in shown
    assert "Not loaded" not in shown


def test_a_single_episode_has_its_own_words() -> None:
    day = datetime(2025, 5, 5, 12, tzinfo=UTC)
    podcast = replace(FACTS.podcast, episode_count=1)
    one = PodcastStatistics(
        podcast, total_ms=600_000, average_ms=600_000, first=day, latest=day, released=(ReleaseDay(day.date(), 1, 1),)
    )
    shown = text(about_sheet(PodcastPage(one), look(60)))
    assert "\n  1 episode\n" in shown
    assert "10 min" in shown
    assert "average" not in shown
    assert "Published 5 May 2025" in shown
    assert "Its only episode was published Mon 5 May 2025." in shown


def test_a_radio_stream_has_no_count_of_episodes() -> None:
    radio = PodcastStatistics(Podcast(PodcastId(1), "radio:https://r.example/live", "Radio", episode_count=1))
    shown = text(about_sheet(PodcastPage(radio), look(60)))
    assert "A live stream" in shown
    assert "1 episode" not in shown


@pytest.mark.parametrize(
    ("days", "words"),
    [(None, ""), (1.0, "daily"), (7.0, "weekly"), (14.0, "every two weeks"), (9.0, "every 9 days"), (30.0, "monthly"),
     (95.0, "about every 3 months")],
)  # fmt: skip
def test_how_often_it_comes(days: float | None, words: str) -> None:
    assert rhythm(days) == words


def test_a_podcast_that_fell_silent_says_since_when() -> None:
    assert schedule(FACTS, TODAY) == "weekly, mostly on Tuesdays"
    assert schedule(FACTS, date(2027, 11, 20)) == "used to be weekly; nothing new for 1 year"


def test_each_page_is_linked_once() -> None:
    podcast = replace(FACTS.podcast, link="https://give.example/")
    assert [link.title for link in links_of(replace(FACTS, podcast=podcast))] == ["Website", "Grace", "Feed"]


def test_a_wide_page_has_cards_beside_each_other_and_entries_in_two_columns() -> None:
    sheet = about_sheet(PAGE, look(120, hint="c changes this"))
    lines = text(sheet).split("\n")
    assert any("Episodes" in line and "Your listening" in line and "Settings" in line for line in lines)
    assert any("Released in the last year" in line and "Heard in the last year" in line for line in lines)
    assert any("Your top episodes" in line and "People" in line for line in lines)
    episode = next(at for at, entry in enumerate(sheet.entries) if episode_of(entry.href) == EpisodeId(1))
    person = next(at for at, entry in enumerate(sheet.entries) if entry.text == "Grace" and entry.url)
    assert sheet.columns[episode] == 0 < sheet.columns[person]
    assert sheet.rows_of(episode) == sheet.rows_of(person)
    row = sheet.rows_of(person).start
    assert sheet.at(row, sheet.columns[person] + 1) == person
    assert sheet.at(row, 5) == episode
    assert sheet.at(row + 100, 5) is None


def test_a_long_description_is_shown_in_part_until_all_is_wanted() -> None:
    told = replace(HEARD, podcast=replace(HEARD.podcast, description="word " * 400))
    part, whole = (about_sheet(PodcastPage(told), look(60, whole=whole)) for whole in (False, True))
    assert part.entries[0].href == WHOLE
    assert "Read more" in text(part)
    assert len(whole.lines) > len(part.lines) + 20
    assert all(entry.href != WHOLE for entry in whole.entries)


def test_the_cover_takes_its_room_only_where_there_is_enough() -> None:
    roomy, narrow = (about_sheet(PAGE, look(columns, art=(20, 10))) for columns in (100, 40))
    assert roomy.cover is not None
    assert roomy.cover_cells == (20, 10)
    assert text(roomy).startswith(" " * 24 + "Compilers")
    assert narrow.cover is None
    assert text(narrow).startswith("Compilers")


def test_rows_are_those_of_a_list() -> None:
    paused = PlaybackStatus(PlaybackState.PAUSED, EPISODES[0])
    rows = plain(episode_rows(EPISODES, 40, UNICODE, TODAY, paused).lines).split("\n")
    assert rows == [
        "⏸ Episode 1                ★  1 Nov  30m",
        "✓ Episode 2                   2 Nov  30m",
        f"{UNICODE.unplayed} Episode 3                   3 Nov  30m",
    ]
    assert plain(episode_rows(EPISODES, 20, UNICODE, TODAY, paused).lines).split("\n")[0] == "⏸ Episode 1"


_MANY = st.lists(st.tuples(st.integers(0, 500), st.integers(0, 9), st.integers(0, 10**8)), max_size=400)


def _in_24_columns(*last_days_ms: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    heard = [(ago, 0, ms) for ago, ms in enumerate(last_days_ms)]
    return example(released=[], heard=heard, title="", columns=24, framed=False, ascii_only=False, art=(0, 0))


@example(released=[], heard=[], title="0" * 9, columns=10, framed=False, ascii_only=False, art=(0, 0))
@_in_24_columns(0, 0, 0, 0)
@_in_24_columns(10_000_000, 10_000_000, 10_000_000, 1)
@given(
    released=_MANY, heard=_MANY, title=st.text(max_size=60), columns=st.integers(10, 130), framed=st.booleans(),
    ascii_only=st.booleans(), art=st.sampled_from([(0, 0), (12, 6), (20, 10)]),
)  # fmt: skip
@settings(deadline=None)
def test_no_line_is_too_wide_and_each_entry_has_its_own_cells(
    released: list[tuple[int, int, int]], heard: list[tuple[int, int, int]], title: str, columns: int, framed: bool,
    ascii_only: bool, art: tuple[int, int],
) -> None:  # fmt: skip
    days = {TODAY - timedelta(ago): ReleaseDay(TODAY - timedelta(ago), count, ms) for ago, count, ms in released}
    listened = tuple(sorted((TODAY - timedelta(ago), ms) for ago, _count, ms in heard))
    episodes = [replace(one, title=title, podcast=title) for one in EPISODES]
    facts = replace(
        HEARD, podcast=replace(HEARD.podcast, title=title, description=title * 9, tags=(title,)),
        released=tuple(sorted(days.values())), heard_days=tuple(dict(listened).items()),
        people=(Person(title, title),), recommended=(Recommendation("https://b.example/", title),),
    )  # fmt: skip
    drawn = Look(
        columns, ASCII if ascii_only else UNICODE, TODAY, framed=framed, whole=False, art=art, tinted=not ascii_only
    )
    page = PodcastPage(facts, episodes, episodes, (title,))
    for sheet in (
        about_sheet(page, drawn), person_sheet(title, "https://p.example/", episodes, drawn),
        people_sheet(facts.people, drawn),
    ):  # fmt: skip
        assert max(map(width_of, sheet.lines)) <= columns
        places = [(row, column) for index, column in enumerate(sheet.columns) for row in sheet.rows_of(index)]
        assert len(set(places)) == len(places)
        assert all(row < len(sheet.lines) for row, _column in places)
