"""`config edit`: the listener's editor on a copy of config.toml, which takes its place once it can be read."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from player import regular_file
from player.configuration.catalogue import template
from player.configuration.changing import copy_beside, save
from player.errors import EarmarkError
from player.paths import Paths
from player.settings_file import LARGEST, Problem
from player.text.sentences import _
from tui.cli.command import complain
from tui.config_file import problems_of
from tui.terminal.capabilities import is_terminal


def in_words(problem: Problem) -> str:
    """`line 3: …`; without a line where there is none."""
    if problem.line is None or not problem.name:
        return problem.what
    return _("line {line}: {problem}", line=problem.line, problem=problem.what)


Edit = Callable[[Sequence[str], Path], int]
Ask = Callable[[], str]


class NoEditor(EarmarkError):
    """There is no editor to open."""


def editor(environ: Mapping[str, str] = os.environ, find: Callable[[str], str | None] = shutil.which) -> list[str]:
    """The words of a command, as git finds it: VISUAL, which needs a terminal that isn't dumb, EDITOR, then vi.

    Raises NoEditor.
    """
    is_dumb = environ.get("TERM", "dumb") == "dumb"
    advice = _("Set EDITOR to one: EDITOR=nano earmark config edit")
    for variable in ("VISUAL", "EDITOR"):
        wish = environ.get(variable, "").strip()
        if not wish or (variable == "VISUAL" and is_dumb):
            continue
        try:
            words = shlex.split(wish)
        except ValueError:
            words = []
        if not words or find(os.path.expanduser(words[0])) is None:  # noqa: PTH111 - a word of a command, not a path
            raise NoEditor(_("${variable} is “{wish}”, which can't be found", variable=variable, wish=wish), advice)
        return [os.path.expanduser(words[0]), *words[1:]]  # noqa: PTH111
    if not is_dumb and find("vi") is not None:
        return ["vi"]
    raise NoEditor(_("There is no editor: neither VISUAL nor EDITOR is set, and there is no vi"), advice)


def edit(paths: Paths, words: Sequence[str], run: "Edit | None" = None, ask: "Ask | None" = None) -> int:
    """The exit code: 0 where config.toml has no mistakes now, or is as it was. Raises EarmarkError.

    `ask` is what then to do about mistakes: `e` to edit again, `s` to save anyway, else to quit; None: nobody is there.
    """
    run = run or run_editor
    path = paths.settings
    before = _text_of(path)
    copy = copy_beside(path, template() if before is None else before)
    started = copy.read_bytes()
    while True:
        code = run(words, copy)
        text = _edited(copy)
        if text is not None and text.encode() == started:
            copy.unlink(missing_ok=True)
            print(_("Nothing was changed."))
            return 0 if code == 0 else 1
        if code or text is None:
            complain(_("The editor ended with an error ({code}).", code=code) if code else _("It isn't UTF-8 text."))
            return _kept(copy)
        problems = problems_of(paths, text)
        if not problems:
            return _install(path, before, text, copy)
        for problem in problems:
            complain(in_words(problem))
        match ask() if ask is not None else "":
            case "e":
                continue
            case "s":
                return _install(path, before, text, copy) or 1
            case _:
                return _kept(copy)


def ask_what_then() -> str:
    """On a terminal: e, s or q. End of input is q."""
    words = _("[E]dit again, [s]ave it anyway, or [q]uit without saving? ")
    while True:
        print(words, end="", flush=True)
        line = sys.stdin.readline()
        answer = line.strip().lower()[:1] or ("e" if line else "q")
        if answer in "esq":
            return answer


def run_editor(words: Sequence[str], file: Path) -> int:
    """Its exit code. Ctrl+C is the editor's."""
    with _deaf_to_ctrl_c():
        try:
            return subprocess.run([*words, str(file)], check=False).returncode
        except OSError as error:
            raise NoEditor(_("{program} can't be run ({reason})", program=words[0], reason=error.strerror)) from error


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    # A handler of ours, and not SIG_IGN, which the editor would inherit.
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def interactive() -> bool:
    return is_terminal(sys.stdin) and is_terminal(sys.stdout)


def _install(path: Path, before: str | None, text: str, copy: Path) -> int:
    """Unless the file was changed beside: then neither version is lost."""
    if _text_of(path) != before:
        complain(_("{file} was changed in the meantime, and is left as it is.", file=path))
        return _kept(copy)
    try:
        save(path, text)
    except EarmarkError as error:
        complain(str(error))
        return _kept(copy)
    copy.unlink(missing_ok=True)
    print(_("Saved {file}. A running Earmark applies it.", file=path))
    return 0


def _kept(copy: Path) -> int:
    complain(_("config.toml is as it was. What you typed is in {file}", file=copy))
    return 1


def _text_of(path: Path) -> str | None:
    """None where there is no such file. Raises EarmarkError where it can't be read as text."""
    try:
        return regular_file.read_text(path, LARGEST)
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise EarmarkError(_("{file} isn't UTF-8 text", file=path), _("Correct it with an editor.")) from error
    except OSError as error:
        raise EarmarkError(_("Can't read {file} ({reason})", file=path, reason=error.strerror)) from error


def _edited(copy: Path) -> str | None:
    try:
        return copy.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
