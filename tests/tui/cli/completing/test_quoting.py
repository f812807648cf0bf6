"""A name on a command line says just what it is."""

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.cli.completing import Typed, in_bash, typed

NAMES = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1)
NASTY = (
    "$(touch x)", "`touch x`", "it's \"so\"!", "a\\b\\", "; rm -rf * &", "~/x {a,b} [c]? #no", "a=b:c@d>e<f|g", "!!",
    "!$", "ends '", 'ends "', "ends!", " begins", "日本 ünïcødé", "$HOME ${HOME}", "\\$(x)", "x\\", "^a^b", "%1",
)  # fmt: skip


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("", Typed("")),
        ("Py", Typed("Py")),
        ("Py\\ T", Typed("Py T")),
        ('"Py T', Typed("Py T", '"')),
        ("'Py \\T", Typed("Py \\T", "'")),
        ('"a \\"b\\" \\c', Typed('a "b" \\c', '"')),
        ("'it'\\''s", None),
        ('"Py" T', Typed("Py T")),
        ('Py"T', None),
        ("$HO", None),
        ('"$HO', None),
        ("'$HO", Typed("$HO", "'")),
        ("\\$HO", Typed("$HO")),
        ("`ls", None),
        ("Py\\", Typed("Py")),
    ],
)
def test_what_is_typed_is_read_as_a_shell_reads_it(word: str, says: Typed | None) -> None:
    assert typed(word) == says


@given(NAMES)
def test_a_name_that_was_put_in_is_read_again(name: str) -> None:
    assert typed(in_bash(name, "")) == Typed(name)
    closed = f'"{in_bash(name, chr(34))}'
    whole = typed(closed if closed.endswith('"') and closed != '"' else f'{closed}"')
    assert whole is None or whole == Typed(name)


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
def test_bash_expands_nothing(tmp_path: object) -> None:
    """As a word of its own, and within either quotation marks; the history, too, as on a terminal."""
    words = []
    for name in NASTY:
        for quote in ("", "'", '"'):
            put = quote + in_bash(name, quote)
            words.append(put if len(put) > 1 and quote and put.endswith(quote) else put + quote)
    script = "set -H\nset -o history\nhistory -s touch pwned\nprintf '%s\\0' " + " ".join(words) + "\n"
    done = subprocess.run(["bash", "--norc"], input=script, capture_output=True, text=True, cwd=str(tmp_path))
    assert done.stdout.split("\0")[:-1] == [name for name in NASTY for _quote in range(3)], done.stderr
