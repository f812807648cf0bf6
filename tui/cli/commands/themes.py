"""`themes`: what there is to choose from, and a start for a theme of one's own."""

from argparse import ArgumentParser, Namespace
from typing import Any

from player.text.sentences import _
from player.text.typed_names import suggestion
from tui.cli.command import Column, Command, Context, Rows, complain
from tui.cli.printout import Printout
from tui.look.built_in import ANSI, ANSI_LIGHT, BUILT_IN, built_in
from tui.look.own_themes import Found, own_themes, template

_THEMES = Rows(
    "list[Theme]",
    (
        Column(_("NAME"), "{name}"),
        Column(_("KIND"), lambda row, _context: _("dark") if row["dark"] else _("light")),
        Column(_("TITLE"), lambda row, _context: row["file"] or row["title"], flexible=True, spare=1),
    ),
)


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--template", metavar="NAME", help=_("print that theme as a file, to make your own from"))


def _themes(context: Context, options: Namespace) -> int:
    printout = Printout(context, options, _THEMES)
    found = own_themes(context.paths.themes)
    if options.template is not None:
        return _template(options.template, found)
    for problem in found.problems:
        complain(problem)
    rows: list[dict[str, Any]] = [
        {"name": one.name, "title": one.name, "dark": one.roles.dark, "file": str(one.file)}
        for one in found.themes.values()
    ]
    rows += [{"name": name, "title": one.title, "dark": one.dark, "file": None} for name, one in BUILT_IN.items()]
    printout.print(rows)
    return 0


def _template(name: str, found: Found) -> int:
    """What is printed goes into a file of the folder of themes."""
    if name in found.themes:
        roles, base = found.themes[name].roles, "ink" if found.themes[name].roles.dark else "paper"
    elif name in BUILT_IN and name not in (ANSI, ANSI_LIGHT):
        roles, base = built_in(name), name
    else:
        near = suggestion(name, [*found.themes, *BUILT_IN])
        complain(_("There is no theme “{name}” to start from.", name=name[:40]) + near)
        return 2
    print(template(base, roles))
    return 0


COMMANDS = {
    "themes": Command(
        summary=_("list themes, or print one as a start for your own"),
        after="keys",
        about=_(
            "List the themes, your own first. One of yours is a file in the folder `themes` beside config.toml; its\n"
            "name is the file's: themes/NAME.toml. Choose a theme in the app (ctrl+p, “theme”) or in config.toml."
        ),
        examples="earmark themes\nearmark themes --template nord > ~/.config/earmark/themes/mine.toml",
        run=_themes,
        arguments=_arguments,
        lists=(_THEMES,),
    )
}
