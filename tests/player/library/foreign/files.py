"""Files as other apps make them: their tables, with the columns that the apps give them, and whatever rows a test has.

The columns are those of AntennaPod 3.11, gPodder 3.11.1, castero 0.9.5, Kasts 26.08 (and 21.08), newsboat 2.21,
and GNOME Podcasts after its migrations of 2021 and of April 2026. Of Apple's Core Data, the columns that public
projects read.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

Rows = Mapping[str, Iterable[Mapping[str, object]]]

ANTENNAPOD = {
    "Feeds": (
        "id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, custom_title TEXT, file_url TEXT, download_url TEXT,"
        " downloaded INTEGER, link TEXT, description TEXT, payment_link TEXT, last_update TEXT, language TEXT,"
        " author TEXT, image_url TEXT, type TEXT, feed_identifier TEXT, auto_download INTEGER DEFAULT 1,"
        " username TEXT, password TEXT, include_filter TEXT DEFAULT '', exclude_filter TEXT DEFAULT '',"
        " minimal_duration_filter INTEGER DEFAULT -1, keep_updated INTEGER DEFAULT 1, is_paged INTEGER DEFAULT 0,"
        " next_page_link TEXT, hide TEXT, sort_order TEXT, last_update_failed INTEGER DEFAULT 0,"
        " auto_delete_action INTEGER DEFAULT 0, feed_playback_speed REAL DEFAULT -1.0,"
        " feed_skip_silence INTEGER DEFAULT 1, feed_volume_adaption INTEGER DEFAULT 0, tags TEXT,"
        " feed_skip_intro INTEGER DEFAULT 0, feed_skip_ending INTEGER DEFAULT 0,"
        " episode_notification INTEGER DEFAULT 0, state INTEGER DEFAULT 0, new_episodes_action INTEGER DEFAULT 0"
    ),
    "FeedItems": (
        "id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, pubDate INTEGER, read INTEGER, link TEXT, description TEXT,"
        " payment_link TEXT, media INTEGER, feed INTEGER, has_simple_chapters INTEGER, item_identifier TEXT,"
        " image_url TEXT, auto_download INTEGER, podcastindex_chapter_url TEXT, podcastindex_transcript_type TEXT,"
        " podcastindex_transcript_url TEXT, social_interact_url TEXT"
    ),
    "FeedMedia": (
        "id INTEGER PRIMARY KEY AUTOINCREMENT, duration INTEGER, file_url TEXT, download_url TEXT, downloaded INTEGER,"
        " position INTEGER, filesize INTEGER, mime_type TEXT, playback_completion_date INTEGER, feeditem INTEGER,"
        " played_duration INTEGER, has_embedded_picture INTEGER, last_played_time INTEGER"
    ),
    "Queue": "id INTEGER PRIMARY KEY, feeditem INTEGER, feed INTEGER",
    "Favorites": "id INTEGER PRIMARY KEY, feeditem INTEGER, feed INTEGER",
}
GPODDER = {
    "podcast": (
        "id INTEGER PRIMARY KEY NOT NULL, title TEXT NOT NULL DEFAULT '', url TEXT NOT NULL DEFAULT '',"
        " link TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '', cover_url TEXT, auth_username TEXT,"
        " auth_password TEXT, http_last_modified TEXT, http_etag TEXT,"
        " auto_archive_episodes INTEGER NOT NULL DEFAULT 0, download_folder TEXT NOT NULL DEFAULT '',"
        " pause_subscription INTEGER NOT NULL DEFAULT 0, section TEXT NOT NULL DEFAULT '', payment_url TEXT,"
        " download_strategy INTEGER NOT NULL DEFAULT 0, sync_to_mp3_player INTEGER NOT NULL DEFAULT 1, cover_thumb BLOB"
    ),
    "episode": (
        "id INTEGER PRIMARY KEY NOT NULL, podcast_id INTEGER NOT NULL, title TEXT NOT NULL DEFAULT '',"
        " description TEXT NOT NULL DEFAULT '', url TEXT NOT NULL, published INTEGER NOT NULL DEFAULT 0,"
        " guid TEXT NOT NULL, link TEXT NOT NULL DEFAULT '', file_size INTEGER NOT NULL DEFAULT 0,"
        " mime_type TEXT NOT NULL DEFAULT 'application/octet-stream', state INTEGER NOT NULL DEFAULT 0,"
        " is_new INTEGER NOT NULL DEFAULT 0, archive INTEGER NOT NULL DEFAULT 0, download_filename TEXT,"
        " total_time INTEGER NOT NULL DEFAULT 0, current_position INTEGER NOT NULL DEFAULT 0,"
        " current_position_updated INTEGER NOT NULL DEFAULT 0, last_playback INTEGER NOT NULL DEFAULT 0,"
        " payment_url TEXT, description_html TEXT NOT NULL DEFAULT '', episode_art_url TEXT, chapters TEXT"
    ),
    "version": "version integer",
}
CASTERO = {
    "feed": "key text primary key, title text, description text, link text, last_build_date text, copyright text",
    "episode": (
        "id integer primary key, feed_key text, title text, description text, link text, pubdate text,"
        " copyright text, enclosure text, played bit not null default 0"
    ),
    "queue": "id integer primary key, ep_id integer",
    "progress": "ep_id integer primary key, time integer",
}
KASTS = {
    "Feeds": (
        "feeduid INTEGER PRIMARY KEY, name TEXT, url TEXT, image TEXT, link TEXT, description TEXT,"
        " subscribed INTEGER, lastUpdated INTEGER, new BOOL, dirname TEXT, lastHash TEXT,"
        " filterType INTEGER DEFAULT 0, sortType INTEGER DEFAULT 0"
    ),
    "Entries": (
        "entryuid INTEGER PRIMARY KEY, feeduid INTEGER, id TEXT, title TEXT, content TEXT, created INTEGER,"
        " updated INTEGER, link TEXT, read BOOL, new BOOL, hasEnclosure BOOL, image TEXT, favorite BOOL DEFAULT 0,"
        " playposition INTEGER, removed BOOL DEFAULT 0"
    ),
    "Enclosures": (
        "enclosureuid INTEGER PRIMARY KEY, entryuid INTEGER, feeduid INTEGER, url TEXT, duration INTEGER,"
        " size INTEGER, type TEXT, playposition INTEGER, downloaded INTEGER"
    ),
    "Queue": "listnr INTEGER, entryuid INTEGER, playing BOOL",
}
KASTS_BEFORE_NUMBERS = {
    "Feeds": (
        "name TEXT, url TEXT, image TEXT, link TEXT, description TEXT, deleteAfterCount INTEGER,"
        " deleteAfterType INTEGER, subscribed INTEGER, lastUpdated INTEGER, new BOOL, notify BOOL"
    ),
    "Entries": (
        "feed TEXT, id TEXT UNIQUE, title TEXT, content TEXT, created INTEGER, updated INTEGER, link TEXT, read bool,"
        " new bool, hasEnclosure BOOL, image TEXT"
    ),
    "Enclosures": (
        "feed TEXT, id TEXT, duration INTEGER, size INTEGER, title TEXT, type TEXT, url TEXT, playposition INTEGER,"
        " downloaded INTEGER"
    ),
    "Queue": "listnr INTEGER, feed TEXT, id TEXT, playing BOOL",
}
_GNOME_EPISODES = (
    "id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT UNIQUE, title TEXT NOT NULL, uri TEXT, local_uri TEXT,"
    " description TEXT, image_uri TEXT, epoch {moment} NOT NULL, length INTEGER, duration INTEGER, guid TEXT,"
    " played {moment}, play_position INTEGER NOT NULL DEFAULT 0, show_id INTEGER NOT NULL"
)
GNOME_PODCASTS = {
    "source": (
        "id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, uri TEXT NOT NULL UNIQUE, last_modified TEXT, http_etag TEXT"
    ),
    "shows": (
        "id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, title TEXT NOT NULL, link TEXT NOT NULL,"
        " description TEXT NOT NULL, image_uri TEXT, source_id INTEGER NOT NULL UNIQUE"
    ),
    "episodes": _GNOME_EPISODES.format(moment="TIMESTAMP"),
    "queue": "id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, episode_id INTEGER NOT NULL, position REAL NOT NULL",
}
GNOME_PODCASTS_OF_2021 = {
    "source": GNOME_PODCASTS["source"],
    "shows": GNOME_PODCASTS["shows"],
    "episodes": _GNOME_EPISODES.format(moment="INTEGER").partition(", ")[2],
}
APPLE_PODCASTS = {
    "ZMTPODCAST": (
        "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZHIDDEN INTEGER, ZSUBSCRIBED INTEGER,"
        " ZADDEDDATE TIMESTAMP, ZLASTDATEPLAYED TIMESTAMP, ZAUTHOR VARCHAR, ZFEEDURL VARCHAR,"
        " ZUPDATEDFEEDURL VARCHAR, ZTITLE VARCHAR, ZUUID VARCHAR, ZWEBPAGEURL VARCHAR"
    ),
    "ZMTEPISODE": (
        "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISBOOKMARKED INTEGER, ZPLAYCOUNT INTEGER,"
        " ZPLAYSTATE INTEGER, ZPLAYSTATEMANUALLYSET INTEGER, ZPLAYSTATESOURCE INTEGER, ZSAVED INTEGER,"
        " ZPODCAST INTEGER, ZDURATION FLOAT, ZLASTDATEPLAYED TIMESTAMP, ZLASTUSERMARKEDASPLAYEDDATE TIMESTAMP,"
        " ZPLAYHEAD FLOAT, ZPLAYSTATELASTMODIFIEDDATE TIMESTAMP, ZPUBDATE TIMESTAMP, ZENCLOSUREURL VARCHAR,"
        " ZGUID VARCHAR, ZTITLE VARCHAR, ZUUID VARCHAR"
    ),
}
NEWSBOAT = {
    "rss_feed": (
        "rssurl VARCHAR(1024) PRIMARY KEY NOT NULL, url VARCHAR(1024) NOT NULL, title VARCHAR(1024) NOT NULL,"
        " lastmodified INTEGER(11) NOT NULL DEFAULT 0, is_rtl INTEGER(1) NOT NULL DEFAULT 0,"
        " etag VARCHAR(128) NOT NULL DEFAULT ''"
    ),
    "rss_item": (
        "id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, guid VARCHAR(64) NOT NULL, title VARCHAR(1024) NOT NULL,"
        " author VARCHAR(1024) NOT NULL, url VARCHAR(1024) NOT NULL, feedurl VARCHAR(1024) NOT NULL,"
        " pubDate INTEGER NOT NULL, content VARCHAR(65535) NOT NULL, unread INTEGER(1) NOT NULL,"
        " enclosure_url VARCHAR(1024), enclosure_type VARCHAR(1024), enqueued INTEGER(1) NOT NULL DEFAULT 0,"
        " flags VARCHAR(52), deleted INTEGER(1) NOT NULL DEFAULT 0, base VARCHAR(128) NOT NULL DEFAULT ''"
    ),
    "metadata": "db_schema_version_major INTEGER NOT NULL, db_schema_version_minor INTEGER NOT NULL",
}


def write(path: Path, tables: Mapping[str, str], rows: Rows, version: int = 0) -> Path:
    """A database with these tables and rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database:
        for name, columns in tables.items():
            database.execute(f'CREATE TABLE "{name}" ({columns})')
        for name, some in rows.items():
            for row in some:
                marks = ", ".join("?" * len(row))
                database.execute(f'INSERT INTO "{name}" ({", ".join(row)}) VALUES ({marks})', tuple(row.values()))
        database.execute(f"PRAGMA user_version = {version}")
        database.commit()
    return path
