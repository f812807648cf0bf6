"""What works in the background while the app closes, or while something newer takes its place."""

import ast
import gc
import warnings
from pathlib import Path

import pytest

import tui
from tests.tui.stage import opened, stocked_player


def test_what_works_on_the_loop_is_started_as_a_function() -> None:
    """Textual takes coroutines too, of which those that are cancelled before their first step are never awaited."""
    for path in Path(tui.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name == "screen.py" or "run_worker" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "run_worker":
                assert "thread" in {one.arg for one in node.keywords}, f"{path}, line {node.lineno}"


@pytest.mark.long
async def test_workers_that_are_cancelled_before_they_begin_leave_nothing_behind() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        async with opened(stocked_player()) as stage:
            for _ in range(2):  # the second takes the place of the first before that has begun
                stage.screen.parts.sidebar.load()
                stage.screen.parts.lists.load()
                stage.screen.parts.sidebar.update_counts()
                if stage.screen.episode is not None:
                    stage.screen.parts.pages.bring(stage.screen.episode)
            stage.app.workers.cancel_all()
        gc.collect()
    assert [str(one.message) for one in caught if "never awaited" in str(one.message)] == []
