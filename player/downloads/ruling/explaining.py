"""What the downloads view and `earmark downloads` show: why each download is here, and what the rules would do."""

from datetime import datetime

from player.downloads.rules.planning import plan
from player.downloads.rules.records import Plan
from player.downloads.ruling.state import Surroundings, read_state
from player.downloads.ruling.words import Explained, explained
from player.library import Library
from player.model.downloads.facts import Source
from player.model.episode import EpisodeId

_ALL = 1_000_000


def explain(library: Library, around: Surroundings, now: datetime) -> tuple[dict[EpisodeId, Explained], Plan]:
    """Each download, and all that the rules would do if nothing had to wait for its turn. Raises LibraryError."""
    state = read_state(library, around, now, _ALL)
    made = plan(state)
    return explained(state, made, rule_titles(library, {one.rule for one in state.stored})), made


def rule_titles(library: Library, keys: set[str]) -> dict[str, str]:
    """The titles of the podcasts and lists of these rules, as far as they are still there."""
    podcasts = library.podcasts.all() if any(one.startswith(Source.PODCAST) for one in keys) else ()
    lists = library.lists.all() if any(one.startswith(Source.LIST) for one in keys) else ()
    titles = {f"{Source.PODCAST}:{one.id}": one.title for one in podcasts}
    titles.update((f"{Source.LIST}:{one.id}", one.title) for one in lists)
    return {key: titles[key] for key in keys if key in titles}
