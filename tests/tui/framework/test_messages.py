"""Messages take their fields as a dataclass does."""

import pytest
from textual.message import Message

from tui.framework.messages import FieldMessage


class _Moved(FieldMessage):
    row: int
    by: str


class _MovedFar(_Moved):
    """With a field more."""

    far: bool


def test_fields_are_given_in_order_or_by_name() -> None:
    moved = _MovedFar(3, "key", far=True)
    assert (moved.row, moved.by, moved.far) == (3, "key", True)
    assert isinstance(moved, Message)
    assert moved.time


@pytest.mark.parametrize("given", [((3,), {}), ((3, "key", True), {}), ((3, "key"), {"row": 4}), ((3,), {"bye": ""})])
def test_a_field_too_few_or_too_many_is_an_error(given: tuple[tuple[object, ...], dict[str, object]]) -> None:
    values, named = given
    with pytest.raises(TypeError):
        _Moved(*values, **named)  # type: ignore[arg-type]
