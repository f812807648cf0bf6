"""`earmark --spec` describes the commands as they are, and every document that they print."""

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from player.errors import ControlError
from player.events import Bus
from player.integrations.control_socket import ControlServer
from player.integrations.followers import KINDS, PROTOCOL, Followers, changes, line
from player.integrations.json_api import status_json
from player.integrations.orders import FOLLOW, answer
from player.integrations.orders import REQUESTS as ORDERS
from player.integrations.requests import typed
from player.library import Library
from player.model.episode import Chapter, Chapters
from player.model.filters import View
from player.model.playback import SleepChoice, SleepStatus, SleepUntil
from player.paths import Paths
from player.player import Player
from player.settings import Playback, Settings
from tests import directories
from tests.directories import APPLE, apple_answer, apple_podcast
from tests.fediverse import serve, status
from tests.json_schema import problems
from tests.loopback import LoopbackServer
from tests.player.integrations.fake_session import FakeSession
from tests.player.integrations.followers.test_event_json import EXPECTED
from tests.player.summaries import odd_summariser
from tests.tui.cli.conftest import Earmark, Ended, feed
from tests.tui.cli.shelves import LISTS, OUTPUTS, fill
from tui.cli.registry import commands, everything, former, load
from tui.cli.spec import specification

SPEC = specification({name: load(name) for name in everything().commands})
DEFS = SPEC["$defs"]
HIGHER = "Higher order operators"
PODCASTING = "https://podcastindex.org/namespace/1.0"

RUNNING: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    **{name: [("", ())] for name in ("toggle", "pause", "resume", "stop", "next", "previous", "offline")},
    "status": [("", ()), ("with --format", ("--format", "{title}"))],
    "seek": [("", ("+30",))],
    "speed": [("", ("1.5",)), ("", ())],
    "volume": [("", ("80",)), ("", ())],
    "sleep": [("", ()), ("", ("30",))],
}
"""Commands to the Earmark that runs: when they print a document of the spec, and what they are given for it."""
ALONE: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    **{name: [("", words)] for name, words in LISTS.items() if name not in ("doctor", "transcript")},
    "find": [("", ("words",)), ("with --episodes", ("--episodes", "words"))],
    "podcasts": [("", ()), ("with PODCAST", ("pytorch",))],
    "tag": [("", ()), ("with PODCAST", ("pytorch", "new"))],
    "set": [("", ("pytorch",)), ("", ("pytorch", "speed=1.4", "skip_start=30", "include=x", "continue=oldest"))],
    "lists": [("", ()), ("", ("--new", "Made")), ("with --delete", ("made", "--delete", "--yes"))],
    "bookmark": [("with list", ("list",)), ("", (HIGHER, "--at", "5")), ("with --delete", ("--delete", "2"))],
    "bookmarks": [("", ()), ("with --delete", ("--delete", "1"))],
    "segment": [("", (HIGHER, "0:10", "0:40", "--kind", "sponsor"))],
    "segments": [
        ("", ()),
        ("with --change", ("--change", "1", "--kind", "intro")),
        ("with --delete", ("--delete", "1")),
        ("with --repeats", ("--repeats", "pytorch")),
    ],
    "clip": [("", (HIGHER, "5", "9"))],
    "stats": [("", ("--year", "2026"))],
    "mark": [("", ("starred", HIGHER))],
    "star": [("", (HIGHER, "--off"))],
    "played": [("", (HIGHER,))],
    "quit": [("", ())],
    "service": [("", ("status",))],
    "undo": [("", ())] * 9,
    "redo": [("", ())] * 2,
    "download": [
        ("with list", ("list",)),
        ("", (HIGHER,)),
        ("with --plan", ("--plan",)),
        ("with --queue, --pause, --resume, --retry or --cancel", ("--queue",)),
        ("with --clean or --delete", ("--clean",)),
    ],
    "downloads": [
        ("", ()),
        ("with --plan", ("--plan",)),
        ("with --queue, --pause, --resume, --retry or --cancel", ("--queue",)),
        ("with --queue, --pause, --resume, --retry or --cancel", ("--retry",)),
        ("with --clean or --delete", ("--clean",)),
        ("with --clean or --delete", ("--delete", HIGHER)),
    ],
    "run": [("with --list", ("--list",))],
    "sync": [
        ("", ()),
        ("setup", ("setup", "folder", "~", "--yes")),
        ("", ()),
        ("now or forget", ("now",)),
        ("now or forget", ("forget", "--yes")),
    ],
    "config": [
        ("", ()),
        ("", ("--all",)),
        ("check", ("check",)),
        ("get", ("get", "playback.seek_back")),
        ("set", ("set", "playback.seek_back", "20")),
    ],
    "help": [("", ()), ("with WORD", ("sleep",)), ("with PAGE", ("keys",))],
}
"""Likewise, in the library."""
NETWORK = ("add", "refresh", "import", "transcript", "transcribe", "doctor", "summarise", "watch", "comments")
"""Tried one by one."""


def check(name: str, when: str, ended: Ended) -> None:
    (schema,) = (one["schema"] for one in SPEC["commands"][name]["json"] if one["when"] == when)
    assert problems(ended.json, schema, DEFS) == [], (name, when, ended.out[:500])


def test_every_document_of_every_command_is_tried_here() -> None:
    tried = {name: {when for when, _words in asked} for name, asked in {**RUNNING, **ALONE}.items()}
    tried["status"].add("each line, with --follow")
    tried["clip"].add("with --last of a live stream")  # in test_clip.py
    printed = {
        name: set(prints) for name in everything().commands if (prints := load(name).documents) and name not in NETWORK
    }
    assert tried == printed


@pytest.fixture
def stocked(library: Library, paths: Paths, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(library, paths.data / "episodes")
    world = directories.Directories(server)
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(f"{world.toml}\n[keys]\nnothing = 'x'\n", encoding="utf-8")
    podcasts = apple_podcast(2, "Words and Things", "https://two.example.com/feed"), apple_podcast(3, "Words", None)
    world.says(f"{APPLE}/search", apple_answer(*podcasts))
    found = directories.index_episode("Words", "https://two.example.com/feed", "https://two.example.com/1.mp3")
    world.says(
        "/index/api/1.0/search/byperson", directories.index_episodes(found, {"title": "Bare", "link": "https://e"})
    )
    world.says("/charts/api/v2/us/podcasts/top/25/podcasts.json", directories.newer_chart(*range(1, 11)))
    world.says("/charts/api/v2/us/podcasts/top/50/podcasts.json", directories.newer_chart(*range(1, 11)))
    monkeypatch.setattr("player.playback.vlc.instance.find_outputs", lambda: OUTPUTS)


@pytest.mark.usefixtures("stocked")
def test_documents_about_the_library_are_as_described(earmark: Earmark) -> None:
    for name, asked in ALONE.items():
        for when, words in asked:
            check(name, when, earmark(name, *words, "--json"))


@pytest.fixture
def running(paths: Paths, bus: Bus) -> Iterator[FakeSession]:
    """A paused episode in a chapter, with a sleep timer."""
    player = Player(paths, Settings(playback=Playback(engine="silent")))
    player.open()
    session = FakeSession()
    session.status = replace(session.status, sleep=SleepStatus(SleepChoice(SleepUntil.EPISODE, 2), 754_000))
    session.chapters = Chapters((Chapter(0, "One"), Chapter(400_000, "Two")))
    server = ControlServer(paths.socket, session, machine=player.services, followers=Followers(bus, session))
    server.start()
    yield session
    server.close()
    player.close()


@pytest.mark.usefixtures("running")
def test_documents_about_what_plays_are_as_described(earmark: Earmark) -> None:
    for name, asked in RUNNING.items():
        for when, words in asked:
            check(name, when, earmark(name, *words, "--json"))


def test_documents_of_what_comes_over_the_network_are_as_described(
    earmark: Earmark, server: LoopbackServer, paths: Paths, tmp_path: Path
) -> None:
    address = server.page("/feed", feed("Slow Radio", "Rain", "Wind"))
    check("add", "", earmark("add", address, "--json"))
    check("refresh", "", earmark("refresh", "--json"))
    transcript = tmp_path / "own.srt"
    transcript.write_text("1\n00:00:01,000 --> 00:00:02,000\nIt rains.\n", encoding="utf-8")
    check("transcript", "", earmark("transcript", "Rain", str(transcript), "--language", "en", "--json"))
    check("transcript", "", earmark("transcript", "Rain", "--json"))
    program = json.dumps([sys.executable, odd_summariser.__file__, "both"])
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(f"[summarise]\ncommand = {program}\n", encoding="utf-8")
    check("summarise", "", earmark("summarise", "Rain", "--json"))
    check("summarise", "with --remove", earmark("summarise", "Rain", "--remove", "--json"))
    earmark("add", server.page("/films", feed("Films", "Film").replace(b"audio/mpeg", b"video/mp4")))
    paths.settings.write_text('[video]\nplayer = "true"\n', encoding="utf-8")
    check("watch", "", earmark("watch", "Film", "--json"))
    check("transcript", "with --remove", earmark("transcript", "Rain", "--remove", "--json"))
    check("transcribe", "", earmark("transcribe", "Rain", "--json"))
    post = serve(server, status(1), status(2, 1))
    social = f'<podcast:socialInteract xmlns:podcast="{PODCASTING}" protocol="activitypub" uri="{post}"/>'
    talked = feed("Talk", "Talked about").replace(b"<item>", b"<item>" + social.encode())
    earmark("add", server.page("/talk", talked))
    check("comments", "", earmark("comments", "Talked about", "--json"))
    opml = tmp_path / "podcasts.opml"
    opml.write_text(f'<opml version="2.0"><body><outline xmlUrl="{address}"/></body></opml>', encoding="utf-8")
    check("import", "with --dry-run", earmark("import", str(opml), "--dry-run", "--json"))
    check("import", "", earmark("import", str(opml), "--json"))
    exported = tmp_path / "all.json"
    earmark("export", "--all", str(exported))
    check("import", "an export of Earmark", earmark("import", str(exported), "--json"))
    check("doctor", "with --repair", earmark("doctor", "--repair", "--json"))
    assert {name for name in everything().commands if load(name).documents} == {*RUNNING, *ALONE, *NETWORK}


def test_the_checkup_is_as_described(earmark: Earmark, monkeypatch: pytest.MonkeyPatch) -> None:
    from tui.cli.checkup import Finding

    found = [Finding("Earmark", True, "0.1.0"), Finding("sound", False, "No sound.", "Install libvlc.")]
    monkeypatch.setattr("tui.cli.commands.doctor.examine", lambda _paths: iter(found))
    check("doctor", "", earmark("doctor", "--json"))


# -- the control socket ---------------------------------------------------------------------------------------


def test_every_event_and_answer_is_described() -> None:
    control = SPEC["control"]
    assert set(control["follow"]["events"]) == {*KINDS, "alive", "too_slow", "quit"}
    assert set(control["answers"]) == {*ORDERS} - {FOLLOW}
    assert set(control["arguments"]) == {*ORDERS}


GIVEN: dict[str, list[dict[str, Any]]] = {
    "play": [{"episode": 7}, {"episode": 7, "at_ms": 5}],
    "seek": [{"by_ms": -5}, {"to_ms": 5}],
    "speed": [{"speed": 1.5}],
    "volume": [{"volume": 50}],
    "sleep": [{"until": "minutes", "minutes": 30}, {"until": "episode", "episodes": 2}, {"until": "off"}],
    "mark": [{"mark": "starred", "episodes": [7]}],
    "segment": [
        {"change": "mark", "episode": 7, "start_ms": 0, "end_ms": 9_000, "kind": "sponsor"},
        {"change": "kind", "segment": 3, "kind": "intro"},
        {"change": "delete", "segments": [3]},
    ],
    "queue": [
        {"change": "add", "episodes": [7]},
        {"change": "move", "episodes": [7], "by": -1},
        {"change": "sort", "order": "oldest"},
        {"change": "clear"},
    ],
    "download": [{"episodes": [7], "first": True}],
    "downloads": [{"episodes": [7]}, {"change": "pause"}, {"change": "move", "episodes": [7], "by": 1}],
    "remove": [{"podcast": 2}],
    "offline": [{"on": True, "only_here": True}],
    "output": [{"output": "pulse", "device": "headset"}],
    "sync": [{"now": True}],
    "transcribe": [{"episodes": [7], "first": True}],
    "run": [{"action": "star", "count": 2}],
    "open": [{"address": "earmark://show?feed=https://x.example/feed"}],
    FOLLOW: [{"events": ["paused"]}],
}
"""Arguments that commands may have."""
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 2**63, float("nan"), "", "x", "x" * 9_000, [], [0], [True], [None], ["x"], {},
)  # fmt: skip


@pytest.mark.parametrize("command", ORDERS)
def test_arguments_are_refused_exactly_where_the_schema_refuses_them(command: str) -> None:
    schema = SPEC["control"]["arguments"][command]

    def fits(arguments: dict[str, Any]) -> bool:
        try:
            typed(ORDERS[command], arguments)
        except ControlError:
            refused = True
        else:
            refused = False
        assert refused == bool(problems(arguments, schema, DEFS)), (command, arguments)
        return not refused

    assert not fits({"unheard_of": 1})
    assert fits({}) or command in GIVEN
    for right in GIVEN.get(command, ()):
        assert fits(right)
        fits({**right, "unheard_of": 1})
        for name in right:
            fits({other: value for other, value in right.items() if other != name})
            for odd in ODD:
                fits({**right, name: odd})


def lines_of(connection: socket.socket) -> Iterator[dict[str, Any]]:
    with connection.makefile("rb") as lines:
        for one in lines:
            yield json.loads(one)


def test_what_a_follower_gets_is_as_described(paths: Paths, bus: Bus, running: FakeSession) -> None:
    """Over the socket itself: the first line, every event, and the answers between them."""
    schemas = SPEC["control"]["follow"]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(20)
        connection.connect(str(paths.socket))
        connection.sendall(b'{"command": "follow", "id": 1}\n')
        lines = lines_of(connection)
        assert problems(next(lines), schemas["first"], DEFS) == []
        for event, _kind, _fields in EXPECTED:
            bus.publish(event)
            found = next(lines)
            assert problems(found, schemas["events"][found["kind"]], DEFS) == [], found["kind"]
        for request in ({"command": "offline", "id": "x"}, {"command": "output"}, {"command": "toggle"}):
            connection.sendall(json.dumps(request).encode() + b"\n")
            answer = next(one for one in lines if "kind" not in one)
            assert problems(answer, SPEC["control"]["answers"][request["command"]], DEFS) == [], request
        connection.sendall(b"nonsense\n")
        refusal = next(one for one in lines if "kind" not in one)
        assert problems(refusal, SPEC["control"]["refusal"], DEFS) == []


class Screen:
    """One that does whatever it is asked."""

    running = None

    @property
    def asked(self) -> "Screen":
        return self

    def run(self, _action: str, _count: int) -> None: ...

    def open(self, _address: str) -> str:
        return "offered"

    def keep_recent(self) -> tuple[Path, str]:
        return Path("/nowhere.bytes"), "mp3"


def test_every_answer_is_as_described(paths: Paths) -> None:
    player = Player(paths, Settings(playback=Playback(engine="silent")))
    player.open()
    first = player.library.episodes.ids(View.of())[0]
    podcast = player.library.podcasts.all()[0].id
    given: dict[str, dict[str, Any]] = {
        "play": {"episode": first},
        "seek": {"by_ms": 5},
        "speed": {"speed": 1.5},
        "volume": {"volume": 50},
        "sleep": {"until": "minutes", "minutes": 30},
        "mark": {"mark": "starred", "episodes": [first]},
        "segment": {"change": "delete", "segments": [1]},
        "queue": {"change": "add", "episodes": [first]},
        "download": {"episodes": [first]},
        "transcribe": {"episodes": [first]},
        "downloads": {"change": "pause"},
        "remove": {"podcast": podcast},
        "run": {"action": "star"},
        "open": {"address": "earmark://subscribe?feed=https://x.example/feed"},
    }
    order = [*(one for one in ORDERS if one not in ("undo", "redo", FOLLOW)), "undo", "redo"]
    try:
        for command in order:
            request = json.dumps({"command": command, "id": 7, **given.get(command, {})}).encode()
            machine: Any = Screen() if command in ("run", "open", "recent") else player.services
            downloads = player.services.downloads
            made = answer(request, FakeSession(), acts=player.acts, downloads=downloads, machine=machine)
            schema = SPEC["control"]["answers"][command]
            assert problems({**made, "protocol": PROTOCOL}, schema, DEFS) == [], (command, made)
    finally:
        player.close()


def test_changes_of_the_status_are_as_described() -> None:
    before = FakeSession().status
    now = replace(before, volume=50, sleep=SleepStatus(SleepChoice(SleepUntil.MINUTES, 30), 754_000, slept=True))
    chapters = Chapters((Chapter(0, "One"),))
    found = changes(before, now, (Chapters(), chapters))
    assert [kind for kind, _fields in found] == ["volume", "sleep", "chapter", "status"]
    for kind, fields in found:
        made = json.loads(line(kind, 0.0, **fields, status=status_json(now, {}, chapters=chapters)))
        assert problems(made, SPEC["control"]["follow"]["events"][kind], DEFS) == [], kind
    for kind in ("alive", "quit"):
        assert problems(json.loads(line(kind)), SPEC["control"]["follow"]["events"][kind], DEFS) == []


# -- the commands ---------------------------------------------------------------------------------------------


def test_it_is_printed_and_has_every_command(earmark: Earmark) -> None:
    ended = earmark("--spec")
    assert (ended.code, ended.err) == (0, "")
    assert ended.json == SPEC
    assert list(ended.json["commands"]) == [*commands(), *former()]
    assert SPEC["exit_codes"].keys() == {"0", "1", "2", "130", "141"}


def test_arguments_and_options_are_those_of_the_parser() -> None:
    episodes = SPEC["commands"]["episodes"]
    assert episodes["arguments"] == [
        {
            "name": "PODCAST", "help": "only those of this podcast: its ID, URL or title", "at_least": 0, "at_most": 1,
            "choices": None, "default": None, "kind": "podcast",
        }
    ]  # fmt: skip
    options = {one["flags"][-1]: one for one in episodes["options"]}
    assert options["--starred"]["excludes"] == ["--in-progress", "--list"]
    assert (options["--limit"]["value"], options["--json"]["value"]) == ("N", None)
    assert options["--escape"]["choices"] == ["tmux", "markup", "polybar"]
    assert episodes["filter"] == "episodes"
    assert "duration" in episodes["format"][0]["fields"]
    assert "icon" in SPEC["commands"]["status"]["format"][0]["fields"]
    takes = {name for name, one in SPEC["commands"].items() if any("--format" in it["flags"] for it in one["options"])}
    assert {name for name, one in SPEC["commands"].items() if one["format"]} == takes
    (what, rest) = SPEC["commands"]["queue"]["arguments"]
    assert (what["default"], what["at_least"], rest["at_most"], rest["kind"]) == ("list", 0, None, "episode")
    assert "--parent" not in json.dumps(SPEC["commands"]["play"]["options"])


def test_the_schemas_refer_to_nothing_that_is_not_there() -> None:
    named = {one.split('"')[0] for one in json.dumps(SPEC).split('"#/$defs/')[1:]}
    assert named <= set(DEFS)
    assert all("additionalProperties" not in one for one in DEFS.values()), "later versions may add fields"


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"tag": "x", "podcast_count": 1, "more": 2}, "$: more isn't described"),
        ({"tag": "x"}, "$: podcast_count is missing"),
        ({"tag": None, "podcast_count": True}, "$.tag: None is no string"),
    ],
)
def test_the_validator_can_fail(value: object, problem: str) -> None:
    assert problem in problems(value, {"$ref": "#/$defs/Tag"}, DEFS)
