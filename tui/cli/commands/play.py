"""`play`: an episode in the foreground, without the app."""

from argparse import SUPPRESS, ArgumentParser, Namespace

from player.errors import NotFound
from player.library import Library
from player.model.episode import Episode
from player.text.sentences import _
from tui import logs
from tui.cli.command import Command, Context, Misuse
from tui.cli.commands.steer import a_position, a_speed
from tui.terminal.capabilities import quiet_stderr

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
    parser.add_argument(
        "--headless",
        action="store_true",
        help=_("without a terminal: prints a line for what happens, reads no keys, refreshes as the app does"),
    )
    parser.add_argument(
        "--stay",
        action="store_true",
        help=_("with --headless or --detach: keep running when nothing plays; without EPISODE, wait for commands"),
    )
    parser.add_argument(
        "--detach",
        action="store_true",
        help=_("play in the background and return; in the running Earmark, if there is one"),
    )
    parser.add_argument("--take-over", metavar="WORD", help=SUPPRESS)
    parser.add_argument("--parent", metavar="FD", type=int, help=SUPPRESS)


def _play(context: Context, options: Namespace) -> int:
    if options.detach:
        if options.headless:
            raise Misuse(_("Choose either --headless or --detach"))
        from tui.cli.detached import play_detached

        return play_detached(context, options, lambda library: chosen(library, options.episode))
    if options.headless:
        return _play_headless(context, options)
    if options.stay:
        raise Misuse(_("--stay needs --headless or --detach"))
    return _play_here(context, options)


def _play_headless(context: Context, options: Namespace) -> int:
    from player.background.headless_player import Playing, TakingOver, Waiting
    from tui.cli.headless import run_headless

    if options.take_over:
        return run_headless(context, TakingOver(options.take_over), stays=options.stay, parent=options.parent)
    if options.stay and options.episode is None:
        return run_headless(context, Waiting(), stays=True, parent=options.parent)
    playing = Playing(lambda library: chosen(library, options.episode).id, at_ms=options.at, speed=options.speed)
    return run_headless(context, playing, stays=options.stay, parent=options.parent)


def _play_here(context: Context, options: Namespace) -> int:
    from player.model.playback import Role
    from player.player import Player
    from tui.cli.foreground import Foreground

    logs.start(context.paths.log)
    settings = context.settings
    with quiet_stderr(context.paths.log):
        player = Player(context.paths, settings, role=Role.FOREGROUND)
        player.open()
        try:
            episode = chosen(player.library, options.episode)
            return Foreground(player, episode, at_ms=options.at, speed=options.speed).run()
        finally:
            player.close()


def chosen(library: Library, text: str | None, advice: str = "") -> Episode:
    """The episode that `text` names, or the last one played.

    Raises NotFound, with this advice where nothing was played yet, or Ambiguous.
    """
    if text is not None:
        return library.episodes.find(text)
    last = library.progress.last()
    if last is None:
        raise NotFound(_("Nothing has been played yet"), advice or _("Choose an episode from: earmark episodes"))
    return library.episodes.get(last)


COMMANDS = {
    "play": Command(
        summary=_("play an episode without the app, here or in the background"),
        after="forget-history",
        heading=_("Listening"),
        about=_(
            "Play an episode here, without the app, from where you stopped. Control it from another terminal:\n"
            "earmark toggle, earmark seek +30, earmark stop.\n\n"
            "With --detach it plays in the background: the command returns once something is heard, or says why not.\n"
            "If an Earmark is running already (the app, or one in the background), that one plays the episode;\n"
            "without EPISODE it resumes. earmark quit ends it, and it ends by itself when nothing has played for half\n"
            "an hour (ends_after in [background]), unless it was started with --stay."
        )
        + f"\n\n{_KEYS}",
        examples='earmark play\nearmark play "Press play" --at 0\nearmark play 42 --at 12:34 --speed 1.5\n'
        "earmark play --detach 42\nearmark play --headless --stay",
        run=_play,
        arguments=_arguments,
    )
}
