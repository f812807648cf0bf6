"""The listening history of devices that meet in a real folder, are killed at any step and forget it once."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from player.model.listening import ListeningSpan
from tests.player.sync.simulation import Device, World
from tests.quick import LONG

URL = "https://feeds.example/a"
MINUTE = 60_000


@pytest.fixture
def world() -> Iterator[World]:
    made = World("folder")
    made.published = {URL: 3}
    yield made
    made.close()


def device(world: World) -> Device:
    made = world.add(0)
    made.subscribe(URL)
    made.sync()
    return made


def hear(one: Device, guid: str, minutes: int) -> None:
    """From its beginning, now."""
    episode_id = one.episodes()[guid]
    one.world.ms += minutes * MINUTE
    span = ListeningSpan(episode_id, 0, minutes * MINUTE, one.now() - timedelta(minutes=minutes))
    one.library.progress.save(episode_id, minutes * MINUTE, None, one.now(), heard=[span])


def heard(one: Device) -> list[tuple[str, int, int]]:
    """Guids, minutes, and when."""
    return sorted(
        (guid, span.to_ms // MINUTE, int(span.began_at.timestamp()))
        for guid, episode_id in one.episodes().items()
        for span in one.library.history.spans(episode_id)
    )


def in_folder(world: World) -> str:
    return "".join(file.read_text() for file in (world.folder / "shared" / "earmark-sync").glob("*.jsonl"))


def test_all_that_was_heard_is_everywhere_once_and_nothing_of_it_once_it_is_forgotten(world: World) -> None:
    laptop, phone = device(world), device(world)
    first, second, third = sorted(laptop.episodes())
    for kills_at in range(4 if LONG else 2):
        for after in (False, True):
            for one, guid in ((laptop, first), (phone, second)):
                hear(one, guid, 7)
                one.sync(kills_at=kills_at, after=after)
    for one in (laptop, phone, laptop):
        one.sync()
    assert heard(laptop) == heard(phone)
    assert len(heard(laptop)) == (16 if LONG else 8)
    assert '"span"' in in_folder(world)

    laptop.library.history.forget()
    hear(phone, third, 9)
    laptop.sync()
    phone.sync(kills_at=1, after=True)
    for one in (phone, laptop):
        one.sync()
    assert [guid for guid, _minutes, _at in heard(phone)] == [third]
    assert heard(laptop) == heard(phone)
    assert in_folder(world).count('"span"') == 1

    world.ms += 3 * 24 * 60 * MINUTE  # all of the folder is read again
    for one in (phone, laptop, device(world)):
        one.sync()
        assert [guid for guid, _minutes, _at in heard(one)] == [third]
