"""The page of a podcast or a person: the head, cards, calendars, then the episodes beside people and links."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date

from msgspec import Struct

from player.artwork.picture import art_of
from player.library import EpisodeDetails
from player.library.statistics import PodcastStatistics
from player.model.episode import Episode, EpisodeId, Person, kind
from player.model.playback import HOLDS_PLACE, PlaybackState, PlaybackStatus
from player.notes.episode_links import Link, host_of
from player.sounds.repeats import Repeat
from player.text.cleaning import fold
from player.text.durations import clock
from player.text.sentences import _, plural
from tui.drawing.about.blocks import GAP, Block, ColumnsSheet, below, beside, card, inner, sheet_of
from tui.drawing.about.cards import activity, episodes_lines, listening_lines, settings_lines
from tui.drawing.cells import cut, fit, steady, width
from tui.drawing.episode_tabs import Entry, TextPage, person_link
from tui.drawing.found_podcasts import episodes_link, find_link, preview_link
from tui.drawing.labels import length, numbered, short_date
from tui.drawing.runs import Line, Run, wrap
from tui.look.glyphs import Glyphs

EPISODE = "earmark:episode/"
"""The prefix of links to episodes, before the episode's ID."""
_REPEAT = "earmark:repeat/"

_SIGN = 2
_LEAST_TITLE = 18
NOTHING_PLAYS = PlaybackStatus()


def episode_link(episode: Episode) -> str:
    return f"{EPISODE}{episode.id}"


def episode_of(href: str) -> EpisodeId | None:
    """The episode that a link leads to; None for any other link."""
    number = href.removeprefix(EPISODE)
    return EpisodeId(int(number)) if number != href else None


def repeat_link(repeat: Repeat) -> str:
    return f"{_REPEAT}{repeat.episode_id}/{repeat.start_ms}/{repeat.end_ms}"


def repeat_of(href: str) -> tuple[EpisodeId, int, int] | None:
    """The episode, the start and the end, in ms, of the repeat that a link leads to; None for any other link."""
    if not href.startswith(_REPEAT):
        return None
    episode_id, start_ms, end_ms = map(int, href.removeprefix(_REPEAT).split("/"))
    return EpisodeId(episode_id), start_ms, end_ms


def episode_rows(
    episodes: Sequence[Episode],
    columns: int,
    glyphs: Glyphs,
    today: date,
    status: PlaybackStatus = NOTHING_PLAYS,
    *,
    mixed: bool = False,
) -> Block:
    """A line for each episode: state, title, star, date, length; if podcasts are `mixed`, the podcast in a second line.

    The date and then the length are left out if titles would get too narrow.
    """
    block = Block()
    stars = any(one.starred for one in episodes)
    dates = [short_date(one.published, today) for one in episodes]
    lengths = [length(one, glyphs.minus) for one in episodes]
    cells = [2 if stars else 0, _column(dates), _column(lengths)]
    for drop in (1, 2, 0):
        if columns - _SIGN - sum(cells) < _LEAST_TITLE:
            cells[drop] = 0
    room = max(1, columns - _SIGN - sum(cells))
    for episode, day, time in zip(episodes, dates, lengths, strict=True):
        plays = status.episode is not None and status.episode.id == episode.id and status.state in HOLDS_PLACE
        role = "muted" if episode.played and not plays else ""
        star = f" {glyphs.star}" if episode.starred else ""
        right = "".join(
            fit(word, size, "right") for word, size in ((star, cells[0]), (day, cells[1]), (time, cells[2])) if size
        )
        title = Run(fit(episode.title, room, ellipsis=glyphs.ellipsis), "bold" if plays else role)
        lines: list[Line] = [(_sign(episode, status if plays else NOTHING_PLAYS, glyphs), title, Run(right, "muted"))]
        if mixed and episode.podcast:
            podcast = cut(steady(episode.podcast), max(1, columns - _SIGN), glyphs.ellipsis)
            lines.append((Run(" " * _SIGN), Run(podcast, "muted")))
        block.add(Entry(0, href=episode_link(episode), url=episode.link, text=episode.title), lines)
    return block


def _column(words: Sequence[str]) -> int:
    """The width of a column: of its widest word, with a gap before it."""
    widest = max(map(width, words), default=0)
    return widest + 2 if widest else 0


def _sign(episode: Episode, status: PlaybackStatus, glyphs: Glyphs) -> Run:
    if status.episode is not None:
        paused = status.state is PlaybackState.PAUSED
        return Run(f"{glyphs.paused if paused else glyphs.playing} ", "time")
    if episode.played:
        return Run(f"{glyphs.played} ", "muted")
    if episode.in_progress:
        return Run(f"{glyphs.started} ")
    return Run(f"{glyphs.new} ", "time") if episode.new else Run(f"{glyphs.unplayed} ")


MOST_COLUMNS = 120
WHOLE = "earmark:whole"
"""A link that shows the whole description."""
_TWO_COLUMNS, _TWO_CARDS, _THREE_CARDS = 92, 68, 112
_FEW_LINES = 5
_MOST_LINES = 40
_LEAST_BESIDE_ART = 28


class PodcastPage(Struct, frozen=True):
    """The facts for the page. `best` are the listener's top episodes, `latest` the newest, and `settings` sentences
    about the podcast's own settings (None: not shown)."""

    facts: PodcastStatistics
    best: Sequence[Episode] = ()
    latest: Sequence[Episode] = ()
    settings: tuple[str, ...] | None = None


class Look(Struct, frozen=True):
    """How the page is drawn. `tinted`: calendars show values by tints, otherwise by glyphs. `framed`: with cards, and
    with two columns if there is room. `whole`: with the whole description. `art` are the columns and rows of the cover.
    `roomy`: the cards have empty lines. `hint` says how to change the podcast's settings. `repeats` are
    known later than the rest of the page."""

    columns: int
    glyphs: Glyphs
    today: date
    tinted: bool = False
    framed: bool = False
    roomy: bool = True
    whole: bool = True
    art: tuple[int, int] = (0, 0)
    status: PlaybackStatus = NOTHING_PLAYS
    hint: str = ""
    repeats: tuple[Repeat, ...] = ()


Build = Callable[[Look], TextPage]
"""Builds the page for a `Look`."""


def about_sheet(page: PodcastPage, look: Look) -> ColumnsSheet:
    """The page of a podcast. Its entries are episodes (`earmark:episode/ID`), repeats, people, recommendations and
    links, in the order in which keys move through them."""
    columns, wide = look.columns, look.framed and look.columns >= _TWO_COLUMNS
    podcast = page.facts.podcast
    head, covered = _head(page.facts, look)
    cards = _cards(page, look, wide=look.framed and columns >= _TWO_CARDS)
    left_cells = _left(columns) if wide else columns
    left = below([_best(page, look, left_cells), _repeats(look, left_cells), _seasons(page.facts, left_cells)])
    right_cells = columns - left_cells - 2 * GAP if wide else columns
    right = below(_lists(page.facts, look, right_cells))
    rest = beside(left, right, left_cells, 2 * GAP) if wide and left.lines else below([left, right])
    sheet = sheet_of(below([head, cards, rest]))
    if covered:
        sheet.cover = art_of(podcast.id, podcast.title, podcast.url, podcast.image_url)
        sheet.cover_cells = look.art
    return sheet


def links_of(facts: PodcastStatistics) -> list[Link]:
    """The links of a podcast: its website, where to support it, its chat, the pages of its people, its feed."""
    podcast = facts.podcast
    found = {podcast.link: _("Website")} if podcast.link else {}
    for one in facts.fundings:
        found.setdefault(one.url, one.label or _("Support this show"))
    if facts.chat:
        found.setdefault(facts.chat, _("Chat"))
    for person in facts.people:
        if person.url:
            found.setdefault(person.url, person.name)
    if podcast.url.startswith("http"):
        found.setdefault(podcast.url, _("Feed"))
    return [Link(number, title, address, host_of(address)) for number, (address, title) in enumerate(found.items(), 1)]


# -- the head -------------------------------------------------------------------------------------------------


def _head(facts: PodcastStatistics, look: Look) -> tuple[Block, bool]:
    """Title, author, topics and description; and whether they are beside the cover."""
    cells, rows = look.art
    beside_art = cells > 0 and look.columns - cells - 2 * GAP >= _LEAST_BESIDE_ART
    columns = look.columns - cells - 2 * GAP if beside_art else look.columns
    block = Block(list(_names(facts, columns, look.glyphs)))
    described = _description(facts, columns, whole=look.whole)
    if described:
        room = max(_FEW_LINES, rows - len(block.lines) - 1) if beside_art else _FEW_LINES
        block.lines.append(())
        if look.whole or len(described) <= room:
            block.lines += described
        else:
            block.lines += described[: room - 1]
            words = cut(_("Read more"), columns, look.glyphs.ellipsis)
            block.add(Entry(0, href=WHOLE, text=words), [(Run(words, "muted link", WHOLE),)])
    if not beside_art:
        return block, False
    picture: list[Line] = [()] * rows
    return beside(Block(picture), block, cells, 2 * GAP), True


def _names(facts: PodcastStatistics, columns: int, glyphs: Glyphs) -> Iterable[Line]:
    podcast = facts.podcast
    yield from wrap([Run(steady(podcast.title), "title")], columns)
    author = podcast.author if fold(podcast.author) != fold(podcast.title) else ""
    words = f" {glyphs.dot} ".join(steady(one) for one in (author, *facts.topics, facts.language) if one)
    if words:
        yield from wrap([Run(words, "muted")], columns)
    own = [
        _("Not subscribed") if podcast.previewed else "",
        _("Pinned") if podcast.pinned else "",
        _("Tags: {tags}", tags=steady(", ".join(podcast.tags))) if podcast.tags else "",
        _("Called “{title}” by its feed", title=steady(podcast.feed_title)) if podcast.feed_title else "",
    ]
    if any(own):
        yield from wrap([Run(f" {glyphs.dot} ".join(filter(None, own)), "muted")], columns)


def _description(facts: PodcastStatistics, columns: int, *, whole: bool) -> list[Line]:
    text = facts.podcast.description.strip()
    if not whole:
        text = text[: _MOST_LINES * columns]
    return [line for part in text.split("\n") for line in wrap([Run(steady(part))], columns)] if text else []


# -- the cards ------------------------------------------------------------------------------------------------


def _cards(page: PodcastPage, look: Look, *, wide: bool) -> Block:
    """The cards, beside each other if there is room; the settings have a card of their own if there is room for
    three."""
    glyphs, today, framed = look.glyphs, look.today, look.framed
    year = activity(page.facts, look.columns, glyphs, today, tinted=look.tinted, framed=framed, roomy=look.roomy)
    own = page.settings is not None
    third = own and look.columns >= _THREE_CARDS
    cells = _shared(look.columns, 3 if third else 2) if wide else [look.columns] * 3
    room = [inner(one, framed=framed) for one in cells]
    shown = [
        (_("Episodes"), list(episodes_lines(page.facts, room[0], glyphs, today))),
        (_("Your listening"), list(listening_lines(page.facts, room[1], glyphs, today))),
    ]
    if page.settings is not None:
        set_here = list(settings_lines(page.settings, look.hint, room[-1]))
        if wide and not third:
            shown[1][1].extend([(), (Run(_("Settings"), "heading"),), *set_here])
        else:
            shown.append((_("Settings"), set_here))
    if not wide:
        cards = (card(name, Block(lines), look.columns, framed=framed, roomy=look.roomy) for name, lines in shown)
        return below([*cards, year])
    rows = max(len(lines) for _name, lines in shown) + 1
    row = Block()
    for number, (name, lines) in enumerate(shown):
        made = card(name, Block(lines), cells[number], framed=framed, roomy=look.roomy, rows=rows)
        row = beside(row, made, sum(cells[:number]) + GAP * (number - 1)) if number else made
    return below([row, year])


def _shared(columns: int, cards: int) -> list[int]:
    """The widths of this number of cards."""
    each, over = divmod(columns - GAP * (cards - 1), cards)
    return [each + (number < over) for number in range(cards)]


# -- episodes, people and links -------------------------------------------------------------------------------


def _left(columns: int) -> int:
    return (columns - 2 * GAP) * 3 // 5


def _best(page: PodcastPage, look: Look, columns: int) -> Block:
    found = []
    for name, episodes in ((_("Your top episodes"), page.best), (_("Latest episodes"), page.latest)):
        if episodes:
            rows = episode_rows(episodes, columns, look.glyphs, look.today, look.status)
            found.append(card(name, rows, columns, framed=False))
    return below(found)


def _repeats(look: Look, columns: int) -> Block:
    """What is heard again and again, each with what is said there."""
    block = Block()
    for one in look.repeats:
        length, time, link = clock(one.length_ms), clock(one.start_ms), repeat_link(one)
        heard = plural(
            one.episodes, "{length} at {time}, in {n:,} episode", "{length} at {time}, in {n:,} episodes",
            length=length, time=time,
        )  # fmt: skip
        lines = wrap([Run(heard, "", link)], columns)
        if one.words:
            lines.append((Run(cut(f"“{steady(one.words)}”", columns, look.glyphs.ellipsis), "muted"),))
        block.add(Entry(0, href=link, text=heard), lines)
    return card(_("Repeats"), block, columns, framed=False)


def _seasons(facts: PodcastStatistics, columns: int) -> Block:
    if len(facts.seasons) < 2 and not any(season.name for season in facts.seasons):
        return Block()
    lines: list[Line] = []
    for season in facts.seasons:
        name = _("Season {number}", number=season.number) + (f": {season.name}" if season.name else "")
        episodes = plural(season.episodes, "{n:,} episode", "{n:,} episodes")
        lines += wrap([Run(steady(name)), Run(f"  {episodes}", "muted")], columns)
    return card(_("Seasons"), Block(lines), columns, framed=False)


def _lists(facts: PodcastStatistics, look: Look, columns: int) -> list[Block]:
    people, recommended, links = Block(), Block(), Block()
    ellipsis = look.glyphs.ellipsis
    for person in facts.people:
        name = Run(steady(person.name), "", person_link(person.name))
        words = wrap([name, Run(f"  {steady(person.role)}", "muted")], columns)
        people.add(Entry(0, href=person_link(person.name), url=person.url, text=person.name), words)
    for one in facts.recommended:
        host, link = host_of(one.url), preview_link(one.url)
        title = cut(steady(one.title or host), columns, ellipsis)
        where = _beside(host, columns - width(title), ellipsis) if one.title else ()
        recommended.add(Entry(0, href=link, url=one.url, text=one.title or host), [(Run(title, "link", link), *where)])
    for found in links_of(facts):
        number = f"{found.number}  "
        title = cut(steady(found.title), max(1, columns - width(number)), ellipsis)
        where = _beside(found.host, columns - width(number) - width(title), ellipsis)
        line = (Run(number, "number"), Run(title, "link", found.address), *where)
        links.add(Entry(0, href=found.address, url=found.address, text=found.title), [line])
    return [
        card(name, block, columns, framed=False)
        for name, block in (
            (_("People"), people),
            (_("Recommended by this podcast"), recommended),
            (_("Links"), links),
        )
    ]


def _beside(host: str, room: int, ellipsis: str) -> Line:
    """The host that a link leads to, if there is room."""
    return (Run(f"  {cut(steady(host), room - 2, ellipsis)}", "muted"),) if room > 6 else ()


def people_sheet(people: Sequence[Person], look: Look) -> ColumnsSheet:
    """The page of an episode's people, to choose from (`earmark:person/NAME`)."""
    block = Block()
    for person in people:
        role = cut(steady(person.role), look.columns // 2, look.glyphs.ellipsis)
        name = cut(steady(person.name), look.columns - width(role) - 2, look.glyphs.ellipsis)
        words = (Run(name), Run(f"  {role}", "muted"))
        block.add(Entry(0, href=person_link(person.name), url=person.url, text=person.name), [words])
    heading = Block(wrap([Run(_("People in this episode"), "title")], look.columns))
    return sheet_of(below([heading, block]))


def person_sheet(name: str, url: str, episodes: Sequence[Episode], look: Look) -> ColumnsSheet:
    """The page of a person: the episodes in which they appear, the newest first, with their podcasts; and links to find
    more."""
    columns, glyphs = look.columns, look.glyphs
    head = Block(wrap([Run(steady(name), "title")], columns))
    count = plural(len(episodes), "{n:,} episode in your library", "{n:,} episodes in your library")
    head.lines += wrap([Run(count, "muted")], columns)
    rows = episode_rows(episodes, columns, glyphs, look.today, look.status, mixed=True)
    links = Block()
    if url:
        link = Run(cut(steady(host_of(url)), columns, glyphs.ellipsis), "link", url)
        links.add(Entry(0, href=url, url=url, text=name), [(link,)])
    for text, href in (
        (_("Find other episodes with {name}", name=steady(name)), episodes_link(name)),
        (_("Find podcasts with {name}", name=steady(name)), find_link(name)),
    ):
        words = cut(text, columns, glyphs.ellipsis)
        links.add(Entry(0, href=href, text=words), [(Run(words, "link", href),)])
    listed = card(_("Episodes"), rows, columns, framed=False)
    return sheet_of(below([head, listed, card(_("Links"), links, columns, framed=False)]))


def number_words(details: EpisodeDetails) -> str:
    """The feed's numbering of an episode in words, such as “Season 2, episode 7, bonus”; "" for none."""
    return numbered(details.season, details.number, kind(details.extra))


def plain(lines: Iterable[Line]) -> str:
    """The lines as plain text."""
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)
