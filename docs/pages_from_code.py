"""The pages of the documentation that are made from the code, so that they are never out of date."""

import os
from pathlib import Path
from typing import Any

os.environ["COLUMNS"] = "100"  # argparse wraps at the width of the terminal

from player.configuration.catalogue import Documented, at_restart, documented, value_of
from player.settings import Playback, Settings
from player.text.sentences import translate
from player.toml import written
from tui.actions.action import Group
from tui.actions.presets import FULL
from tui.actions.table import ACTIONS, BY_COMMAND, SCREEN_ONLY, key_label, length
from tui.cli import registry
from tui.cli.registry import parser
from tui.cli.spec import specification, type_words
from tui.look.built_in import BUILT_IN


def write_pages(folder: Path) -> None:
    """Writes a file for each of PAGES into the folder; leaves those that are the same alone."""
    folder.mkdir(exist_ok=True)
    for name, make in PAGES.items():
        text = make()
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


# -- keys -----------------------------------------------------------------------------------------------------


def keys() -> str:
    """Every action with its keys, what it does, and the name that it has in [keys]."""
    lines = [
        "# Keys",
        "",
        f"{len(ACTIONS)} actions, {sum(bool(one.keys) for one in ACTIONS)} of them with a key.",
        "",
        "Every key can be another: give it to an action under `[keys]` in `config.toml`, by the name in the last",
        'column (`star = "f"`, or `star = "f,ctrl+s"` for two, `star = "g s"` for two pressed one after the other).',
        'Actions without a key are in the list of commands (`?`). `preset = "full"` gives some of them a key (the last',
        "table) and makes digits before a key count (`10j`). The keys of another program come with",
        '`preset = "vim"`, `"emacs"`, `"castero"` or `"newsboat"`, and where these leave them free, those of `"full"`.',
        "",
    ]
    for group in Group:
        lines += [f"## {translate(group.value)}", "", "| key | does | name |", "|---|---|---|"]
        for action in ACTIONS:
            if action.group is group:
                own = " ".join(f"`{_cell(key_label(key))}`" for key in action.keys)
                does = f"{translate(action.title)} {length(action, Playback())}".rstrip()
                lines.append(f"| {own} | {_cell(does)} | `{action.id}` |")
        lines.append("")
    lines += ['## With `preset = "full"`', "", "| key | does | name |", "|---|---|---|"]
    for action in (one for one in ACTIONS if one.id in FULL):
        lines.append(f"| `{_cell(FULL[action.id][0])}` | {_cell(translate(action.title))} | `{action.id}` |")
    return "\n".join([*lines, ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


# -- settings -------------------------------------------------------------------------------------------------


def settings() -> str:
    """Every setting with its default, and the docstring that follows it in the code."""
    count = sum(len(one.names) for one in documented())
    lines = [
        "# Settings",
        "",
        f"{count} settings in {len({one.section for one in documented()})} sections.",
        "",
        "`C` shows the settings in the app, finds them by words and changes them at once. They are kept in",
        "`config.toml` in the config folder. `earmark config` names it and says what is set, in which line, and what",
        "was chosen in the app instead. `earmark config init` writes a file that explains every setting and sets none,",
        "`earmark config edit` opens it in your editor and names each mistake before it is saved, and",
        "`earmark config set playback.seek_back 20` changes one setting and leaves your comments alone.",
        "",
        "All settings are optional; this page shows the defaults. A mistake affects only its own setting, and Earmark",
        "says what was probably meant. What is saved while Earmark runs applies at once, unless this page says",
        "otherwise.",
        "",
        "TIME is seconds (`90`), `1:30`, `1:02:03` or `1h2m3s`.",
        "",
    ]
    defaults, section = Settings(), ""
    for one in documented():
        if one.section != section:
            section = one.section
            lines += [f"## [{section}]", ""]
        if one.names:
            values = (f"`{name} = {written(value_of(defaults, f'{section}.{name}'))}`" for name in one.names)
            later = " It takes effect when Earmark is restarted." if _waits(one) else ""
            lines += [" · ".join(values), f": {one.words or 'What the name says.'}{later}", ""]
        else:
            lines += [one.words, ""]
    return "\n".join(lines)


def _waits(one: Documented) -> bool:
    return any(at_restart(f"{one.section}.{name}") for name in one.names)


# -- commands -------------------------------------------------------------------------------------------------


def commands() -> str:
    """What `--help` says of every command."""
    lines = [
        "# Commands",
        "",
        f"{len(registry.commands())} commands in {len(registry.groups())} groups.",
        "",
        "`earmark` alone opens the app. Commands that list or report take `--json`. They exit with 0 if they worked",
        "or there was nothing to do, with 1 after an error (one sentence on standard error), with 2 for wrong usage.",
        "",
    ]
    for heading, group in registry.groups().items():
        lines += [f"## {heading}", ""]
        for name, summary in group.items():
            lines += [f"### {name}", "", f"{summary[:1].upper()}{summary[1:]}.", "", "```text"]
            lines += [parser(name, registry.load(name)).format_help().rstrip(), "```", ""]
    lines += ["## Older words", "", "These still work exactly as before.", "", "| older | today |", "|---|---|"]
    lines += [f"| `earmark {name}` | `earmark {today}` |" for name, today in sorted(registry.former().items())]
    return "\n".join(lines)


# -- JSON -----------------------------------------------------------------------------------------------------


def json_types() -> str:
    """What `--json` prints of every command, and the fields of every type in it."""
    spec = specification({name: registry.load(name) for name in registry.commands()})
    printed = {name: one["json"] for name, one in spec["commands"].items() if one["json"]}
    types = _types(printed, spec["$defs"])
    lines = [
        "# JSON",
        "",
        f"What {len(printed)} commands print with `--json`, and the {len(types)} types in it.",
        "`earmark --spec` has the same as a [JSON schema](../scripting.md#for-machines).",
        "",
        "| command | prints |",
        "|---|---|",
    ]
    for name, kinds in printed.items():
        for kind in kinds:
            lines.append(f"| `{name}` {kind['when']} | {_cell(type_words(kind['schema'], _link))} |")
    for name in types:
        one = spec["$defs"][name]
        lines += ["", f"## {name}", ""]
        if words := one.get("description"):
            lines += [words, ""]
        lines += ["| field | type | |", "|---|---|---|"]
        for field, schema in one.get("properties", {}).items():
            lines.append(f"| `{field}` | {_cell(type_words(schema, _link))} | {_cell(schema.get('description', ''))} |")
    return "\n".join([*lines, ""])


def _types(schema: Any, defs: dict[str, Any]) -> list[str]:
    """The types that a schema refers to, and the types in those, sorted."""
    reached: set[str] = set()
    waiting = [schema]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            name = str(one.get("$ref", "")).rpartition("/")[2]
            if name and name not in reached:
                reached.add(name)
                waiting.append(defs[name])
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return sorted(reached)


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


# -- themes and access ----------------------------------------------------------------------------------------


def themes() -> str:
    """The themes that come with Earmark, and the colours of each."""
    lines = ["# Built-in themes", "", "| name | is | |", "|---|---|---|"]
    for name, entry in BUILT_IN.items():
        lines.append(f"| `{name}` | {entry.title} | {'dark' if entry.dark else 'light'} |")
    return "\n".join([*lines, ""])


def access() -> str:
    """Each action and the command that does the same."""
    lines = ["# Actions and their commands", "", "Words in capitals stand for what you name.", ""]
    lines += ["| action | command |", "|---|---|"]
    for action in ACTIONS:
        if action.id in BY_COMMAND:
            lines.append(f"| {_cell(translate(action.title))} | `{_cell(BY_COMMAND[action.id])}` |")
    lines += ["", "These only move about on the screen, or change how it looks:", ""]
    lines += [f"- {translate(action.title)}" for action in ACTIONS if action.id in SCREEN_ONLY]
    return "\n".join([*lines, ""])


PAGES = {
    "keys": keys,
    "settings": settings,
    "commands": commands,
    "json": json_types,
    "themes": themes,
    "access": access,
}
