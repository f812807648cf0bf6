"""`find` and `top`."""

import io
import threading
from pathlib import Path

import pytest

from player.directory import adapters
from player.directory.searching import Patience
from player.library import Library
from player.net.credentials import Credentials
from player.paths import Paths
from tests import directories as fake
from tests.directories import (
    APPLE,
    CHARTS,
    FYYD,
    GPODDER,
    INDEX,
    apple_answer,
    apple_podcast,
    asked,
    fyyd_answer,
    gpodder_podcast,
)
from tests.loopback import LoopbackServer, Request
from tests.player.feeds.parsing.making import item, rss
from tests.tui.cli.conftest import Earmark
from tui.cli.commands import directories

pytestmark = pytest.mark.usefixtures("library")


@pytest.fixture
def world(server: LoopbackServer, paths: Paths) -> fake.Directories:
    """The directories on this machine, named in config.toml."""
    made = fake.Directories(server)
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(made.toml, encoding="utf-8")
    return made


def test_what_is_found_is_a_table_with_the_feeds_to_add(
    earmark: Earmark, world: fake.Directories, library: Library
) -> None:
    library.podcasts.add("https://one.example.com/feed", "One")
    world.says(
        f"{APPLE}/search",
        apple_answer(
            apple_podcast(2, "Words and Things", "https://two.example.com/feed"),
            apple_podcast(1, "Words", "http://one.example.com/feed/", trackCount=1234),
            apple_podcast(3, "Words Only Here", None),
        ),
    )
    ended = earmark("find", "words")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (
        "TITLE             AUTHOR    EPISODES  NEWEST                  FEED\n"
        "Words             Some One     1,234  2026-09-01  subscribed  http://one.example.com/feed/\n"
        "Words and Things  Some One        83  2026-09-01              https://two.example.com/feed\n"
        "Words Only Here   Some One        83  2026-09-01  no feed\n"
    )
    ended = earmark("find", "words", "--limit", "2")
    assert ended.out.splitlines()[3:] == ["And 1 more. Show all: --limit 0"]
    assert len(earmark("find", "words", "--limit", "0").out.splitlines()) == 4


def test_on_a_terminal_each_feed_has_a_line_of_its_own(
    earmark: Earmark, world: fake.Directories, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = f"https://example.com/{'x' * 60}"
    world.says(f"{GPODDER}/search.json", [gpodder_podcast("A long title, which does not fit into the line", feed)])
    monkeypatch.setattr("tui.cli.text_table.is_terminal", lambda _stream: True)
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setenv("NO_COLOR", "1")
    assert earmark("find", "words").out.splitlines()[1:] == [
        "A long title, which does not fit into the line",
        f"  {feed}",
    ]


def test_json_has_every_field(earmark: Earmark, world: fake.Directories, library: Library) -> None:
    podcast = library.podcasts.add("https://one.example.com/feed", "One")
    world.says(f"{APPLE}/search", apple_answer(apple_podcast(1, "One", "https://one.example.com/feed")))
    assert earmark("find", "one", "--json").json == [
        {
            "podcast_id": podcast.id,
            "url": "https://one.example.com/feed",
            "title": "One",
            "author": "Some One",
            "description": "",
            "link": None,
            "image_url": "https://art.example.com/600.jpg",
            "episode_count": 83,
            "newest": "2026-09-01T06:00:00Z",
            "language": None,
            "topics": ["Technology"],
            "explicit": False,
            "guid": None,
            "apple_id": 1,
            "directories": ["Apple Podcasts"],
        }
    ]


def test_a_directory_that_fails_is_named_and_the_others_count(earmark: Earmark, world: fake.Directories) -> None:
    world.says(f"{FYYD}/0.2/search/podcast", b"", status=500)
    ended = earmark("find", "words")
    assert (ended.code, ended.out) == (0, "No podcasts found.\n")
    assert ended.err == "earmark: fyyd has a server problem (500). Try again later.\n"


def test_it_fails_when_all_of_them_do(earmark: Earmark, world: fake.Directories) -> None:
    for path in (f"{APPLE}/search", f"{FYYD}/0.2/search/podcast", f"{GPODDER}/search.json"):
        world.says(path, b"<html>Welcome to the hotel</html>", "text/html")
    world.says(f"{INDEX}/api/1.0/search/byterm", b"Authorization header is invalid", "text/plain", status=401)
    ended = earmark("find", "words", "--json")
    advice = "Check both, and this computer's clock. See [directories] in config.toml."
    assert (ended.code, ended.json) == (1, [])
    assert sorted(ended.err.splitlines()) == [
        "earmark: Apple Podcasts sent a response that Earmark can't read. Try again later.",
        f"earmark: Podcast Index refused your API key or its secret. {advice}",
        "earmark: fyyd sent a response that Earmark can't read. Try again later.",
        "earmark: gpodder.net sent a response that Earmark can't read. Try again later.",
    ]
    assert fake.SECRET not in ended.err + ended.out


def test_the_chart_of_a_country_and_a_topic(earmark: Earmark, world: fake.Directories) -> None:
    world.says(f"{APPLE}/de/rss/toppodcasts/limit=25/genre=1318/explicit=true/json", fake.older_chart(7, 8))
    world.says(f"{GPODDER}/api/2/tag/technology/25.json", [])
    world.looks_up((8, "https://eight.example.com"), (7, "https://seven.example.com"))
    ended = earmark("top", "--country", "de", "--topic", "Technology", "--json")
    assert (ended.code, ended.err) == (0, "")
    assert [one["url"] for one in ended.json] == ["https://seven.example.com", "https://eight.example.com"]
    (lookup,) = world.seen(f"{APPLE}/lookup")
    assert asked(lookup)["country"] == "DE"
    words = ("--popular", "--country", "de", "--topic", "technology", "--limit", "25", "--json")
    assert earmark("find", *words) == ended


def test_the_chart_of_all_topics(earmark: Earmark, world: fake.Directories) -> None:
    world.says(f"{CHARTS}/api/v2/us/podcasts/top/10/podcasts.json", fake.newer_chart(*range(1, 11)))
    world.says(f"{GPODDER}/toplist/3.json", [])
    assert [one["apple_id"] for one in earmark("top", "--limit", "3", "--json").json] == [1, 2, 3]
    assert [one["apple_id"] for one in earmark("find", "--popular", "--limit", "3", "--json").json] == [1, 2, 3]


def test_wrong_usage_is_a_sentence_and_asks_nobody(earmark: Earmark, world: fake.Directories) -> None:
    for words, sentence in (
        (("find",), "WORDS are missing"),
        (("find", "x", "--popular"), "Popular podcasts can't be searched; leave out the words or --popular"),
        (("find", "x", "--topic", "science"), "--country and --topic need --popular"),
        (("find", "--episodes"), "WORDS are missing"),
        (("find", "--episodes", "--popular"), "Choose either --popular or --episodes"),
        (("find", "x", "--queue", "1"), "--queue needs --episodes"),
        (("find", "x", "--episodes", "--queue", "0"), "“0” isn't the number of a row"),
        (("find", "x", "--limit", "many"), "“many” isn't a number of podcasts"),
        (("top", "--country", "Germany"), "“Germany” isn't a country code of two letters, like US or DE"),
        (("top", "--topic", "tecnology"), "there is no topic “tecnology”. Did you mean “technology”?"),
    ):
        ended = earmark(*words)
        assert (ended.code, ended.out) == (2, "")
        assert sentence in ended.err
    assert world.server.seen == []


def test_single_episodes_are_a_table_with_the_feeds_of_their_podcasts(
    earmark: Earmark, world: fake.Directories
) -> None:
    audio = "https://media.example.com/one.mp3"
    world.says(f"{APPLE}/search", apple_answer(fake.apple_episode("Words", "https://one.example.com/feed", audio)))
    world.says(f"{FYYD}/0.2/search/episode", fyyd_answer(fake.fyyd_episode("Words of fyyd", 9, f"{audio}?2")))
    ended = earmark("find", "--episodes", "words")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (
        "TITLE          PODCAST  DATE        LENGTH           FEED\n"
        "Words          A show   2026-09-01   20:47           https://one.example.com/feed\n"
        "Words of fyyd           2026-09-01   20:47  no feed\n"
    )
    assert len(earmark("find", "--episodes", "words", "--limit", "1").out.splitlines()) == 3
    assert earmark("find", "--episodes", "words", "--format", "{duration} {podcast}").out == "20:47 A show\n20:47 \n"


def test_json_of_an_episode_has_every_field(earmark: Earmark, world: fake.Directories, library: Library) -> None:
    podcast = library.podcasts.add("https://one.example.com/feed", "One")
    audio = "https://media.example.com/one.mp3"
    world.says(
        f"{INDEX}/api/1.0/search/byperson",
        fake.index_episodes(fake.index_episode("Words", "https://one.example.com/feed", audio)),
    )
    assert earmark("find", "--episodes", "words", "--json").json == [
        {
            "podcast_id": podcast.id,
            "podcast": "A show",
            "feed_url": "https://one.example.com/feed",
            "title": "Words",
            "url": audio,
            "guid": "guid of Words",
            "published": "2026-09-01T06:00:00Z",
            "duration_ms": 1_247_000,
            "link": "https://example.com/one",
            "description": "As in the feed.",
            "image_url": "https://e.com/f.jpg",
            "directories": ["Podcast Index"],
        }
    ]


def test_an_episode_is_queued_by_its_row_without_a_subscription(
    earmark: Earmark, world: fake.Directories, library: Library
) -> None:
    feed = world.server.page("/feed", rss(item(1), item(2)))
    found = [
        fake.apple_episode("Episode 1", feed, "https://media.example/1.mp3"),
        fake.apple_episode("Episode 2", feed, "https://media.example/2.mp3", episodeGuid="guid-2"),
        fake.apple_episode("Nowhere", None, "https://media.example/3.mp3"),
    ]
    world.says(f"{APPLE}/search", apple_answer(*found))
    titles = [one["title"] for one in earmark("find", "--episodes", "episode", "--json").json]
    ended = earmark("find", "--episodes", "episode", "--queue", str(titles.index("Episode 2") + 1))
    (queued,) = library.queue.ids()
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"“Episode 2” is in the queue. Its ID: {queued}\n"
    assert [one.title for one in library.podcasts.all()] == ["Welcome to Earmark"]
    ended = earmark("find", "--episodes", "episode", "--queue", str(titles.index("Nowhere") + 1))
    assert (ended.code, ended.err) == (1, "earmark: No directory knows the feed of “Nowhere”. Its web page may.\n")
    ended = earmark("find", "--episodes", "episode", "--queue", "4")
    assert (ended.code, ended.err) == (1, "earmark: Only 3 episodes were found. Choose one of its rows.\n")
    world.says(f"{APPLE}/search", apple_answer())
    ended = earmark("find", "--episodes", "episode", "--queue", "1")
    assert (ended.code, ended.err) == (1, "earmark: No episodes found. Try fewer or other words.\n")


def test_a_directory_that_fails_hides_no_episode(earmark: Earmark, world: fake.Directories) -> None:
    world.says(f"{FYYD}/0.2/search/episode", b"<html>Welcome</html>", "text/html")
    ended = earmark("find", "--episodes", "words")
    assert (ended.code, ended.out) == (0, "No episodes found.\n")
    assert ended.err == "earmark: fyyd sent a response that Earmark can't read. Try again later.\n"


def test_no_directory_at_all_is_said(earmark: Earmark, paths: Paths) -> None:
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text("[directories]\nask = []", encoding="utf-8")
    ended = earmark("find", "words")
    assert (ended.code, ended.out) == (0, "No directory is asked. See [directories] in config.toml.\n")


def test_the_key_of_podcast_index_is_saved_with_the_logins_and_used(
    earmark: Earmark, world: fake.Directories, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = paths.settings.read_text(encoding="utf-8")
    without = "\n".join(line for line in text.splitlines() if not line.startswith("podcast_index_") or "_url" in line)
    paths.settings.write_text(without, encoding="utf-8")
    earmark("find", "before")
    assert world.seen(f"{INDEX}/api/1.0/search/byterm") == []
    monkeypatch.setattr("tui.cli.commands.directories.is_terminal", lambda _stream: True)
    monkeypatch.setattr("player.net.credentials.system_keyring", lambda: None)
    monkeypatch.setattr("getpass.getpass", lambda _prompt: fake.SECRET)
    monkeypatch.setattr("sys.stdin", io.StringIO(f" {fake.KEY} \n"))
    ended = earmark("find", "--sign-in")
    assert (ended.code, ended.out) == (0, "Saved. From now on Podcast Index is asked too.\n")
    assert paths.logins.stat().st_mode & 0o077 == 0
    earmark("find", "after")
    (request,) = world.seen(f"{INDEX}/api/1.0/search/byterm")
    assert request.headers["X-Auth-Key"] == fake.KEY


def test_each_directory_that_needs_a_key_is_signed_in_to_by_its_name(
    earmark: Earmark, world: fake.Directories, paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "podshelf.py").write_text(fake.POD_SHELF, encoding="utf-8")
    monkeypatch.setattr(adapters, "__path__", [*adapters.__path__, str(tmp_path)])
    monkeypatch.setattr("tui.cli.commands.directories.is_terminal", lambda _stream: True)
    monkeypatch.setattr("player.net.credentials.system_keyring", lambda: None)
    monkeypatch.setattr("getpass.getpass", lambda _prompt: fake.SECRET)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"\n{fake.KEY}\n"))
    ended = earmark("find", "--sign-in")
    assert ended.out == "Nothing was saved.\nSaved. From now on Pod Shelf is asked too.\n"
    assert ended.err == "Podcast Index\nAPI key: Pod Shelf\nAPI key: "
    assert Credentials(paths.logins).find("https://shelf.example") == (fake.KEY, fake.SECRET)


def test_nothing_is_saved_without_a_key_or_a_terminal(
    earmark: Earmark, world: fake.Directories, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    ended = earmark("find", "--sign-in")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("earmark: Signing in needs a terminal, where you enter your API key.")
    monkeypatch.setattr("tui.cli.commands.directories.is_terminal", lambda _stream: True)
    assert earmark("find", "--sign-in").out == "Nothing was saved.\n"
    assert not paths.logins.exists()


def test_whoever_waits_on_a_terminal_is_told_for_whom(
    earmark: Earmark, world: fake.Directories, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()

    def late(request: Request) -> None:
        over.wait(20)
        request.reply(b"[]", "application/json")

    def shown(waiting: directories._Waiting, text: str) -> None:
        show(waiting, text)
        if text == "Waiting for gpodder.net…":
            over.set()

    show = directories._Waiting._show
    world.does(f"{GPODDER}/search.json", late)
    monkeypatch.setattr("tui.cli.commands.directories.is_terminal", lambda _stream: True)
    monkeypatch.setattr(directories._Waiting, "_show", shown)
    monkeypatch.setattr("player.directory.directories.Patience", lambda: Patience(0.1, 20))
    ended = earmark("find", "words")
    assert ended.code == 0
    first, *others, end = ended.err.split("\r\x1b[K")[1:]
    assert first.startswith("Asking "), "at once"
    assert "gpodder.net" in first
    assert "Waiting for gpodder.net…" in others, "once it alone is waited for"
    assert end == "", "and the line goes again"
