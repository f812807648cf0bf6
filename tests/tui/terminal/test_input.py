"""What a terminal sends: keys stay keys, answers never become any, and nonsense does nothing, however it is cut."""

import random
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser
from textual.message import Message

from tests.tui.terminal.nonsense import cases
from tui.terminal import input as terminal_input
from tui.terminal.input import TerminalAnswer, TerminalGround, TerminalInput

DARK, LIGHT = "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\", "\x1b]11;rgb:ff/fa/f0\x07"
ANSWERS = ("\x1b[?64;4;6c", "\x1b[?1;0;256S", "\x1b[6;20;10t", "\x1b_Gi=31;OK\x1b\\")
KEYS = {"j": "j", "\x1b[A": "up", "\x1b[<0;3;4M": "", "\x1b[?2026;2$y": "", "ü": "ü",
        "\x1b[1;2C": "shift+right",
        "\x1b[15~": "f5", "\x1b[106;;106u": "j", "\x1bOP": "f1", "\x1b[3$": "shift+delete",
        "\x1b[[A": "f1"}  # fmt: skip


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    at = [100.0]
    monkeypatch.setattr(terminal_input, "monotonic", lambda: at[0])
    return at


def told(parser: TerminalInput, *pieces: str) -> list[object]:
    """Keys by their names, answers as they are, whether the background is light, and what was pasted."""
    return [word for piece in pieces for message in parser.feed(piece) if (word := _word(message)) is not None]


def _word(message: Message) -> object:
    if isinstance(message, TerminalGround):
        return message.is_light
    if isinstance(message, TerminalAnswer | events.Paste):
        return message.text
    return message.key if isinstance(message, events.Key) else None


def cut(text: str, at: list[int]) -> list[str]:
    return [text[a:b] for a, b in pairwise([0, *sorted({one for one in at if one < len(text)}), len(text)])]


CUTS = st.lists(st.integers(1, 60), max_size=6)


@given(st.lists(st.sampled_from([*ANSWERS, *KEYS]), max_size=8), CUTS)
@example(["\x1b[6;20;10t"], [3])
@example(["\x1b_Gi=31;OK\x1b\\", "j"], [12])
def test_answers_are_taken_out_and_keys_arrive_however_they_are_cut(parts: list[str], at: list[int]) -> None:
    wanted = [part if part in ANSWERS else KEYS[part] for part in parts]
    assert told(TerminalInput(), *cut("".join(parts), at)) == [one for one in wanted if one]


@pytest.mark.parametrize(
    ("answer", "light"),
    [
        (DARK, False),
        (LIGHT, True),
        ("\x1b]11;rgba:0000/0000/0000/ffff\x1b\\", False),
        ("\x1b]11;rgb:f/f/f\x1b\\", True),
        ("\x1b[?997;1n", False),
        ("\x1b[?997;2n", True),
    ],
)
@given(CUTS)
def test_the_background_is_understood_between_keys(answer: str, light: bool, at: list[int]) -> None:
    assert told(TerminalInput(), *cut(f"a{answer}b", at)) == ["a", light, "b"]


NOT_KEYS = (
    "\x1b]11;nonsense\x1b\\", "\x1b]4;1;rgb:0/0/0\x07", "\x1bP>|kitty(0.26)\x1b\\", "\x1bP1$r0m\x1b\\",
    "\x1b[>1;4000;29c",
    "\x1bX/mdD\x1b\\", "\x1b^mdD\x1b\\", "\x1b]52;c;bWREcQ==\x07", "\x1b[1114112u", "\x1b[55296u", "\x1b[97;;1114112u",
    "\x1b[18446744073709551616u", "\x1b[97;1:3u", "\x1b[109~", "\x1b[48;24;80;0;0t\x1b[<35;5;5M", "\x1b[8;5000;5000t",
    "\x1b[<35;18446744073709551616;1M", "\x1b[<0;-1;5M", "\x1b[5;7R", "\x1b[?2048;2$y", "\x1b[" + "1;" * 600 + "u",
    "\x1b]11;" + "m" * 5_000 + "\x07", "\x1b_G" + "d" * 5_000 + "\x1b\\", "\x1b[201~",
)  # fmt: skip


@pytest.mark.parametrize("nonsense", NOT_KEYS)
def test_what_makes_no_sense_is_no_key_and_changes_nothing(nonsense: str) -> None:
    for pieces in ([nonsense], cut(nonsense, list(range(0, len(nonsense), 7))[1:])):
        assert told(TerminalInput(), *pieces, "x") == ["x"]


def test_sequences_that_another_cuts_off_are_no_keys() -> None:
    assert told(TerminalInput(), *["\x1b["] * 999, "\x1b[A") == ["up"]
    assert told(TerminalInput(), "\x1b[" * 999 + "\x1b[1;\x1b[A") == ["up"]


def test_a_kitty_key_is_its_letter_whatever_else_is_told_of_it() -> None:
    assert told(TerminalInput(), "\x1b[97:65:113;1:2;97u", "\x1b[0;;26085:26412u", "\x1b[27u") == [
        "a",
        "日",
        "本",
        "escape",
    ]


def _keys_of_textual(sequence: str) -> list[tuple[str, str | None]]:
    parser = XTermParser()
    found = [*parser.feed(sequence), *parser.feed("")]
    return [(one.key, one.character) for one in found if isinstance(one, events.Key)]


OLD = [one for one in ANSI_SEQUENCES_KEYS if one not in ("\x1b", "\x1b\x1b")]
KITTY = [f"\x1b[{number}{end}" for number in (27, 97, 57399) for end in ("u", ";5u", ";2;65u")]


@pytest.mark.parametrize("sequences", [OLD, KITTY], ids=["old", "kitty"])
def test_each_key_that_textual_knows_is_the_same(sequences: list[str]) -> None:
    for sequence in sequences:
        found = [(one.key, one.character) for one in TerminalInput().feed(sequence) if isinstance(one, events.Key)]
        assert found == _keys_of_textual(sequence), repr(sequence)


def test_alone_escape_is_itself_after_a_moment_and_what_only_begins_like_an_answer_too(now: list[float]) -> None:
    parser = TerminalInput()
    for begun, keys in [("\x1b", ["escape"]), ("\x1b]", ["right_square_bracket"]), ("\x1b]11;rg", []), ("\x1b[1;", [])]:
        assert told(parser, begun) == []
        assert list(parser.tick()) == []
        now[0] += 0.2
        assert [_word(one) for one in parser.tick()] == keys
        assert told(parser, "j") == ["j"]
    assert told(parser, "\x1b", "[A") == ["up"]
    assert told(parser, "\x1bx") == ["alt+x"]
    assert told(parser, "\x1b\x1b[A") == ["escape", "up"]


@pytest.mark.parametrize("begun", ["\x1b]11;rgb:1e1e", "\x1bP1$r0", "\x1b_Gi=31;OK", "\x1b]" + "m" * 5_000])
def test_a_letter_after_a_pause_is_typed_even_where_a_string_has_not_ended(now: list[float], begun: str) -> None:
    parser = TerminalInput()
    assert told(parser, begun) == []
    now[0] += 0.06
    assert told(parser, "j", "k") == ["j", "k"]
    assert told(parser, begun) == []
    now[0] += 0.06
    assert not {"alt+\\", "backslash"} & set(told(parser, "\x1b\\"))  # its end is no key


CUT_OFF = ("\x1b]11;rgb:1e1e", "\x1bP1$r0", "\x1bXsos", "\x1b^pm", "\x1b_Gi=31;OK", "\x1b]" + "m" * 5_000)


@pytest.mark.parametrize("begun", CUT_OFF)
@pytest.mark.parametrize("gap_s", [0.015, 0.033, 0.045])
@pytest.mark.parametrize("keys", ["j", "jk", "j" * 30, "\r", "ü"])
def test_a_key_soon_after_a_string_that_was_cut_off_is_kept(
    now: list[float], begun: str, gap_s: float, keys: str
) -> None:
    parser = TerminalInput()
    found = told(parser, "a", begun)
    for key in keys:
        now[0] += gap_s
        found += told(parser, key)
    now[0] += 0.2
    found += [_word(one) for one in parser.tick()]
    assert found == ["a", *told(TerminalInput(), *keys)]


@pytest.mark.parametrize("begun", CUT_OFF)
def test_escape_and_an_arrow_soon_after_a_string_that_was_cut_off_are_kept(now: list[float], begun: str) -> None:
    parser = TerminalInput()
    assert told(parser, begun) == []
    now[0] += 0.03
    assert told(parser, "j") == []
    now[0] += 0.01
    assert told(parser, "\x1b[A") == ["j", "up"]
    assert told(parser, begun) == []
    now[0] += 0.03
    assert told(parser, "\x1b") == []
    now[0] += 0.2
    assert [_word(one) for one in parser.tick()] == ["escape"]


def test_a_letter_soon_after_alt_and_a_bracket_is_kept(now: list[float]) -> None:
    parser = TerminalInput()
    assert told(parser, "\x1b]") == []
    now[0] += 0.03
    assert told(parser, "j") == []
    now[0] += 0.2
    assert [_word(one) for one in parser.tick()] == ["right_square_bracket", "j"]


@pytest.mark.parametrize("gap_s", [0.001, 0.009, 0.015])
def test_an_answer_that_comes_letter_by_letter_is_no_key(now: list[float], gap_s: float) -> None:
    """As over a serial line; or in three pieces, the last but one a single letter, over a slow network."""
    for pieces in ([*DARK] if gap_s < 0.01 else ["\x1b]11;rgb:1e1e/1e1e/2e", "2", "e\x1b", "\\"],):
        parser = TerminalInput()
        found = []
        for piece in pieces:
            now[0] += gap_s
            found += told(parser, piece)
        assert found == [False]


def test_a_paste_without_its_end_takes_no_keys(now: list[float]) -> None:
    parser = TerminalInput()
    assert told(parser, "\x1b[200~some mail", "\x1b[Ad\x1b[201") == []
    now[0] += 2
    assert told(parser, "q") == ["some mail\x1b[Ad", "q"]
    assert told(parser, "\x1b[200~slow", "er\x1b[20", "1~j") == ["slower", "j"]


def test_what_is_held_has_a_limit() -> None:
    for begun in ("\x1b]11;", "\x1bP", "\x1b_G", "\x1b["):
        parser = TerminalInput()
        assert told(parser, begun, *["1" * 4096] * 500) == []
        assert len(parser._held) < 2_000
    told(parser, "x", "\x1b[200~", *["m" * 4096] * 500)
    assert len(parser._pasted or "") <= 1_000_000


def test_whatever_comes_a_key_after_it_is_that_key(now: list[float]) -> None:
    parser = TerminalInput()
    for case in cases(random.Random(1), 2_000):
        for at in range(0, len(case), 4096):
            for message in parser.feed(case.decode("utf-8", "replace")[at : at + 4096]):
                if isinstance(message, events.MouseEvent):
                    assert 0 <= message.screen_x < 10_000
        now[0] += 2
        list(parser.tick())
        assert told(parser, "j")[-1] == "j", case[:200]
