"""What the palette finds first for the words that people type."""

import pytest

from player.text.sentences import translate
from tui.actions.palette import Command, Hit, Kind, offered, read_recent, search, theme_words, with_recent
from tui.actions.table import ACTIONS
from tui.look.built_in import BUILT_IN

TABLE = [
    *(Command(action.title, "", lambda: None, action.also, id=action.id) for action in ACTIONS),
    *(Command(f"Theme: {name}", "", lambda: None, theme_words(name), id=f"theme {name}") for name in BUILT_IN),
]
WORDS = {
    "help": "help", "shortcuts": "help", "keys": "help", "hotkeys": "help", "manual": "help",
    "volume": "quieter louder", "louder": "louder", "quieter": "quieter", "mute": "mute", "silence": "mute",
    "speed": "normal_speed", "faster": "faster", "slower": "slower", "tempo": "faster slower", "rate": "faster slower",
    "normal speed": "normal_speed", "settings": "settings podcast_settings", "config": "settings",
    "preferences": "settings", "options": "settings", "keybindings": "settings help", "delete": "delete_list",
    "unsubscribe": "remove", "remove podcast": "remove", "subscribe": "add", "add": "add", "new podcast": "add",
    "feed": "add", "rss": "add", "url": "add links", "discover": "suggestions charts", "charts": "charts",
    "popular": "charts", "playing": "go_to_playing now_playing", "current": "go_to_playing", "sound": "output",
    "output": "output", "audio": "output", "headphones": "output", "speaker": "output", "device": "output sync",
    "export": "export_podcasts", "backup": "export_podcasts", "import": "import_podcasts", "opml": "import_podcasts",
    "antennapod": "import_podcasts", "restore": "undo import_podcasts", "download": "download",
    "offline": "offline", "airplane": "offline", "update": "refresh refresh_all",
    "refresh": "refresh refresh_all", "reload": "refresh refresh_all", "check": "refresh refresh_all",
    "sleep": "sleep", "timer": "sleep", "bookmark": "bookmark", "star": "star", "favorite": "star pin",
    "like": "star", "played": "played", "unplayed": "played", "finished": "played", "pause": "pause",
    "resume": "pause", "stop": "pause", "play": "play", "skip": "skip", "next": "skip", "previous": "previous",
    "rewind": "seek_back", "forward": "seek_forward", "back": "seek_back", "chapter": "tab_chapters",
    "chapters": "tab_chapters", "notes": "tab_notes read", "description": "tab_notes",
    "transcript": "tab_transcript",
    "links": "tab_links links copy_links", "copy": "copy_link", "share": "copy_link copy_moment", "queue": "queue",
    "playlist": "playlist", "smart": "save_search", "search": "search", "find": "search filter", "filter": "filter",
    "sort": "order", "order": "order", "shuffle": "queue_shuffle", "random": "queue_shuffle", "quit": "quit",
    "exit": "quit", "statistics": "statistics", "stats": "statistics", "history": "forget_history statistics",
    "undo": "undo undo_jump", "redo": "redo", "rename": "rename", "tags": "tags", "folder": "tags", "pin": "pin",
    "sync": "sync sync_now", "synchronise": "sync sync_now", "gpodder": "sync import_podcasts add",
    "nextcloud": "sync", "syncthing": "sync", "phone": "sync", "devices": "sync",
    "theme": "theme", "colors": "theme switch_theme",
    "login": "login", "password": "login", "sign in": "login", "browser": "links", "read": "read",
    "watch": "watch", "video": "watch", "fullscreen": "read", "people": "people", "guests": "people", "hosts": "people",
}  # fmt: skip


def first(words: str) -> str:
    (_kind, hits), *_others = search(TABLE, words)
    return hits[0].command.id


@pytest.mark.parametrize("words", WORDS)
def test_the_palette_knows_the_words_that_people_type(words: str) -> None:
    assert first(words) in WORDS[words].split()


@pytest.mark.parametrize(("words", "dark"), [("dark", True), ("light", False), ("nord", True)])
def test_themes_are_found_by_what_they_are(words: str, dark: bool) -> None:
    assert BUILT_IN[first(words).removeprefix("theme ")].dark is dark


def test_no_two_actions_have_the_same_title() -> None:
    titles = [translate(action.title) for action in ACTIONS]
    assert len(set(titles)) == len(titles)


def command(title: str, kind: Kind = Kind.COMMANDS) -> Command:
    return Command(title, "", lambda: None, kind=kind, id=title)


def test_before_anything_is_typed_what_is_useful_here_comes_first_then_the_last_ones_then_each_group() -> None:
    found = [command("Star"), command("Mute"), command("Queue", Kind.LISTS)]
    assert offered(found, ["Mute", "gone"], ["Star", "gone"]) == [
        ("Here", [Hit(found[0])]),
        ("Recent", [Hit(found[1])]),
        (Kind.COMMANDS, [Hit(found[0]), Hit(found[1])]),
        (Kind.LISTS, [Hit(found[2])]),
    ]


def test_the_group_with_the_best_result_comes_first_and_says_which_letters_match() -> None:
    found = [command("Sort the queue"), command("Talk Python To Me", Kind.PODCASTS)]
    assert search(found, "talk py") == [(Kind.PODCASTS, [Hit(found[1], (0, 1, 2, 3, 5, 6))])]


def test_of_what_fits_alike_the_last_one_that_was_run_comes_first() -> None:
    found = [command("Play slower"), command("Play faster")]
    assert [hit.command.title for _, hits in search(found, "play", ["Play faster"]) for hit in hits] == [
        "Play faster",
        "Play slower",
    ]


def test_letters_that_are_just_somewhere_count_only_where_nothing_fits_better() -> None:
    found = [command("Show the transcript"), command("Tools")]
    assert [hit.command.title for _, hits in search(found, "tool") for hit in hits] == ["Tools"]
    assert [hit.command.title for _, hits in search(found, "stt") for hit in hits] == ["Show the transcript"]


def test_a_few_recent_ones_are_remembered_each_once() -> None:
    text = ""
    for one in ["a", "b", "theme ink", "a", "c", "d", "e"]:
        text = with_recent(read_recent(text), one)
    assert read_recent(text) == ["e", "d", "c", "a", "theme ink"]


def test_what_does_something_comes_before_what_is_only_to_be_read() -> None:
    rows = [Command("starred", "★", None), Command("Star or unstar the episode", "s", lambda: None)]
    ((_kind, hits),) = search(rows, "star")
    assert [hit.command.key for hit in hits] == ["s", "★"]
