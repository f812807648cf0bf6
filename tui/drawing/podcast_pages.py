"""The details of a podcast as lines of text with roles: for its page, and as plain text for `earmark podcasts`."""

from collections.abc import Iterable, Iterator, Sequence

from player.library import EpisodeDetails
from player.library.statistics import PodcastStatistics
from player.model.episode import Episode
from player.model.extras import Person
from player.model.extras_json import kind
from player.notes.episode_links import Link, host_of
from player.text.cleaning import fold
from player.text.sentences import _, plural
from tui.drawing.cells import cut, steady, width
from tui.drawing.episode_tabs import Entry, TextPage, person_link
from tui.drawing.finding.links import find_link, preview_link
from tui.drawing.labels import full_date, numbered
from tui.drawing.runs import Line, Run, wrap, wrap_facts
from tui.look.glyphs import Glyphs

EPISODE = "earmark:episode/"
"""The start of a link to an episode; its number follows."""


def about_sheet(facts: PodcastStatistics, best: Sequence[Episode], columns: int, glyphs: Glyphs) -> TextPage:
    """Its entries are the people, the top episodes (`earmark:episode/ID`), what it recommends, and the links."""
    sheet = TextPage()
    sheet.lines += _head(facts, columns, glyphs)
    for name, rows in (
        (_("Episodes"), [*_counts(facts, columns, glyphs), *_plot(facts, columns, glyphs), *_state(facts, columns)]),
        (_("Your listening"), list(_heard(facts, columns, glyphs))),
        (_("Seasons"), list(_seasons(facts, columns, glyphs))),
    ):
        if rows:
            sheet.lines += [(), (Run(name, "heading"),), *rows]
    _add_people(sheet, facts, columns)
    for number, episode in enumerate(best):
        words = (
            Run(f"{glyphs.star} " if episode.starred else "  ", "time"),
            Run(cut(steady(episode.title), columns - 2, glyphs.ellipsis)),
        )
        lead = [] if number else [(), (Run(_("Your top episodes"), "heading"),)]
        sheet.add(Entry(0, href=f"{EPISODE}{episode.id}", text=episode.title), [words], lead)
    _add_recommended(sheet, facts, columns, glyphs)
    for number, link in enumerate(links_of(facts)):
        words = (Run(f"{link.number}  ", "number"), Run(steady(link.title), "link", link.address))
        where = Run(f"  {cut(steady(link.host), max(4, columns - width(link.title) - 5), glyphs.ellipsis)}", "muted")
        lead = [] if number else [(), (Run(_("Links"), "heading"),)]
        sheet.add(Entry(0, href=link.address, url=link.address, text=link.title), [(*words, where)], lead)
    return sheet


def people_sheet(people: Sequence[Person], columns: int, glyphs: Glyphs) -> TextPage:
    """The people of an episode, to select one of (`earmark:person/NAME`)."""
    sheet = TextPage()
    for number, person in enumerate(people):
        lead: list[Line] = [] if number else [(Run(_("People in this episode"), "title"),), ()]
        name = cut(steady(person.name), columns - width(person.role) - 2, glyphs.ellipsis)
        words = (Run(name), Run(f"  {steady(person.role)}", "muted"))
        sheet.add(Entry(0, href=person_link(person.name), url=person.url, text=person.name), [words], lead)
    return sheet


def person_sheet(name: str, url: str, episodes: Sequence[Episode], columns: int, glyphs: Glyphs) -> TextPage:
    """The episodes that somebody appears in, newest first, each with its podcast and its date."""
    sheet = TextPage()
    sheet.lines += [
        *wrap([Run(steady(name), "title")], columns),
        (Run(plural(len(episodes), "{n:,} episode in your library", "{n:,} episodes in your library"), "muted"),),
        (),
    ]
    if url:
        entry = Entry(0, href=url, url=url, text=name)
        sheet.add(entry, [(Run("1  ", "number"), Run(steady(host_of(url)), "link", url))])
    for number, episode in enumerate(episodes):
        lead: list[Line] = [] if number or not url else [()]
        title = Run(cut(steady(episode.title), columns, glyphs.ellipsis))
        day = full_date(episode.published) if episode.published else ""
        facts = f" {glyphs.dot} ".join(filter(None, (steady(episode.podcast), day)))
        lines: list[Line] = [(title,), (Run(cut(facts, columns, glyphs.ellipsis), "muted"),)]
        sheet.add(Entry(0, href=f"{EPISODE}{episode.id}", text=episode.title), lines, lead)
    words = _("Find podcasts with {name}", name=steady(name))
    find = (Run(cut(words, columns, glyphs.ellipsis), "link", find_link(name)),)
    sheet.add(Entry(0, href=find_link(name), text=words), [find], [()])
    return sheet


def number_words(details: EpisodeDetails) -> str:
    """“Season 2, episode 7, bonus”, as the feed numbers it; "" for nothing."""
    return numbered(details.season, details.number, kind(details.extra))


def links_of(facts: PodcastStatistics) -> list[Link]:
    """Its website, where to support it, the pages of its people, its feed."""
    podcast = facts.podcast
    found = {podcast.link: _("Website")} if podcast.link else {}
    for one in facts.fundings:
        found.setdefault(one.url, one.label or _("Support this show"))
    for person in facts.people:
        if person.url:
            found.setdefault(person.url, person.name)
    if podcast.url.startswith("http"):
        found.setdefault(podcast.url, _("Feed"))
    return [Link(number, title, address, host_of(address)) for number, (address, title) in enumerate(found.items(), 1)]


# -- parts ----------------------------------------------------------------------------------------------------


def _head(facts: PodcastStatistics, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    podcast = facts.podcast
    yield from wrap([Run(steady(podcast.title), "title")], columns)
    author = podcast.author if fold(podcast.author) != fold(podcast.title) else ""
    words = f" {glyphs.dot} ".join(steady(one) for one in (author, *facts.topics, facts.language) if one)
    if words:
        yield from wrap([Run(words, "muted")], columns)
    own = [
        _("Pinned") if podcast.pinned else "",
        _("Tags: {tags}", tags=steady(", ".join(podcast.tags))) if podcast.tags else "",
        _("Called “{title}” by its feed", title=steady(podcast.feed_title)) if podcast.feed_title else "",
    ]
    if any(own):
        yield from wrap([Run(f" {glyphs.dot} ".join(filter(None, own)), "muted")], columns)
    if podcast.description.strip():
        yield ()
        for line in podcast.description.strip().split("\n"):
            yield from wrap([Run(steady(line))], columns)


def _counts(facts: PodcastStatistics, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    words = [plural(facts.podcast.episode_count, "{n:,} episode", "{n:,} episodes")]
    several = facts.podcast.episode_count > 1
    if facts.total_ms:
        total = long_time(facts.total_ms)
        words.append(_("{time} total", time=total) if several else total)
    if facts.average_ms and several:
        words.append(_("{time} on average", time=long_time(facts.average_ms)))
    yield from wrap_facts(words, columns, glyphs.dot)
    if facts.first and facts.latest:
        days = dict.fromkeys((full_date(facts.first), full_date(facts.latest)))
        span = f" {glyphs.dash} ".join(days)
        often = rhythm(facts.every_days)
        yield from wrap([Run(f"{span} {glyphs.dot} {often}" if often else span, "muted")], columns)


def _plot(facts: PodcastStatistics, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    """A bar for each month, or for several months together if that fits better, with the first and the last year."""
    if len(facts.months) < 3:
        return
    first, last = facts.months[0][0], facts.months[-1][0]
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
    yield (Run(_per_bar(together, most), "muted"),)


def _per_bar(months: int, most: int) -> str:
    """What a bar of the plot stands for."""
    if months == 1:
        return _("Episodes per month: {most:,} at most", most=most)
    if months == 12:
        return _("Episodes per year: {most:,} at most", most=most)
    return _("Episodes in {n:,} months: {most:,} at most", n=months, most=most)


def _heard(facts: PodcastStatistics, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    words = []
    if facts.played:
        words.append(plural(facts.played, "{n:,} played", "{n:,} played"))
    if facts.started:
        words.append(_("{n:,} in progress", n=facts.started))
    if facts.starred:
        words.append(_("{n:,} starred", n=facts.starred))
    if facts.heard_ms and facts.total_ms:
        percent = min(100, facts.heard_ms * 100 // facts.total_ms)
        words.append(_("{time} heard ({percent}%)", time=long_time(facts.heard_ms), percent=percent))
    elif facts.heard_ms:
        words.append(_("{time} heard", time=long_time(facts.heard_ms)))
    yield from wrap_facts(words, columns, glyphs.dot)


def _seasons(facts: PodcastStatistics, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    if len(facts.seasons) < 2 and not any(season.name for season in facts.seasons):
        return
    for season in facts.seasons:
        name = _("Season {number}", number=season.number) + (f": {season.name}" if season.name else "")
        episodes = plural(season.episodes, "{n:,} episode", "{n:,} episodes")
        yield Run(cut(steady(name), columns - len(episodes) - 2, glyphs.ellipsis)), Run(f"  {episodes}", "muted")


def _add_people(sheet: TextPage, facts: PodcastStatistics, columns: int) -> None:
    for number, person in enumerate(facts.people):
        lead: list[Line] = [] if number else [(), (Run(_("People"), "heading"),)]
        name = Run(steady(person.name), "", person_link(person.name))
        words = wrap([name, Run(f"  {steady(person.role)}", "muted")], columns)
        sheet.add(Entry(0, href=person_link(person.name), url=person.url, text=person.name), words, lead)


def _add_recommended(sheet: TextPage, facts: PodcastStatistics, columns: int, glyphs: Glyphs) -> None:
    for number, one in enumerate(facts.recommended):
        lead: list[Line] = [] if number else [(), (Run(_("Recommended by this podcast"), "heading"),)]
        host = host_of(one.url)
        title = cut(steady(one.title or host), columns, glyphs.ellipsis)
        room = columns - width(title) - 2
        where = [Run(f"  {cut(steady(host), room, glyphs.ellipsis)}", "muted")] if one.title and room > 4 else []
        link = preview_link(one.url)
        sheet.add(Entry(0, href=link, url=one.url, text=one.title or host), [(Run(title, "link", link), *where)], lead)


def _state(facts: PodcastStatistics, columns: int) -> Iterator[Line]:
    podcast = facts.podcast
    when = podcast.last_refreshed
    words = _("Never refreshed.")
    if when:
        words = _("Last refreshed {date} {time}.", date=full_date(when), time=f"{when.astimezone():%H:%M}")
    if podcast.error:
        words = f"{words} {_('The last attempt failed:')}"
    if facts.months:
        yield ()
    yield from wrap([Run(words, "muted")], columns)
    for sentence in filter(None, (podcast.error, podcast.note)):
        yield from wrap([Run(steady(sentence), "muted")], columns)


# -- words ----------------------------------------------------------------------------------------------------


def long_time(ms: int) -> str:
    """`14 min`, `1 h 5 min`, `320 h`: the longer, the less exact. `< 1 min` for a short time that isn't zero."""
    minutes = round(ms / 60_000)
    if not minutes and ms > 0:
        return _("< 1 min")
    if minutes < 60:
        return _("{minutes} min", minutes=minutes)
    hours, rest = divmod(minutes, 60)
    if hours < 100 and rest:
        return _("{hours:,} h {minutes} min", hours=hours, minutes=rest)
    return _("{hours:,} h", hours=hours)


def rhythm(days: float | None) -> str:
    """`daily`, `weekly`, `every 9 days`, `about every 3 months`; "" if it isn't known."""
    if days is None:
        return ""
    for name, least, most in (
        (_("several a day"), 0.0, 0.4), (_("daily"), 0.4, 1.6), (_("weekly"), 6.0, 8.0),
        (_("every two weeks"), 12.5, 15.5), (_("monthly"), 26.0, 35.0), (_("yearly"), 330.0, 400.0),
    ):  # fmt: skip
        if least <= days < most:
            return name
    if days < 60:
        return _("every {n} days", n=round(days))
    return _("about every {n} months", n=round(days / 30.4))


def plain(lines: Iterable[Line]) -> str:
    """The lines as plain text."""
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)
