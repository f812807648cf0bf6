"""One hint at a time: for a key that was never used and would have helped, once what was done is said."""

from datetime import UTC, datetime
from typing import cast

from player.events import EpisodeMeasured
from player.library.loudness import MeasuredLoudness
from player.measuring.kinds.loudness import Loudness
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.model.listening import ListeningSpan
from player.player import Player
from tests.tui.controllers.fake import FakePlayer
from tests.tui.stage import stocked
from tui.actions.table import ACTIONS, key_for, remapped
from tui.controllers.tips import BETTER, Tips


class Listener:
    def __init__(self, remembered: str = "") -> None:
        self.player = FakePlayer(remembered=remembered)
        self.told: list[str] = []
        self.tips = Tips(cast(Player, self.player), self.told.append)

    def does(self, action_id: str, times: int, keys: dict[str, str] | None = None) -> list[str]:
        actions, _problems = remapped(keys or {})
        for _time in range(times):
            self.tips.did(action_id, actions, lambda one: key_for(one, actions))
        return self.told


def test_a_key_is_told_after_six_times_with_the_key_that_it_has_now() -> None:
    assert Listener().does("queue", 5) == []
    assert Listener().does("queue", 20, {"queue_next": "ctrl+t"})[:1] == ["Tip: ctrl+t – Play next"]
    assert Listener().does("pause", 20) == []


def test_what_was_used_or_told_before_is_never_told_again() -> None:
    listener = Listener("queue_next")
    assert listener.does("queue", 20) == []
    assert listener.does("seek_back", 6) == ["Tip: shift+← – Jump further back"]
    assert ("remember", "tips", "queue_next seek_back_far") in listener.player.made


def test_every_tip_is_of_an_action_with_a_key() -> None:
    with_key = {action.id for action in ACTIONS if action.keys}
    assert set(BETTER) | set(BETTER.values()) <= with_key


async def test_it_is_shown_when_what_was_done_has_been_said() -> None:
    async with stocked() as stage:
        await stage.press(*["e"] * 6)
        await stage.until(lambda: "queue" in stage.news, "what was done")
        stage.screen.footer.clear_flash()
        assert stage.news == "Tip: E – Play next"
        stage.screen.footer.clear_flash()
        await stage.press("e", "e")
        stage.screen.footer.clear_flash()
        assert "Tip" not in stage.news


async def test_a_podcast_that_is_much_quieter_than_the_one_before_tells_once_that_all_can_be_levelled() -> None:
    async with stocked() as stage:
        library = stage.player.library
        ids = [EpisodeId(one) for one in library.episodes.ids(View.of(ViewName.ALL))]
        first, podcast_id = ids[0], library.episodes.get(ids[0]).podcast_id
        other = next(one for one in ids if library.episodes.get(one).podcast_id != podcast_id)
        library.loudness.put(other, MeasuredLoudness(-14.0, -1.0, 60_000, is_whole=True))
        at = datetime.now(UTC)
        library.progress.save(other, 5_000, None, at, heard=[ListeningSpan(other, 0, 5_000, at)])
        stage.player.session.play(first).result(10)
        measuring = stage.player.services.measuring

        async def measured(lufs: float) -> None:
            """As `Measuring` does it: what is known is there before the library has it."""
            measuring._known = first, {"loudness": Loudness(lufs, lufs, -1.0, 60_000)}
            stage.player.bus.publish(EpisodeMeasured(first))
            await stage.settle()
            stage.screen.footer.clear_flash()

        await measured(-18.0)
        assert "dB" not in stage.news  # by 4 dB only
        await measured(-23.0)
        assert stage.news == "This podcast is 9 dB quieter · ? “level” makes all equally loud"
        stage.screen.footer.clear_flash()
        await measured(-23.0)
        assert "dB" not in stage.news


async def test_level_boost_and_trim_are_commands_that_write_the_settings() -> None:
    async with stocked() as stage:
        playback, settings = stage.screen.playback, stage.player.paths.settings
        for act, line in (
            (playback.level, 'level = "-16"'),
            (playback.boost, 'boost = "gentle"'),
            (playback.trim, 'trim = "gentle"'),
        ):
            act()
            await stage.until(lambda line=line: settings.exists() and line in settings.read_text(), line)  # type: ignore[misc]
