"""State remembered between runs: the view that was open, and choices made in the app, which override config.toml.

A choice holds until the value in config.toml changes.
"""

from typing import TYPE_CHECKING

from player.model.episode import EpisodeId
from player.model.filters import ListId, View, ViewName
from player.model.podcast import PodcastId

if TYPE_CHECKING:
    from player.player import Player


def choose(player: "Player", name: str, value: str, configured: str) -> None:
    """Remembers a choice for later starts. `configured` is the current value in config.toml."""
    player.remember(name, f"{value} over {configured}")


def chosen(player: "Player", name: str, configured: str) -> str:
    """The last choice, unless config.toml has changed since; otherwise the value in config.toml."""
    return chosen_in(player.remembered(name), configured)


def chosen_in(remembered: str, configured: str) -> str:
    """As `chosen`, from the remembered text."""
    value, _, over = remembered.partition(" over ")
    return value if value and over == configured else configured


def last_view(player: "Player") -> tuple[View, EpisodeId | None]:
    """The view and episode that were selected last; a new library opens at the built-in podcast."""
    if player.library.fresh and player.welcome is not None:
        return View.of(ViewName.PODCAST, player.welcome.id), None
    return read_view(player.remembered("screen"))


def write_view(view: View, episode_id: EpisodeId | None) -> str:
    """`podcast 3 117`: the view, its podcast or list and the episode under the cursor, 0 for none; `tag 0 117 work`."""
    return f"{view.name} {view.podcast_id or view.list_id or 0} {episode_id or 0} {view.tag or ''}".rstrip()


def read_view(text: str) -> tuple[View, EpisodeId | None]:
    """Reads the text of `write_view`. From any other text: all episodes, from the top."""
    try:
        name, podcast_id, episode_id, *tag = text.split(" ", 3)
        number = int(podcast_id)
        if name == ViewName.LIST:
            return View.of_list(ListId(number)), EpisodeId(int(episode_id)) or None
        if name == ViewName.TAG:
            return View.of_tag(tag[0]) if tag else View(), EpisodeId(int(episode_id)) or None
        view = View.of(ViewName(name), PodcastId(number) if number else None)
        return view, EpisodeId(int(episode_id)) or None
    except ValueError:
        return View(), None
