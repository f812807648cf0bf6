"""`status`: what the running Earmark plays, as text, JSON, or a line for a status bar."""

import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace

from player.errors import NotRunning
from player.text.cleaning import clean_line
from player.text.sentences import _, translate
from tui.cli.command import Command, Context, Misuse, complain, report
from tui.cli.describe import status_lines
from tui.cli.status_line import ESCAPES, FIELDS, NOTHING, USUAL, Status, Template, values


def a_template(text: str) -> str:
    try:
        Template(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error
    return text


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--format", metavar="TEXT", type=a_template, help=_("print one line, with {title} and other fields filled in")
    )
    parser.add_argument("--follow", action="store_true", help=_("print a new line whenever it changes"))
    parser.add_argument(
        "--quiet",
        action="store_true",
        help=_("print nothing and succeed when nothing is playing or Earmark isn't running"),
    )
    parser.add_argument(
        "--escape",
        choices=tuple(ESCAPES),
        help=_("escape what is filled in: for tmux, Pango markup (waybar) or polybar"),
    )


def _status(context: Context, options: Namespace) -> int:
    if options.escape and not options.format and not options.follow:
        raise Misuse(_("--escape needs --format or --follow"))
    template = Template(options.format or USUAL, options.escape)
    if options.follow:
        from tui.cli.status_follower import follow

        follow(
            context.paths.socket,
            lambda status: _line(status, template, options),
            moves=template.moves and bool(options.format or not options.json),
            complain=(lambda _sentence: None) if options.quiet else complain,
        )
    try:
        status = context.ask("status")["status"]
    except NotRunning:
        if options.quiet:
            return 0
        _raise_for_service()
        raise
    if options.quiet and status["episode"] is None:
        return 0
    if options.format:
        print(_line(status, template, options))
        return 0
    return report(options, status, *map(clean_line, status_lines(status)))


def _raise_for_service() -> None:
    """Raises NotRunning, and names the service that would run: one that is installed, and isn't up."""
    from tui.cli.service_state import standing, standing_text

    text, advice = standing_text(standing())
    if text:
        raise NotRunning(_("Earmark isn't running: {reason}", reason=text), advice)


def _line(status: Status | None, template: Template, options: Namespace) -> str:
    """`status` is None while no Earmark runs."""
    nothing = status is None or (options.quiet and status["episode"] is None)
    if not options.json:
        return "" if nothing or status is None else template.line(values(status))
    if not options.format:
        return json.dumps(status, ensure_ascii=False)
    shown = NOTHING if status is None else values(status)
    return json.dumps(
        {
            "text": "" if nothing else template.line(shown),
            "alt": shown["state"],
            "class": shown["state"],
            "tooltip": "" if nothing else Template("{title}\n{podcast}", options.escape).line(shown),
            "percentage": int(shown["percent"] or 0),
        },
        ensure_ascii=False,
    )


def _about() -> str:
    width = max(map(len, FIELDS))
    fields = "\n".join(f"  {name:{width}}  {translate(what)}" for name, what in FIELDS.items())
    return (
        _("Show what the running Earmark (the app, or earmark play) is playing, and the position.")
        + "\n\n"
        + _(
            "--format fills in these fields. {title:.30} takes at most 30 cells, {title:30} at least, {title:>30} at"
            " the right;\n{{ and }} are braces. With --json the line is the “text” of an object, as waybar reads it."
        )
        + f"\n\n{fields}"
    )


COMMANDS = {
    "status": Command(
        summary=_("show what is playing"),
        after="play",
        about=_about(),
        examples=(
            "earmark status\nearmark status --json | jq .position_ms\n"
            "earmark status --quiet --format '{icon} {title:.30} {position}/{duration}'\n"
            "earmark status --follow --quiet --escape tmux --format '{title} {left}'"
        ),
        run=_status,
        arguments=_arguments,
        prints={"": "Status", "with --format": "StatusBar", "each line, with --follow": "Status | None"},
        exits={1: _("Earmark isn't running (with --quiet that is no error)")},
    ),
}
