"""A value put into a text leaves all else as it was written."""

import tomllib

import pytest

from player.toml import put, take_out

TEXT = """# mine
[playback]
seek_back = "15"   # short

[appearance]  # looks
theme = "nord"
# the end
"""


def test_a_value_is_replaced_and_its_comment_stays() -> None:
    assert put(TEXT, ("playback", "seek_back"), "20") == TEXT.replace('"15"', '"20"')


def test_a_new_value_comes_after_the_last_of_its_section() -> None:
    assert put(TEXT, ("appearance", "motion"), False) == TEXT.replace('"nord"', '"nord"\nmotion = false')


def test_a_new_section_comes_last() -> None:
    assert put(TEXT, ("chapters", "skip"), ("Ad",)) == TEXT + '\n[chapters]\nskip = ["Ad"]\n'
    assert put("", ("mouse", "enabled"), False) == "[mouse]\nenabled = false\n"
    assert put("[mouse]", ("mouse", "enabled"), False) == "[mouse]\nenabled = false"


def test_a_section_of_a_section_is_no_place_for_what_isnt_in_it() -> None:
    text = '[chapters.skip_in]\n"A show" = []\n'
    changed = put(text, ("chapters", "skip"), ("Ad",))
    assert tomllib.loads(changed) == {"chapters": {"skip": ["Ad"], "skip_in": {"A show": []}}}


@pytest.mark.parametrize(
    "text",
    ["mouse = { enabled = true }", "mouse = 3", "[[mouse]]\nenabled = true", "mouse.enabled = true\n[a]\nmouse=1"],
)
def test_what_cant_be_put_in_without_touching_the_rest_is_refused_or_right(text: str) -> None:
    try:
        changed = put(text, ("mouse", "enabled"), False)
    except ValueError:
        return
    assert tomllib.loads(changed) == {**tomllib.loads(text), "mouse": {"enabled": False}}


def test_a_text_that_isnt_toml_is_refused() -> None:
    with pytest.raises(ValueError, match="line 1"):
        put("= 3", ("mouse", "enabled"), True)


@pytest.mark.parametrize(
    ("text", "name", "left"),
    [
        (TEXT, "playback.seek_back", TEXT.replace('seek_back = "15"   # short', "# short")),
        (TEXT, "appearance.theme", TEXT.replace('theme = "nord"\n', "")),
        (TEXT, "mouse.enabled", TEXT),
        ('[chapters]\nskip = [\n  "Ad", # loud\n]', "chapters.skip", "[chapters]\n"),
        ('[playback]\r\nrewind = "3" # x\r\n', "playback.rewind", "[playback]\r\n# x\n"),
        ("mouse.enabled = true\n[a]\nb=1", "mouse.enabled", "[a]\nb=1"),
    ],
)
def test_what_is_taken_out_leaves_its_comment(text: str, name: str, left: str) -> None:
    assert take_out(text, tuple(name.split("."))) == left


@pytest.mark.parametrize("text", ["mouse = { enabled = true }", "[[mouse]]\nenabled = true", "mouse = 3", "= 3"])
def test_what_cant_be_taken_out_alone_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        take_out(text, ("mouse", "enabled"))
