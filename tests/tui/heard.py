"""A year of listening to what is on the `shelf`: the same every time, and heard in the tester's own zone."""

from collections.abc import Iterable
from datetime import datetime, time, timedelta
from random import Random

from player.library import Library
from player.model.episode import EpisodeId
from player.model.filters import View
from player.model.listening import ListeningSpan
from tests.tui.shelf import TODAY

MINUTE = 60_000


def at(days_ago: int, hour: int, minute: int = 0) -> datetime:
    return datetime.combine(TODAY - timedelta(days=days_ago), time(hour, minute)).astimezone()


def save_spans(library: Library, spans: Iterable[ListeningSpan]) -> None:
    with library.transaction():
        for span in spans:
            library.progress.save(span.episode_id, span.to_ms, None, span.began_at, heard=[span])


def listen(library: Library, title: str, began_at: datetime, minutes: tuple[int, int], speed: float = 1.0) -> None:
    """To a piece of the episode with that title, from one of its minutes to another."""
    episode = library.episodes.find(title)
    save_spans(library, [ListeningSpan(episode.id, minutes[0] * MINUTE, minutes[1] * MINUTE, began_at, speed)])


def listen_for_a_year(library: Library) -> None:
    """One or two episodes on most days, mostly to their end, in the morning, at noon and at night."""
    chance = Random(2)
    ids = library.episodes.ids(View())
    rows = library.episodes.rows([EpisodeId(one) for one in ids])
    spans = []
    for days_ago in range(400, -1, -1):
        for hour in (7, 12, 21):
            if chance.random() > (0.4 if (TODAY - timedelta(days=days_ago)).weekday() < 5 else 0.15):
                continue
            row = chance.choice(rows)
            length = row.duration_ms or 10 * MINUTE
            end = length if chance.random() < 0.8 else length // 3
            speed, began = chance.choice((1.0, 1.2, 1.5)), at(days_ago, hour, chance.randrange(60))
            half, skipped = end // 2, chance.choice((0, 0, 30_000))
            spans.append(ListeningSpan(row.id, 0, half, began, speed))
            later = began + timedelta(milliseconds=half / speed + 1_000)
            spans.append(ListeningSpan(row.id, min(half + skipped, end), end, later, speed))
    save_spans(library, spans)
