"""`config`: where config.toml is, what it sets, where each value comes from, and what is wrong with it."""

from argparse import ArgumentParser, Namespace
from functools import partial
from typing import Any

from player.configuration.catalogue import is_secret, names, template
from player.configuration.changing import change, check_name, create
from player.configuration.origins import DEFAULT, ENVIRONMENT, Origin, origins
from player.errors import EarmarkError
from player.settings_file import read_settings
from player.text.cleaning import clean_line
from player.text.sentences import _, plural
from player.toml import written
from tui.cli.command import Column, Command, Context, Row, Rows, complain, print_json, report
from tui.cli.commands.config_edit import ask_what_then, edit, editor, in_words, interactive
from tui.cli.completing import offer
from tui.cli.printout import Printout
from tui.config_file import CHOSEN, applied, mistake_in, problems_of


def _value(row: Row, _context: Context) -> str:
    is_hidden = is_secret(row["name"]) and row["value"] is None
    return _("(set; see the file)") if is_hidden else clean_line(written(row["value"]))


def _source(row: Row, _context: Context) -> str:
    match row["source"]:
        case "file":
            return _("line {line}", line=row["line"]) if row["line"] else "config.toml"
        case "app":
            return _("chosen in the app")
        case "environment":
            return f"${row['variable']}"
        case _:
            return _("default")


_SETTINGS = Rows(
    "list[Setting]",
    (
        Column(_("SETTING"), "{name}"),
        Column(_("VALUE"), _value, flexible=True, spare=1),
        Column(_("FROM"), _source),
    ),
)


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "what",
        metavar="WHAT",
        nargs="?",
        choices=tuple(_WHAT),
        help=_("one of {what} (default: show what is set, and where)", what=", ".join(_WHAT)),
    )
    name = parser.add_argument(
        "name", metavar="NAME", nargs="?", help=_("get, set: a setting, like playback.seek_back")
    )
    offer(name, names)
    parser.add_argument(
        "value", metavar="VALUE", nargs="*", help=_("set: its value; for a list, one word for each entry")
    )
    parser.add_argument("--all", action="store_true", help=_("also list the settings that have their default"))
    parser.add_argument("--print", action="store_true", help=_("init: print the template instead of writing it"))


def _config(context: Context, options: Namespace) -> int:
    return (_list if options.what is None else _WHAT[options.what])(context, options)


def _misuse(options: Namespace) -> str:
    """What is wrong with the arguments; "" for nothing."""
    if options.what in ("get", "set") and options.name is None:
        return _("No setting is named")
    if options.what == "set" and not options.value:
        return _("No value is given")
    if options.value and options.what != "set":
        return _("“{what}” doesn't take a value", what=options.what)
    if options.what is not None and (options.format is not None or options.limit is not None):
        return _("“{what}” doesn't take --format or --limit", what=options.what)
    if options.name is not None and options.what not in ("get", "set"):
        return _("“{what}” doesn't take a name", what=options.what)
    return ""


# -- what is set ------------------------------------------------------------------------------------------------


def _list(context: Context, options: Namespace) -> int:
    printout = Printout(context, options, _SETTINGS)
    path = context.paths.settings
    read = read_settings(path)
    found = _origins(context)
    of_podcasts = _podcasts_with_settings(context)
    listed = [one for one in found if options.all or one.source != DEFAULT]
    if options.json:
        document = {
            "file": str(path),
            "exists": path.exists(),
            "settings": [_as_json(one) for one in printout.first(listed)],
            "podcasts": of_podcasts,
            "problems": [_problem_json(one.name, one.line, one.what) for one in read.problems],
        }
        print_json(document)
        return 0
    for problem in read.problems:
        complain(in_words(problem))
    if not printout.is_table:
        printout.print(map(_as_json, listed))
        return 0
    print(
        str(path) if path.exists() else _("{file} (doesn't exist yet; create it with: earmark config init)", file=path)
    )
    shown = [_as_json(one) for one in found if options.all or _differs(one)]
    if shown:
        print()
        printout.print(shown)
    if not options.all:
        print()
        same = sum(not _differs(one) for one in found)
        all_ = "earmark config --all"
        print(plural(same, "{n} setting has its default: {all}", "{n} settings have their defaults: {all}", all=all_))
    if of_podcasts:
        words = plural(
            of_podcasts,
            "{n:,} podcast has its own settings: {command}",
            "{n:,} podcasts have their own settings: {command}",
            command="earmark set PODCAST",
        )
        print(words)
    return 0


def _origins(context: Context, *, chosen: bool = True) -> list[Origin]:
    """`chosen`: the library is asked what was chosen in the app."""
    path = context.paths.settings
    read = read_settings(path)
    if not chosen:
        return origins(path, read.settings)
    remembered = _from_library(context, lambda library: library.state.all(), {})
    return origins(path, read.settings, lambda name, value: applied(remembered, name, value, read.settings))


def _podcasts_with_settings(context: Context) -> int:
    from player.model.podcast_settings import AS_ALL

    settings = _from_library(context, lambda its: [its.podcast_settings.get(one.id) for one in its.podcasts.all()], [])
    return sum(one != AS_ALL for one in settings)


def _from_library(context: Context, read: Any, otherwise: Any) -> Any:
    if not context.paths.library.exists():
        return otherwise
    from player.library import Library

    library = Library(context.paths)
    try:
        library.open()
        return read(library)
    except EarmarkError:
        return otherwise
    finally:
        library.close()


def _differs(one: Origin) -> bool:
    return one.source == ENVIRONMENT or (one.source != DEFAULT and one.value != one.default)


def _as_json(one: Origin) -> dict[str, Any]:
    value = None if is_secret(one.name) and one.value else one.value
    document = {"name": one.name, "value": value, "default": one.default, "source": one.source, "line": one.line}
    return {**document, "variable": one.variable} if one.variable else document


def _problem_json(name: str, line: int | None, what: str) -> dict[str, Any]:
    return {"name": name or None, "line": line, "problem": what}


# -- its parts ---------------------------------------------------------------------------------------------------


def _init(context: Context, options: Namespace) -> int:
    if options.print:
        print(template(), end="")
        return 0
    path = context.paths.settings
    if not create(path, template()):
        complain(_("{file} exists and stays as it is. See the template with: earmark config init --print", file=path))
        return 1
    print(_("Wrote {file}, in which everything is commented out. Change it with: earmark config edit", file=path))
    return 0


def _edit(context: Context, _options: Namespace) -> int:
    return edit(context.paths, editor(), ask=ask_what_then if interactive() else None)


def _check(context: Context, options: Namespace) -> int:
    path = context.paths.settings
    found = problems_of(context.paths)
    if options.json:
        problems = [_problem_json(one.name, one.line, one.what) for one in found]
        print_json({"file": str(path), "exists": path.exists(), "ok": not found, "problems": problems})
    elif found:
        for problem in found:
            complain(in_words(problem))
    elif path.exists():
        print(_("{file} has no mistakes.", file=path))
    else:
        print(_("There is no {file}: all settings have their defaults.", file=path))
    return 1 if found else 0


def _get(context: Context, options: Namespace) -> int:
    check_name(options.name)
    found = next((one for one in _origins(context, chosen=options.name in CHOSEN) if one.name == options.name), None)
    if found is None:  # an action without an entry in [keys]
        complain(_("config.toml sets no keys for it. See: earmark keys"))
        return 1
    shown = clean_line(found.value) if isinstance(found.value, str) else written(found.value)
    return report(options, {**_as_json(found), "value": found.value}, shown)


def _set(context: Context, options: Namespace) -> int:
    check_name(options.name)
    paths = context.paths

    value = change(paths.settings, options.name, options.value, partial(mistake_in, paths, options.name))
    document = {"name": options.name, "value": value}
    return report(options, document, f"{options.name} = {clean_line(written(value))}")


_WHAT = {"init": _init, "edit": _edit, "check": _check, "get": _get, "set": _set}


COMMANDS = {
    "config": Command(
        summary=_("show, explain, edit and check the settings"),
        after="output",
        heading=_("Settings"),
        about=_(
            "Show where config.toml is, what it sets, and where each value comes from. init writes a template that\n"
            "explains all settings and sets none, edit opens $VISUAL or $EDITOR and checks what you typed, check\n"
            "names each mistake and its line, get and set read and change one setting; comments stay as they are. A\n"
            "running Earmark applies the file when it is saved."
        ),
        examples=(
            "earmark config\nearmark config --all\nearmark config init\nearmark config edit\nearmark config check\n"
            "earmark config get playback.seek_back\nearmark config set playback.seek_back 20\n"
            "earmark config set chapters.skip Sponsor Ad\nearmark config --all --format '{name} = {value} ({source})'"
        ),
        run=_config,
        misuse=_misuse,
        arguments=_arguments,
        lists=(_SETTINGS,),
        prints={
            "": "Configuration",
            "check": "ConfigurationCheck",
            "get": "Setting",
            "set": "ChangedSetting",
        },
        exits={1: _("config.toml has mistakes, or there is no such setting or value")},
    )
}
