"""Libraries of four other apps where each keeps its own, in a home folder."""

from collections.abc import Callable
from pathlib import Path

from tests.player.library.foreign import files

URL = "https://{app}.example/feed.xml"


def newsboat(home: Path, url: str = URL.format(app="newsboat")) -> Path:
    """Two podcasts, one of them with two episodes that were read; and podboat's queue of one."""
    folder = home / ".newsboat"
    items = [
        {
            "id": number, "guid": f"g{number}", "title": f"Talk {number}", "author": "", "url": "", "feedurl": url,
            "pubDate": 1_780_000_000 + number, "content": "", "unread": number == 3,
            "enclosure_url": f"{url}/{number}.mp3", "enclosure_type": "audio/mpeg",
        }
        for number in (1, 2, 3)
    ]  # fmt: skip
    rows: files.Rows = {
        "rss_feed": [{"rssurl": url, "url": url, "title": "Newsboat Talks"}],
        "rss_item": items,
        "metadata": [{"db_schema_version_major": 2, "db_schema_version_minor": 22}],
    }
    files.write(folder / "cache.db", files.NEWSBOAT, rows)
    (folder / "queue").write_text(f'{url}/3.mp3 "/x/3.mp3" downloaded\n', encoding="utf-8")
    (folder / "urls").write_text(f"{url} podcasts\n{url}?other\n", encoding="utf-8")
    return folder / "urls"


def castero(home: Path, url: str = URL.format(app="castero")) -> Path:
    """A podcast with an episode in progress, one that was played, and one in the queue."""
    rows: files.Rows = {
        "feed": [{"key": url, "title": "Castero Casts"}],
        "episode": [
            {"id": number, "feed_key": url, "title": f"Cast {number}", "enclosure": f"{url}/{number}.mp3",
             "played": number == 2}
            for number in (1, 2, 3)
        ],
        "progress": [{"ep_id": 1, "time": 61_000}],
        "queue": [{"id": 1, "ep_id": 3}],
    }  # fmt: skip
    return files.write(home / ".local/share/castero/castero.db", files.CASTERO, rows, 4)


def gpodder(home: Path, url: str = URL.format(app="gpodder")) -> Path:
    """A podcast with an episode in progress."""
    rows: files.Rows = {
        "podcast": [{"id": 1, "title": "gPodder Pods", "url": url}],
        "episode": [
            {"id": 1, "podcast_id": 1, "title": "Pod 1", "url": f"{url}/1.mp3", "guid": "g1", "is_new": 1,
             "total_time": 600, "current_position": 90, "last_playback": 1_780_000_000}
        ],
        "version": [{"version": 8}],
    }  # fmt: skip
    return files.write(home / "gPodder/Database", files.GPODDER, rows)


def kasts(home: Path, url: str = URL.format(app="kasts")) -> Path:
    """A podcast with two episodes in progress."""
    rows: files.Rows = {
        "Feeds": [{"feeduid": 1, "name": "Kasts Kast", "url": url}],
        "Entries": [
            {"entryuid": number, "feeduid": 1, "id": f"g{number}", "title": f"Kast {number}", "read": 0}
            for number in (1, 2)
        ],
        "Enclosures": [
            {"enclosureuid": number, "entryuid": number, "feeduid": 1, "url": f"{url}/{number}.mp3", "duration": 600,
             "playposition": 61_000}
            for number in (1, 2)
        ],
    }  # fmt: skip
    path = home / ".var/app/org.kde.kasts/data/KDE/kasts/database.db3"
    return files.write(path, files.KASTS, rows, 15)


ALL: tuple[Callable[[Path], Path], ...] = (gpodder, newsboat, castero, kasts)
