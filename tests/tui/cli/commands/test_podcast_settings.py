"""`set`."""

import pytest

from player.library import Library
from player.model.filters import Order, View, ViewName, ViewSettings
from player.model.podcast_settings import (
    AS_ALL,
    EpisodeTest,
    NewEpisodeRules,
    NewEpisodes,
    PodcastDownloads,
    PodcastSettings,
)
from player.paths import Paths
from tests.tui.cli.conftest import Earmark

pytestmark = pytest.mark.usefixtures("library")


def of_welcome(library: Library) -> PodcastSettings:
    return library.podcast_settings.get(library.podcasts.find("welcome").id)


def test_settings_are_changed_and_said(earmark: Earmark, library: Library) -> None:
    ended = earmark(
        "set", "welcome", "speed=1.4", "volume=-2.5", "skip_start=30", "skip_end=1m30s", "new=queue",
        "only_newest=yes", "age_limit=7d", 'include="deep dive" interview', "exclude=rerun",
    )  # fmt: skip
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "Speed: 1.4×",
        "Volume adjustment: -2.5 dB",
        "Skip at the start: 30 seconds",
        "Skip at the end: 1m30s",
        "New episodes go to: end of the queue",
        "Keep only the newest: on",
        "Drop when older than: 7 days",
        'Only titles containing: "deep dive" interview',
        "Leave out titles containing: rerun",
    ]
    rules = NewEpisodeRules(NewEpisodes.QUEUE, True, 7, '"deep dive" interview', "rerun")
    assert of_welcome(library) == PodcastSettings(1.4, 30_000, 90_000, -2.5, new_episodes=rules)


def test_how_its_list_is_shown_is_what_the_app_has_for_that_list(earmark: Earmark, library: Library) -> None:
    view = View.of(ViewName.PODCAST, library.podcasts.find("welcome").id)
    ended = earmark("set", "welcome", "order=oldest", "hide_played=yes")
    assert ended.out.splitlines() == ["Sort order: oldest first", "Hide played episodes: on"]
    assert library.view_settings.get(view.key) == ViewSettings(Order.OLDEST, hide_played=True)
    library.view_settings.set(view.key, ViewSettings(Order.LONGEST))
    document = earmark("set", "welcome", "--json").json
    assert (document["order"], document["hide_played"]) == ("longest", False)
    assert earmark("set", "welcome", "order=newest").out == "Sort order: newest first\n"
    assert of_welcome(library) == AS_ALL
    assert library.view_settings.get(view.key) == ViewSettings()


def test_an_inbox_that_is_turned_off_is_said(earmark: Earmark, paths: Paths) -> None:
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text("[inbox]\nenabled = false\n")
    nowhere = "New episodes go to: nowhere (New is off)\n"
    assert earmark("set", "welcome", "new=inbox").out == nowhere
    assert "nowhere (New is off)" in earmark("set", "welcome").out
    assert earmark("set", "welcome", "new=queue").out == "New episodes go to: end of the queue\n"


def test_default_takes_a_setting_back(earmark: Earmark, library: Library) -> None:
    earmark("set", "welcome", "speed=1.4", "new=nowhere", "age_limit=3", "include=music")
    earmark("set", "welcome", "speed=default", "new=default", "age_limit=none", "include=")
    assert of_welcome(library) == AS_ALL


def test_without_a_change_they_are_shown(earmark: Earmark) -> None:
    earmark("set", "welcome", "skip_start=30")
    lines = earmark("set", "welcome").out.splitlines()
    assert lines[0] == "Welcome to Earmark"
    assert lines[1].split() == ["title", "Title", "the", "feed's"]
    assert lines[2].split() == ["pinned", "Pinned", "no"]
    assert lines[3].split() == ["speed", "Speed", "1.0×", "(default)"]
    assert lines[7].split() == ["boost", "Voice", "boost", "off", "(default)"]
    assert lines[5].split() == ["skip_start", "Skip", "at", "the", "start", "30", "seconds"]
    document = earmark("set", "welcome", "--json").json
    assert list(document) == [
        "podcast_id", "podcast", "speed", "volume_db", "boost", "trim", "skip_start_ms", "skip_end_ms", "new",
        "only_newest", "age_limit_days", "include", "exclude", "order", "hide_played", "download_newest",
        "download_include", "download_exclude", "download_at_least_ms", "download_under_ms",
        "transcribe", "segments", "title", "pinned", "continue",
    ]  # fmt: skip
    assert (document["speed"], document["skip_start_ms"], document["new"]) == (None, 30_000, "inbox")


def test_a_mistake_is_a_sentence_and_changes_nothing(earmark: Earmark, library: Library) -> None:
    for change, sentence in (
        ("speed=fast", "speed: Speed must be between 0.5 and 3, or “default”. Nothing was changed."),
        ("speed=9", "speed: Speed must be between 0.5 and 3, or “default”. Nothing was changed."),
        ("speed=nan", "speed: Speed must be between 0.5 and 3, or “default”. Nothing was changed."),
        ("sped=1.4", "There is no setting “sped”. Did you mean “speed”? Nothing was changed."),
        ("1.4", "“1.4” needs a value, as in speed=1.4. Nothing was changed."),
        ("volume=30", "volume: The volume adjustment must be between -20 and +20 (dB). Nothing was changed."),
        ("skip_end=2h", "skip_end: No more than 1h can be skipped. Nothing was changed."),
        ("skip_end=x", "skip_end: Invalid time “x”. Use 90, 12:34, 1:02:03 or 1h2m3s. Nothing was changed."),
        ("new=quue", "new: New episodes can go to: inbox, queue, next, nowhere. Did you mean “queue”? Nothing was"),
        ("only_newest=maybe", "only_newest: This is either yes or no. Nothing was changed."),
        ("hide_played=maybe", "hide_played: This is either yes or no. Nothing was changed."),
        ("order=odest", "order: The order can be: newest, oldest, longest, shortest. Did you mean “oldest”? Nothing"),
        ("age_limit=0", "age_limit: The age limit must be 1 to 3,650 days, or “never”. Nothing was changed."),
        ("download=some", "download: Type how many of the newest (1 to 500), “none”, or “default” as for all"),
        ("download=newest:501", "download: Type how many of the newest (1 to 500), “none”, or “default” as for all"),
        ("download_length=20m", "download_length: Lengths are written as 10m-2h, 20m- (at least) or -1h (shorter)."),
        ("download_length=2h-1h", "download_length: Lengths are written as 10m-2h, 20m- (at least) or -1h (shorter)."),
        ("download_include=!", "download_include: A title filter needs a word, or a phrase in double quotes. Nothing"),
        ("pinned=perhaps", "pinned: This is either yes or no. Nothing was changed."),
        ('include="', "include: A title filter needs a word, or a phrase in double quotes. Nothing was changed."),
    ):
        ended = earmark("set", "welcome", "skip_start=30", change)
        assert (ended.code, ended.out) == (1, ""), change
        assert ended.err.startswith(f"earmark: {sentence}")
        assert of_welcome(library) == AS_ALL, change


def test_an_unknown_podcast_is_a_sentence(earmark: Earmark) -> None:
    ended = earmark("set", "nothing like it", "speed=1.4")
    assert (ended.code, ended.out) == (1, "")
    assert "No podcast matches" in ended.err


def test_a_podcast_is_renamed_and_found_by_both_titles(earmark: Earmark, library: Library) -> None:
    assert earmark("set", "welcome", "title= First steps ", "speed=2").out == "Title: First steps\nSpeed: 2×\n"
    assert {one["podcast"] for one in earmark("episodes", "first steps", "--json").json} == {"First steps"}
    document = earmark("set", "welcome", "--json").json
    assert (document["podcast"], document["title"]) == ("First steps", "First steps")
    found = next(one for one in earmark("podcasts", "--json").json if one["title"] == "First steps")
    assert found["feed_title"] == "Welcome to Earmark"
    assert earmark("set", "first", "title=default").out == "Title: the feed's\n"
    assert earmark("undo").out == "Undone: renamed “First steps”\n"
    assert library.podcasts.find("welcome").title == "First steps"


def test_a_podcast_is_pinned_until_it_is_not(earmark: Earmark, library: Library) -> None:
    library.podcasts.add("https://example.org/feed", "Aardvark")
    assert earmark("set", "welcome", "pinned=yes").out == "Pinned: yes\n"
    assert library.podcasts.all()[0].title == "Welcome to Earmark"
    assert earmark("set", "welcome", "pinned=no", "--json").json["pinned"] is False
    assert library.podcasts.all()[0].title != "Welcome to Earmark"


def test_a_title_that_came_with_a_mistake_is_not_given(earmark: Earmark, library: Library) -> None:
    assert earmark("set", "welcome", "title=Mine", "pinned=yes", "speed=99").code == 1
    podcast = library.podcasts.find("welcome")
    assert (podcast.own_title, podcast.pinned) == ("", False)
    assert library.acts.last() is None


def test_what_rules_download_is_set_shown_and_taken_back(earmark: Earmark, library: Library) -> None:
    ended = earmark(
        "set",
        "welcome",
        "download=newest:3",
        "download_include=deep",
        "download_exclude=rerun",
        "download_length=10m-2h",
    )
    assert ended.out.splitlines() == [
        "Auto-download: the newest 3",
        "Download titles containing: deep",
        "Skip titles containing: rerun",
        "Download lengths of: 10 minutes to 2h",
    ]
    test = EpisodeTest("deep", "rerun", 600_000, 7_200_000)
    assert of_welcome(library).downloads == PodcastDownloads(3, test)
    assert earmark("set", "welcome", "download=none", "download_length=20m-").out.splitlines() == [
        "Auto-download: nothing", "Download lengths of: at least 20 minutes",
    ]  # fmt: skip
    assert earmark("set", "welcome", "--json").json["download_newest"] == 0
    names = ("download=default", "download_include=", "download_exclude=", "download_length=default")
    earmark("set", "welcome", *names)
    assert of_welcome(library) == AS_ALL


def test_a_podcast_plays_on_after_the_queue(earmark: Earmark, library: Library) -> None:
    view = View.of(ViewName.PODCAST, library.podcasts.find("welcome").id)
    assert earmark("set", "welcome", "continue=newest").out == "Plays on after the queue: newest first\n"
    assert library.continued.newest_first(view) is True
    assert earmark("set", "welcome", "continue=oldest", "--json").json["continue"] == "oldest"
    assert library.continued.newest_first(view) is False
    ended = earmark("set", "welcome", "continue=maybe")
    assert (ended.code, ended.err) == (
        1, "earmark: continue must be one of oldest, newest, no. Nothing was changed.\n",
    )  # fmt: skip
    assert earmark("set", "welcome", "continue=default", "--json").json["continue"] is None
    assert library.continued.newest_first(view) is None
