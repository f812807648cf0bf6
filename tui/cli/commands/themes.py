"""`themes`: what there is to choose from, and a start for a theme of one's own."""

from argparse import ArgumentParser, Namespace

from player.text.cleaning import clean_line
from player.text.names import suggestion
from player.text.sentences import _
from tui.cli.command import Command, Context, Lists, complain
from tui.cli.listing import Printout
from tui.cli.table import Column, print_table
from tui.look.built_in import ANSI, ANSI_LIGHT, BUILT_IN, built_in
from tui.look.own_themes import Found, own_themes, template


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--template", metavar="NAME", help=_("print that theme as a file, to make your own from"))


def _themes(context: Context, options: Namespace) -> int:
    printout = Printout(options, "themes", "list[Theme]")
    found = own_themes(context.paths.themes)
    if options.template is not None:
        return _template(options.template, found)
    for problem in found.problems:
        complain(problem)
    if not printout.is_table:
        printout.print(
            [
                *(
                    {"name": one.name, "title": one.name, "dark": one.roles.dark, "file": str(one.file)}
                    for one in found.themes.values()
                ),
                *({"name": name, "title": one.title, "dark": one.dark, "file": None} for name, one in BUILT_IN.items()),
            ]
        )
        return 0
    rows = [[one.name, _kind(one.roles.dark), clean_line(str(one.file))] for one in found.themes.values()]
    rows += [[name, _kind(one.dark), one.title] for name, one in BUILT_IN.items()]
    print_table(
        [Column(_("NAME")), Column(_("KIND")), Column(_("TITLE"), flexible=True, spare=1)], printout.first(rows)
    )
    return 0


def _kind(dark: bool) -> str:
    return _("dark") if dark else _("light")


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
        about=_(
            "List the themes, your own first. One of yours is a file in the folder `themes` beside config.toml; its\n"
            "name is the file's: themes/NAME.toml. Choose a theme in the app (ctrl+p, “theme”) or in config.toml."
        ),
        examples="earmark themes\nearmark themes --template nord > ~/.config/earmark/themes/mine.toml",
        run=_themes,
        arguments=_arguments,
        reports=True,
        prints={"": "list[Theme]"},
        lists=Lists(("list[Theme]",)),
    )
}
