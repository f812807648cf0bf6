"""The pages of people as lines of text with roles; and what those of podcasts and episodes say as well."""

from collections.abc import Iterable, Sequence

from player.library import EpisodeDetails
from player.model.episode import Episode
from player.model.extras import Person
from player.model.extras_json import kind
from player.notes.episode_links import host_of
from player.text.sentences import _, plural
from tui.drawing.about.blocks import Block, ColumnsSheet, below, card, sheet_of
from tui.drawing.about.episode_lines import episode_rows
from tui.drawing.about.sheet import Look
from tui.drawing.cells import cut, steady, width
from tui.drawing.episode_tabs import Entry, person_link
from tui.drawing.finding.links import find_link
from tui.drawing.labels import numbered
from tui.drawing.runs import Line, Run, wrap


def people_sheet(people: Sequence[Person], look: Look) -> ColumnsSheet:
    """The people of an episode, to select one of (`earmark:person/NAME`)."""
    block = Block()
    for person in people:
        name = cut(steady(person.name), look.columns - width(person.role) - 2, look.glyphs.ellipsis)
        words = (Run(name), Run(f"  {steady(person.role)}", "muted"))
        block.add(Entry(0, href=person_link(person.name), url=person.url, text=person.name), [words])
    heading = Block(wrap([Run(_("People in this episode"), "title")], look.columns))
    return sheet_of(below([heading, block]))


def person_sheet(name: str, url: str, episodes: Sequence[Episode], look: Look) -> ColumnsSheet:
    """The episodes that somebody appears in, newest first, as rows with their podcasts; and where to find more."""
    columns, glyphs = look.columns, look.glyphs
    head = Block(wrap([Run(steady(name), "title")], columns))
    count = plural(len(episodes), "{n:,} episode in your library", "{n:,} episodes in your library")
    head.lines += wrap([Run(count, "muted")], columns)
    rows = episode_rows(episodes, columns, glyphs, look.today, look.status, mixed=True)
    links = Block()
    if url:
        link = Run(cut(steady(host_of(url)), columns, glyphs.ellipsis), "link", url)
        links.add(Entry(0, href=url, url=url, text=name), [(link,)])
    words = cut(_("Find podcasts with {name}", name=steady(name)), columns, glyphs.ellipsis)
    links.add(Entry(0, href=find_link(name), text=words), [(Run(words, "link", find_link(name)),)])
    listed = card(_("Episodes"), rows, columns, framed=False)
    return sheet_of(below([head, listed, card(_("Links"), links, columns, framed=False)]))


def number_words(details: EpisodeDetails) -> str:
    """“Season 2, episode 7, bonus”, as the feed numbers it; "" for nothing."""
    return numbered(details.season, details.number, kind(details.extra))


def plain(lines: Iterable[Line]) -> str:
    """The lines as plain text."""
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)
