"""config.toml as it is handed to somebody who has none: every setting with its default and its words, as comments."""

from textwrap import wrap

from player.configuration.catalogue import documented, value_of
from player.configuration.effect import AT_RESTART
from player.settings import Settings
from player.text.sentences import _
from player.toml.writing import written

_WIDTH = 100


def template() -> str:
    """TOML that sets nothing. A line that begins with `#` and no space is a setting with its default."""
    lines = _comment(
        _("Earmark's settings. Remove the # before a setting to change it; all of them are optional."),
        _("TIME is seconds (90), 1:30, 1:02:03 or 1h2m3s. Check the file with: earmark config check"),
    )
    defaults, section = Settings(), ""
    tables: list[str] = []
    for one in documented():
        if one.section != section:
            lines += [*tables, "", f"[{one.section}]"]
            section, tables = one.section, []
        values = [(name, value_of(defaults, f"{section}.{name}")) for name in one.names]
        if not values:
            lines += [*_comment(one.words, _("earmark keys lists the actions.")), '#play = "enter"']
        elif isinstance(values[0][1], dict):  # a header of its own comes after all else of the section
            tables += ["", *_comment(one.words), f"#[{section}.{one.names[0]}]"]
        else:
            lines += _comment(one.words)
            if any(f"{section}.{name}" in AT_RESTART for name in one.names):
                lines += _comment(_("It takes effect when Earmark is restarted."))
            lines += [f"#{name} = {written(value)}" for name, value in values]
    return "\n".join([*lines, *tables, ""])


def _comment(*paragraphs: str) -> list[str]:
    return [f"# {line}" for words in paragraphs for line in wrap(words, _WIDTH, break_on_hyphens=False)]
