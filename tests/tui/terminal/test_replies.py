"""Answers of the terminal never become keys, however they arrive."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.message import Message

from tui.terminal import replies
from tui.terminal.replies import ReplyParser, TerminalGround

DARK, LIGHT = "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\", "\x1b]11;rgb:ff/fa/f0\x07"


def told(parser: ReplyParser, *pieces: str) -> list[object]:
    """Keys by their names, and whether the background is light."""
    messages: list[Message] = []
    for piece in pieces:
        messages += parser.feed(piece)
    return [
        one.is_light if isinstance(one, TerminalGround) else one.key
        for one in messages
        if isinstance(one, TerminalGround | events.Key)
    ]


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
@given(st.data())
def test_an_answer_between_keys_is_understood_however_it_is_cut(answer: str, light: bool, data: st.DataObject) -> None:
    text = f"a{answer}b"
    cuts = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), max_size=4)))
    parser = ReplyParser()
    parser.asked()
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert sorted(map(str, told(parser, *pieces))) == sorted(["a", "b", str(light)])


@pytest.mark.parametrize("answer", ["\x1b]11;nonsense\x1b\\", "\x1b]4;1;rgb:0/0/0\x07"])
def test_an_answer_that_makes_no_sense_is_no_key_and_changes_nothing(answer: str) -> None:
    assert True not in (found := told(ReplyParser(), answer, "x"))
    assert found[-1] == "x"


def test_what_only_begins_like_an_answer_is_keys_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = ReplyParser()
    assert told(parser, "\x1b]") == []
    monkeypatch.setattr(replies, "_HELD_S", 0.0)
    assert list(parser.tick()) == []
    assert parser._held == ""
    monkeypatch.setattr("textual._parser.get_time", lambda: float("inf"))
    assert [one.key for one in parser.tick() if isinstance(one, events.Key)] == ["right_square_bracket"]


def test_escape_is_itself_at_once_when_nothing_was_asked() -> None:
    parser = ReplyParser()
    assert told(parser, "\x1b") == []  # Textual's own parser waits for what may follow
    assert parser._held == ""
    assert told(parser, "[A") == ["up"]
