"""`help`: what the keys, commands, settings and pages of the documentation say about a word; a whole page; and a map of
what matters first."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from player.text.sentences import _, mark, plural, translate
from tui import manual
from tui.cli import registry
from tui.cli.command import Command, Context, Misuse, complain, print_json, report
from tui.cli.completing import offer
from tui.cli.text_table import may_colour, terminal_width
from tui.drawing.cells import cut, fit, width
from tui.manual import best_first, fit_of, words_in

if TYPE_CHECKING:
    from player.integrations.documents.commands import (
        CommandName,
        FoundKey,
        FoundPassage,
        FoundSetting,
        HelpMap,
        HelpPage,
    )
    from tui.actions.action import Action

_COLUMNS = 80
_WIDEST = 100
"""The cells of a line that is easy to read."""
_MOST = 6
"""The most entries of each kind, unless all are asked for."""
_MOST_EXAMPLES = 3
_MOST_LINES = 2
_MOST_NEAR = 3
_NEAR_FROM = 3
"""The least letters of a word that is suggested."""
_MAP_KEYS = ("play", "pause", "add", "filter", "help")
_MAP_COMMANDS = ("add", "find", "play", "queue", "import", "sync", "doctor")
_PAGE_LINES = 3


# -- pages that are made from the code ------------------------------------------------------------------------


def _commands_page(_context: Context) -> list[str]:
    known = registry.groups()
    room = max(len(name) for group in known.values() for name in group)
    lines: list[str] = []
    for heading, group in known.items():
        lines += [f"{heading}:", *(f"  {name:{room}}  {summary}" for name, summary in group.items()), ""]
    return [*lines, translate(registry.MORE)]


def _keys_page(context: Context) -> list[str]:
    from tui.actions.action import Group

    actions = _actions(context)
    labels = {action.id: label for action, label in actions if label}
    room = max(map(width, labels.values()))
    lines: list[str] = []
    for group in Group:
        lines += ["", translate(group.value)] if lines else [translate(group.value)]
        lines += [
            f"  {fit(labels[action.id], room)}  {translate(action.title)}"
            for action, _label in actions
            if action.group is group and action.id in labels
        ]
    return lines


def _settings_page(_context: Context) -> list[str]:
    from player.configuration.catalogue import template

    return template().splitlines()


def _json_page(_context: Context) -> list[str]:
    from tui.cli.spec import specification, type_words

    printed = specification({name: registry.load(name) for name in registry.commands()})
    rows = [
        (f"{name} {kind['when']}".rstrip(), type_words(kind["schema"]))
        for name, command in printed["commands"].items()
        for kind in command["json"]
    ]
    room = max(len(name) for name, _type in rows)
    types = [
        line
        for name, one in printed["$defs"].items()
        for line in ("", name, *(f"  {field}: {type_words(its)}" for field, its in one.get("properties", {}).items()))
    ]
    return [*(f"{name:{room}}  {its}" for name, its in rows), *types]


def _pages_page(_context: Context) -> list[str]:
    titles = _titles()
    room = max(map(len, titles), default=0)
    return [f"{name:{room}}  {title}" for name, title in titles.items()]


class Made(NamedTuple):
    title: str
    lines: Callable[[Context], list[str]]


_MADE = {
    "keys": Made(mark("Keys"), _keys_page),
    "settings": Made(mark("Settings"), _settings_page),
    "commands": Made(mark("Commands"), _commands_page),
    "json": Made("JSON", _json_page),
    "pages": Made(mark("Pages"), _pages_page),
}


def _titles() -> dict[str, str]:
    """The titles of all pages by their names: those of the documentation in its order, then others that are made."""
    files = {one.name: one.title for one in manual.pages()}
    made = {name: translate(one.title) for name, one in _MADE.items()}
    listed = [name for name in manual.names() if name in files or name in made]
    return {name: files.get(name) or made[name] for name in (*listed, *(name for name in made if name not in listed))}


# -- finding --------------------------------------------------------------------------------------------------


class Found(NamedTuple):
    """In each list the best first."""

    keys: "list[FoundKey]"
    commands: "list[CommandName]"
    settings: "list[FoundSetting]"
    passages: "list[FoundPassage]"

    @property
    def any(self) -> bool:
        return any(self)


def found(context: Context, wanted: Sequence[str]) -> Found:
    """What is said about all of the words `wanted`, which are folded."""
    return Found(
        _found_keys(context, wanted),
        _found_commands(wanted),
        _found_settings(wanted),
        [{"page": one.page, "heading": one.heading, "text": one.text} for one in manual.passages(wanted)],
    )


def _actions(context: Context) -> "list[tuple[Action, str]]":
    """The actions with the listener's keys, as they are shown; "" for none."""
    from tui.actions.table import key_label, remapped

    actions, _problems = remapped(context.settings.keys)
    return [(action, ", ".join(map(key_label, action.keys))) for action in actions]


def _found_keys(context: Context, wanted: Sequence[str]) -> "list[FoundKey]":
    from tui.actions.table import BY_COMMAND

    def row(action: "Action") -> "FoundKey":
        return {
            "id": action.id,
            "keys": list(action.keys),
            "title": translate(action.title),
            "command": BY_COMMAND.get(action.id),
        }

    return best_first(
        (
            fit_of(
                wanted,
                (f"{translate(action.title)} {action.title} {action.id}", 3),
                (f"{translate(action.also)} {action.also}", 2),
            ),
            row(action),
        )
        for action, _label in _actions(context)
    )


def _found_commands(wanted: Sequence[str]) -> "list[CommandName]":
    former = {
        name: _("This is an older word for: earmark {words}", words=today) for name, today in registry.former().items()
    }
    return best_first(
        (fit_of(wanted, (name, 3), (summary, 2)), {"name": name, "summary": summary})
        for name, summary in {**registry.commands(), **former}.items()
    )


def _found_settings(wanted: Sequence[str]) -> "list[FoundSetting]":
    from player.configuration.catalogue import documented

    return best_first(
        (
            fit_of(wanted, (" ".join(one.names), 3), (one.section, 2), (one.words, 2)),
            {"names": [f"{one.section}.{name}" for name in one.names] or [one.section], "words": one.words},
        )
        for one in documented()
    )


def near(context: Context, word: str) -> list[str]:
    """Similar words that something is said about."""
    from player.configuration.catalogue import names
    from player.text.typed_names import near_names

    texts = [*registry.commands(), *names(), *_titles(), *(translate(one.title) for one, _label in _actions(context))]
    texts += [part.text for page in manual.pages() for part in manual.parts_of(page.source)]
    known = dict.fromkeys(one for text in texts for one in words_in(text) if len(one) >= _NEAR_FROM)
    return near_names(word, known, _MOST_NEAR)


# -- the command ----------------------------------------------------------------------------------------------


def _arguments(parser: ArgumentParser) -> None:
    words = parser.add_argument(
        "words", metavar="WORD", nargs="*", help=_("words to look for, or the name of a page; without any: a map")
    )
    offer(words, lambda: [*_MADE, *registry.commands()])
    parser.add_argument("--all", action="store_true", help=_("all that is found, not only the best"))
    parser.add_argument("--search", action="store_true", help=_("look for the word, even if a page has that name"))


def _help(context: Context, options: Namespace) -> int:
    words = [word.strip() for word in options.words if word.strip()]
    if not words and (options.all or options.search):
        raise Misuse(_("No word is given"))
    columns = min(terminal_width() or _WIDEST, _WIDEST)
    if not words:
        return report(options, _map_document(), *_map(context, min(columns, _COLUMNS)))
    name = words[0].lower()
    if len(words) == 1 and not options.search and name in _titles():
        return _page(context, options, name, columns)
    return _search(context, options, " ".join(words), columns)


def _page(context: Context, options: Namespace, name: str, columns: int) -> int:
    page = manual.page(name)
    document: HelpPage
    if page is not None:
        document = {"page": name, "title": page.title, "text": page.source}
        drawn = manual.rendered(page.source, columns)
        lines = [_bold(line.text) if line.kind == "heading" else line.text for line in drawn]
    else:
        lines = _MADE[name].lines(context)
        document = {"page": name, "title": translate(_MADE[name].title), "text": "\n".join([*lines, ""])}
    more = _("What else is said about it: earmark help --search {word}", word=name)
    return report(options, document, *lines, "", more)


def _search(context: Context, options: Namespace, words: str, columns: int) -> int:
    wanted = list(dict.fromkeys(words_in(words)))[:_MOST]
    there = found(context, wanted) if wanted else Found([], [], [], [])
    similar = [] if there.any or len(wanted) != 1 else near(context, wanted[0])
    if options.json:
        print_json({"words": words, **there._asdict(), "near": similar})
    elif there.any:
        for line in _found_lines(context, there, wanted, columns, all_of_it=options.all):
            print(line)
    if there.any:
        return 0
    sentences = [_("Nothing is said about “{words}”.", words=words[:40])]
    if similar:
        sentences.append(_("Did you mean {name}?", name=", ".join(similar)))
    complain(" ".join([*sentences, _("See: earmark help")]))
    return 1


# -- as text --------------------------------------------------------------------------------------------------


def _found_lines(
    context: Context, there: Found, wanted: Sequence[str], columns: int, *, all_of_it: bool
) -> Iterator[str]:
    most = None if all_of_it else _MOST
    labels = {action.id: label for action, label in _actions(context)}
    for heading, count, lines in (
        (_("Keys"), len(there.keys), _key_lines(there.keys[:most], labels, columns)),
        (_("Commands"), len(there.commands), _command_lines(there.commands[:most], wanted, columns)),
        (_("Settings"), len(there.settings), _setting_lines(there.settings[:most], columns)),
        (_("Pages"), len(there.passages), _passage_lines(there.passages[:most], wanted, columns)),
    ):
        if lines:
            yield _bold(heading)
            yield from (f"  {line}" for line in lines)
            if most is not None and count > most:
                yield "  " + plural(count - most, "{n:,} more with --all", "{n:,} more with --all")
            yield ""
    yield _("A whole page: earmark help PAGE")


def _bold(text: str) -> str:
    return f"\x1b[1m{text}\x1b[22m" if may_colour() else text


def _key_lines(rows: "Sequence[FoundKey]", labels: dict[str, str], columns: int) -> list[str]:
    keys = [labels[row["id"]] for row in rows]
    room = max(map(width, keys), default=0)
    lines = []
    for key, row in zip(keys, rows, strict=True):
        line = f"{fit(key, room)}  {row['title']}"
        whole = f"{line}  ({row['command']})" if row["command"] else line
        lines.append(whole if width(whole) <= columns - 2 else cut(line, columns - 2))
    return lines


def _command_lines(rows: "Sequence[CommandName]", wanted: Sequence[str], columns: int) -> list[str]:
    """The command that is named like the word comes with examples."""
    room = max((len(row["name"]) for row in rows), default=0) + len("earmark ")
    lines = []
    for row in rows:
        name = f"earmark {row['name']}"
        lines.append(cut(f"{fit(name, room)}  {row['summary']}", columns - 2))
        if [row["name"]] == list(wanted):
            examples = registry.load(row["name"]).examples.strip().splitlines()[:_MOST_EXAMPLES]
            lines += [cut(f"    {example}", columns - 2) for example in examples]
    return lines


def _setting_lines(rows: "Sequence[FoundSetting]", columns: int) -> list[str]:
    lines = []
    for row in rows:
        lines += [cut(", ".join(row["names"]), columns - 2), *_excerpt(row["words"], (), columns - 6)]
    return lines


def _passage_lines(rows: "Sequence[FoundPassage]", wanted: Sequence[str], columns: int) -> list[str]:
    lines = []
    for row in rows:
        heading = cut(f"{row['page']} · {row['heading']}", columns - 2)
        lines += [heading, *_excerpt(row["text"], wanted, columns - 6)]
    return lines


def _excerpt(text: str, wanted: Sequence[str], room: int) -> list[str]:
    """At most two lines of the text: those from its first word that is wanted on, unless the first lines have it."""
    lines = manual.wrapped(text, room, breaks=True)
    at = next((number for number, line in enumerate(lines) if wanted and fit_of(wanted[:1], (line, 1))), 0)
    if start := max(0, min(at, len(lines) - _MOST_LINES)):
        lines = manual.wrapped(" ".join(["…", *lines[start:]]), room, breaks=True)
    shown = lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        last = shown[-1] if len(shown[-1]) <= room - 2 else shown[-1][: room - 2].rpartition(" ")[0]
        shown[-1] = f"{last.rstrip(' .')} …"
    return [f"    {line}" for line in shown]


# -- the map --------------------------------------------------------------------------------------------------


def _map_document() -> "HelpMap":
    return {
        "commands": [{"name": name, "summary": summary} for name, summary in registry.commands().items()],
        "pages": [{"page": name, "title": title} for name, title in _titles().items()],
    }


def _map(context: Context, columns: int) -> list[str]:
    """What matters first, on one screen of 80x24."""
    actions = {action.id: (label.partition(", ")[0], translate(action.title)) for action, label in _actions(context)}
    keys = [actions[one] for one in _MAP_KEYS]
    summaries = registry.commands()
    pages = manual.wrapped(", ".join(_titles()), columns - 24)
    if len(pages) > _PAGE_LINES:
        pages = [*pages[: _PAGE_LINES - 1], f"{cut(pages[_PAGE_LINES - 1], columns - 26)} …"]
    more = [
        ("earmark help WORD", _("what is said about a word")),
        ("earmark help PAGE", pages[0]),
        *(("", line) for line in pages[1:]),
        ("earmark help pages", _("all pages, with their titles")),
        ("earmark --help", _("all commands; earmark COMMAND --help: all about one")),
    ]
    blocks = [
        (_("In the app, which earmark alone opens"), keys),
        (_("On the command line"), [(f"earmark {name}", summaries[name]) for name in _MAP_COMMANDS]),
        (_("More"), more),
    ]
    lines: list[str] = []
    for heading, rows in blocks:
        room = max(width(left) for left, _right in rows)
        lines += ["", _bold(heading)] if lines else [_bold(heading)]
        lines += [cut(f"  {fit(left, room)}  {right}", columns).rstrip() for left, right in rows]
    return lines


COMMANDS = {
    "help": Command(
        summary=_("find a word in keys, commands, settings and the documentation"),
        after="open",
        about=_(
            "Find what Earmark's keys, commands, settings and documentation say about a word, the best first. With\n"
            "the name of a page, print the whole page; without a word, print a map of what matters first."
        ),
        examples=(
            "earmark help\nearmark help sleep timer\nearmark help pages\nearmark help importing\n"
            "earmark help --search sync"
        ),
        run=_help,
        arguments=_arguments,
        prints={"": "HelpMap", "with WORD": "HelpFound", "with PAGE": "HelpPage"},
        exits={1: _("nothing is said about the word")},
    )
}
