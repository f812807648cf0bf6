"""Sentences that name a key name the listener's own, whatever the key was at first."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from gettext import NullTranslations

import pytest
from msgspec.structs import replace

from player.events import Notice
from player.model.filters import View, ViewName
from player.model.playback import Offer, PlaybackState, PlaybackStatus
from player.model.podcast import Podcast, PodcastId
from player.paths import Paths
from player.player import Player
from player.settings import Playback
from player.text.sentences import use
from tests.tui.alone import Alone
from tests.tui.stage import QUIET, Stage, opened, stocked
from tests.tui.widgets.test_player_bar import a_status
from tui.actions.action import Action
from tui.actions.palette import DEFAULTS, commands
from tui.actions.table import ACTIONS, key_for, key_label, remapped
from tui.drawing import labels
from tui.look.glyphs import UNICODE

NAMED = (
    "play", "pause", "undo_jump", "back", "filter", "star", "links", "add", "refresh", "remove", "read",
    "help", "tab_chapters", "tab_transcript", "tab_links",
)  # fmt: skip
"""Every action that some sentence names the key of."""
OWN = {action_id: f"f{number}" for number, action_id in enumerate(NAMED, 5)}
REMAPPED, _problems = remapped(OWN)
SETTINGS = replace(QUIET, keys=OWN, playback=replace(QUIET.playback, seek_forward="45"))
"""F5 to F20: keys that no action has by itself."""


def own_key_of(action_id: str) -> str:
    return key_for(action_id, REMAPPED)


def names_own_keys_only(sentence: str, *named: str) -> bool:
    """Whether a sentence has the new keys of those actions, and of none the old one."""
    words = re.findall(r"[\w+?/]+", sentence)
    old = {key_label(key) for action in ACTIONS if action.id in named for key in action.keys}
    return all(OWN[one] in words for one in named) and not old & set(words)


def test_every_key_of_those_can_be_remapped() -> None:
    assert _problems == ()
    assert all(own_key_of(one) == OWN[one] for one in NAMED)


@pytest.mark.parametrize(
    ("view", "podcast", "any_podcast", "named"),
    [
        (View.of(ViewName.ALL), None, False, ("add", "help")),
        (View.of(ViewName.IN_PROGRESS), None, True, ("play",)),
        (View.of(ViewName.STARRED), None, True, ("star",)),
        (View.of(ViewName.ALL).narrowed("xyz"), None, True, ("back",)),
        (View.of(ViewName.ALL), Podcast(PodcastId(1), "u", "P"), True, ("refresh",)),
        (
            View.of(ViewName.ALL),
            Podcast(PodcastId(1), "u", "P", last_refreshed=datetime(2026, 1, 1, tzinfo=UTC)),
            True,
            ("refresh",),
        ),
    ],
)
def test_an_empty_list_names_them(
    view: View, podcast: Podcast | None, any_podcast: bool, named: tuple[str, ...]
) -> None:
    assert names_own_keys_only(labels.empty_words(view, podcast, own_key_of, any_podcast=any_podcast), *named)


def test_a_page_without_an_episode_names_them() -> None:
    suggested = Podcast(PodcastId(1), "u", "P", suggested=True)
    first = "\n".join(labels.page_words(None, own_key_of, any_podcast=False))
    assert names_own_keys_only(re.sub(r"\ba\b|add one", "", first), "add", "help")
    for one in ("play", "remove", "add"):
        lines = labels.page_words(suggested, own_key_of, any_podcast=True)
        assert any(line.startswith(f"{OWN[one]}  ") for line in lines)


def test_a_refresh_names_the_key_that_stops_it() -> None:
    for total in (1, 20):
        assert names_own_keys_only(labels.progress_words(0, total, UNICODE, own_key_of), "back")


def test_an_action_without_a_key_is_named_by_its_title() -> None:
    actions = tuple(replace(action, keys=()) if action.id == "star" else action for action in ACTIONS)
    assert key_for("star", actions) == "? “Star or unstar the episode”"


async def in_the_list(actions: Sequence[Action] = ACTIONS, playback: Playback = DEFAULTS) -> str:
    app = Alone()
    async with app.run_test():
        found = commands(app.screen, actions, playback=playback)
        return "\n".join(f"{one.group} {one.title} {one.detail} {one.key}" for one in found)


async def test_the_list_of_commands_has_the_keys_as_they_are() -> None:
    page = await in_the_list(REMAPPED)
    assert "ctrl+p" not in page
    assert f"Play or open  {OWN['play']}" in page


async def test_the_list_of_commands_says_how_far_the_keys_jump_as_it_is_set() -> None:
    page = await in_the_list(
        playback=Playback(seek_back="10", seek_forward="1m30s", seek_back_far="5m", seek_forward_far="2h")
    )
    for words in (
        "Jump back 10 seconds", "Jump forward 1m30s", "Jump further back 5 minutes", "Jump further forward 2h"
    ):  # fmt: skip
        assert words in page


async def test_the_list_of_commands_is_in_the_language_of_the_catalogue_of_the_moment() -> None:
    class Loud(NullTranslations):
        def gettext(self, message: str) -> str:
            return message.replace("Jump back", "JUMP BACK")

    back = use(Loud())
    try:
        assert "JUMP BACK 15 seconds" in await in_the_list()
    finally:
        back()
    assert "Jump back 15 seconds" in await in_the_list()


async def message_after(stage: Stage, *keys: str) -> str:
    await stage.do(*keys)
    return stage.news


async def test_the_footer_the_help_the_links_and_the_bar_name_them() -> None:
    async with stocked(settings=SETTINGS) as stage:
        screen = stage.screen
        assert names_own_keys_only(await message_after(stage, "u"), "help"), "a key that has nothing to do any more"
        assert names_own_keys_only(await message_after(stage, "@wider"), "read"), "no page over the whole screen"
        screen.say_notice(Notice("Skipped “Sponsor”", offer=Offer.UNDO_JUMP))
        assert names_own_keys_only(stage.news, "undo_jump")
        screen.say_notice(Notice("End of clip", offer=Offer.RESUME))
        assert names_own_keys_only(stage.news, "pause")

        await stage.press(OWN["help"])
        assert stage.shows("Jump forward  45 seconds")
        await stage.press(OWN["back"], OWN["links"])
        await stage.until(lambda: stage.shows(f"{OWN['play']} open"), "the keys")
        for one, word in (("back", "close"), ("filter", "filter"), ("links", "open, stay")):
            assert stage.shows(f"{OWN[one]} {word}")
        await stage.press(OWN["filter"])
        assert stage.shows(f"{OWN['back']} clear filter")
        await stage.press(OWN["back"], OWN["back"])
        await stage.until(lambda: stage.app.screen is screen, "the main screen")

        screen.bar.show(PlaybackStatus())
        await stage.until(lambda: stage.shows(f"press {OWN['play']} to play the selected episode"), "the key")
        for state, one in ((PlaybackState.PAUSED, "pause"), (PlaybackState.ERROR, "play")):
            status: PlaybackStatus = a_status(state)
            screen.bar.show(status)
            await stage.until(lambda one=one: stage.shows(OWN[one]), "the key")  # type: ignore[misc]


async def test_with_nothing_playing_the_way_to_play_is_named(paths: Paths) -> None:
    player = Player(paths, SETTINGS)
    player.open()
    async with opened(player) as stage:
        await stage.press("full_stop")
        await stage.until(lambda: stage.news, "the answer")
        assert names_own_keys_only(stage.news, "play")


async def test_a_sentence_that_is_too_long_is_cut_and_its_key_stays() -> None:
    moved = "The file has changed by +0:34; your position moved with it"
    for columns, said in ((80, f"{moved} · u returns"), (50, "The file has changed by +0:… · u returns")):
        async with stocked(size=(columns, 24)) as stage:
            stage.screen.say_notice(Notice(moved, offer=Offer.UNDO_JUMP))
            await stage.until(lambda said=said: stage.shows(said), said)  # type: ignore[misc]
