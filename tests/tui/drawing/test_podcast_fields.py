"""The fields of a podcast's settings: what is typed, how it is shown, and what a step makes of it."""

import pytest

from player.model.podcast_settings import AS_ALL
from tui.drawing.fields import change_in_words
from tui.drawing.podcast_fields import FIELDS, fields


@pytest.mark.parametrize(
    ("name", "typed", "written", "shown"),
    [
        ("speed", "default", "", "1.0× (default)"), ("speed", "1,4X", "1.4", "1.4×"), ("speed", "3", "3", "3×"),
        ("volume", "off", "", "none"), ("volume", "-3.5 dB", "-3.5", "-3.5 dB"), ("volume", "20", "+20", "+20 dB"),
        ("skip_start", "none", "", "nothing"), ("skip_start", "1:30", "1m30s", "1m30s"),
        ("skip_end", "30", "30s", "30 seconds"), ("skip_end", "1h", "1h", "1h"),
        ("new", "inbox", "", "New"), ("new", "Queue", "queue", "end of the queue"),
        ("new", "next", "next", "head of the queue"), ("new", "nowhere", "nowhere", "nowhere"),
        ("only_newest", "on", "yes", "on"), ("only_newest", "0", "", "off"),
        ("age_limit", "never", "", "never"), ("age_limit", "1", "1", "1 day"),
        ("age_limit", "3650 days", "3650", "3,650 days"),
        ("include", "", "", "–"), ("include", '"deep dive"', '"deep dive"', '"deep dive"'),
        ("exclude", "", "", "–"), ("exclude", "rerun", "rerun", "rerun"),
        ("order", "off", "", "newest first"), ("order", "Oldest", "oldest", "oldest first"),
        ("hide_played", "yes", "yes", "on"), ("hide_played", "", "", "off"),
        ("download", "usual", "", "nothing (default)"), ("download", "never", "none", "nothing"),
        ("download", "1", "1", "the newest"), ("download", "newest: 500", "500", "the newest 500"),
        ("download_include", "", "", "–"), ("download_include", "music", "music", "music"),
        ("download_exclude", "", "", "–"), ("download_exclude", "ads", "ads", "ads"),
        ("download_length", "any", "", "any"), ("download_length", "10m–2h", "10m-2h", "10 minutes to 2h"),
        ("download_length", "20m-", "20m-", "at least 20 minutes"), ("download_length", "-1h", "-1h", "under 1h"),
    ],
)  # fmt: skip
def test_what_is_typed_is_shown_in_words_and_is_the_same_when_it_is_typed_as_written(
    name: str, typed: str, written: str, shown: str
) -> None:
    field = FIELDS[name]
    made = field.typed(AS_ALL, typed)
    assert (field.written(made), field.shown(made)) == (written, shown)
    assert field.typed(AS_ALL, written) == made
    assert (made == AS_ALL) is (written == "")


@pytest.mark.parametrize(
    ("name", "back", "ahead"),
    [
        ("speed", ["0.9×", "0.8×"], ["1.1×", "1.2×"]), ("volume", ["-1 dB", "-2 dB"], ["+1 dB", "+2 dB"]),
        ("skip_start", ["nothing"], ["5 seconds", "10 seconds"]),
        ("skip_end", ["nothing"], ["5 seconds", "10 seconds"]),
        ("new", ["nowhere", "head of the queue"], ["end of the queue", "head of the queue", "nowhere", "New"]),
        ("only_newest", ["on", "off"], ["on", "off"]), ("age_limit", ["never"], ["1 day", "2 days"]),
        ("order", ["shortest first"], ["oldest first", "longest first", "shortest first", "newest first"]),
        ("hide_played", ["on", "off"], ["on", "off"]),
        ("download", ["nothing", "nothing"], ["the newest", "the newest 2"]),
    ],
)  # fmt: skip
def test_steps_lead_from_the_default_one_by_one_and_end_at_the_limits(
    name: str, back: list[str], ahead: list[str]
) -> None:
    step = FIELDS[name].stepped
    assert step is not None
    for by, expected in ((-1, back), (1, ahead)):
        settings, shown = AS_ALL, []
        for _ in expected:
            settings = step(settings, by)
            shown.append(FIELDS[name].shown(settings))
        assert shown == expected


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("speed", "0.5×", "3×"), ("volume", "-20 dB", "+20 dB"), ("skip_end", "nothing", "1h"),
        ("age_limit", "never", "3,650 days"), ("download", "nothing", "the newest 500"),
    ],
)  # fmt: skip
def test_a_long_way_of_steps_ends_at_the_limits(name: str, least: str, most: str) -> None:
    step = FIELDS[name].stepped
    assert step is not None
    for by, expected in ((-10_000, least), (10_000, most)):
        assert FIELDS[name].shown(step(AS_ALL, by)) == expected


def test_without_an_inbox_new_episodes_go_nowhere_and_no_step_leads_there() -> None:
    new = fields(inbox=False)["new"]
    assert (fields(inbox=True)["new"], new.stepped is not None) == (FIELDS["new"], True)
    assert change_in_words(new, AS_ALL) == "New episodes go to: nowhere (New is off)"
    settings, shown = AS_ALL, []
    for _ in range(4):
        settings = new.stepped(settings, 1)  # type: ignore[misc]
        shown.append(new.shown(settings))
    assert shown == ["end of the queue", "head of the queue", "nowhere", "end of the queue"]
