"""The command line speaks the listener's language: every sentence is marked, and the catalogue is read first."""

import ast
import re
from pathlib import Path

import pytest

from player.paths import Paths
from tests.player.text.test_catalogues import earmark, install, mo

CLI = Path(__file__).parents[3] / "tui" / "cli"
_SAYS = {
    "print", "complain", "Column", "EarmarkError", "NotFound", "NoSoundDevice", "ArgumentTypeError", "Notice",
    "_report", "_complain", "getpass", "Misuse", "confirmed", "report",
}  # fmt: skip
_SAYING = {"help", "summary", "about", "description"}
_FIELD = re.compile(r"\{\w+\}")
"""What a template fills in: the cell of a column."""
_NAMES = {"earmark ", "earmark: "}
GERMAN = {
    "": "Content-Type: text/plain; charset=UTF-8\n",
    "show what is playing": "zeigen, was läuft",
    "examples:": "Beispiele:",
    "Set the volume of the running Earmark, or show it.": "Die Lautstärke einstellen.",
    "percent, 0 to 150; without it, shows the volume": "Prozent, 0 bis 150",
    "Volume must be between 0 and 150": "Die Lautstärke liegt zwischen 0 und 150",
    "running": "läuft",
    "no": "nein",
}


def unmarked(tree: ast.AST) -> list[str]:
    """Words that are printed as they stand in the source."""
    found = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        said = [one.value for one in call.keywords if one.arg in _SAYING]
        said += call.args if name in _SAYS else []
        for one in said:
            parts = one.values if isinstance(one, ast.JoinedStr) else [one]
            texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            found += [text for text in texts if re.search("[A-Za-z]{3}", _FIELD.sub("", text)) and text not in _NAMES]
    return found


@pytest.mark.parametrize("path", sorted(CLI.rglob("*.py")), ids=lambda path: path.stem)
def test_every_sentence_is_marked_for_translators(path: Path) -> None:
    assert unmarked(ast.parse(path.read_text(encoding="utf-8"))) == []


def test_an_unmarked_sentence_is_found() -> None:
    source = 'print(_("a"), "Nothing")\nadd(help=f"at most {n} of them")\ncomplain(str(error))'
    assert unmarked(ast.parse(source)) == ["Nothing", "at most ", " of them"]
    assert unmarked(ast.parse('Column(_("DAY"), "{day}")\nColumn("DAY", "from {day}")')) == ["DAY", "from {day}"]


def test_help_errors_and_findings_are_in_the_listeners_language(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    install(paths.translations, "de", mo(GERMAN))
    monkeypatch.setenv("LANGUAGE", "de")
    assert re.search("^  status +zeigen, was läuft$", earmark("help", "commands"), re.MULTILINE)
    volume = earmark("volume", "--help")
    assert all(text in volume for text in ("Die Lautstärke einstellen.", "Prozent, 0 bis 150", "Beispiele:"))
    assert "Die Lautstärke liegt zwischen 0 und 150" in earmark("volume", "999")
    assert re.search("^ok +läuft: nein$", earmark("doctor"), re.MULTILINE)
