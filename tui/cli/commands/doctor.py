"""`doctor`: checks, and the repair of a damaged library."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from player.errors import DamagedLibrary, LibraryError
from player.integrations.single_instance import InstanceLock
from player.library import Backup, FoundBackup, Library
from player.text.sentences import _
from tui import logs
from tui.cli.checkup import TITLES, Finding, examine
from tui.cli.command import Command, Context, Misuse, Rows, print_json, typed
from tui.cli.describe import day
from tui.cli.printout import Printout
from tui.terminal.capabilities import is_terminal

_NONE = "q"
_CHECKS = Rows("list[Check]", limited=False)


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--repair",
        action="store_true",
        help=_("set a damaged library aside and replace it with the latest good backup; nothing is deleted"),
    )
    parser.add_argument(
        "--backup",
        metavar="NAME",
        help=_(
            "with --repair: the backup to restore, by its file name or its number in the list; also over a library"
            " that isn't damaged, which is kept"
        ),
    )
    parser.add_argument(
        "--register",
        action="store_true",
        help=_("have your desktop open earmark: addresses with Earmark; only your own folders are changed"),
    )


def _doctor(context: Context, options: Namespace) -> int:
    if options.register:
        return _register(options)
    if options.backup is not None and not options.repair:
        raise Misuse(_("--backup needs --repair"))
    logs.start(context.paths.log)
    return _repair(context, options) if options.repair else _examine(context, options)


def _register(options: Namespace) -> int:
    if options.json or options.repair:
        raise Misuse(_("--register can't be combined with another option"))
    from tui.cli.shipped.registering import register

    for sentence in register():
        print(sentence)
    return 0


def _examine(context: Context, options: Namespace) -> int:
    printout = Printout(context, options, _CHECKS)
    findings = []
    for finding in examine(context.paths):
        findings.append(finding)
        if printout.is_table:
            print("\n".join(lines_of(finding)), flush=True)
    well = all(finding.well for finding in findings)
    checks = [
        {"name": finding.name, "ok": finding.well, "text": finding.text, "advice": finding.advice}
        for finding in findings
    ]
    if options.json:
        print_json({"ok": well, "checks": checks})
    elif not printout.is_table:
        printout.print(checks)
    return 0 if well else 1


def lines_of(finding: Finding) -> list[str]:
    """`ok     library: 2 podcasts`, and the advice on a second line."""
    sign = _("note") if finding.noted else _("ok") if finding.well else _("wrong")
    lines = [f"{sign:6} {TITLES.get(finding.name, finding.name)}: {finding.text}"]
    return [*lines, f"{'':6} {finding.advice}"] if finding.advice else lines


def _repair(context: Context, options: Namespace) -> int:
    asks = not options.json and options.backup is None and is_terminal(sys.stdin)
    lock = InstanceLock(context.paths.lock)
    lock.take()
    try:
        done, backups = restore_backup(context, options.backup, _ask if asks else None)
    finally:
        lock.release()
    if options.json:
        print_json(done)
    elif done["set_aside"] is None:
        print(_("The library isn't damaged. There is nothing to repair."))
    else:
        if done["damaged"]:
            print(_("The damaged library was kept as {file}.", file=done["set_aside"]))
        else:
            print(_("The library that was there was kept as {file}.", file=done["set_aside"]))
        if done["backup"]:
            print(_("It was replaced by the backup of {date}. Anything newer isn't in it.", date=done["backup_made"]))
            if len(backups) == 1 or not asks:
                print("\n".join(_choice(backups)))
            if len(backups) > 1 and not asks:
                print(_("Restore another one with: earmark doctor --repair --backup NAME"))
        else:
            print(_("There was no good backup, so a new library was created. Add your podcasts with: earmark add URL"))
    return 0


def _choice(backups: Sequence[FoundBackup]) -> Iterator[str]:
    """What each backup has: another may have more than the first."""
    now = datetime.now(UTC)
    yield _("The good backups in {folder}:", folder=backups[0][0].path.parent)
    for number, (backup, contents) in enumerate(backups, 1):
        words = f"{number}  {backup.path.name}: {contents.words}"
        yield "  " + (_("{backup} (dated after today)", backup=words) if backup.made_at > now else words)


def _ask(backups: Sequence[FoundBackup]) -> str:
    """The number that the listener enters, the first where that is just enter."""
    print("\n".join(_choice(backups)), file=sys.stderr)
    question = _("Restore which one? [1-{n}, enter: 1, q: none] ", n=len(backups))
    answer = typed(question)
    return answer.strip() or ("1" if answer else _NONE)


def restore_backup(
    context: Context, wanted: str | None, ask: Callable[[Sequence[FoundBackup]], str] | None
) -> tuple[dict[str, Any], Sequence[FoundBackup]]:
    """What was done, as in the JSON, and the backups that there were. `ask` has the listener choose where there are
    several and none is `wanted`. Raises LibraryError if it can't be done or the listener chooses none."""
    library = Library(context.paths, backs_up=False)
    damaged = False
    try:
        library.open()
        library.check()
    except DamagedLibrary:
        damaged = True
    finally:
        library.close()
    if not damaged and wanted is None:
        return {"set_aside": None, "damaged": False, "backup": None, "backup_made": None, "backups": []}, ()
    library = Library(context.paths, backs_up=False)
    aside: list[Path] = []
    backups = library.backups()
    if wanted is None and ask is not None and len(backups) > 1:
        wanted = ask(backups)
    backup = _chosen(backups, wanted)
    # The library makes way only for a complete copy: whenever this is interrupted, one of them is there.
    if backup:
        library.restore(backup, lambda: aside.append(library.set_aside()))
    else:
        aside.append(library.set_aside())
    try:
        library.open()
    finally:
        library.close()
    done = {
        "set_aside": str(aside[0]),
        "damaged": damaged,
        "backup": str(backup.path) if backup else None,
        "backup_made": day(backup.made_at) if backup else None,
        "backups": [
            {"file": str(one.path), "made": one.made_at.isoformat(), **asdict(contents)} for one, contents in backups
        ],
    }
    return done, backups


def _chosen(backups: Sequence[FoundBackup], wanted: str | None) -> Backup | None:
    """The one with that number or file name, else the first; None where there is none. Raises LibraryError."""
    if wanted is None:
        return backups[0][0] if backups else None
    if wanted.lower() == _NONE:
        raise LibraryError(_("Nothing was changed"), _("Repair the library with: earmark doctor --repair"))
    for number, (backup, _contents) in enumerate(backups, 1):
        if wanted == str(number) or Path(wanted).name == backup.path.name:
            return backup
    names = ", ".join(f"{number}  {one.path.name}" for number, (one, _contents) in enumerate(backups, 1))
    raise LibraryError(
        _("There is no good backup “{name}”; nothing was changed", name=wanted),
        _("Choose one of these: {names}", names=names) if backups else _("There is no good backup at all."),
    )


COMMANDS = {
    "doctor": Command(
        summary=_("diagnose problems, repair the library"),
        after="offline",
        heading=_("System"),
        about=_(
            "Check everything that Earmark needs: libvlc, a sound output (by playing half a second of silence), its\n"
            "folders, the settings, the library and its backups. Exits with 1 if something is wrong. Feeds that fail\n"
            "are only listed. With --register, your desktop opens earmark: addresses with Earmark from then on.\n\n"
            "Where there are several good backups, --repair asks on a terminal which one to restore. Without a\n"
            "terminal or with --json it is the latest; one dated after today only if there is no other. The library\n"
            "that was there is kept."
        ),
        examples="earmark doctor\nearmark doctor --repair\nearmark doctor --repair --backup 2\nearmark doctor --json",
        run=_doctor,
        arguments=_arguments,
        lists=(_CHECKS,),
        prints={"": "Checkup", "with --repair": "Repaired"},
        exits={1: _("something is wrong")},
    )
}
