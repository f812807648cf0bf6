"""`doctor`: checks, and the repair of a damaged library."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from player.errors import DamagedLibrary
from player.integrations.single_instance import InstanceLock
from player.library import FoundBackup, Library
from player.text.sentences import _
from tui import logs
from tui.cli.checkup import TITLES, Finding, examine
from tui.cli.command import Command, Context, Lists, complain, print_json
from tui.cli.describe import day
from tui.cli.listing.printout import Printout


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--repair",
        action="store_true",
        help=_("set a damaged library aside and replace it with the latest good backup; nothing is deleted"),
    )
    parser.add_argument(
        "--register",
        action="store_true",
        help=_("have your desktop open earmark: addresses with Earmark; only your own folders are changed"),
    )


def _doctor(context: Context, options: Namespace) -> int:
    if options.register:
        return _register(options)
    logs.start(context.paths.log)
    return _repair(context, options) if options.repair else _examine(context, options)


def _register(options: Namespace) -> int:
    if options.json or options.repair:
        problem = _("--register goes with no other option")
        complain(_("{problem}. See: {command} --help", problem=problem, command="earmark doctor"))
        return 2
    from tui.cli.shipped.registering import register

    for sentence in register():
        print(sentence)
    return 0


def _examine(context: Context, options: Namespace) -> int:
    printout = Printout(options, "doctor", "list[Check]")
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
    lock = InstanceLock(context.paths.lock)
    lock.take()
    try:
        done, backups = restore_backup(context)
    finally:
        lock.release()
    if options.json:
        print_json(done)
    elif done["set_aside"] is None:
        print(_("The library isn't damaged. There is nothing to repair."))
    else:
        print(_("The damaged library was kept as {file}.", file=done["set_aside"]))
        if done["backup"]:
            print(_("It was replaced by the backup of {date}. Anything newer isn't in it.", date=done["backup_made"]))
            print("\n".join(_choice(backups)))
        else:
            print(_("There was no good backup, so a new library was created. Add your podcasts with: earmark add URL"))
    return 0


def _choice(backups: Sequence[FoundBackup]) -> Iterator[str]:
    """What each backup has, the one that was restored first: another may have more."""
    now = datetime.now(UTC)
    yield _("The backups in {folder}, the one restored first:", folder=backups[0][0].path.parent)
    for backup, contents in backups:
        words = f"{backup.path.name}: {contents.words}"
        yield "  " + (_("{backup} (dated after today)", backup=words) if backup.made_at > now else words)


def restore_backup(context: Context) -> tuple[dict[str, Any], Sequence[FoundBackup]]:
    """What was done, as in the JSON, and the backups that there were. Raises LibraryError if it can't be done."""
    library = Library(context.paths)
    try:
        library.open()
        library.check()
    except DamagedLibrary:
        library.close()
    else:
        library.close()
        return {"set_aside": None, "backup": None, "backup_made": None, "backups": []}, ()
    library = Library(context.paths)
    aside: list[Path] = []
    backups = library.backups()
    backup = backups[0][0] if backups else None
    # The damaged library makes way only for a complete copy: whenever this is interrupted, one of them is there.
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
        "backup": str(backup.path) if backup else None,
        "backup_made": day(backup.made_at) if backup else None,
        "backups": [
            {"file": str(one.path), "made": one.made_at.isoformat(), **asdict(contents)} for one, contents in backups
        ],
    }
    return done, backups


COMMANDS = {
    "doctor": Command(
        about=_(
            "Check everything that Earmark needs: libvlc, a sound output (by playing half a second of silence), its\n"
            "folders, the settings, the library and its backups. Exits with 1 if something is wrong. Feeds that fail\n"
            "are only listed. With --register, your desktop opens earmark: addresses with Earmark from then on."
        ),
        examples="earmark doctor\nearmark doctor --repair\nearmark doctor --json",
        run=_doctor,
        arguments=_arguments,
        reports=True,
        lists=Lists(("list[Check]",), limited=False),
        prints={"": "Checkup", "with --repair": "Repaired"},
        exits={1: _("something is wrong")},
    )
}
