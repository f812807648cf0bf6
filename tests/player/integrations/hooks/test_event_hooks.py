"""Programs run when something happens in a player, and are told of it."""

import json
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from player.bookmarks import Here
from player.events import Cause, EpisodeFinished, EpisodeLeft, Notice, PodcastRefreshed, Seeked
from player.integrations.hooks.event_hooks import MOST_NEW, happenings
from player.integrations.hooks.program_runner import problems
from player.library import Library
from player.model.downloads import DownloadFinished
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, Severity
from player.paths import Paths
from player.player import Player
from player.programs import expanded
from player.settings import Hooks, Playback, Settings
from tests.loopback import LoopbackServer
from tests.player.integrations.hooks.making import script
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.sounds import mp3
from tests.player.playback.support import wait_until

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
DOCS = Path(__file__).parents[4] / "docs" / "hooks.md"
Open = Callable[[Hooks], Player]


@pytest.fixture
def open_with(paths: Paths) -> Iterator[Open]:
    made: list[Player] = []

    def opening(hooks: Hooks) -> Player:
        made.append(Player(paths, replace(Settings(playback=Playback(engine="silent")), hooks=hooks)))
        made[-1].open()
        return made[-1]

    yield opening
    for player in made:
        player.close()


@pytest.fixture
def ids(library: Library) -> tuple[EpisodeId, ...]:
    return apply_feed(library, library.podcasts.add(URL, "A show"), *map(episode, range(3))).new


def test_a_session_is_told_in_its_order_to_the_end(open_with: Open, tmp_path: Path, server: LoopbackServer) -> None:
    told = tmp_path / "told"
    program = script(tmp_path / "tells", f'printf "%s " "$EARMARK_EVENT" "$1" >> {told}; cat >> {told}')
    p = (program, "x")
    player = open_with(Hooks(started=p, paused=p, resumed=p, seeked=p, left=p, bookmarked=p))
    feed = episode(1, url=server.audio("/a", mp3(1500)), title="A\u202etitle $(id)")
    (one,) = apply_feed(player.library, player.library.podcasts.add(URL, "A show"), feed).new
    player.start()
    player.session.play(one)
    wait_until(lambda: player.status.state is PlaybackState.PLAYING and player.status.duration_ms, "sound")
    player.session.pause().result(10)
    player.session.resume().result(10)
    player.session.seek_to(20_000).result(10)
    player.bookmarks.add(Here(player.library.episodes.get(one), 20_000, 7_000), "a note").result(10)
    before = time.monotonic()
    player.close()
    assert time.monotonic() - before < 5
    wait_until(lambda: told.exists() and '"kind": "left"' in told.read_text(), "the end")
    lines = [line.split(" ", 2) for line in told.read_text().splitlines()]
    assert [kind for kind, _, _ in lines] == ["started", "paused", "resumed", "seeked", "bookmarked", "left"]
    facts: list[dict[str, Any]] = [json.loads(text) for _, _, text in lines]
    assert {one["episode"]["id"] for one in facts} == {one}
    assert {one["podcast"]["title"] for one in facts} == {"A show"}
    assert (facts[3]["position_ms"], facts[3]["cause"]) == (20_000, "person")
    assert (facts[4]["bookmark"]["note"], facts[4]["bookmark"]["length_ms"]) == ("a note", 7_000)


def test_the_first_failure_of_each_hook_is_shown_and_no_other(open_with: Open, tmp_path: Path) -> None:
    fails = script(tmp_path / "fails", "exit 3")
    player = open_with(Hooks(left=(fails,), seeked=(fails,), paused=(str(tmp_path / "missing"),)))
    (one,) = apply_feed(player.library, player.library.podcasts.add(URL, "A show"), episode(1)).new
    notices: list[Notice] = []
    player.bus.subscribe(Notice, notices.append)
    player.start()
    for position_ms in range(3):
        player.bus.publish(Seeked(one, 7, position_ms, Cause.PERSON))
        player.bus.publish(EpisodeLeft(one, position_ms, Cause.PERSON))
    failures = player.paths.hook_failures
    wait_until(lambda: failures.exists() and failures.read_text().count("\n") == 6, "six failures")
    wait_until(lambda: len(notices) == 3, "what is said")
    assert sorted(notice.text for notice in notices) == [
        f"Your program for “hooks.left” failed: {fails} exited with 3. Further failures: earmark doctor",
        f"Your program for “hooks.seeked” failed: {fails} exited with 3. Further failures: earmark doctor",
        f"“hooks.paused” in config.toml can't run: {tmp_path / 'missing'} doesn't exist.",
    ]
    assert {notice.severity for notice in notices} == {Severity.WARNING}


def test_without_hooks_nothing_of_them_is_started(open_with: Open) -> None:
    player = open_with(Hooks())
    player.start()
    assert player.services.hooks is None


# -- what is told -------------------------------------------------------------------------------------------------


def test_what_is_told_has_no_null_no_newline_and_no_end_of_a_text(library: Library) -> None:
    title = "A\x00 title\nof “two” lines\x1b[31m; $(id)" + "x" * 5_000
    feed = episode(1, title=title, url="https://example.org/" + "y" * 5_000, link="https://example.org/\n")
    (one,) = apply_feed(library, library.podcasts.add(URL, "A show"), feed).new
    (found,) = happenings(Seeked(one, 1_000, 61_000, Cause.PERSON), AT, library)
    assert found.facts["from_ms"] == 1_000
    assert found.facts["position_ms"] == found.facts["episode"]["position_ms"] == 61_000
    told = found.environment
    assert (told["EARMARK_EVENT"], told["EARMARK_POSITION_MS"], told["EARMARK_NOTE"]) == ("seeked", "61000", "")
    assert (told["EARMARK_MOMENT"], told["EARMARK_CAUSE"]) == ("2026-03-01T12:00:00Z", "person")
    assert (told["EARMARK_URL"], told["EARMARK_LINK"]) == ("", "")
    assert all(text.isprintable() and len(text) <= 1_000 for text in told.values())


def test_what_was_heard_to_its_end_is_at_its_end(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    (found,) = happenings(EpisodeFinished(ids[0], Cause.ENGINE), AT, library)
    assert (found.setting, found.facts["position_ms"]) == ("finished", 1_800_000)


def test_a_download_is_told_with_its_file(library: Library, ids: tuple[EpisodeId, ...], tmp_path: Path) -> None:
    library.downloads.put(ids[0], tmp_path / "an episode.mp3")
    (found,) = happenings(DownloadFinished(ids[0], Cause.RULE), AT, library)
    assert found.environment["EARMARK_FILE"] == found.facts["file"] == str(tmp_path / "an episode.mp3")


def test_news_are_told_one_by_one_but_no_back_catalogue(library: Library) -> None:
    podcast = library.podcasts.add(URL, "A show")
    many = [episode(number, published=AT - timedelta(hours=number)) for number in range(300)]
    ids = apply_feed(library, podcast, *many).new
    told = happenings(PodcastRefreshed(podcast.id, ids), AT, library)
    assert [one.facts["episode"]["title"] for one in told] == [f"Episode {n}" for n in reversed(range(MOST_NEW))]
    assert {one.setting for one in told} == {"new_episode"}
    assert len(happenings(PodcastRefreshed(podcast.id, ids[160:]), AT, library)) == 9, "those of the last seven days"
    assert happenings(PodcastRefreshed(podcast.id, ids, first=True), AT, library) == []


def test_of_an_episode_that_is_gone_nothing_is_told(library: Library) -> None:
    assert happenings(EpisodeFinished(EpisodeId(99), Cause.ENGINE), AT, library) == []


# -- programs that can't be run -------------------------------------------------------------------------------------


def test_a_program_that_cannot_be_run_is_named_with_its_setting(own_home: Path, tmp_path: Path) -> None:
    script(own_home / "fine", "true")
    data = script(tmp_path / "data", "true", mode=0o644)
    hooks = Hooks(
        started=("~/fine", "~/argument"),
        paused=("sh", "-c", "true"),
        left=("earmark-no-such-program",),
        seeked=("~/missing",),
        finished=(str(tmp_path),),
        downloaded=(data,),
    )
    assert list(problems(hooks).items()) == [
        ("finished", f"“hooks.finished” in config.toml can't run: {tmp_path} is a folder."),
        ("left", "“hooks.left” in config.toml can't run: there is no program “earmark-no-such-program”."),
        ("seeked", "“hooks.seeked” in config.toml can't run: ~/missing doesn't exist."),
        ("downloaded", f"“hooks.downloaded” in config.toml can't run: {data} isn't executable. Run: chmod +x {data}"),
    ]
    assert expanded(("~/fine", "~/argument", "~", "a~/b")) == [
        f"{own_home}/fine", f"{own_home}/argument", str(own_home), "a~/b",
    ]  # fmt: skip


def test_the_first_example_of_the_documentation_keeps_what_was_heard(
    open_with: Open, own_home: Path, tmp_path: Path
) -> None:
    example = re.search(r"```sh\n#!/bin/sh\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert example
    (own_home / "bin").mkdir()
    script(own_home / "bin" / "scrobble", example[1])
    player = open_with(Hooks(finished=("~/bin/scrobble",)))
    feed = episode(1, title='It\'s "quoted" $(touch pwned)')
    (one,) = apply_feed(player.library, player.library.podcasts.add(URL, "A show"), feed).new
    player.start()
    player.bus.publish(EpisodeFinished(one, Cause.ENGINE))
    heard = own_home / "heard.tsv"
    wait_until(lambda: heard.exists() and heard.read_text().endswith("\n"), "the line")
    moment, *names = heard.read_text().rstrip("\n").split("\t")
    assert names == ["A show", 'It\'s "quoted" $(touch pwned)']
    assert datetime.now(UTC) - datetime.fromisoformat(moment) < timedelta(minutes=5)
