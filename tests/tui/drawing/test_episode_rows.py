"""The rows of episodes: exactly as wide as they may be, with straight columns, and the accent only where it means
something."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style

from player.model.downloads import DownloadState
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import PodcastId
from tests.quick import examples
from tui.drawing import cells
from tui.drawing.episode_rows import NOTHING, RowBytes, RowForm, columns, marks_of, state_sign, title_role
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.widgets.episode_row import EpisodeRow

TODAY = date(2026, 11, 20)
EPISODE = Episode(
    id=EpisodeId(1),
    podcast_id=PodcastId(1),
    podcast="Borrowed Time",
    title="Lifetimes, explained",
    guid="1",
    url="https://media.example/1.mp3",
    published=datetime(2026, 11, 18, 12, tzinfo=UTC),
    duration_ms=64 * 60_000,
)
STARTED = replace(EPISODE, position_ms=32 * 60_000)
FORMS = [
    RowForm(mixed, years, tall=tall) for mixed in (False, True) for years in (False, True) for tall in (False, True)
]

PIECES = [*"ab ~", "日", "한", "e\u0301", "🎙", "👩\u200d💻", "ע", "א", "❤️", "🇩🇪", "…"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
EPISODES = st.builds(
    Episode,
    id=st.just(EpisodeId(1)),
    podcast_id=st.just(PodcastId(1)),
    podcast=TEXTS,
    title=TEXTS,
    guid=st.just(""),
    url=st.just(""),
    published=st.none() | st.datetimes(datetime(1971, 1, 1), datetime(2099, 1, 1), timezones=st.just(UTC)),
    duration_ms=st.none() | st.integers(0, 10**9),
    position_ms=st.integers(0, 10**9),
    played=st.booleans(),
    starred=st.booleans(),
    downloaded=st.booleans(),
    queued=st.booleans(),
    new=st.booleans(),
)
BYTES = st.builds(RowBytes, st.none() | st.sampled_from(DownloadState), st.none() | st.integers(0, 100), st.booleans())


def status_of(episode: Episode, state: PlaybackState = PlaybackState.PLAYING) -> PlaybackStatus:
    return PlaybackStatus(state=state, episode=episode, position_ms=episode.position_ms)


def lines(
    episode: Episode,
    width: int,
    form: RowForm,
    status: PlaybackStatus | None = None,
    found: RowBytes = NOTHING,
    glyphs: Glyphs = UNICODE,
) -> list[str]:
    """The row as text; each piece of it has its role, such as `alive`, as the colour of a link."""
    row = EpisodeRow(status or PlaybackStatus(), found, TODAY, form)
    drawn = [row.draw(episode, width, glyphs, _ink, _title, at_cursor=False)]
    if form.tall:
        drawn.append(row.draw_below(episode, width, glyphs, _ink))
    return ["".join(piece.text for piece in line) for line in drawn]


def roles(episode: Episode, form: RowForm, status: PlaybackStatus | None = None) -> set[str]:
    row = EpisodeRow(status or PlaybackStatus(), NOTHING, TODAY, form)
    drawn = row.draw(episode, 60, UNICODE, _ink, _title, at_cursor=False)
    drawn += row.draw_below(episode, 60, UNICODE, _ink) if form.tall else []
    return {str(piece.style.link) for piece in drawn if piece.style and piece.text.strip()}


def _ink(role: str) -> Style:
    return Style(link=role)


def _title(text: str, style: Style) -> list[Segment]:
    return [Segment(text, style)]


@given(EPISODES, st.integers(0, 140), st.sampled_from(FORMS), BYTES, st.sampled_from([UNICODE, ASCII]))
@settings(max_examples=examples(300), deadline=None)
def test_no_row_is_ever_wider_or_narrower_than_its_cells(
    episode: Episode, width: int, form: RowForm, found: RowBytes, glyphs: Glyphs
) -> None:
    form = replace(form, tall=form.tall and width >= 24)
    for status in (None, status_of(episode)):
        assert {cells.width(line) for line in lines(episode, width, form, status, found, glyphs)} == {width}


@pytest.mark.parametrize("form", FORMS)
def test_columns_fill_a_row_and_only_the_title_grows_with_it(form: RowForm) -> None:
    for width in range(3, 300):
        room = columns(width, form)
        assert 3 + room.title + room.podcast + room.date + room.length == width
        assert room.title >= min(19, width - 3 - room.podcast)
        assert columns(width + 1, form).podcast >= room.podcast


@pytest.mark.parametrize("width", [43, 53, 60, 78, 120])
def test_the_podcast_is_never_missing_from_80_columns_on(width: int) -> None:
    """80 columns leave a list 53 cells beside the sidebar, 43 beside the notes."""
    room = columns(width, RowForm(mixed=True))
    assert room.podcast >= 14
    assert room.title >= 19


def test_dates_and_lengths_are_straight_whatever_a_row_has() -> None:
    form = RowForm(mixed=True, years=False)
    every = (EPISODE, STARTED, replace(EPISODE, starred=True, downloaded=True, queued=True), replace(EPISODE, title=""))
    for width in (53, 60, 100):
        drawn = [line for one in every for line in lines(one, width, form)]
        assert {line.index("Wed") for line in drawn} == {width - 1 - 8 - 3}
        assert {line.index("Borrowed") for line in drawn} == {2 + columns(width, form).title + 2}


def test_a_title_takes_every_cell_that_nothing_else_needs() -> None:
    long = replace(EPISODE, title="x" * 200)
    (line,) = lines(long, 55, RowForm(years=False))
    assert line == "• " + "x" * (55 - 3 - 7 - 8 - 1) + "…" + "    Wed" + "  1h 04m" + " "
    (starred,) = lines(replace(long, starred=True), 55, RowForm(years=False))
    assert "x… ★    Wed  1h 04m " in starred


def test_how_far_it_is_takes_no_cell_from_the_title() -> None:
    long = replace(EPISODE, title="x" * 200)
    (line,) = lines(long, 60, RowForm())
    (started,) = lines(replace(long, position_ms=32 * 60_000), 60, RowForm())
    assert started.count("x") == line.count("x")
    assert started.endswith(" ━━━─── ")


def test_two_lines_have_the_title_and_below_it_whose_episode_it_is() -> None:
    tall = RowForm(mixed=True, tall=True)
    title, below = lines(EPISODE, 60, tall)
    assert title.rstrip() == "• Lifetimes, explained"
    assert below.rstrip() == "  ▎Borrowed Time · Wed · 1h 04m"
    _title, below = lines(replace(STARTED, starred=True), 60, tall)
    assert below.endswith(" ★  ━━━━──── ")
    assert "· 32m left" in below
    _title, below = lines(replace(EPISODE, podcast="A very long name of a podcast"), 30, tall)
    assert below.rstrip() == "  ▎A very long name of… · Wed"


def test_only_what_plays_and_what_is_new_is_in_the_accent() -> None:
    for form in (RowForm(), RowForm(mixed=True, tall=True)):
        for one in (EPISODE, STARTED, replace(EPISODE, played=True), replace(EPISODE, starred=True, downloaded=True)):
            assert "alive" not in roles(one, form)
        assert "alive" in roles(replace(EPISODE, new=True), form)
        assert "alive" in roles(STARTED, form, status_of(STARTED))


def test_each_state_has_a_sign_of_its_own() -> None:
    """No state is told by its colour alone."""
    states = [EPISODE, replace(EPISODE, new=True), STARTED, replace(EPISODE, played=True)]
    for glyphs in (UNICODE, ASCII):
        signs = [state_sign(one, PlaybackStatus(), glyphs)[0] for one in states]
        playing, paused = status_of(EPISODE), status_of(EPISODE, PlaybackState.PAUSED)
        signs += [state_sign(EPISODE, status, glyphs)[0] for status in (playing, paused)]
        assert len(set(signs)) == len(signs)


def test_a_played_title_is_dimmed_and_stars_are_in_the_colour_of_text() -> None:
    assert title_role(replace(EPISODE, played=True), PlaybackStatus(), at_cursor=True) == "muted"
    assert title_role(EPISODE, PlaybackStatus(), at_cursor=True) == "strong"
    assert marks_of(replace(EPISODE, starred=True), UNICODE) == [("★", "title")]
