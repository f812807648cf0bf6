"""Themes of one's own: what can be in a file, and what is said of one that can't be used."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.look.built_in import BUILT_IN, built_in
from tui.look.colours import contrast
from tui.look.own_themes import BadTheme, own_theme, own_themes, template


def written(folder: Path, text: str | bytes, name: str = "sea") -> Path:
    file = folder / f"{name}.toml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def test_what_a_file_sets_is_taken_as_written_and_the_rest_from_its_base(tmp_path: Path) -> None:
    found = own_theme(written(tmp_path, 'base = "nord"\naccent = "#F80"\n'))
    assert (found.name, found.roles.accent) == ("sea", "#ff8800")
    assert found.roles.text == built_in("nord").text
    assert found.roles.tints[-1] == "#ff8800"


def test_what_a_file_leaves_out_can_be_read_on_its_grounds(tmp_path: Path) -> None:
    grounds = 'background = "#ffffff"\nsurface = "#f4f4f4"\npanel = "#e8e8e8"\n'
    roles = own_theme(written(tmp_path, grounds)).roles
    assert not roles.dark
    assert all(contrast(roles.text, ground) >= 4.5 for ground in roles.grounds)
    assert all(contrast(roles.muted, ground) >= 4.5 for ground in roles.grounds)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('base = "nord"\naccent = "red"\n', "line 2: “accent” must be a colour"),
        ('\n\nacent = "#123456"\n', "line 3: there is no colour “acent”. Did you mean “accent”?"),
        ('base = "nrd"', "line 1: “base” must be a theme of Earmark with colours of its own. Did you mean “nord”?"),
        ('base = "ansi"', "line 1: “base” must be"),
        ("text = '#123456'\nhues = ['#111111']", "line 2: “hues” must be a list of 8 colours"),
        ("hues = 3", "line 1: “hues” must be a list of 8 colours"),
        ('text = "#12345"', "line 1: “text” must be a colour"),
        ("text = [", "line 1: it isn't TOML"),
        ('text = "#000000"\ntext = "#111111"', "line 2: it isn't TOML"),
        (b"\xff\xfe", "it isn't UTF-8 text"),
        ("# " + "x" * 70_000, "it is too large"),
        ('accent = "\x1b[31m"', "it isn't TOML"),
    ],
)
def test_a_mistake_is_said_with_its_file_and_line(text: str | bytes, said: str, tmp_path: Path) -> None:
    file = written(tmp_path, text)
    with pytest.raises(BadTheme) as bad:
        own_theme(file)
    assert str(file) in str(bad.value)
    assert said in str(bad.value)
    assert str(bad.value).endswith("The theme is left out.")


def test_a_bad_file_costs_only_itself(tmp_path: Path) -> None:
    written(tmp_path, 'accent = "#ff8800"')
    written(tmp_path, "accent = 1", "broken")
    written(tmp_path, "", "ink")
    written(tmp_path, "", "My Theme")
    found = own_themes(tmp_path)
    assert list(found.themes) == ["sea"]
    assert len(found.problems) == 3
    assert own_themes(tmp_path / "none").problems == ()


@pytest.mark.parametrize("name", [name for name in BUILT_IN if not name.startswith("ansi")])
def test_a_template_makes_the_theme_it_was_made_from(name: str, tmp_path: Path) -> None:
    assert own_theme(written(tmp_path, template(name, built_in(name)))).roles.text == built_in(name).text


@given(st.text(max_size=80), st.text(max_size=20))
def test_nothing_but_colours_comes_out_of_a_file(key: str, value: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = written(Path(folder), f'"{key}" = "{value}"'.encode("utf-8", "replace"))
        try:
            roles = own_theme(file).roles
        except BadTheme:
            return
        assert all(colour.startswith("#") and len(colour) == 7 for colour in (*roles.grounds, roles.text, *roles.hues))
