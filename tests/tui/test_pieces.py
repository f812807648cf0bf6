"""How text is broken into lines."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.quick import examples
from tui.drawing import runs
from tui.drawing.runs import Run, chop, width_of, wrap

WORDS = st.lists(
    st.sampled_from(
        [
            "a",
            "to",
            "wrap",
            "a-longer/word.with_joints",
            "x" * 30,
            " ",
            "  ",
            "    ",
            "é",
            "日本",
            "\n",
            "…",
            "日本語版",
            "「日本語、日本っ語」",
            "a日本語b",
            "\t \t",
            "e\u0301a\u0308",
            "日\u0301(a)日",
            "한국어日",
            "🇩🇪日",
        ]
    ),
    max_size=80,
).map(" ".join)


@given(st.lists(st.tuples(WORDS, st.sampled_from(["", "bold"])), max_size=4), st.integers(2, 40))
@settings(max_examples=examples(300), deadline=None)
def test_long_prose_is_broken_as_short_prose_is(texts: list[tuple[str, str]], width: int) -> None:
    made = [Run(text, role) for text, role in texts if text]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(runs, "_LONG", 0)
        patched.setattr(runs, "_LONG_LINE", re.compile(r"[^\n]+"))
        patched.setattr(runs, "_SHORT", 0)
        short = re.compile(runs._free_run().pattern.replace("20,", "3,"))
        patched.setattr(runs, "_free_run", lambda: short)
        fast = wrap(made, width)
        patched.setattr(runs, "_LONG", 10**9)
        patched.setattr(runs, "_SHORT", 19)
        patched.setattr(runs, "_free_run", lambda: re.compile("(a)(?!a)(?=a)"))
        assert fast == wrap(made, width)
        patched.setattr(runs, "_LONG", 0)
        assert fast == wrap(made, width), "wide characters a line at a time"


@pytest.mark.parametrize("word", ["a" * 1000, "日" * 1000, "a/b-" * 300, "e\u0301" * 500, "🇩🇪" * 300, "日a、" * 300])
@pytest.mark.parametrize("width", [2, 7, 40])
def test_a_word_without_end_is_cut_and_nothing_is_lost(word: str, width: int) -> None:
    lines = wrap([Run("so "), Run(word)], width)
    assert all(width_of(line) <= width for line in lines)
    assert "".join(piece.text for line in lines for piece in line).removeprefix("so").strip() == word
    assert "".join(chop(word, width)) == word
