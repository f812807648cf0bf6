"""The pictures of the README and of the documentation show the app as it is."""

import importlib
import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT / "scripts"))

screenshot: Any = importlib.import_module("screenshot")


@pytest.mark.parametrize("picture", screenshot.PICTURES, ids=lambda one: one.name)
def test_a_picture_says_what_the_app_says_today(picture: Any) -> None:
    shown = (DOCS / picture.name).read_text(encoding="utf-8")
    assert screenshot.words(screenshot.drawn(picture)) == screenshot.words(shown), "make screenshot"


def test_every_picture_of_a_page_is_made_here() -> None:
    pages = [ROOT / "README.md", *DOCS.glob("*.md")]
    shown = {name for page in pages for name in _pictures(page.read_text(encoding="utf-8"))}
    assert shown - {"earmark.gif"} <= {one.name for one in screenshot.PICTURES}


def _pictures(page: str) -> set[str]:
    return {Path(one).name for one in re.findall(r"!\[[^]]*\]\(([^)]+)\)", page)}
