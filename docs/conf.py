"""The documentation as a site: `make docs` builds it into docs/_site. A link that leads nowhere fails the build."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from pages_from_code import write_pages  # noqa: E402
from sphinx.application import Sphinx  # noqa: E402

from player import __version__  # noqa: E402

project = "Earmark"
copyright = "Earmark's authors"
version = release = __version__

extensions = ["myst_parser"]
exclude_patterns = ["_site"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
nitpicky = True

html_theme = "furo"
html_title = "Earmark"
html_static_path: list[str] = []
html_extra_path = ["earmark.cast"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#a8620a", "color-brand-content": "#a8620a"},
    "dark_css_variables": {"color-brand-primary": "#e8a33d", "color-brand-content": "#e8a33d"},
}


def setup(_app: Sphinx) -> None:
    """Writes the pages that are made from the code, before any is read."""
    write_pages(HERE / "generated")
