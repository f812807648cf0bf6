import pytest

from player.playback.outputs import OutputChoice, SoundOutput

HEADSET = SoundOutput("pulse", "usb-headset")


def test_what_the_settings_say_holds_until_another_is_chosen() -> None:
    choice = OutputChoice(SoundOutput("alsa"))
    assert choice.now == SoundOutput("alsa")
    choice.choose(HEADSET)
    assert choice.now == HEADSET


def test_a_choice_survives_a_restart() -> None:
    again = OutputChoice(SoundOutput("alsa"))
    again.restore(OutputChoice(SoundOutput("alsa")).choose(HEADSET))
    assert again.now == HEADSET


def test_what_the_choice_was_called_is_known_after_a_restart() -> None:
    kitchen, choice = SoundOutput("chromecast", "1234"), OutputChoice(SoundOutput())
    assert choice.title == ""
    again = OutputChoice(SoundOutput())
    again.restore(choice.choose(kitchen, "Kitchen (Chromecast)"))
    assert choice.title == again.title == "Kitchen (Chromecast)"
    again.now = HEADSET
    assert again.title == ""


def test_a_choice_of_an_earlier_version_is_restored() -> None:
    choice = OutputChoice(SoundOutput("alsa"))
    choice.restore('[["pulse", "usb-headset"], ["alsa", ""]]')
    assert (choice.now, choice.title) == (HEADSET, "")


def test_settings_that_were_changed_since_count_for_more_than_the_choice() -> None:
    again = OutputChoice(SoundOutput("pulse", "hdmi"))
    again.restore(OutputChoice(SoundOutput("alsa")).choose(HEADSET))
    assert again.now == SoundOutput("pulse", "hdmi")


@pytest.mark.parametrize("damaged", [None, "", "{", "7", "[]", "[1, 2]", '[["a"], ["", ""]]', '[["a", "b"], 3]'])
def test_what_was_not_written_by_earmark_chooses_nothing(damaged: str | None) -> None:
    choice = OutputChoice(SoundOutput())
    choice.restore(damaged)
    assert choice.now == SoundOutput()
