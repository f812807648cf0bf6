"""`show`: what the episode's page in the app says."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.library import Attachment, AttachmentKind, Library
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed

pytestmark = pytest.mark.usefixtures("library")

SAID = (
    "<itunes:season>2</itunes:season><itunes:episode>7</itunes:episode><itunes:episodeType>bonus</itunes:episodeType>"
    '<podcast:person>Ada Lovelace</podcast:person><podcast:person role="guest" href="https://grace.example">Grace'
    "</podcast:person>"
    '<podcast:transcript url="https://example.org/en.vtt" type="text/vtt" language="en"/>'
    '<podcast:transcript url="https://example.org/de.vtt" type="text/vtt" language="de"/>'
)
TIMES = "<content:encoded>0:00 Far&lt;br&gt;1:00 Near&lt;br&gt;2:00 Here, and on it goes</content:encoded>"


@pytest.fixture(autouse=True)
def slow_radio(earmark: Earmark, server: LoopbackServer) -> None:
    """“Rain” says all there is to say, “Wind” names chapters that aren't here yet, “Snow” nothing."""
    body = feed("Slow Radio", "Rain", "Wind", "Snow").decode()
    body = body.replace("<item><title>Rain</title>", f"<item><title>Rain</title>{SAID}{TIMES}")
    wind = f'<podcast:chapters url="{server.url("/wind.json")}" type="application/json"/>'
    body = body.replace("<item><title>Wind</title>", f"<item><title>Wind</title>{wind}")
    show = (
        '<podcast:funding url="https://example.org/give">Give something</podcast:funding>'
        "<podcast:person>Hugo</podcast:person>"
    )
    body = body.replace("<item>", f"{show}<item>", 1)
    spaces = (
        ' xmlns:podcast="https://podcastindex.org/namespace/1.0"'
        ' xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    )
    assert earmark("add", server.page("/feed", body.replace("<rss ", f"<rss{spaces} ").encode())).code == 0


def test_it_says_what_the_page_says(earmark: Earmark, library: Library) -> None:
    rain = library.episodes.find("Rain")
    library.downloads.put(rain.id, Path("/somewhere/rain.mp3"))
    assert earmark("show", "rain").out.splitlines() == [
        "Rain",
        "Slow Radio · 2026-04-20 · 10:00",
        "Season 2, episode 7, bonus",
        "With Ada Lovelace, Grace (guest)",
        "3 chapters · transcript in en, de not fetched yet",
        f"Audio: {rain.url}",
        "Downloaded: /somewhere/rain.mp3",
        "Give something: https://example.org/give",
        "",
        "0:00 Far",
        "1:00 Near",
        "2:00 Here, and on it goes",
    ]


def test_json_has_the_same_as_fields(earmark: Earmark, library: Library) -> None:
    rain = library.episodes.find("Rain")
    library.downloads.put(rain.id, Path("/somewhere/rain.mp3"))
    shown = earmark("show", "rain", "--json").json
    said = {
        "season": 2,
        "episode_number": "7",
        "kind": "bonus",
        "people": [
            {"name": "Ada Lovelace", "role": "host", "group": "cast", "url": ""},
            {"name": "Grace", "role": "guest", "group": "cast", "url": "https://grace.example"},
        ],
        "funding": [{"url": "https://example.org/give", "label": "Give something"}],
        "transcript_languages": ["en", "de"],
        "download_path": "/somewhere/rain.mp3",
    }
    assert shown.items() >= said.items()
    assert shown["chapter_count"] == 3
    listed = {one["title"]: one for one in earmark("episodes", "slow", "--json").json}
    assert listed["Rain"].items() >= said.items()
    silent = ("season", "episode_number", "kind", "download_path")
    assert [listed["Snow"][name] for name in silent] == [None, "", "", None]
    assert [one["name"] for one in listed["Snow"]["people"]] == ["Hugo"], "the show's, where the episode names nobody"


def test_what_is_yet_to_be_fetched_is_said(earmark: Earmark, library: Library) -> None:
    assert "chapters not fetched yet" in earmark("show", "wind").out.splitlines()
    rain = library.episodes.find("Rain")
    for language in ("en", "de", "fr"):
        url = "earmark:given/fr" if language == "fr" else f"https://example.org/{language}.vtt"
        given = Attachment(AttachmentKind.TRANSCRIPT, url, b"0:00 Hello", "", language)
        library.attachments.put(rain.id, given, datetime.now(UTC))
    assert "3 chapters · transcript in en, de, fr" in earmark("show", "rain").out.splitlines()


def test_what_the_built_in_show_brings_along_is_here(earmark: Earmark) -> None:
    assert "3 chapters · transcript in en" in earmark("show", "Press play").out.splitlines()


def test_an_episode_that_says_nothing_of_itself_has_no_empty_lines(earmark: Earmark, library: Library) -> None:
    snow = library.episodes.find("Snow")
    assert earmark("show", "snow").out.splitlines() == [
        "Snow",
        "Slow Radio · 2026-04-18 · 10:00",
        "With Hugo",
        f"Audio: {snow.url}",
        "Give something: https://example.org/give",
        "",
        "Notes of Snow.",
    ]


def test_an_episode_is_shown_with_its_notes(earmark: Earmark) -> None:
    ended = earmark("show", "snow")
    assert ended.out.splitlines()[:2] == ["Snow", "Slow Radio · 2026-04-18 · 10:00"]
    assert "Notes of Snow." in ended.out
    assert "<b>" not in ended.out


def test_an_episode_is_shown_in_json_with_its_notes_as_they_came(earmark: Earmark) -> None:
    shown = earmark("show", "snow", "--json").json
    assert (shown["title"], shown["notes"]) == ("Snow", "Notes of <b>Snow</b>.")


def test_an_episode_is_found_by_its_number(earmark: Earmark) -> None:
    number = earmark("episodes", "--limit", "1", "--json").json[0]["id"]
    assert earmark("show", str(number)).out.startswith("Rain\n")


def test_a_title_that_fits_several_names_them(earmark: Earmark) -> None:
    ended = earmark("show", "a")
    assert ended.code == 1
    assert "Use an ID." in ended.err
