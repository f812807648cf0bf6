"""`clip`: in Bookmarks, and as files that are where they should be, whole or not at all."""

from collections.abc import Iterator
from pathlib import Path

import av
import pytest
from msgspec.structs import replace

from player.integrations.control_socket import ControlServer
from player.library import Library
from player.media.available import key_of
from player.media.fetching.broadcast import LiveMedia
from player.model.episode import Episode
from player.model.listening import Moment
from player.paths import Paths
from player.player import Player
from player.settings import Playback, Settings
from player.transcripts.parse import read_transcript
from player.welcome import resource
from tests.json_schema import problems
from tests.loopback import LoopbackServer
from tests.player.clips.sound import decoded, place_ms
from tests.player.integrations.fake_session import FakeSession
from tests.sound.files import file
from tests.tui.cli.conftest import Earmark, feed
from tui.cli.registry import load
from tui.cli.spec import specification


@pytest.fixture
def talk(earmark: Earmark, library: Library) -> Episode:
    """An episode with sound and words, which is on every computer."""
    assert earmark("episodes").code == 0
    return library.episodes.find("Press play")


@pytest.mark.usefixtures("talk")
def test_a_clip_is_kept_in_bookmarks_with_its_length(earmark: Earmark, library: Library) -> None:
    ended = earmark("clip", "press play", "0:12.5", "20", "--note", "the bit")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "Kept the clip from 0:12 to 0:20 of “1. Press play” in Bookmarks.\n"
    (made,) = library.bookmarks.all()
    assert (made.position_ms, made.length_ms, made.note) == (12_500, 7_500, "the bit")
    header, row = earmark("bookmark", "list").out.splitlines()
    assert header.split()[:3] == ["ID", "TIME", "LENGTH"]
    assert row.split()[:3] == [str(made.id), "0:12", "0:07"]
    (listed,) = earmark("bookmarks", "--json").json
    assert listed["length_ms"] == 7_500
    assert earmark("undo").code == 0
    assert library.bookmarks.all() == []


def test_the_file_has_the_sound_of_that_part_and_the_words_beside_it(
    earmark: Earmark, talk: Episode, tmp_path: Path
) -> None:
    path = tmp_path / "clip.opus"
    ended = earmark("clip", str(talk.id), "12", "20", "-o", str(path))
    assert (ended.code, ended.err) == (0, "")
    assert sorted(one.name for one in tmp_path.iterdir() if one.name.startswith("clip")) == [
        "clip.md", "clip.opus", "clip.vtt",
    ]  # fmt: skip
    assert not list(tmp_path.glob(".earmark-*"))
    document = earmark("clip", str(talk.id), "12", "20", "-o", str(path), "--force", "--json").json
    files = document["files"]
    assert (files["audio"], files["encoded"]) == (str(path), False)
    assert (document["position_ms"], document["length_ms"]) == (12_000, 8_000)
    whole = decoded(resource("1-press-play.opus"))
    start_ms = files["start_ms"]
    assert start_ms == pytest.approx(12_000, abs=30)
    assert place_ms(decoded(path), whole, start_ms + 1_000, 1_000, 500) == pytest.approx(start_ms + 1_000, abs=1)
    # What is said in the clip is said at the same moment of the episode.
    words = read_transcript((tmp_path / "clip.vtt").read_bytes(), "text/vtt")
    episode = read_transcript(resource("1-press-play.vtt"), "text/vtt")
    assert words.lines
    moments = {line.start_ms: line.text for line in episode.lines}
    for line in words.lines[1:]:
        assert line.start_ms is not None
        assert moments[line.start_ms + start_ms] == line.text
    quotation = (tmp_path / "clip.md").read_text()
    assert quotation.startswith("> ")
    assert words.lines[1].text.split()[0] in quotation
    assert "Press play" in quotation.splitlines()[-1]
    assert "0:1" in quotation.splitlines()[-1]


@pytest.mark.usefixtures("talk")
def test_exact_it_is_encoded_anew_and_said_so(earmark: Earmark, tmp_path: Path) -> None:
    path = tmp_path / "clip.mp3"
    ended = earmark("clip", "press play", "12", "20", "-o", str(path), "--exact", "--no-words")
    assert ended.out.splitlines()[0] == f"Saved 0:12 to 0:20 as {path}, encoded anew."
    with av.open(str(path)) as container:
        assert container.duration == 8_000_000
        assert container.metadata["title"] == "1. Press play"
    assert not path.with_suffix(".vtt").exists()


@pytest.mark.usefixtures("talk")
def test_in_a_folder_it_is_named_after_the_episode_and_nothing_is_replaced(earmark: Earmark, tmp_path: Path) -> None:
    folder = tmp_path / "clips"
    folder.mkdir()
    for _time in range(2):
        assert earmark("clip", "press play", "12", "20", "-o", str(folder)).code == 0
    assert sorted(one.name for one in folder.iterdir()) == [
        "1. Press play 0.12-0.20 (2).md", "1. Press play 0.12-0.20 (2).opus", "1. Press play 0.12-0.20 (2).vtt",
        "1. Press play 0.12-0.20.md", "1. Press play 0.12-0.20.opus", "1. Press play 0.12-0.20.vtt",
    ]  # fmt: skip


def test_of_a_bookmark_what_is_around_it(earmark: Earmark, library: Library, talk: Episode) -> None:
    moment = library.bookmarks.put(talk.id, Moment(20_000, note="look it up")).bookmark
    assert earmark("clip", str(moment.id), "--around", "5").code == 0
    assert earmark("clip", str(moment.id)).code == 0
    clips = [one for one in library.bookmarks.all() if one.length_ms]
    assert [(one.position_ms, one.length_ms, one.note) for one in clips] == [
        (5_000, 30_000, "look it up"),
        (15_000, 10_000, "look it up"),
    ]
    again = earmark("clip", str(clips[1].id), "--json").json
    assert (again["id"], again["position_ms"], again["length_ms"]) == (clips[1].id, 15_000, 10_000)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("press play", "12", "20", "-o", "there.opus"), "there.opus already exists. Choose another name."),
        (
            ("press play", "12", "20", "-o", "clip.txt"),
            "A clip can't be a file that ends in .txt. Use .mp3, .m4a, .aac, .opus, .ogg, .flac, .wav.",
        ),
        (
            ("press play", "12", "20", "-o", "clip"),
            "clip needs an ending that says what kind of file it is. Use .mp3, .m4a, .aac, .opus, .ogg, .flac,",
        ),
        (
            ("press play", "12", "20", "-o", "clip.flac"),
            (
                "The audio of this episode can't be a .flac file as it is. Choose .opus to keep it, or .opus or .mp3 to"
                " have it encoded anew."
            ),
        ),
        (("press play", "12", "20", "-o", "missing/clip.opus"), "Can't write missing/clip.opus (No such file or"),
        (("press play", "50:00", "51:00"), "This episode is only "),
        (("press play", "12", "12.05", "-o", "clip.opus"), "A clip is at least a tenth of a second long."),
        (("900",), "No bookmark has the ID 900. See `earmark bookmark list`."),
        (("press play",), "A clip needs START and END. Without them, name a bookmark by its ID."),
        (("--last", "60"), "Nothing is playing. Name an episode: earmark clip EPISODE START END\n"),
    ],
)
@pytest.mark.usefixtures("talk")
def test_what_is_in_the_way_is_said_and_nothing_is_left(
    earmark: Earmark,
    library: Library,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    sentence: str,
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "there.opus").write_text("mine")
    monkeypatch.chdir(folder)
    ended = earmark("clip", *arguments)
    assert (ended.code, ended.out) == (1, "")
    assert sentence in ended.err
    assert ended.err.count("\n") == 1
    assert [one.name for one in folder.iterdir()] == ["there.opus"]
    assert (folder / "there.opus").read_text() == "mine"
    assert library.bookmarks.all() == []


@pytest.mark.parametrize(
    "arguments",
    [
        (), ("12", "5"), ("12", "9", "5"), ("12", "5", "9", "--around", "3"), ("12", "5", "9", "--exact"),
        ("12", "--last", "5"), ("--last", "5", "--around", "5"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_wrong_usage(earmark: Earmark, arguments: tuple[str, ...]) -> None:
    assert earmark("clip", *arguments).code == 2


def test_past_the_end_it_ends_where_the_episode_does(earmark: Earmark, talk: Episode, tmp_path: Path) -> None:
    assert talk.duration_ms
    last = talk.duration_ms // 1000 - 3
    ended = earmark("clip", "press play", str(last), str(last + 60), "-o", str(tmp_path / "end.opus"))
    assert ended.code == 0
    assert "where the episode does" in ended.out


def test_audio_that_is_not_here_has_to_be_downloaded_first(
    earmark: Earmark, library: Library, server: LoopbackServer, tmp_path: Path
) -> None:
    assert earmark("add", server.page("/feed", feed("Slow Radio", "Rain"))).code == 0
    rain = library.episodes.find("Rain")
    ended = earmark("clip", "rain", "5", "9", "-o", str(tmp_path / "rain.mp3"))
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        "earmark: The audio of this part of “Rain” isn't on this computer. Download the episode first: earmark"
        f" download {rain.id}\n"
    )
    assert not list(tmp_path.glob("*rain*"))


@pytest.fixture
def on_air(paths: Paths, talk: Episode) -> Iterator[FakeSession]:
    """A live stream plays in a running Earmark, which has kept a minute of it."""
    player = Player(paths, Settings(playback=Playback(engine="silent")))
    player.open()
    session = FakeSession()
    session.status = replace(session.status, live=True, episode=talk)
    real, player.services.session = player.services.session, session
    media = player.services.media
    live = media._on_air[key_of(talk)] = LiveMedia("http://127.0.0.1:9/x", media.network, media.login, lambda: "")
    live.recent.add("mp3", file("mp3", 60)[20_000:])
    server = ControlServer(paths.socket, session, machine=player.services)
    server.start()
    yield session
    server.close()
    player.services.session = real
    player.close()


@pytest.mark.usefixtures("on_air")
def test_of_a_live_stream_what_was_heard_last_is_saved(earmark: Earmark, library: Library, tmp_path: Path) -> None:
    path = tmp_path / "radio.mp3"
    ended = earmark("clip", "--last", "20", "-o", str(path))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"Saved the last 0:20 of “1. Press play” as {path}.\n"
    whole, clip = decoded(file("mp3", 60)), decoded(path)
    assert len(clip) / 24 == pytest.approx(20_000, abs=60)
    assert place_ms(clip, whole, 50_000, 10_000) == pytest.approx(50_000, abs=100)
    everything = earmark("clip", "--last", "10:00", "-o", str(tmp_path), "--json").json
    spec = specification({"clip": load("clip")})
    assert problems(everything, {"$ref": "#/$defs/ClipFiles"}, spec["$defs"]) == []
    assert everything["end_ms"] - everything["start_ms"] == pytest.approx(57_600, abs=100)
    assert Path(everything["audio"]).name.startswith("1. Press play 20")
    assert library.bookmarks.all() == []
    assert not list(tmp_path.rglob("recent-*"))


@pytest.mark.usefixtures("on_air")
def test_of_a_live_stream_a_clip_is_a_file_or_nothing(earmark: Earmark) -> None:
    ended = earmark("clip", "--last", "20")
    assert (ended.code, ended.err) == (1, "earmark: A clip of a live stream can only be saved. Add --output FILE.\n")
