from player.directory.answers import RateLimit


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_requests_pass_up_to_the_limit_and_the_next_waits_until_the_first_is_old() -> None:
    clock = Clock()
    limit = RateLimit(3, 60.0, clock)
    assert limit.take() == 0
    clock.now += 10
    assert limit.take() == 0
    assert limit.take() == 0
    assert limit.take() == 50
    clock.now += 49
    assert limit.take() == 1
    clock.now += 1
    assert limit.take() == 0
    assert limit.take() == 10


def test_a_pause_holds_everything_and_only_grows() -> None:
    clock = Clock()
    limit = RateLimit(3, 60.0, clock)
    limit.pause(30)
    limit.pause(5)
    assert limit.take() == 30
    clock.now += 30
    assert limit.take() == 0
