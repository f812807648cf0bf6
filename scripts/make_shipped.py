"""Makes what is installed beside the commands, from them: their index, the manual page, and completions for bash, zsh
and fish.

Writes them to tui/cli/shipped, or to the folder that is given. Run it after changing a command; a test compares.
"""

import json
import os
import re
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["COLUMNS"] = "100"  # argparse wraps at the width of the terminal

import shtab  # noqa: E402
from argparse_manpage.manpage import Manpage  # noqa: E402

from player import __version__  # noqa: E402
from player.text.sentences import _  # noqa: E402
from tui.cli import registry  # noqa: E402
from tui.cli.commands.completions import SHELLS  # noqa: E402
from tui.cli.completing import KINDS, kind_of, words_after, words_of  # noqa: E402

MANUAL_PAGE = "earmark.1"


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tui" / "cli" / "shipped"
    target.mkdir(exist_ok=True)
    write(target / registry.INDEX.name, index())
    registry.INDEX = target / registry.INDEX.name  # the other files are made from what it says
    for shell, name in SHELLS.items():
        write(target / name, completion(shell))
    write(target / MANUAL_PAGE, manual_page())


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    print(path)


def whole_parser(*, brief: bool = False) -> ArgumentParser:
    """`earmark` with every command as a subparser. With `brief` a command is described by its summary."""
    whole = registry.Parser(
        prog="earmark",
        description=_(
            "A podcast player for the terminal that never loses your place. Without a command it opens the app."
        ),
        allow_abbrev=False,
    )
    whole.add_argument("-V", "--version", action="version", version=f"earmark {__version__}")
    whole.add_argument("--mini", action="store_true", help=_("start with only the player bar"))
    whole.add_argument("--screen-reader", action="store_true", help=_("start with lines for speech and braille"))
    whole.add_argument(
        "--spec", action="store_true", help=_("describe all commands, and the JSON that they print, for programs")
    )
    parsers = whole.add_subparsers(metavar="COMMAND", title=_("commands"))
    for name, summary in registry.commands().items():
        made = registry.fill(parsers.add_parser(name, help=summary), registry.load(name))
        if brief:
            made.description = summary
    return whole


def index() -> str:
    """Which module has which command, a line for each."""
    modules = registry.modules()
    found = registry.described(modules)
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(found[name])}" for name in registry.in_order(found))
    return f'{{\n  "modules": {json.dumps(modules)},\n  "commands": {{\n{lines}\n  }}\n}}\n'


def completion(shell: str) -> str:
    """The script that completes commands, options, their choices, names of files, and those of what is in the library,
    which it asks `earmark complete` for."""
    parser, preambles = whole_parser(brief=True), dict(PREAMBLES)
    for command in commands(parser):
        positional = [action for action in command._actions if not action.option_strings]
        for action in positional[:-1]:
            if action.nargs == "?":
                action.nargs = None  # else what follows it is never reached
        for action in command._actions:
            kind = kind_of(action)
            if kind == "file":
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif kind is not None and command.bare and action in positional:
                name = f"_earmark_{action.dest}_or_{command.bare[0]}"
                action.complete, functions = besides(name, kind, command.bare)  # type: ignore[attr-defined]
                action.nargs = "*"
                preambles = {one: text + functions[one] for one, text in preambles.items()}
            elif kind is not None and (after := words_after(action)) is not None:
                name = f"_earmark_{action.dest}_after_{after[0]}"
                action.complete, functions = either(name, kind, *after)  # type: ignore[attr-defined]
                preambles = {one: text + functions[one] for one, text in preambles.items()}
            elif kind is not None:
                action.complete = {one: how.format(kind=kind) for one, how in ASKED.items()}  # type: ignore[attr-defined]
            elif (words := words_of(action)) and all("=" in word for word in words):
                listed = " ".join(words)
                action.complete = {"bash": ASSIGNED, "zsh": ASSIGNED, "fish": listed}  # type: ignore[attr-defined]
                preambles = {one: text.replace("ASSIGNMENTS", listed) for one, text in preambles.items()}
            elif words:
                action.choices = words
    text = shtab.complete(parser, shell=shell, preamble=preambles)
    if shell == "bash":
        text = text.replace(*_NO_BLANK)
    if shell == "zsh":
        return text.replace('  "(*)::', '  "*:').replace('  "(*):', '  "*:')  # any number of them, not one at most
    return text.replace(*_UNSORTED)


def commands(parser: ArgumentParser) -> Iterator[registry.Parser]:
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            yield from action.choices.values()


ASKED = {
    "bash": "_earmark_{kind}",
    "zsh": "_earmark_{kind}",
    "fish": "(command earmark complete fish {kind} (commandline -ct) 2>/dev/null)",
}
"""How each shell asks for names. None of them evaluates what it is given: titles come from strangers."""
ASSIGNED = "_earmark_assigned"
"""The function for words like NAME=VALUE."""


def either(name: str, kind: str, before: str, words: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """How each shell offers `words` once the word `before` stands on the line, and names of that kind until then; and
    the function that this needs, called `name`."""
    listed = " ".join(words)
    ask = f"_earmark_either {before} '{listed}' {kind}"
    fish = f"(contains -- {before} (commandline -opc); and string split ' ' '{listed}'; or "
    complete = {"bash": name, "zsh": name, "fish": fish + ASKED["fish"].format(kind=kind)[1:]}
    return complete, {"bash": f'{name}() {{ {ask} "$1"; }}\n', "zsh": f"{name}() {{ {ask} }}\n"}


def besides(name: str, kind: str, words: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """How each shell offers `words` and names of that kind, and the function that this needs, called `name`."""
    listed, ask = " ".join(words), f"_earmark_names {kind}"
    complete = {"bash": name, "zsh": name, "fish": f"{listed} {ASKED['fish'].format(kind=kind)}"}
    return complete, {
        "bash": f'{name}() {{ compgen -W \'{listed}\' -- "$1"; {ask} "$1"; }}\n',
        "zsh": f"{name}() {{ compadd -- {listed}; {ask} }}\n",
    }


_FUNCTIONS = "".join(f'_earmark_{kind}() {{ _earmark_names {kind} "$@" }}\n' for kind in KINDS)
PREAMBLES = {
    "bash": r"""
# $1=kind, $2=word
_earmark_names() {
  command earmark complete bash "$1" "$2" 2>/dev/null
}
# $1=what has to stand on the line, $2=what is offered then, $3=kind of what is offered else, $4=word
_earmark_either() {
  local word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == "$1" ]] && { compgen -W "$2" -- "$4"; return; }
  done
  _earmark_names "$3" "$4"
}
# $1=word, without what stands before a “=”, which is a word of its own
_earmark_assigned() {
  local before="" word="$1" one
  if [[ $1 == "=" ]]; then
    before="${COMP_WORDS[COMP_CWORD-1]}=" word=""
  elif [[ ${COMP_WORDS[COMP_CWORD-1]} == "=" ]]; then
    before="${COMP_WORDS[COMP_CWORD-2]}="
  fi
  for one in ASSIGNMENTS; do
    [[ $one == "$before$word"* && $one != "$before" ]] && printf '%s\n' "${one#"$before"}"
  done
}
"""
    + _FUNCTIONS.replace('"$@" }', '"$1"; }'),
    "zsh": r"""
_earmark_names() {
  local -a lines names shown
  local line
  lines=("${(@f)$(command earmark complete zsh $1 "${(Q)PREFIX}" 2>/dev/null)}")
  for line in "${lines[@]}"; do
    [[ -n $line ]] || continue
    names+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  -- }")
  done
  (( $#names )) && compadd -U -V earmark -d shown -a names
}
_earmark_either() {
  if (( ${words[(Ie)$1]} )); then
    compadd -- ${=2}
  else
    _earmark_names $3
  fi
}
_earmark_assigned() {
  local -a given
  given=(ASSIGNMENTS)
  compadd -S '' -- ${(M)given:#*=}
  compadd -- ${given:#*=}
}
"""
    + _FUNCTIONS.replace(' "$@" }', " }"),
}
_NATIVE = "  if [[ ${#COMPREPLY[@]} = 0 ]]; then\n    # native fallback"
_NO_BLANK = (
    _NATIVE,
    "  [[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null # bash>=4\n\n" + _NATIVE,
)
"""After a name that has yet to get its value."""
_COMPLETED = "complete -o bashdefault{more} -F _shtab_earmark earmark"
_UNSORTED = (
    _COMPLETED.format(more=""),
    _COMPLETED.format(more=" -o nosort") + " 2>/dev/null || # bash<4.4:\n  " + _COMPLETED.format(more=""),
)


def manual_page() -> str:
    """earmark(1), without a date, which would change the file when nothing else does."""
    page = Manpage(whole_parser())
    page.manual, page.source, page.date = "Earmark", f"earmark {__version__}", ""
    text = str(page).replace(".SH NAME\nearmark\n", ".SH NAME\nearmark \\- podcast player for the terminal\n")
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).rstrip() + "\n" + _FILES


_FILES = r""".SH FILES
Under Linux:
.TP
\fI~/.local/share/earmark/library.db\fR
podcasts, episodes, positions, and everything else that is yours
.TP
\fI~/.config/earmark/config.toml\fR
settings, all of them optional
.TP
\fI~/.cache/earmark/\fR
cached audio; safe to delete
.TP
\fI~/.local/state/earmark/earmark.log\fR
the log
.SH ENVIRONMENT
.TP
.B EARMARK_HOME
keeps all of these files under one folder
.TP
.B NO_COLOR
if set, the app and all commands are drawn without colours
.SH EXIT STATUS
0 if it worked or there was nothing to do, 1 after an error (one sentence on standard error), 2 for wrong usage.
"""


if __name__ == "__main__":
    main()
