"""What is told of a show, as lines of text in roles: for its page, and without the roles for `earmark podcasts`."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from player.library import EpisodeDetails
from player.library.statistics import PodcastStatistics
from player.model.episode import Episode
from player.model.extras import Person
from player.model.extras_json import kind
from player.notes.episode_links import Link, host_of
from player.text.cleaning import fold
from player.text.sentences import _
from tui.drawing.cells import cut, steady, width
from tui.drawing.episode_tabs import Entry, TextPage, person_link
from tui.drawing.labels import count, numbered
from tui.drawing.runs import Line, Run, wrap
from tui.look.glyphs import Glyphs

EPISODE = "earmark:episode/"
"""What leads to an episode begins so; its number follows."""


def about_sheet(facts: PodcastStatistics, best: Sequence[Episode], columns: int, glyphs: Glyphs) -> TextPage:
    """Its entries are the best episodes (`earmark:episode/ID`) and the links."""
    sheet = TextPage()
    sheet.lines += _head(facts, columns, glyphs)
    for name, rows in (
        ("Episodes", [*_counts(facts, glyphs), *_plot(facts, columns, glyphs), *_state(facts, columns)]),
        ("Your listening", list(_heard(facts, glyphs))),
        ("Seasons", list(_seasons(facts, columns, glyphs))),
        ("People", list(_people(facts, columns))),
    ):
        if rows:
            sheet.lines += [(), (Run(name, "heading"),), *rows]
    for number, episode in enumerate(best):
        said = (
            Run(f"{glyphs.star} " if episode.starred else "  ", "time"),
            Run(cut(steady(episode.title), columns - 2, glyphs.ellipsis)),
        )
        lead = [] if number else [(), (Run("Your top episodes", "heading"),)]
        sheet.add(Entry(0, href=f"{EPISODE}{episode.id}", text=episode.title), [said], lead)
    for number, link in enumerate(links_of(facts)):
        said = (Run(f"{link.number}  ", "number"), Run(steady(link.title), "link", link.address))
        where = Run(f"  {cut(steady(link.host), max(4, columns - width(link.title) - 5), glyphs.ellipsis)}", "muted")
        lead = [] if number else [(), (Run("Links", "heading"),)]
        sheet.add(Entry(0, href=link.address, url=link.address, text=link.title), [(*said, where)], lead)
    return sheet


def people_sheet(people: Sequence[Person], columns: int, glyphs: Glyphs) -> TextPage:
    """Somebody to choose (`earmark:person/NAME`)."""
    sheet = TextPage()
    for number, person in enumerate(people):
        lead: list[Line] = [] if number else [(Run(_("People in this episode"), "title"),), ()]
        name = cut(steady(person.name), columns - width(person.role) - 2, glyphs.ellipsis)
        said = (Run(name), Run(f"  {steady(person.role)}", "muted"))
        sheet.add(Entry(0, href=person_link(person.name), url=person.url, text=person.name), [said], lead)
    return sheet


def person_sheet(name: str, url: str, episodes: Sequence[Episode], columns: int, glyphs: Glyphs) -> TextPage:
    """The episodes in which somebody is heard, the newest first, each under its day and its podcast."""
    sheet = TextPage()
    heard = count(len(episodes), "episode", "episodes")
    sheet.lines += [
        *wrap([Run(steady(name), "title")], columns),
        (Run(_("{episodes} in your library", episodes=heard), "muted"),),
        (),
    ]
    if url:
        entry = Entry(0, href=url, url=url, text=name)
        sheet.add(entry, [(Run("1  ", "number"), Run(steady(host_of(url)), "link", url))])
    for number, episode in enumerate(episodes):
        lead: list[Line] = [] if number or not url else [()]
        title = Run(cut(steady(episode.title), columns, glyphs.ellipsis))
        day = _day(episode.published) if episode.published else ""
        facts = f" {glyphs.dot} ".join(filter(None, (steady(episode.podcast), day)))
        lines: list[Line] = [(title,), (Run(cut(facts, columns, glyphs.ellipsis), "muted"),)]
        sheet.add(Entry(0, href=f"{EPISODE}{episode.id}", text=episode.title), lines, lead)
    return sheet


def number_words(details: EpisodeDetails) -> str:
    """“Season 2, episode 7, bonus”: what the feed says of it; "" for nothing."""
    return numbered(details.season, details.number, kind(details.extra))


def links_of(facts: PodcastStatistics) -> list[Link]:
    """Its page, where it asks for something, its people's pages, its feed."""
    podcast = facts.podcast
    found = {podcast.link: "Website"} if podcast.link else {}
    for one in facts.fundings:
        found.setdefault(one.url, one.label or "Support this show")
    for person in facts.people:
        if person.url:
            found.setdefault(person.url, person.name)
    if podcast.url.startswith("http"):
        found.setdefault(podcast.url, "Feed")
    return [Link(number, title, address, host_of(address)) for number, (address, title) in enumerate(found.items(), 1)]


# -- parts ----------------------------------------------------------------------------------------------------


def _head(facts: PodcastStatistics, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    podcast = facts.podcast
    yield from wrap([Run(steady(podcast.title), "title")], columns)
    author = podcast.author if fold(podcast.author) != fold(podcast.title) else ""
    said = f" {glyphs.dot} ".join(steady(one) for one in (author, *facts.topics, facts.language) if one)
    if said:
        yield from wrap([Run(said, "muted")], columns)
    if podcast.description.strip():
        yield ()
        for line in podcast.description.strip().split("\n"):
            yield from wrap([Run(steady(line))], columns)


def _counts(facts: PodcastStatistics, glyphs: Glyphs) -> Iterator[Line]:
    said = [count(facts.podcast.episode_count, "episode", "episodes")]
    several = facts.podcast.episode_count > 1
    if facts.total_ms:
        said.append(f"{long_time(facts.total_ms)}{' total' if several else ''}")
    if facts.average_ms and several:
        said.append(f"{long_time(facts.average_ms)} on average")
    yield (Run(f" {glyphs.dot} ".join(said)),)
    if facts.first and facts.latest:
        days = dict.fromkeys((_day(facts.first), _day(facts.latest)))
        span = f" {glyphs.dash} ".join(days)
        yield (Run(f"{span} {glyphs.dot} {rhythm(facts.every_days)}" if rhythm(facts.every_days) else span, "muted"),)


def _plot(facts: PodcastStatistics, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    """A bar for each month, or for as many months together as it takes to fit, with the first and the last year."""
    if len(facts.months) < 3:
        return
    (first, _), (last, _) = facts.months[0], facts.months[-1]
    start = first[0] * 12 + first[1] - 1
    months = last[0] * 12 + last[1] - start
    room = min(columns, 60)
    together = next((size for size in (1, 2, 3, 6, 12, 24, 60, 1200) if size * room >= months), months)
    cells = [0] * -(-months // together)
    for (year, month), episodes in facts.months:
        cells[(year * 12 + month - 1 - start) // together] += episodes
    most, steps = max(cells), len(glyphs.heights) - 1
    bars = "".join(glyphs.heights[-(-one * steps // most)] for one in cells)
    yield ()
    yield (Run(bars, "time"),)
    ends = (str(first[0]), str(last[0]))
    if len(cells) >= 10 and ends[0] != ends[1]:
        yield (Run(ends[0] + ends[1].rjust(len(cells) - len(ends[0])), "muted"),)
    span = {1: "a month", 12: "a year"}.get(together, f"in {together} months")
    yield (Run(f"Episodes {span}: {most} at most", "muted"),)


def _heard(facts: PodcastStatistics, glyphs: Glyphs) -> Iterator[Line]:
    said = [
        f"{number:,} {word}"
        for number, word in ((facts.played, "played"), (facts.started, "in progress"), (facts.starred, "starred"))
        if number
    ]
    if facts.heard_ms:
        share = f" ({min(100, facts.heard_ms * 100 // facts.total_ms)}%)" if facts.total_ms else ""
        said.append(f"{long_time(facts.heard_ms)} listened{share}")
    if said:
        yield (Run(f" {glyphs.dot} ".join(said)),)


def _seasons(facts: PodcastStatistics, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    if len(facts.seasons) < 2 and not any(season.name for season in facts.seasons):
        return
    for season in facts.seasons:
        name = f"Season {season.number}" + (f": {season.name}" if season.name else "")
        episodes = count(season.episodes, "episode", "episodes")
        yield Run(cut(steady(name), columns - len(episodes) - 2, glyphs.ellipsis)), Run(f"  {episodes}", "muted")


def _people(facts: PodcastStatistics, columns: int) -> Iterator[Line]:
    for person in facts.people:
        name = Run(steady(person.name), "", person_link(person.name))
        yield from wrap([name, Run(f"  {steady(person.role)}", "muted")], columns)


def _state(facts: PodcastStatistics, columns: int) -> Iterator[Line]:
    podcast = facts.podcast
    when = podcast.last_refreshed
    said = f"Last refreshed {_day(when)} {when.astimezone():%H:%M}." if when else "Never refreshed."
    if podcast.error:
        said += " The last attempt failed:"
    if facts.months:
        yield ()
    yield from wrap([Run(said, "muted")], columns)
    for sentence in filter(None, (podcast.error, podcast.note)):
        yield from wrap([Run(steady(sentence), "muted")], columns)


# -- words ----------------------------------------------------------------------------------------------------


def long_time(ms: int) -> str:
    """`14 min`, `1 h 5 min`, `320 h`: the more, the less exact."""
    minutes = round(ms / 60_000)
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours:,} h {rest} min" if hours < 100 and rest else f"{hours:,} h"


def rhythm(days: float | None) -> str:
    """`daily`, `weekly`, `every 9 days`, `about every 3 months`; "" for nothing known."""
    if days is None:
        return ""
    for name, least, most in (
        ("several a day", 0.0, 0.4), ("daily", 0.4, 1.6), ("weekly", 6.0, 8.0), ("every two weeks", 12.5, 15.5),
        ("monthly", 26.0, 35.0), ("yearly", 330.0, 400.0),
    ):  # fmt: skip
        if least <= days < most:
            return name
    return f"every {round(days)} days" if days < 60 else f"about every {round(days / 30.4)} months"


def _day(moment: datetime) -> str:
    day = moment.astimezone()
    return f"{day.day} {day:%b %Y}"


def plain(lines: Iterable[Line]) -> str:
    """The lines as text alone."""
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)
