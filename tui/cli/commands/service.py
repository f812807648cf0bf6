"""`service`: the player without a screen as a service of the user's systemd."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from player.background import service_unit as unit
from player.background.launching import earmark_command
from player.background.service_unit import ServiceError
from player.text.cleaning import clean_line
from player.text.sentences import _
from tui.cli.command import Command, Context, Misuse, report
from tui.cli.service_state import home


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action", metavar="ACTION", choices=("install", "remove", "status"), help=_("install, remove or status")
    )
    parser.add_argument("--now", action="store_true", help=_("with install: start it now, and at each login"))
    parser.add_argument("--print", action="store_true", help=_("with install: print the unit and change nothing"))


def _service(context: Context, options: Namespace) -> int:
    if (options.now or options.print) and options.action != "install":
        raise Misuse(_("--now and --print need “install”"))
    if options.json and options.action != "status":
        raise Misuse(_("--json needs “status”"))
    return {"install": _install, "remove": _remove, "status": _status}[options.action](context, options)


def _install(_context: Context, options: Namespace) -> int:
    text = unit.unit_text([*earmark_command(), "play", "--headless", "--stay"], home())
    if options.print:
        print(text, end="")
        return 0
    path = unit.unit_path()
    unit.is_installed(path)  # raises where it is somebody else's
    if not unit.is_running():
        raise unit.no_systemd()
    unit.write_unit(path, text)
    _asked("daemon-reload")
    print(_("Installed: {file}", file=path))
    if options.now:
        _asked("enable", unit.NAME)
        _asked("restart", unit.NAME)
        print(_("It runs now, and at each login. Control it with: earmark resume, earmark toggle, earmark status"))
    else:
        print(_("Start it now and at each login: systemctl --user enable --now earmark"))
    print(_("To keep it running when you log out: loginctl enable-linger"))
    return 0


def _remove(_context: Context, _options: Namespace) -> int:
    path = unit.unit_path()
    if not unit.is_installed(path):
        print(_("It isn't installed. There is nothing to remove."))
        return 0
    there = unit.is_running()
    if there:
        _asked("disable", "--now", unit.NAME)
    unit.remove_unit(path)
    if there:
        _asked("daemon-reload")
    print(_("Removed: {file}", file=path))
    return 0


def _status(_context: Context, options: Namespace) -> int:
    path = unit.unit_path()
    found = document(path)
    if not found["installed"]:
        return report(options, found, _("Not installed. Install it with: earmark service install"))
    runs = _("No systemd runs for this user here, so it doesn't run.")
    if found["active"] is not None:
        runs = _("systemd says: {enabled}, {active}", enabled=found["enabled"], active=found["active"])
    return report(options, found, _("Installed: {file}", file=path), runs)


def document(path: Path) -> dict[str, Any]:
    """As in the JSON. `enabled` and `active` are systemd's words; null where it has none for it."""
    installed = unit.is_installed(path)
    there = installed and unit.is_running()
    return {
        "installed": installed,
        "file": str(path),
        "enabled": _word("is-enabled") if there else None,
        "active": _word("is-active") if there else None,
    }


def _word(question: str) -> str:
    return clean_line(unit.systemctl(question, unit.NAME).stdout, 40) or _("unknown")


def _asked(*words: str) -> None:
    """Raises ServiceError with what systemd says."""
    done = unit.systemctl(*words)
    if done.returncode != 0:
        said = clean_line(done.stderr or done.stdout, 300)
        raise ServiceError(_("systemctl --user {words} failed: {said}", words=" ".join(words), said=said))


COMMANDS = {
    "service": Command(
        summary=_("run Earmark without a screen, as a systemd service"),
        after="doctor",
        about=_(
            "Run the player without a screen, as a systemd service of this user: it waits for commands from each\n"
            "login on, and never ends by itself. install writes the unit (earmark.service), which runs\n"
            "earmark play --headless --stay; a unit of that name that Earmark didn't make is left alone.\n\n"
            "The app takes over what it plays when it opens; the service waits meanwhile, and is back when the app\n"
            "is closed."
        ),
        examples=(
            "earmark service install --now\nearmark service install --print\nearmark service status\n"
            "earmark service remove"
        ),
        run=_service,
        arguments=_arguments,
        prints={"": "Service"},
    )
}
