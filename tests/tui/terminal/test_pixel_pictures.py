"""What a terminal is asked about pictures, what its answers mean."""

import pytest

from tui.terminal.pixel_pictures import Asking, CoverMode, Screenful, may_be_kitty

XTERM = {"TERM": "xterm-256color"}
KITTY = {"TERM": "xterm-kitty"}


def answered(environ: dict[str, str], *answers: str, wish: str = "auto") -> tuple[Asking, str]:
    """After these answers; and all that the terminal was sent."""
    asking = Asking(CoverMode(wish) if wish != "auto" else CoverMode.BLOCKS, wish, environ)
    sent = asking.begin()
    for answer in answers:
        sent += asking.answered(answer)
    return asking, sent


def test_a_terminal_that_says_so_gets_sixels_in_its_own_size_and_colours() -> None:
    asking, sent = answered(XTERM, "\x1b[?64;4;6c", "\x1b[?1;0;16S", "\x1b[6;18;9t", "\x1b[?64;4;6c")
    assert asking.mode is CoverMode.SIXEL
    assert asking.terminal == Screenful((9, 18), 16)
    assert "\x1b_G" not in sent


@pytest.mark.parametrize("answer", ["\x1b[?1;2c", "\x1b[?64;14;40c", "\x1b[?4c"])
def test_one_that_knows_none_is_asked_one_thing_that_all_terminals_know(answer: str) -> None:
    asking, sent = answered(XTERM, answer)
    assert asking.mode is CoverMode.BLOCKS
    assert sent == "\x1b[c"


def test_kitty_is_asked_in_its_own_protocol_and_has_to_agree() -> None:
    asking, sent = answered(KITTY, "\x1b_Gi=31;OK\x1b\\", "\x1b[?62;c")
    assert asking.mode is CoverMode.KITTY
    assert "\x1b_G" in sent
    assert answered(KITTY, "\x1b_Gi=31;ENOTSUPPORTED\x1b\\", "\x1b[?62;c")[0].mode is CoverMode.BLOCKS
    assert answered(KITTY, "\x1b[?62;4c", "\x1b[?62;4c")[0].mode is CoverMode.SIXEL


def test_inside_tmux_and_screen_kitty_isnt_asked_for() -> None:
    assert not may_be_kitty({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"})
    assert not may_be_kitty({"TERM": "xterm-kitty", "TMUX": "/tmp/x"})
    assert not may_be_kitty({"TERM": "screen", "STY": "1.x"})
    assert may_be_kitty({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"})


@pytest.mark.parametrize("inside", [{"TMUX": "/tmp/x"}, {"STY": "1.x"}, {"TERM": "tmux-256color"}])
def test_what_tmux_says_of_sixels_is_no_word_on_the_terminal_it_is_shown_in(inside: dict[str, str]) -> None:
    asking, sent = answered(XTERM | inside, "\x1b[?1;2;4c", "\x1b[?1;2;4c")
    assert (asking.mode, sent) == (CoverMode.BLOCKS, "")
    assert answered(XTERM | inside, "\x1b[?1;2;4c", wish="sixel")[0].mode is CoverMode.SIXEL


@pytest.mark.parametrize("name", ["linux", "dumb", "vt100", ""])
def test_a_terminal_that_may_print_what_it_doesnt_know_is_asked_nothing(name: str) -> None:
    assert answered({"TERM": name})[1] == ""


def test_what_the_settings_say_is_done_without_asking_for_it() -> None:
    assert answered(XTERM, wish="blocks")[1] == ""
    assert answered(XTERM, "\x1b[?1;2c", wish="kitty")[0].mode is CoverMode.KITTY
    assert answered(XTERM, "\x1b[?1;2c", wish="sixel")[0].mode is CoverMode.SIXEL


@pytest.mark.parametrize(
    "answer", ["\x1b[?1;3;0S", "\x1b[?1;0;1S", "\x1b[6;0;0t", "\x1b[6;9999;9999t", "\x1b[?S", "\x1b[?c"]
)
def test_nonsense_changes_nothing(answer: str) -> None:
    assert answered(XTERM, answer)[0].terminal == Screenful()
