"""Databases of other apps, as those make them, read as what they know."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.model.foreign import ForeignEpisode, ForeignLibrary, ForeignPodcast, HeardSpan, Queued, SavedAt
from player.model.podcast_settings import NewEpisodeRules, NewEpisodes, PodcastSettings
from player.transfer.load import load
from tests.player.library.foreign import files

JUNE = datetime(2026, 6, 1, 8, tzinfo=UTC)
LISTENED = datetime(2026, 7, 1, 20, tzinfo=UTC)
URL = "https://show.example/feed.xml"


def ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def s(moment: datetime) -> int:
    return int(moment.timestamp())


def by_title(read: ForeignLibrary) -> dict[str, ForeignEpisode]:
    return {episode.title: episode for podcast in read.podcasts for episode in podcast.episodes}


# -- AntennaPod -----------------------------------------------------------------------------------------------


def antennapod(folder: Path, version: int = 3_110_000, **more: object) -> Path:
    def item(number: int, read: int = 0, **media: object) -> tuple[dict[str, object], dict[str, object]]:
        url = f"https://show.example/{number}.mp3"
        return (
            {
                "id": number,
                "title": f"E{number}",
                "pubDate": ms(JUNE),
                "read": read,
                "feed": 1,
                "item_identifier": f"g{number}",
            },
            {"feeditem": number, "download_url": url, "duration": 600_000, "position": 0, **media},
        )

    items = [
        item(1, 1, playback_completion_date=ms(LISTENED), played_duration=590_000, last_played_time=ms(LISTENED)),
        item(2, 0, position=61_000, last_played_time=ms(LISTENED), played_duration=30_000),
        item(3),
        item(4, -1),
        item(5),
        item(6, -1),
    ]
    feed = {
        "id": 1, "title": "Show", "custom_title": "My Show", "download_url": URL, "tags": "#root\x1eTech\x1eLate night",
        "username": "me", "password": "pass word", "feed_playback_speed": 1.7, "feed_skip_intro": 30,
        "feed_skip_ending": 5, "new_episodes_action": 3, **more,
    }  # fmt: skip
    rows: files.Rows = {
        "Feeds": [
            feed,
            {"id": 2, "title": "Tried", "download_url": "https://tried.example/feed", "state": 1},
            {"id": 3, "title": "Phone", "download_url": "antennapod_local:content://x"},
            {"id": 4, "title": "Plain", "download_url": "https://plain.example/feed"},
        ],
        "FeedItems": [one for one, _media in items],
        "FeedMedia": [media for _one, media in items],
        "Queue": [{"id": 0, "feeditem": 5, "feed": 1}, {"id": 1, "feeditem": 3, "feed": 1}],
        "Favorites": [{"id": 1, "feeditem": 4, "feed": 1}],
    }
    return files.write(folder / "AntennaPodBackup-2026-07-02.db", files.ANTENNAPOD, rows, version)


def test_antennapod(tmp_path: Path) -> None:
    read = load(antennapod(tmp_path))
    assert (read.app, read.version) == ("AntennaPod", "3110000")
    show, tried, plain = read.podcasts
    assert (show.url, show.title, show.own_title, show.tags) == (URL, "Show", "My Show", ("Tech", "Late night"))
    assert show.login == ("me", "pass word")
    rules = NewEpisodeRules(NewEpisodes.QUEUE)
    assert show.settings == PodcastSettings(1.7, 30_000, 5_000, new_episodes=rules)
    assert (tried.subscribed, plain.subscribed, plain.settings) == (False, True, PodcastSettings())
    assert show.episodes == (
        ForeignEpisode(
            "g1", "https://show.example/1.mp3", "E1", JUNE, 600_000, played=True, changed_at=LISTENED,
            heard=(HeardSpan(10_000, 600_000, LISTENED - timedelta(milliseconds=590_000)),),
        ),
        ForeignEpisode(
            "g2", "https://show.example/2.mp3", "E2", JUNE, 600_000, position=SavedAt(61_000), changed_at=LISTENED,
            heard=(HeardSpan(31_000, 61_000, LISTENED - timedelta(milliseconds=30_000)),),
        ),
        ForeignEpisode("g3", "https://show.example/3.mp3", "E3", JUNE, 600_000, queued=Queued(1)),
        ForeignEpisode("g4", "https://show.example/4.mp3", "E4", JUNE, 600_000, starred=True),
        ForeignEpisode("g5", "https://show.example/5.mp3", "E5", JUNE, 600_000, queued=Queued(0)),
    )  # fmt: skip
    assert read.left_out == (
        "1 folder on the phone isn't imported.",
        "AntennaPod stores only when an episode was last heard: the history will show it as heard in one go.",
    )


def test_an_antennapod_from_the_future_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    read = load(antennapod(tmp_path, 9_990_000))
    assert "This AntennaPod is newer than Earmark knows: something may be missing." in read.left_out
    assert len(read.podcasts[0].episodes) == 5


def test_an_antennapod_of_years_ago_lacks_columns(tmp_path: Path) -> None:
    tables = {
        "Feeds": "id INTEGER PRIMARY KEY, title TEXT, download_url TEXT",
        "FeedItems": "id INTEGER PRIMARY KEY, title TEXT, pubDate INTEGER, read INTEGER, feed INTEGER",
        "FeedMedia": "id INTEGER PRIMARY KEY, feeditem INTEGER, download_url TEXT, position INTEGER",
    }
    rows: files.Rows = {
        "Feeds": [{"id": 1, "title": "Old", "download_url": URL}],
        "FeedItems": [{"id": 7, "title": "E", "pubDate": ms(JUNE), "read": 1, "feed": 1}],
        "FeedMedia": [{"feeditem": 7, "download_url": "https://show.example/e.mp3", "position": 0}],
    }
    read = load(files.write(tmp_path / "old.db", tables, rows, 17))
    assert read.podcasts == (
        ForeignPodcast(
            URL, "Old", episodes=(ForeignEpisode("", "https://show.example/e.mp3", "E", JUNE, played=True),)
        ),
    )


# -- gPodder --------------------------------------------------------------------------------------------------


def test_gpodder(tmp_path: Path) -> None:
    def item(number: int, **more: object) -> dict[str, object]:
        plain = {
            "podcast_id": 1,
            "title": f"E{number}",
            "url": f"https://show.example/{number}.mp3",
            "guid": f"g{number}",
        }
        return {**plain, "published": s(JUNE), "total_time": 600, "is_new": 1, **more}

    heard = {"is_new": 0, "last_playback": s(LISTENED), "current_position_updated": s(LISTENED)}
    rows: files.Rows = {
        "podcast": [
            {"id": 1, "title": "Show", "url": URL, "section": "Tech", "auth_username": "me", "auth_password": "secret"},
            {"id": 2, "title": "Other", "url": "https://other.example/", "section": "Audio", "download_strategy": 1},
        ],
        "episode": [
            item(1, **{**heard, "current_position": 595}),
            item(2, **heard, current_position=61),
            item(3, is_new=0, state=2),
            item(4, is_new=0),
            item(5),
            item(6, archive=1, state=1),
            {**item(7, is_new=0), "podcast_id": 2},
        ],
        "version": [{"version": 8}],
    }
    read = load(files.write(tmp_path / "Database", files.GPODDER, rows))
    assert (read.app, read.version, read.left_out) == ("gPodder", "8", ())
    show, other = read.podcasts
    assert (show.url, show.tags, show.login, other.tags, other.login) == (URL, ("Tech",), ("me", "secret"), (), None)
    found = by_title(read)
    assert sorted(found) == ["E1", "E2", "E3", "E4", "E6"], "where only the newest is new, the others weren't heard"
    assert (found["E1"].played, found["E1"].changed_at, found["E1"].position) == (True, LISTENED, None)
    assert (found["E2"].played, found["E2"].position, found["E2"].duration_ms) == (False, SavedAt(61_000), 600_000)
    assert (found["E3"].played, found["E4"].played) == (True, True)
    assert (found["E3"].played, found["E6"].starred, found["E6"].played) == (True, True, False)


# -- castero --------------------------------------------------------------------------------------------------


def test_castero(tmp_path: Path) -> None:
    def item(number: int, **more: object) -> dict[str, object]:
        plain = {
            "id": number,
            "feed_key": URL,
            "title": f"E{number}",
            "enclosure": f"https://show.example/{number}.mp3",
        }
        return {**plain, "pubdate": "Mon, 01 Jun 2026 10:00:00 +0200", **more}

    rows: files.Rows = {
        "feed": [{"key": URL, "title": "Show"}],
        "episode": [item(1, played=1), item(2), item(3, pubdate="whenever"), item(4), item(5)],
        "progress": [{"ep_id": 2, "time": 61_000}],
        "queue": [{"id": 1, "ep_id": 4}, {"id": 2, "ep_id": 3}],
    }
    read = load(files.write(tmp_path / "castero.db", files.CASTERO, rows, 4))
    assert (read.app, read.version) == ("castero", "4")
    assert read.podcasts == (
        ForeignPodcast(
            URL,
            "Show",
            episodes=(
                ForeignEpisode("", "https://show.example/1.mp3", "E1", JUNE, played=True),
                ForeignEpisode("", "https://show.example/2.mp3", "E2", JUNE, position=SavedAt(61_000)),
                ForeignEpisode("", "https://show.example/3.mp3", "E3", None, queued=Queued(2)),
                ForeignEpisode("", "https://show.example/4.mp3", "E4", JUNE, queued=Queued(1)),
            ),
        ),
    )


# -- Kasts ----------------------------------------------------------------------------------------------------


def test_kasts(tmp_path: Path) -> None:
    rows: files.Rows = {
        "Feeds": [{"feeduid": 7, "name": "Show", "url": URL, "subscribed": s(JUNE)}],
        "Entries": [
            {"entryuid": number, "feeduid": 7, "id": f"g{number}", "title": f"E{number}", "created": s(JUNE), **more}
            for number, more in enumerate(
                ({"read": 1}, {"read": 0}, {"favorite": 1, "read": 0}, {"read": 0}, {"read": 0})
            )
        ],
        "Enclosures": [
            {
                "entryuid": number,
                "feeduid": 7,
                "url": f"https://show.example/{number}.mp3",
                "duration": 600,
                "playposition": at,
            }
            for number, at in enumerate((0, 61_000, 0, 0, 0))
        ],
        "Queue": [{"listnr": 1, "entryuid": 2, "playing": 0}, {"listnr": 0, "entryuid": 3, "playing": 1}],
    }
    read = load(files.write(tmp_path / "database.db3", files.KASTS, rows, 15))
    assert (read.app, read.version, read.podcasts[0].url) == ("Kasts", "15", URL)
    found = by_title(read)
    assert found["E0"] == ForeignEpisode("g0", "https://show.example/0.mp3", "E0", JUNE, 600_000, played=True)
    assert found["E1"].position == SavedAt(61_000)
    assert (found["E2"].starred, found["E2"].queued, found["E3"].queued) == (True, Queued(1), Queued(0))
    assert "E4" not in found


def test_kasts_before_version_12_names_feeds_by_their_addresses(tmp_path: Path) -> None:
    rows: files.Rows = {
        "Feeds": [{"name": "Show", "url": URL}],
        "Entries": [{"feed": URL, "id": "g1", "title": "E1", "created": s(JUNE), "read": 0, "hasEnclosure": 1}],
        "Enclosures": [
            {"feed": URL, "id": "g1", "duration": 600, "url": "https://show.example/1.mp3", "playposition": 9_000}
        ],
        "Queue": [{"listnr": 0, "feed": URL, "id": "g1", "playing": 0}],
    }
    read = load(files.write(tmp_path / "database.db3", files.KASTS_BEFORE_NUMBERS, rows, 6))
    (episode,) = read.podcasts[0].episodes
    assert (episode.guid, episode.position, episode.queued) == ("g1", SavedAt(9_000), Queued(0))


# -- newsboat -------------------------------------------------------------------------------------------------

BLOG = "https://blog.example/atom"


def newsboat(cache: Path) -> Path:
    def item(number: int, feed: str = URL, **more: object) -> dict[str, object]:
        plain = {"guid": f"g{number}", "title": f"E{number}", "author": "", "url": "", "feedurl": feed, "content": ""}
        audio = (
            {"enclosure_url": f"https://show.example/{number}.mp3", "enclosure_type": "audio/mpeg"}
            if feed == URL
            else {}
        )
        return {**plain, **audio, "pubDate": s(JUNE), "unread": 1, **more}

    rows: files.Rows = {
        "rss_feed": [{"rssurl": url, "url": "", "title": title} for url, title in ((URL, "Show"), (BLOG, "Blog"))],
        "rss_item": [
            item(1, unread=0),
            item(2, flags="ab"),
            item(3),
            item(4, unread=0),
            item(5),
            item(9, BLOG, unread=0),
        ],
        "metadata": [{"db_schema_version_major": 2, "db_schema_version_minor": 11}],
    }
    return files.write(cache, files.NEWSBOAT, rows)


@pytest.mark.parametrize("named", ["urls", "cache.db"])
@pytest.mark.parametrize(
    ("config", "data"), [(".newsboat", ".newsboat"), (".config/newsboat", ".local/share/newsboat")]
)
def test_newsboat(tmp_path: Path, named: str, config: str, data: str) -> None:
    cache = newsboat(tmp_path / data / "cache.db")
    urls = tmp_path / config / "urls"
    urls.parent.mkdir(parents=True, exist_ok=True)
    urls.write_text(
        f'# mine\n{URL} "late night" tech "~My Show" !hidden\n{BLOG} text\n"query:Unread:unread = \\"yes\\""\n'
        "https://never.example/read podcasts\n"
    )
    cache.with_name("queue").write_text(
        'https://show.example/4.mp3 "/home/me/4.mp3"\nhttps://show.example/3.mp3 "/home/me/3 x.mp3" downloaded\n'
        'https://show.example/5.mp3 "/home/me/5.mp3" finished\n'
    )
    read = load(urls if named == "urls" else cache)
    assert (read.app, read.version) == ("newsboat", "2")
    show, never = read.podcasts
    assert (show.url, show.title, show.own_title, show.tags) == (URL, "Show", "My Show", ("late night", "tech"))
    assert (never.url, never.tags) == ("https://never.example/read", ("podcasts",))
    found = by_title(read)
    assert sorted(found) == ["E1", "E3", "E4", "E5"]
    assert [title for title, one in found.items() if one.played] == ["E1", "E5"]
    assert (found["E4"].queued, found["E3"].queued, found["E5"].queued) == (Queued(0), Queued(1), None)
    assert read.left_out == (
        "1 feed without audio isn't imported.",
        "The flags of 1 episode aren't imported.",
        "1 query feed isn't imported.",
    )


def test_newsboats_list_of_feeds_alone(tmp_path: Path) -> None:
    (tmp_path / "urls").write_text(
        f'{URL} news\n"filter:~/bin/short:{BLOG}" text\n"filter:sed:{BLOG}"\nexec:~/bin/feed.py tech\n'
    )
    read = load(tmp_path / "urls")
    assert read.podcasts == (ForeignPodcast(URL, tags=("news",)),)
    assert read.left_out == (
        "newsboat's cache.db isn't beside it: only the list of feeds is read.",
        "2 feeds that come through a filter program (filter:) aren't imported.",
        "1 feed that a program makes (exec:) isn't imported.",
    )


GNOME_SHOW = {"id": 7, "title": "Show", "link": "https://show.example", "description": "", "source_id": 3}
GNOME_SOURCES = [{"id": 3, "uri": URL}, {"id": 4, "uri": "https://never.example/read"}]


def test_gnome_podcasts(tmp_path: Path) -> None:
    def one(number: int, **more: object) -> dict[str, object]:
        address = f"https://show.example/{number}.mp3"
        named = {"id": number, "title": f"E{number}", "uri": address, "guid": f"g{number}", "show_id": 7}
        return {**named, "epoch": "2026-06-01 12:00:00", "duration": 600, **more}

    rows: files.Rows = {
        "source": GNOME_SOURCES,
        "shows": [GNOME_SHOW],
        "episodes": [
            one(1, played="2026-07-02 10:00:00.250", play_position=12),
            one(2, play_position=61), one(3), one(4), one(5),
        ],
        "queue": [{"episode_id": 4, "position": 2.5}, {"episode_id": 3, "position": 10.0}],
    }  # fmt: skip
    path = files.write(tmp_path / "gnome-podcasts" / "podcasts.db", files.GNOME_PODCASTS, rows)
    for named in (path, path.parent):
        read = load(named)
        assert (read.app, read.left_out) == ("GNOME Podcasts", ())
        show, unread = read.podcasts
        assert (show.url, show.title, unread.url) == (URL, "Show", "https://never.example/read")
        found = by_title(read)
        assert sorted(found) == ["E1", "E2", "E3", "E4"]
        moment = datetime(2026, 7, 2, 10, 0, 0, 250_000, UTC)
        assert (found["E1"].played, found["E1"].position, found["E1"].changed_at) == (True, None, moment)
        assert (found["E2"].played, found["E2"].position, found["E2"].duration_ms) == (False, SavedAt(61_000), 600_000)
        assert (found["E2"].guid, found["E2"].published) == ("g2", datetime(2026, 6, 1, 12, tzinfo=UTC))
        assert (found["E4"].queued, found["E3"].queued) == (Queued(0), Queued(1))


def test_gnome_podcasts_with_moments_in_seconds_and_no_queue(tmp_path: Path) -> None:
    heard = {"title": "E1", "guid": "g1", "epoch": 1_600_000_000, "played": 1_600_001_000, "show_id": 7}
    rows: files.Rows = {"source": GNOME_SOURCES, "shows": [GNOME_SHOW], "episodes": [heard]}
    read = load(files.write(tmp_path / "podcasts.db", files.GNOME_PODCASTS_OF_2021, rows))
    (episode,) = read.podcasts[0].episodes
    assert (episode.played, episode.queued) == (True, None)
    assert episode.published == datetime(2020, 9, 13, 12, 26, 40, tzinfo=UTC)
    assert episode.changed_at == datetime(2020, 9, 13, 12, 43, 20, tzinfo=UTC)


# -- Apple Podcasts -------------------------------------------------------------------------------------------


def test_apple_podcasts(tmp_path: Path) -> None:
    def since_2001(moment: datetime) -> float:
        return (moment - datetime(2001, 1, 1, tzinfo=UTC)).total_seconds()

    def item(number: int, **more: object) -> dict[str, object]:
        named = {"ZPODCAST": 1, "ZGUID": f"g{number}", "ZTITLE": f"E{number}", "ZPUBDATE": since_2001(JUNE)}
        address = {"ZENCLOSUREURL": f"https://show.example/{number}.mp3", "ZDURATION": 600.0}
        return {**named, **address, "ZPLAYSTATE": 0, "ZPLAYCOUNT": 0, "ZPLAYHEAD": 0.0, **more}

    heard = since_2001(LISTENED)
    rows: files.Rows = {
        "ZMTPODCAST": [
            {"Z_PK": 1, "ZFEEDURL": "https://old.example/feed", "ZUPDATEDFEEDURL": URL, "ZTITLE": "Show",
             "ZSUBSCRIBED": 1, "ZHIDDEN": 0},
            {"Z_PK": 2, "ZFEEDURL": "https://tried.example/feed", "ZTITLE": "Tried", "ZSUBSCRIBED": 0},
            {"Z_PK": 3, "ZFEEDURL": "internal://shows/1", "ZTITLE": "Apple's own", "ZSUBSCRIBED": 1},
            {"Z_PK": 4, "ZFEEDURL": "https://hidden.example/", "ZTITLE": "Hidden", "ZSUBSCRIBED": 1, "ZHIDDEN": 1},
        ],
        "ZMTEPISODE": [
            item(1, ZPLAYCOUNT=1, ZLASTDATEPLAYED=heard),
            item(2, ZPLAYSTATE=1, ZPLAYHEAD=61.5, ZLASTDATEPLAYED=heard),
            item(3, ZLASTUSERMARKEDASPLAYEDDATE=heard, ZPLAYSTATEMANUALLYSET=1, ZPLAYHEAD=12.0),
            item(4, ZSAVED=1, ZPLAYSTATE=2),
            item(5, ZPLAYSTATEMANUALLYSET=1, ZPLAYSTATESOURCE=6, ZPLAYSTATELASTMODIFIEDDATE=heard),
            item(6, ZPLAYSTATE=2),
            item(7, ZPLAYSTATE=1, ZPLAYCOUNT=2, ZPLAYHEAD=90.0),
            item(8, ZISBOOKMARKED=1, ZLASTUSERMARKEDASPLAYEDDATE=0),
        ],
    }  # fmt: skip
    path = files.write(tmp_path / "MTLibrary.sqlite", files.APPLE_PODCASTS, rows)
    for named in (path, tmp_path):
        read = load(named)
        assert [(one.url, one.title, one.subscribed) for one in read.podcasts] == [
            (URL, "Show", True),
            ("https://tried.example/feed", "Tried", False),
            ("https://hidden.example/", "Hidden", False),
        ]
        found = by_title(read)
        assert sorted(found) == ["E1", "E2", "E3", "E4", "E7", "E8"], "the back catalogue has state 0 and wasn't heard"
        address = "https://show.example/1.mp3"
        assert found["E1"] == ForeignEpisode("g1", address, "E1", JUNE, 600_000, played=True, changed_at=LISTENED)
        assert (found["E2"].played, found["E2"].position, found["E2"].changed_at) == (False, SavedAt(61_500), LISTENED)
        assert (found["E3"].played, found["E3"].position, found["E3"].changed_at) == (True, None, LISTENED)
        assert (found["E4"].starred, found["E4"].played, found["E8"].starred) == (True, False, True)
        assert (found["E7"].played, found["E7"].position) == (False, SavedAt(90_000)), "heard once more"
        assert read.left_out == (
            "1 podcast that only Apple has isn't imported.",
            "The queue and the stations of Apple Podcasts aren't imported.",
        )


def test_apple_podcasts_while_it_is_running(tmp_path: Path) -> None:
    path = files.write(tmp_path / "MTLibrary.sqlite", files.APPLE_PODCASTS, {})
    with closing(sqlite3.connect(path)) as running:
        running.execute("PRAGMA journal_mode = WAL")
        running.execute("INSERT INTO ZMTPODCAST (ZFEEDURL, ZSUBSCRIBED) VALUES (?, 1)", (URL,))
        running.commit()
        assert [one.url for one in load(path).podcasts] == [URL]
