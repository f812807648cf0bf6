"""`play`: an episode in the foreground, without the app."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from player.errors import NotFound
from player.model import Episode
from tui import logs
from tui.commands.command import Command, Context
from tui.commands.steer import a_place, a_speed
from tui.terminal import quiet_stderr

if TYPE_CHECKING:
    from player.library import Library

_KEYS = """keys:
  space         pause, or go on
  left, right   back, on (15 s and 30 s unless set otherwise); with shift: a minute
  [ ]           slower, faster
  - =           quieter, louder
  0             to the start
  u             undo a jump
  q             quit"""


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "episode", metavar="EPISODE", nargs="?", help="its id, or its title or a part of it; without: the last one"
    )
    parser.add_argument("--at", metavar="TIME", type=a_place, help="start at 90, 12:34, 1:02:03 or 1h2m3s")
    parser.add_argument("--speed", metavar="X", type=a_speed, help="from 0.5 to 3")


def _play(context: Context, options: Namespace) -> int:
    from player.player import Player
    from tui.commands.foreground import Foreground

    logs.start(context.paths.log)
    settings = context.settings
    with quiet_stderr(context.paths.log):
        player = Player(context.paths, settings)
        player.open()
        try:
            episode = chosen(player.library, options.episode)
            return Foreground(player, episode, at_ms=options.at, speed=options.speed).run()
        finally:
            player.close()


def chosen(library: "Library", text: str | None) -> Episode:
    """The episode of that name; without a name the last one. Raises NotFound or Ambiguous."""
    if text is not None:
        return library.episodes.find(text)
    last = library.progress.last()
    if last is None:
        raise NotFound("Nothing was played yet", "Choose an episode: earmark episodes lists them.")
    return library.episodes.get(last)


COMMANDS = {
    "play": Command(
        about=(
            "Plays an episode here, without the app, from where you left it. It can be steered from elsewhere:\n"
            f"earmark toggle, earmark seek +30, earmark stop.\n\n{_KEYS}"
        ),
        examples='earmark play\nearmark play "Press play" --at 0\nearmark play 42 --at 12:34 --speed 1.5',
        run=_play,
        arguments=_arguments,
    )
}
