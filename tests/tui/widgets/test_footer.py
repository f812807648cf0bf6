"""The footer says the keys that matter here and now, and always the way to the others."""

import pytest
from msgspec.structs import replace

from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState, Severity
from player.model.podcast import PodcastId
from tests.tui.alone import Alone, text_of
from tui.actions.action import Focus
from tui.actions.table import ACTIONS
from tui.look.glyphs import ASCII, UNICODE
from tui.widgets.footer import FooterContext, KeyFooter, hints

ONE = Episode(EpisodeId(1), PodcastId(1), "P", "T", "g", "u")
OTHER = replace(ONE, id=EpisodeId(2))


def words_of(situation: FooterContext, room: int = 200) -> list[str]:
    return [f"{hint.key} {hint.word}" for hint in hints(ACTIONS, situation, room)]


def test_a_newcomer_reads_that_enter_plays() -> None:
    assert words_of(FooterContext(Focus.EPISODES, ONE))[0] == "enter play"


def test_what_has_nothing_to_do_is_not_said() -> None:
    words = " ".join(words_of(FooterContext(Focus.EPISODES)))
    assert "pause" not in words
    assert "star" not in words
    assert "seek" not in words


@pytest.mark.parametrize(
    ("state", "first"),
    [
        (PlaybackState.PLAYING, "space pause"),
        (PlaybackState.PAUSED, "space resume"),
        (PlaybackState.ERROR, "enter try again"),
        (PlaybackState.ENDED, "enter play"),
    ],
)
def test_on_the_episode_in_the_bar(state: PlaybackState, first: str) -> None:
    assert words_of(FooterContext(Focus.EPISODES, ONE, ONE.id, state))[0] == first


def test_on_another_episode_enter_plays_that_one() -> None:
    assert words_of(FooterContext(Focus.EPISODES, ONE, OTHER.id, PlaybackState.PLAYING))[:3] == [
        "enter play",
        "space pause",
        "← → seek",
    ]


def test_marks_say_what_they_would_do() -> None:
    words = words_of(FooterContext(Focus.EPISODES, replace(ONE, starred=True, played=True)))
    assert "s unstar" in words
    assert "m unplayed" in words


@pytest.mark.parametrize("room", range(0, 150, 7))
@pytest.mark.parametrize("where", [Focus.SIDEBAR, Focus.EPISODES, Focus.NOTES])
def test_the_way_to_all_keys_is_always_there_and_the_rest_fits(where: Focus, room: int) -> None:
    found = hints(ACTIONS, FooterContext(where, ONE, OTHER.id, PlaybackState.PLAYING), room)
    assert found[-1].word == "all keys"
    assert len(found) <= 9
    assert len(found) == 1 or sum(hint.cells + 3 for hint in found) - 3 <= room


async def test_a_cursor_that_moves_on_to_the_like_draws_no_footer(monkeypatch: pytest.MonkeyPatch) -> None:
    footer = KeyFooter(ACTIONS)
    async with Alone(footer).run_test() as pilot:
        footer.show(FooterContext(Focus.EPISODES, ONE))
        await pilot.pause()
        drawn: list[int] = []
        monkeypatch.setattr(footer, "render_line", drawn.append)
        footer.show(FooterContext(Focus.EPISODES, OTHER))
        await pilot.pause()
        assert drawn == []


def test_on_an_entry_of_a_tab_enter_says_where_it_leads() -> None:
    for where in (Focus.NOTES, Focus.READING):
        assert "enter play from here" in words_of(FooterContext(where, ONE, entry="play from here"))
    assert "enter read" in words_of(FooterContext(Focus.NOTES, ONE))


def test_where_rows_are_places_in_episodes_enter_plays_from_there_whatever_plays() -> None:
    here = FooterContext(Focus.EPISODES, ONE, ONE.id, PlaybackState.PLAYING, entry="play from here")
    assert words_of(here)[0] == "enter play from here"


def test_a_view_of_several_podcasts_offers_nothing_that_is_for_one() -> None:
    words = words_of(FooterContext(Focus.SIDEBAR, ONE, podcast=False))
    assert "r refresh all" in words
    assert not any("about" in word for word in words)
    assert "r refresh" in words_of(FooterContext(Focus.SIDEBAR, ONE))


def test_keys_that_are_a_range_are_written_as_one() -> None:
    assert "1–5 tabs" in words_of(FooterContext(Focus.NOTES, ONE))


async def test_words_for_a_moment_leave_the_hints_where_they_are_and_the_way_to_all_keys() -> None:
    footer = KeyFooter(ACTIONS)
    async with Alone(footer).run_test(size=(80, 3)) as pilot:
        footer.styles.height = 1
        footer.show(FooterContext(Focus.EPISODES, ONE, OTHER.id, PlaybackState.PLAYING))
        await pilot.pause()
        before = text_of(footer)[0]
        footer.flash("Starred")
        await pilot.pause()
        (line,) = text_of(footer)
        assert line.endswith("  • Starred")
        hints_left = line.removesuffix(" • Starred").rstrip()
        assert hints_left.endswith("   ? all keys")
        assert before.startswith(hints_left.removesuffix("? all keys"))
        assert len(hints_left) > 50


@pytest.mark.parametrize("columns", [20, 30, 50, 60, 80, 120])
@pytest.mark.parametrize("lasts", [False, True])
async def test_whatever_is_said_the_way_to_all_keys_stays(columns: int, lasts: bool) -> None:
    footer = KeyFooter(ACTIONS)
    async with Alone(footer).run_test(size=(columns, 3)) as pilot:
        footer.styles.height = 1
        footer.show(FooterContext(Focus.EPISODES, ONE, OTHER.id, PlaybackState.PLAYING))
        for words in ("Starred", "Queued · 3rd", "Nothing is next. Press e on an episode to queue it.", "x" * 200):
            footer.show_progress(words) if lasts else footer.flash(words)
            await pilot.pause()
            (line,) = text_of(footer)
            assert "?" in line, words
            assert len(line) <= columns - 2
            gap = 3 if lasts else 5
            assert ("? all keys" in line) == (len(words) + gap + len("? all keys") <= columns - 4)
            assert line.endswith(words) or line.endswith("…")


async def test_a_message_has_a_block_with_a_sign_and_the_newest_one_is_shown() -> None:
    footer = KeyFooter(ACTIONS)
    for glyphs, signs in ((UNICODE, "•▲✗"), (ASCII, "*!X")):
        async with Alone(footer, glyphs=glyphs).run_test(size=(60, 3)) as pilot:
            footer.styles.height = 1
            footer.show(FooterContext(Focus.EPISODES, ONE))
            for sign, severity in zip(signs, Severity, strict=True):
                footer.flash("Not saved", severity=severity)
                await pilot.pause()
                assert text_of(footer)[0].endswith(f"  {sign} Not saved")
            strip = footer.render_line(0)
            block = strip.crop(60 - len("X Not saved") - 3, 59)
            assert block.text == f" {signs[-1]} Not saved "
            grounds = {segment.style and segment.style.bgcolor for segment in block}
            assert len(grounds) == 1
            assert grounds != {segment.style and segment.style.bgcolor for segment in strip.crop(0, 20)}
            pilot.app.no_color = True
            (*_, before), said = list(strip.crop(0, 40)), list(footer.render_line(0).crop(60 - 14, 59))
            assert not (before.style and before.style.reverse)
            assert all(segment.style and segment.style.reverse for segment in said)
        footer = KeyFooter(ACTIONS)


async def test_what_is_worse_is_shown_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    footer = KeyFooter(ACTIONS)
    async with Alone(footer).run_test():
        seconds: list[float] = []
        set_timer = footer.set_timer
        monkeypatch.setattr(footer, "set_timer", lambda after, then: (seconds.append(after), set_timer(after, then))[1])  # type: ignore[func-returns-value]
        for severity in Severity:
            footer.flash("Not saved", severity=severity)
        footer.flash("g", 1.5)
        assert seconds == [3.0, 6.0, 10.0, 1.5]
        footer.clear_flash()
        assert footer.news == ""


async def test_whether_a_message_fits_is_known_before() -> None:
    footer = KeyFooter(ACTIONS)
    async with Alone(footer).run_test(size=(40, 3)) as pilot:
        footer.styles.height = 1
        for length in range(25, 40):
            words = "x" * length
            footer.flash(words)
            await pilot.pause()
            assert footer.has_room_for(words) == text_of(footer)[0].endswith(words), length


async def test_new_progress_is_seen_though_something_was_said_just_now() -> None:
    footer = KeyFooter(ACTIONS)
    async with Alone(footer).run_test():
        footer.flash("Nothing new")
        footer.show_progress("Refreshing")
        assert footer.news == "Nothing new"
        footer.clear_flash()
        assert footer.news == "Refreshing"


def test_while_the_filter_is_typed_only_its_own_keys_are_said() -> None:
    assert words_of(FooterContext(Focus.FILTER, ONE)) == ["enter apply", "esc clear"]


def test_downloading_and_reading_are_offered_in_the_list_and_all_commands_in_the_sidebar() -> None:
    assert {"d download", "v read"} < set(words_of(FooterContext(Focus.EPISODES, ONE)))
    assert "d delete file" in words_of(FooterContext(Focus.EPISODES, replace(ONE, downloaded=True)))
    assert not {"d download", "v read"} & set(words_of(FooterContext(Focus.EPISODES)))
    assert {"ctrl+f search", "? all keys"} < set(words_of(FooterContext(Focus.SIDEBAR, ONE)))
