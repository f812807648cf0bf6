"""Templates of status lines, and the values that are filled in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from player.integrations.json_api import status_json
from player.model.episode import Chapter, Chapters
from player.model.playback import PlaybackState, PlaybackStatus, SleepChoice, SleepStatus, SleepUntil
from tests.player.integrations.fake_session import EPISODE, FakeSession
from tui.cli.status_line import ESCAPES, FIELDS, NOTHING, Template, forwarded, next_second_in, values
from tui.drawing.cells import cut, width


def line(template: str, escape: str | None = None, **fields: str) -> str:
    return Template(template, escape).line({**NOTHING, **fields})


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{title}", "Rain and wind"),
        ("{title:.6}|", "Rain…|"),
        ("{title:16}|", "Rain and wind   |"),
        ("{title:>16}|", "   Rain and wind|"),
        ("{title:^17}|", "  Rain and wind  |"),
        ("{title:6.6}|{title:20.4}|", "Rain… |Rai…                |"),
        ("{{{state}}}", "{playing}"),
        ("no fields", "no fields"),
        ("", ""),
    ],
)
def test_fields_are_filled_in_cut_and_padded(template: str, expected: str) -> None:
    assert line(template, title="Rain and wind", state="playing") == expected


def test_ascii_is_cut_as_every_other_text_is() -> None:
    for most in range(16):
        assert line(f"{{title:.{most}}}", title="Rain and  wind") == cut("Rain and  wind", most)


def test_widths_are_cells_of_the_terminal() -> None:
    assert line("{title:.5}|", title="日本語放送") == "日本…|"
    assert width(line("{title:8.8}", title="日本語放送")) == 8
    assert line("{title:>6}", title="日本") == "  日本"


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        ("{titel}", "There is no field {titel}. Did you mean “title”? Available: title, podcast,"),
        ("{}", "There is no field {}."),
        ("{title", "A single { in the format"),
        ("100%}", "A single } in the format"),
        ("{title:x}", "Invalid width “x”"),
        ("{title:5000}", "Invalid width “5000”"),
        ("{title.__class__}", "There is no field {title.__class__}."),
        ("{0}", "There is no field {0}."),
    ],
)
def test_what_is_no_template_is_said(template: str, sentence: str) -> None:
    with pytest.raises(ValueError, match="^" + sentence.replace("{", r"\{").replace("}", r"\}").replace("?", r"\?")):
        Template(template)


def test_a_title_is_no_order_to_the_bar() -> None:
    title = "#[fg=red]#(reboot) <b>&</b> %{A1:reboot:}"
    assert line("#{title}", "tmux", title=title) == "# ##[fg=red]##(reboot) <b>&</b> %{A1:reboot:}"
    assert line("<i>{title}", "markup", title=title).startswith("<i>#[fg=red]#(reboot) &lt;b&gt;&amp;&lt;/b&gt;")
    assert "%{" not in line("{title}", "polybar", title=title)
    assert set(ESCAPES) == {"tmux", "markup", "polybar"}


@given(st.text(), st.text())
def test_any_text_is_a_template_or_refused(template: str, title: str) -> None:
    try:
        made = Template(template)
    except ValueError:
        return
    made.line({**NOTHING, "title": title})


def of(status: PlaybackStatus, chapters: Chapters | None = None) -> dict[str, str]:
    return values(status_json(status, {EPISODE.id: 1}, chapters=chapters or Chapters()))


def test_the_fields_of_what_plays() -> None:
    sleep = SleepStatus(SleepChoice(SleepUntil.MINUTES, 30), 754_000)
    status = replace(FakeSession().status, position_ms=492_900, speed=1.5, volume=80, sleep=sleep)
    assert of(status, Chapters((Chapter(0, "One"), Chapter(400_000, "Two")))) == {
        "title": "An episode", "podcast": "A podcast", "state": "paused", "icon": "⏸", "position": "8:12",
        "duration": "10:00", "left": "1:48", "percent": "82", "speed": "1.5", "volume": "80", "gain": "",
        "chapter": "Two", "chapter_number": "2", "chapters": "2", "queue": "1", "sleep": "12:34", "offline": "",
        "error": "",
        "episode_id": "7", "podcast_id": "2",
    }  # fmt: skip


def test_without_an_episode_the_fields_are_empty() -> None:
    filled = of(PlaybackStatus())
    assert set(filled) == set(FIELDS)
    assert {name for name, text in filled.items() if text} == {"state", "icon", "speed", "volume", "queue"}


def test_titles_are_cleaned_whatever_the_answer_holds() -> None:
    status = replace(FakeSession().status, episode=replace(EPISODE, title="A\x1b]0;x\x07\nB \u202eC"))
    assert Template("{title}").line(of(status)) == "A]0;x B C"


def test_a_position_goes_on_by_itself_while_the_episode_plays() -> None:
    status = replace(FakeSession().status, state=PlaybackState.PLAYING, speed=2.0, measured_at=float("inf"))
    sent = status_json(status, {})
    sent["position_ms"] = 60_000
    assert values(forwarded(sent, 10.0))["position"] == "1:20"
    assert values(forwarded(sent, 1e6))["position"] == "10:00"
    assert next_second_in({**sent, "position_ms": 60_500}) == 0.25
    paused = {**sent, "state": "paused"}
    assert forwarded(paused, 10.0) == paused
    assert next_second_in(paused) is None


def test_it_is_known_whether_a_line_changes_by_itself() -> None:
    assert Template("{title} {left}").moves
    assert not Template("{title} {state} {chapter}").moves


@pytest.mark.parametrize(
    ("escape", "template", "expected"),
    [
        ("polybar", "{percent}%{title}", "5% {A1:touch x:}"),
        ("polybar", "{podcast}{title}", "50% {A1:touch x:}"),
        ("polybar", "{podcast}{{B}}", "50% {B}"),
        ("polybar", "%{{F#f00}}{state}%{{F-}}", "%{F#f00}playing%{F-}"),
        ("tmux", "#{link}", "# (touch x)"),
        ("tmux", "#[bold]{link}", "#[bold](touch x)"),
        ("markup", "&{state}", "& playing"),
    ],
)
def test_a_field_makes_no_order_with_what_stands_beside_it(escape: str, template: str, expected: str) -> None:
    fields = {"percent": "5", "title": "{A1:touch x:}", "podcast": "50%", "state": "playing", "link": "(touch x)"}
    names = {name: value for name, value in fields.items() if name in FIELDS}
    assert Template(template, escape, [*FIELDS, "link"]).line({**NOTHING, **fields, **names}) == expected


@given(st.text("%{}#([&<l;t ", max_size=6), st.text("%{}#([&<l;t ", max_size=6))
def test_two_fields_side_by_side_are_no_order(one: str, two: str) -> None:
    polybar, tmux = (line("{title}{podcast}", escape, title=one, podcast=two) for escape in ("polybar", "tmux"))
    assert "%{" not in polybar
    assert "#" not in tmux.replace("##", "")
