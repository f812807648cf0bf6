"""Whatever bytes of library.db change: it opens and works, or is called damaged. Nothing that is read is ever a bug."""

import json
import random
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path

import pytest
from msgspec.structs import replace

from player.errors import DamagedLibrary, EarmarkError
from player.integrations.json_api import episode_json, extras_json, show_json
from player.library import Attachment, AttachmentKind, Library, damage_of
from player.library import library as the_library
from player.model.episode import EpisodeId
from player.model.feed import FeedSchedule, FeedState
from player.model.filters import View, ViewName
from player.model.listening import ListeningSpan
from player.model.podcast import PodcastId
from player.model.podcast_settings import PodcastSettings
from player.model.syncing import ActionKind, FactKind
from player.paths import Paths
from player.playback.last_session import last_session
from player.sync.ways import ways
from tests.player.library.damaging import damage
from tests.player.library.helpers import URL, apply_feed, by_guid, episode, feed
from tui.drawing.about.sheet import Look, PodcastPage, about_sheet
from tui.drawing.labels import length, progress, short_date
from tui.look.glyphs import ASCII

AT = datetime(2026, 3, 2, tzinfo=UTC)
PAGE = 4096
_FACT = "INSERT INTO sync_facts (kind, key, value, at, device, is_applied) VALUES (?, '', 'true', 1, '', 1)"
_ACTION = (
    "INSERT INTO sync_actions (kind, podcast_key, podcast, url, guid, device, at, position_ms, seen_ms)"
    " VALUES (?, '', '', '', '', '', 1, 0, 0)"
)
_ACCOUNT = "INSERT INTO sync_account (target, address, user, device, name) VALUES (?, '', '', '', '')"
EXTRA = json.dumps({"person": [{"name": "Ada"}, {"name": "Grace"}], "funding": [{"url": "https://give.example/"}]})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A library with something in each of its tables."""
    paths = Paths.of({"EARMARK_HOME": str(tmp_path_factory.mktemp("whole"))})
    library = Library(paths)
    library.open()
    for number in range(2):
        podcast = library.podcasts.add(f"{URL}/{number}", f"Show {number}")
        items = (episode(number * 100 + one, extra=EXTRA, season=1 + one % 3) for one in range(25))
        parsed = replace(feed(*items, title=f"Show {number}"), extra=EXTRA)
        library.podcasts.apply(podcast.id, parsed, FeedState('"tag"', "yesterday"), by_guid)
        library.feed_schedules.note(podcast.id, FeedSchedule(checked_at=AT, due_at=AT))
    ids = [EpisodeId(one) for one in range(1, 50)]
    for one in ids[::3]:
        library.progress.save(one, 1000 * one, 1_800_000, AT)
    library.progress.start(ids[6])
    library.episodes.set_starred(ids[1::5], True)
    library.episodes.set_played(ids[2::7], True)
    for one in ids[:12]:
        said_in_it = f"WEBVTT\n\n00:01.000 --> 00:02.000\nWords of {one}".encode()
        library.attachments.put(
            one, Attachment(AttachmentKind.TRANSCRIPT, "https://t.example/", said_in_it, "text/vtt"), AT
        )
    library.downloads.put(ids[4], Path("/nowhere/5.mp3"))
    for one in ids[:12]:
        library.progress.finish(one, [ListeningSpan(one, 0, 1000 * one, AT, 1.5)])
    library.podcast_settings.set(PodcastId(1), PodcastSettings(1.5, 10_000, 0, 3.0, ("Sponsor", "Ad")))
    for key, value in (("speed", "1.2"), ("volume", "80"), ("screen", "all 0 0")):
        library.state.set(key, value)
    library.check()
    library.close()
    return paths.library.read_bytes()


@pytest.fixture
def home(tmp_path: Path, whole: bytes) -> Callable[[bytes], Paths]:
    """A home of its own for each library."""
    made = 0

    def make(data: bytes = whole) -> Paths:
        nonlocal made
        made += 1
        paths = Paths.of({"EARMARK_HOME": str(tmp_path / str(made))})
        paths.data.mkdir(parents=True)
        paths.library.write_bytes(data)
        return paths

    return make


def use(paths: Paths) -> None:
    """Reads and shows all there is, and writes a bit of each kind."""
    library = Library(paths, backs_up=False)
    library.open()
    try:
        _use(library)
    finally:
        library.close()


def _use(library: Library) -> None:
    library.feed_schedules.all()
    last_session(library)
    library.state.get("screen")
    library.episodes.counts()
    for podcast in library.podcasts.all():
        facts = library.statistics.facts(podcast.id)
        best = library.episodes.rows(facts.best)
        json.dumps(show_json(facts, best, library.queue.ranks()))
        about_sheet(PodcastPage(facts, best), Look(76, ASCII, AT.date()))
        library.podcasts.feed_state(podcast.id)
        library.podcast_settings.get(podcast.id)
        _read(library, View.of(ViewName.PODCAST, podcast.id))
    for name in (ViewName.ALL, ViewName.STARRED, ViewName.IN_PROGRESS):
        _read(library, View.of(name))
    library.listing(View().narrowed("episode 1"))
    library.search.catch_up()
    found = library.search.find("notes", 50)
    library.search.passages(library.episodes.rows(found.ids), found, 80)
    library.history.totals(AT.date(), AT.date(), AT.date())
    library.history.sessions()
    library.progress.save(EpisodeId(1), 5000, None, AT, heard=[ListeningSpan(EpisodeId(1), 4000, 5000, AT)])
    library.episodes.set_played([EpisodeId(1)], True)
    for podcast in library.podcasts.all()[:1]:
        apply_feed(library, podcast, *(episode(number) for number in range(1000, 1003)))


def _read(library: Library, query: View) -> None:
    listing = library.episodes.listing(query)
    extras = library.extras.of(listing.page(0, len(listing)))
    for row in library.episodes.rows(listing.page(0, len(listing))):
        json.dumps({**episode_json(row, {}), **extras_json(extras[row.id])})
        assert all(map(str.isprintable, (short_date(row.published, AT.date()), length(row, "-")))), progress(row)
        library.progress.position(row.id)
        library.history.spans(row.id)
        library.downloads.path(row.id)
        library.statistics.people_of(row, library.episodes.details(row.id).extra)
        for one in library.attachments.listed(row.id, AttachmentKind.TRANSCRIPT):
            library.attachments.get(row.id, one.kind, one.url)


def changed(data: bytes, chance: random.Random) -> bytes:
    """Some of the bytes are others, or gone: what bad disks, bad memory and bad copies do."""
    made = bytearray(data)
    at = chance.randrange(len(made))
    page = at // PAGE * PAGE
    size = chance.choice((4, 64, 600))
    match chance.choice(("bits", "noise", "ones", "zeros", "swap", "cut", "letters", "header")):
        case "bits":
            for _ in range(chance.choice((1, 4, 30))):
                made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
        case "noise":
            made[at : at + size] = chance.randbytes(len(made[at : at + size]))
        case "ones":
            made[at : at + size] = b"\xff" * len(made[at : at + size])
        case "zeros":
            made[page : page + PAGE] = bytes(PAGE)
        case "swap":
            other = chance.randrange(len(made)) // PAGE * PAGE
            made[page : page + PAGE], made[other : other + PAGE] = data[other : other + PAGE], data[page : page + PAGE]
        case "cut":
            del made[at:]
        case "letters":
            letters = [at for at in range(len(made)) if made[at : at + 1].isalpha()]
            for at in chance.sample(letters, chance.choice((1, 10, 100))):
                made[at] = chance.choice((0xFF, 0xC3, 0x80, 0))
        case "header":
            made[page + chance.randrange(12)] = chance.randrange(256)
    return bytes(made)


def test_a_whole_library_is_used_without_a_word(home: Callable[[], Paths]) -> None:
    paths = home()
    use(paths)
    assert damage_of(paths) is None


@pytest.mark.long
def test_of_sixty_damaged_libraries_each_works_or_is_called_damaged_from_then_on(
    home: Callable[[bytes], Paths], whole: bytes
) -> None:
    ends: Counter[str] = Counter()
    sentences: set[str] = set()
    for seed in range(60):
        paths = home(changed(whole, random.Random(seed)))
        try:
            use(paths)
        except DamagedLibrary as error:
            ends["damaged"] += 1
            sentences.add(str(error).replace(str(paths.library), "PATH").partition(". ")[2])
            with pytest.raises(DamagedLibrary):
                Library(paths, backs_up=False).open()
        except EarmarkError as error:
            raise AssertionError(f"seed {seed}: {error}") from error
        except Exception as error:
            raise AssertionError(f"seed {seed} is taken for a bug") from error
        else:
            ends["works"] += 1
    assert sentences == {"Nothing was changed in it. Earmark can restore a backup."}
    assert min(ends["works"], ends["damaged"]) >= 5, ends


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE details SET extra = '{\"person\":' WHERE episode_id = 3",
        "UPDATE details SET transcripts = 'https' WHERE episode_id = 3",
        "UPDATE details SET notes = x'00ff' WHERE episode_id = 3",
        "UPDATE episodes SET title = x'41' WHERE id = 3",
        "UPDATE episodes SET duration_ms = 'long' WHERE id = 3",
        "UPDATE episodes SET published = 99999999999999999 WHERE id = 3",
        "UPDATE progress SET position_ms = 'here'",
        "UPDATE progress SET saved_at = 99999999999999999",
        "UPDATE listening_spans SET began_at = 99999999999999999",
        "UPDATE listening_spans SET to_ms = from_ms - 1",
        "UPDATE listening_spans SET to_ms = 9999999999999",
        "UPDATE listening_spans SET speed = 0",
        "UPDATE listening_spans SET speed = 0.1",
        "UPDATE listening_spans SET speed = 'fast'",
        "UPDATE podcast_settings SET speed = 'fast'",
        "UPDATE podcast_settings SET skip_chapters = '[1'",
        "UPDATE podcast_settings SET skip_intro_ms = x'00'",
        "UPDATE podcast_counts SET episodes = 'many'",
        "UPDATE podcasts SET title = CAST(x'ff41' AS TEXT) WHERE id = 1",
        "UPDATE companions SET body = x'789c00' WHERE episode_id = 3",
        "DELETE FROM details WHERE episode_id = 3",
        "DROP TABLE visits",
        "ALTER TABLE episodes RENAME COLUMN link TO lynk",
    ],
)
def test_values_that_earmark_never_wrote_are_damage_though_every_page_is_whole(
    home: Callable[[], Paths], statement: str
) -> None:
    paths = home()
    damage(paths, statement)
    with pytest.raises(DamagedLibrary, match=r"is damaged\. Nothing was changed in it"):
        use(paths)
    with pytest.raises(DamagedLibrary):
        Library(paths).open()
    assert damage_of(paths)


@pytest.mark.parametrize(("row", "kinds"), [(_FACT, FactKind), (_ACTION, ActionKind)])
def test_every_kind_of_what_syncs_is_sound_and_no_other(
    home: Callable[[], Paths], row: str, kinds: type[StrEnum]
) -> None:
    for kind in (*kinds, "other"):
        paths = home()
        with closing(sqlite3.connect(paths.library)) as database, database:
            database.execute(row, (kind,))
        assert (damage_of(paths) is None) == (kind in [*kinds]), kind


@pytest.mark.parametrize(
    ("way", "is_sound"),
    [
        *((way.name, True) for way in ways()),
        ("newer2", True),
        *((name, False) for name in ("", "2newer", "Folder", "fold er", "folder\n", "gpödder")),
    ],
)
def test_an_account_may_be_of_a_way_to_sync_that_a_newer_earmark_knows(
    home: Callable[[], Paths], way: str, is_sound: bool
) -> None:
    paths = home()
    with closing(sqlite3.connect(paths.library)) as database, database:
        database.execute(_ACCOUNT, (way,))
    assert (damage_of(paths) is None) == is_sound


def test_a_schema_that_is_no_text_is_damage(home: Callable[[bytes], Paths], whole: bytes) -> None:
    """SQLite repeats it in its complaint, which Python then can't read."""
    paths = home(whole.replace(b"CREATE TABLE episodes", b"CREATE TABLE \xff\xc3isodes"))
    with pytest.raises(DamagedLibrary, match="is damaged"):
        Library(paths).open()


def test_a_bug_stays_a_bug_when_the_library_is_whole(home: Callable[[], Paths]) -> None:
    library = Library(home(), backs_up=False)
    library.open()
    for _ in range(2):
        with pytest.raises(ValueError, match="a bug"), library.transaction():
            raise ValueError("a bug")
    library.close()


def test_a_backup_of_damaged_values_is_none(home: Callable[[], Paths]) -> None:
    paths = home()
    damage(paths, "UPDATE episodes SET title = x'41' WHERE id = 3")
    library = Library(paths)
    library.open()
    library.close()
    assert library.newest_backup() is None


def test_after_an_unclean_end_all_is_looked_at_behind_the_start_and_damage_is_told(
    home: Callable[[], Paths], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = home()
    library = Library(paths)
    library.open()
    library.close()
    assert library.newest_backup(), "nothing else looks at it today"
    damage(paths, "UPDATE episodes SET published = 99999999999999999 WHERE id = 3")
    (paths.data / "library.db-wal").touch()
    monkeypatch.setattr(the_library, "_CHECK_AFTER_S", 0.0)
    found = threading.Event()
    library = Library(paths, on_damage=lambda _damage: found.set())
    library.open()
    assert found.wait(10)
    library.close()
    with pytest.raises(DamagedLibrary):
        Library(paths).open()


def test_a_check_after_the_start_keeps_nobody_waiting(
    home: Callable[[], Paths], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = home()
    library = Library(paths, now=lambda: AT + timedelta(days=400))
    library.open()
    library.close()
    (paths.data / "library.db-wal").touch()
    monkeypatch.setattr(the_library, "_CHECK_AFTER_S", 600.0)
    library = Library(paths, now=lambda: AT + timedelta(days=400))
    library.open()
    library.close()


@pytest.mark.parametrize(
    "change",
    ["speed = 9.0", "skip_intro_ms = -1", "skip_outro_ms = 99999999", "gain_db = 90.0", "skip_chapters = '{}'"],
)
def test_settings_of_a_podcast_beyond_their_limits_are_damage(home: Callable[[], Paths], change: str) -> None:
    paths = home()
    damage(paths, f"UPDATE podcast_settings SET {change}")
    assert damage_of(paths)
