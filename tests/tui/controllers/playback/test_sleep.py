"""The words for what came of the keys of the sleep timer."""

from typing import cast

import pytest

from player.model.playback import PlaybackStatus, SleepChoice, SleepStatus, SleepUntil
from player.playback.outcomes import Done
from player.player import Player
from tests.tui.controllers.fake import FakePlayer, FakeUi
from tui.controllers.playback import PlaybackController, SleepController, _longer, _stops
from tui.dialogs.sleep import OFF
from tui.drawing.phrases import choice_words, left_words

MINUTES, CHAPTER, EPISODE = SleepUntil.MINUTES, SleepUntil.CHAPTER, SleepUntil.EPISODE


def asked(answer: SleepChoice | str | None) -> tuple[list[tuple[object, ...]], list[str]]:
    """What the session was asked for, and what was said, when the dialog ended with `answer`."""
    player, ui = FakePlayer(), FakeUi()
    keys = SleepController(cast(Player, player), ui, PlaybackController(cast(Player, player), ui))
    keys._answered(answer)
    return player.made, ui.messages


def test_what_was_chosen_is_asked_for_and_said() -> None:
    choice = SleepChoice(EPISODE, 3)
    assert asked(choice) == ([("sleep", choice)], ["Sleep timer: After 3 episodes"])
    assert asked(OFF) == ([("sleep_off",)], ["Sleep timer off"])
    assert asked(None) == ([], [])


def test_what_came_of_the_other_keys_is_said() -> None:
    left = PlaybackStatus(sleep=SleepStatus(SleepChoice(MINUTES, 10), 599_001))
    assert _longer(Done(left)) == "Sleep timer: 10:00 left"
    assert _stops(Done(PlaybackStatus(sleep=SleepStatus(stops_after=True)))) == "Stops after this episode"
    assert _stops(Done(PlaybackStatus())) == "Continues after this episode"


@pytest.mark.parametrize(
    ("sleep", "words"),
    [
        (SleepStatus(), ""),
        (SleepStatus(SleepChoice(MINUTES, 30), 1_799_100), "30:00"),
        (SleepStatus(SleepChoice(MINUTES, 90), 5_400_000), "1:30:00"),
        (SleepStatus(SleepChoice(CHAPTER), None), "End of the chapter"),
        (SleepStatus(SleepChoice(EPISODE, 4), None, 3), "3 episodes"),
        (SleepStatus(SleepChoice(EPISODE, 4), 61_000, 1), "1:01"),
    ],
)
def test_what_is_left_in_a_few_words(sleep: SleepStatus, words: str) -> None:
    assert left_words(sleep) == words


def test_choices_in_words() -> None:
    choices = [SleepChoice(MINUTES, 1), SleepChoice(MINUTES, 45), SleepChoice(CHAPTER), SleepChoice(EPISODE)]
    assert [choice_words(one) for one in choices] == [
        "1 minute", "45 minutes", "End of the chapter", "End of the episode",
    ]  # fmt: skip
