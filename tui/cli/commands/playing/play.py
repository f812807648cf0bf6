"""`play`: an episode in the foreground, without the app."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from player.errors import NotFound
from player.model.episode import Episode
from player.text.sentences import _
from tui import logs
from tui.cli.command import Command, Context
from tui.cli.commands.playing.steer import a_position, a_speed
from tui.terminal.capabilities import quiet_stderr

if TYPE_CHECKING:
    from player.library import Library

_KEYS = _("""keys:
  space         pause, resume
  left, right   back 15 s, forward 30 s (or as set); with shift: 1 minute
  [ ]           slower, faster
  - =           volume down, up
  , .           previous, next chapter
  0             restart
  u             undo the last jump
  q             quit""")


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "episode", metavar="EPISODE", nargs="?", help=_("its ID, or its title or part of it (default: the last one)")
    )
    parser.add_argument("--at", metavar="TIME", type=a_position, help=_("start at 90, 12:34, 1:02:03 or 1h2m3s"))
    parser.add_argument("--speed", metavar="X", type=a_speed, help=_("0.5 to 3"))


def _play(context: Context, options: Namespace) -> int:
    from player.player import Player
    from tui.cli.foreground import Foreground

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
    """The episode that `text` names, or the last one played. Raises NotFound or Ambiguous."""
    if text is not None:
        return library.episodes.find(text)
    last = library.progress.last()
    if last is None:
        raise NotFound(_("Nothing has been played yet"), _("Choose an episode from: earmark episodes"))
    return library.episodes.get(last)


COMMANDS = {
    "play": Command(
        about=_(
            "Play an episode here, without the app, from where you stopped. Control it from another terminal:\n"
            "earmark toggle, earmark seek +30, earmark stop."
        )
        + f"\n\n{_KEYS}",
        examples='earmark play\nearmark play "Press play" --at 0\nearmark play 42 --at 12:34 --speed 1.5',
        run=_play,
        arguments=_arguments,
    )
}
